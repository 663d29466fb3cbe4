//! What is asked, and what the answers mean.

use std::fmt;

use llm::{KeyError, KeyReference};

use super::dialogue::{Dialogue, Question};
use super::vendors::{Models, Vendor};
use crate::environment::Environment;
use crate::exit::Failure;
use crate::settings::{LanguageChoice, nearest};

/// What a person wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answers {
    /// The vendor.
    pub(crate) vendor: Vendor,
    /// Its key; `None` where it asks for none.
    pub(crate) key: Option<KeyAnswer>,
    /// The model, as the vendor calls it; `None` where the vendor has just one.
    pub(crate) model: Option<String>,
    /// The language; `None` where it was not asked for.
    pub(crate) language: Option<LanguageChoice>,
}

/// Where a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyAnswer {
    /// Somewhere already.
    At(KeyReference),
    /// Here: it was typed.
    Typed(TypedKey),
}

/// A key that was typed. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TypedKey(String);

impl TypedKey {
    /// Takes a key, which is one word of ASCII.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| Self(key.to_owned()))
    }

    /// The key itself, for its file.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedKey(***)")
    }
}

/// What the questions offer depends on these.
pub(crate) struct Offers<'a> {
    /// The vendors that can be asked.
    pub(crate) vendors: &'a [Vendor],
    /// The likeliest of them.
    pub(crate) likeliest: &'a Vendor,
    /// The variables.
    pub(crate) environment: &'a Environment,
    /// The file of a vendor's key, where an earlier run left one.
    pub(crate) key_file: &'a dyn Fn(&Vendor) -> Option<KeyReference>,
}

impl Offers<'_> {
    /// Asks for everything; for the language only where there is a question left for it.
    pub(crate) fn ask(&self, dialogue: &mut Dialogue<'_>, with_language: bool) -> Result<Answers, Failure> {
        let vendor = self.ask_vendor(dialogue)?;
        let key = self.ask_key(dialogue, &vendor)?;
        let model = ask_model(dialogue, &vendor)?;
        let language = if with_language { Some(ask_language(dialogue)?) } else { None };
        Ok(Answers { vendor, key, model, language })
    }

    fn ask_vendor(&self, dialogue: &mut Dialogue<'_>) -> Result<Vendor, Failure> {
        let names: Vec<&str> = self.vendors.iter().map(|vendor| vendor.name.as_str()).collect();
        let text = format!("Vendor ({})", names.join(", "));
        let question = Question { text: &text, offer: &self.likeliest.name, secret: false };
        dialogue.ask(&question, |answer| {
            let Some(name) = answer else { return Ok(self.likeliest.clone()) };
            let found = self.vendors.iter().find(|vendor| vendor.name.eq_ignore_ascii_case(name));
            found.cloned().ok_or_else(|| match nearest(name, names.iter().copied()) {
                Some(meant) => format!("`{name}` is not known; did you mean `{meant}`?"),
                None => format!("`{name}` is not known"),
            })
        })
    }

    fn ask_key(&self, dialogue: &mut Dialogue<'_>, vendor: &Vendor) -> Result<Option<KeyAnswer>, Failure> {
        let Some(variable) = &vendor.key_variable else { return Ok(None) };
        let in_variable = KeyReference::Variable(variable.clone());
        let is_set = self.environment.text(variable).is_some();
        let offer = if is_set { in_variable } else { (self.key_file)(vendor).unwrap_or(in_variable) };
        let text = format!("Key of {}, or the variable that holds it", vendor.name);
        let question = Question { text: &text, offer: &offer.to_string(), secret: true };
        dialogue.ask(&question, |answer| answer.map_or(Ok(KeyAnswer::At(offer.clone())), read_key)).map(Some)
    }
}

fn ask_model(dialogue: &mut Dialogue<'_>, vendor: &Vendor) -> Result<Option<String>, Failure> {
    let offer = match &vendor.models {
        Models::One => return Ok(None),
        Models::Many { offer } => offer.as_deref().unwrap_or_default(),
    };
    let question = Question { text: "Model", offer, secret: false };
    let model = dialogue.ask(&question, |answer| {
        let model = answer.unwrap_or(offer);
        let own = model.strip_prefix(&vendor.name).and_then(|rest| rest.strip_prefix('/')).unwrap_or(model);
        match own {
            "" => Err(format!("{} has no usual model, so a name is needed", vendor.name)),
            name if name.contains(|char: char| char.is_whitespace() || char.is_control()) => {
                Err("a model's name has no spaces".to_owned())
            }
            name => Ok(name.to_owned()),
        }
    });
    model.map(Some)
}

fn ask_language(dialogue: &mut Dialogue<'_>) -> Result<LanguageChoice, Failure> {
    let question = Question { text: "Language of the bot (auto, en, zh)", offer: "auto", secret: false };
    dialogue.ask(&question, |answer| match answer.unwrap_or("auto") {
        "auto" => Ok(LanguageChoice::Auto),
        "en" => Ok(LanguageChoice::English),
        "zh" => Ok(LanguageChoice::Chinese),
        other => Err(format!("`{other}` is not one of auto, en, zh")),
    })
}

/// Reads a key, the name of a variable, or a reference. What is wrong is said without showing it.
fn read_key(answer: &str) -> Result<KeyAnswer, String> {
    if ["env:", "file:", "cred:"].iter().any(|start| answer.starts_with(start)) {
        return answer.parse().map(KeyAnswer::At).map_err(|error: KeyError| error.to_string());
    }
    if is_variable_name(answer) {
        return Ok(KeyAnswer::At(KeyReference::Variable(answer.to_owned())));
    }
    let typed = TypedKey::new(answer).map(KeyAnswer::Typed);
    typed.ok_or_else(|| "a key has neither spaces nor letters beyond ASCII".to_owned())
}

/// Variables are written in capitals with `_` between words; no vendor's keys are.
fn is_variable_name(answer: &str) -> bool {
    let capitals = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    answer.contains('_') && answer.bytes().all(capitals) && !answer.starts_with(|char: char| char.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::dialogue::Manner;
    use super::*;

    fn vendors() -> Vec<Vendor> {
        let vendor = |name: &str, variable: Option<&str>, models| Vendor {
            name: name.into(),
            key_variable: variable.map(Into::into),
            models,
        };
        vec![
            vendor("openai", Some("OPENAI_API_KEY"), Models::Many { offer: Some("gpt-x".into()) }),
            vendor("ollama", None, Models::Many { offer: None }),
            vendor("demo", None, Models::One),
        ]
    }

    fn ask(input: &str) -> (Result<Answers, Failure>, String) {
        let mut output = Vec::new();
        let mut input = input.as_bytes();
        let mut dialogue = Dialogue { input: &mut input, output: &mut output, manner: Manner::Pipe };
        let environment = Environment::default();
        let vendors = vendors();
        let offers =
            Offers { vendors: &vendors, likeliest: &vendors[0], environment: &environment, key_file: &|_| None };
        let answers = offers.ask(&mut dialogue, true);
        (answers, String::from_utf8(output).unwrap())
    }

    #[test]
    fn enter_takes_every_offer() {
        let answers = ask("\n\n\n\n").0.unwrap();

        let key = Some(KeyAnswer::At(KeyReference::Variable("OPENAI_API_KEY".into())));
        let language = Some(LanguageChoice::Auto);
        assert_eq!(answers, Answers { vendor: vendors()[0].clone(), key, model: Some("gpt-x".into()), language });
    }

    #[test]
    fn no_more_than_four_things_are_asked() {
        let (_, output) = ask("\n\n\n\n");

        assert_eq!(output.lines().count(), 4, "{output}");
    }

    #[test]
    fn a_vendor_without_keys_is_not_asked_for_one() {
        let answers = ask("ollama\nllama\nzh\n").0.unwrap();

        assert_eq!((answers.key, answers.model.as_deref()), (None, Some("llama")));
        assert_eq!(answers.language, Some(LanguageChoice::Chinese));
    }

    #[test]
    fn a_vendor_without_a_usual_model_needs_a_name() {
        let failure = ask("ollama\n\n").0.unwrap_err();

        assert!(failure.message.contains("ollama has no usual model"), "{failure}");
    }

    #[test]
    fn an_unknown_vendor_is_told_the_nearest() {
        let failure = ask("opneai\n").0.unwrap_err();

        assert!(failure.message.contains("did you mean `openai`?"), "{failure}");
    }

    #[test]
    fn a_typed_key_is_not_shown() {
        let (answers, output) = ask("\nsk-test-abc\n\n\n");

        assert_eq!(answers.unwrap().key, TypedKey::new("sk-test-abc").map(KeyAnswer::Typed));
        assert!(!output.contains("sk-test"), "{output}");
    }

    #[test]
    fn a_key_with_a_space_in_it_is_refused_without_showing_it() {
        let failure = ask("\nsk-test abc\n\n\n").0.unwrap_err();

        assert!(failure.message.contains("neither spaces") && !failure.message.contains("sk-test"), "{failure}");
    }

    #[test]
    fn a_variable_can_be_named_with_and_without_its_prefix() {
        for answer in ["MY_KEY", "env:MY_KEY"] {
            let answers = ask(&format!("\n{answer}\n")).0.unwrap();

            assert_eq!(answers.key, Some(KeyAnswer::At(KeyReference::Variable("MY_KEY".into()))));
        }
    }

    #[test]
    fn the_vendor_before_a_models_name_may_be_typed() {
        assert_eq!(ask("\n\nopenai/gpt-y\n").0.unwrap().model.as_deref(), Some("gpt-y"));
        assert_eq!(ask("\n\nother/gpt-y\n").0.unwrap().model.as_deref(), Some("other/gpt-y"));
    }
}
