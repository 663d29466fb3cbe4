//! `cowhand init`.

mod answers;
mod dialogue;
mod files;
mod hidden;
mod vendors;

#[cfg(test)]
mod tests;

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use answers::{Answers, KeyAnswer, Offers};
use dialogue::{Dialogue, Manner, Question};
use llm::KeyReference;
use vendors::Vendor;

use crate::cli::{InitArgs, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure, with_causes};
use crate::paths::{ConfigPlaces, Paths, no_home};
use crate::settings::toml_key;

/// Sets up: asks, checks the key, writes.
pub(crate) fn run(args: &InitArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let config = ConfigPlaces::find(places.config.as_deref(), environment);
    let Some(config) = config.to_write() else {
        let why = no_home(environment);
        return Err(Failure::config(format!(
            "there is no place for the configuration, as {why}; name a file by --config"
        )));
    };
    let config =
        std::path::absolute(config).map_err(|error| Failure::config(format!("{}: {error}", config.display())))?;
    let (vendors, likeliest) = vendors::known(environment);
    let setup = Setup {
        environment,
        config,
        paths: Paths::find(places.data_dir.as_deref(), environment, None)?,
        vendors,
        likeliest,
        check: &vendors::check,
    };
    let manner = match args.yes {
        true => Manner::Defaults,
        false if stdin().is_terminal() => Manner::Terminal,
        false => Manner::Pipe,
    };
    setup.run(&mut Dialogue { input: &mut stdin().lock(), output: &mut stdout(), manner })
}

/// Asks a vendor one thing with a key; the error says what went wrong.
type Check<'a> = &'a dyn Fn(&Answers, &Environment) -> Result<(), String>;

struct Setup<'a> {
    environment: &'a Environment,
    /// The file to write; absolute.
    config: PathBuf,
    paths: Paths,
    vendors: Vec<Vendor>,
    likeliest: Vendor,
    check: Check<'a>,
}

impl Setup<'_> {
    fn run(&self, dialogue: &mut Dialogue<'_>) -> Result<Exit, Failure> {
        let replaces = self.config.exists();
        if replaces && !self.config.is_file() {
            let config = self.config.display();
            return Err(Failure::config(format!(
                "{config} is no file; name one by --config, such as {config}/cowhand.toml"
            )));
        }
        if replaces && !self.may_replace(dialogue)? {
            dialogue.say(&format!("Nothing was changed: {} is as it was.", self.config.display()))?;
            return Ok(Exit::Done);
        }
        let key_file = |vendor: &Vendor| {
            let file = self.key_file(vendor);
            file.exists().then_some(KeyReference::File(file))
        };
        let offers = Offers {
            vendors: &self.vendors,
            likeliest: &self.likeliest,
            environment: self.environment,
            key_file: &key_file,
        };
        // The question whether to replace was the first of at most four.
        let answers = offers.ask(dialogue, !replaces)?;
        self.tell_check(dialogue, &answers)?;
        for written in self.write(&answers, replaces)? {
            dialogue.say(&written)?;
        }
        dialogue.say("Now talk: cowhand chat")?;
        Ok(Exit::Done)
    }

    fn may_replace(&self, dialogue: &mut Dialogue<'_>) -> Result<bool, Failure> {
        if dialogue.manner == Manner::Defaults {
            return Ok(true);
        }
        let text = format!("{} is there already; replace it? It is kept as .bak (y/n)", self.config.display());
        dialogue.ask(&Question { text: &text, offer: "n", secret: false }, |answer| {
            match answer.unwrap_or("n").to_ascii_lowercase().as_str() {
                "y" | "yes" => Ok(true),
                "n" | "no" => Ok(false),
                other => Err(format!("`{other}` is neither y nor n")),
            }
        })
    }

    fn tell_check(&self, dialogue: &mut Dialogue<'_>, answers: &Answers) -> Result<(), Failure> {
        let Some(key) = &answers.key else { return Ok(()) };
        if let KeyAnswer::At(reference) = key
            && let Err(problem) = reference.resolve(&|name| self.environment.text(name).map(str::to_owned))
        {
            return dialogue.say(&format!("The key was not checked: {}.", with_causes(&problem)));
        }
        dialogue.say(&format!("Checking the key with one call to {} ...", answers.vendor.name))?;
        match (self.check)(answers, self.environment) {
            Ok(()) => dialogue.say("It works."),
            Err(problem) => dialogue.say(&format!(
                "It does not work: {problem}\nYour answers will be saved all the same; `cowhand init` changes them."
            )),
        }
    }

    /// Writes everything, and says what.
    fn write(&self, answers: &Answers, replaces: bool) -> Result<Vec<String>, Failure> {
        let mut written = Vec::new();
        if replaces {
            let copy = files::keep_copy(&self.config).map_err(|error| cannot_write(&self.config, &error))?;
            written.push(format!("The configuration of before is kept as {}.", copy.display()));
        }
        let key = match &answers.key {
            Some(KeyAnswer::Typed(secret)) => {
                let file = self.key_file(&answers.vendor);
                let text = format!("{}\n", secret.expose());
                files::write_private(&file, &text).map_err(|error| cannot_write(&file, &error))?;
                written.push(format!("The key is in {}; only you can read it.", file.display()));
                Some(KeyReference::File(file))
            }
            Some(KeyAnswer::At(reference)) => Some(reference.clone()),
            None => None,
        };
        let text = config_text(answers, key.as_ref());
        files::write_private(&self.config, &text).map_err(|error| cannot_write(&self.config, &error))?;
        written.push(format!("The configuration is in {}.", self.config.display()));
        self.paths.create()?;
        let workspace = self.paths.workspace();
        memory::create_workspace(&workspace)
            .map_err(|error| Failure::data(format!("{} cannot be written: {error}", workspace.display())))?;
        written.push(format!("Files that tell the agent who it is are in {}.", workspace.display()));
        Ok(written)
    }

    fn key_file(&self, vendor: &Vendor) -> PathBuf {
        self.config.with_file_name(format!("{}.key", vendor.name))
    }
}

/// The configuration file that the answers make.
fn config_text(answers: &Answers, key: Option<&KeyReference>) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut text =
        String::from("# Written by `cowhand init`. `cowhand config show` lists everything that can be set.\n");
    if let Some(language) = answers.language {
        text += &format!("language = {}\n", quoted(language.name()));
    }
    let vendor = &answers.vendor.name;
    let model = answers.model.as_ref().map_or(vendor.clone(), |model| format!("{vendor}/{model}"));
    text += &format!("\n[models]\nmodel = {}\n", quoted(&model));
    if let Some(key) = key {
        text += &format!("\n[models.vendors.{}]\nkey = {}\n", toml_key(vendor), quoted(&key.to_string()));
    }
    text
}

fn cannot_write(file: &Path, error: &std::io::Error) -> Failure {
    Failure::config(format!("{} cannot be written: {error}", file.display()))
}
