//! The vendors that a person can choose from.

use chat::{ErrorClass, ModelError};
use llm::{
    Client, Deadlines, Endpoint, EndpointError, HttpModel, LocalServer, ModelName, Plan, VENDORS, VendorSettings,
};

use super::{Answers, KeyAnswer};
use crate::environment::Environment;
use crate::exit::with_causes;

/// How long a check may take, in seconds.
const PATIENCE_S: u32 = 20;

/// A vendor, as far as setting up needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vendor {
    /// Its name in settings.
    pub(crate) name: String,
    /// The variable that usually holds its key; `None` where it asks for none.
    pub(crate) key_variable: Option<String>,
    /// What models it has.
    pub(crate) models: Models,
}

/// What models a vendor has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Models {
    /// Just one, which has no name.
    One,
    /// Several.
    Many {
        /// The usual one.
        offer: Option<String>,
    },
}

/// Every vendor, and the likeliest one: it has a key in a variable, or a server on this machine, else it is the demo.
pub(crate) fn known(environment: &Environment) -> (Vec<Vendor>, Vendor) {
    let mut vendors: Vec<Vendor> = VENDORS.iter().map(|vendor| Vendor::of_table(vendor, environment)).collect();
    vendors.push(Vendor { name: llm::DEMO.to_owned(), key_variable: None, models: Models::One });
    let likeliest = likeliest(environment);
    let found = likeliest.and_then(|model| {
        let vendor = vendors.iter_mut().find(|vendor| vendor.name == model.vendor)?;
        vendor.models = Models::Many { offer: Some(model.model) };
        Some(vendor.clone())
    });
    let likeliest = found.or_else(|| vendors.last().cloned()).expect("the demo is in the list");
    (vendors, likeliest)
}

impl Vendor {
    fn of_table(vendor: &llm::Vendor, environment: &Environment) -> Self {
        let names = || vendor.keys.iter().map(|key| key.name);
        let variable = names().find(|name| environment.text(name).is_some()).or_else(|| names().next());
        // A server on this machine may take a key, but hardly ever asks for one.
        let variable = variable.filter(|_| !vendor.base_url.starts_with("http://127.0.0.1"));
        Self {
            name: vendor.name.to_owned(),
            key_variable: variable.map(str::to_owned),
            models: Models::Many { offer: vendor.default_model().map(str::to_owned) },
        }
    }
}

fn likeliest(environment: &Environment) -> Option<ModelName> {
    let lookup = |name: &str| environment.text(name).map(str::to_owned);
    match llm::plan(None, &llm::Settings::default(), &lookup).ok()? {
        Plan::Use(choice) => Some(choice.model),
        Plan::Probe => Some(runtime()?.block_on(llm::probe(&LocalServer::usual()))?.model),
    }
}

/// Asks the vendor for a word with the key of these answers; the error says what went wrong.
pub(crate) fn check(answers: &Answers, environment: &Environment) -> Result<(), String> {
    let endpoint = endpoint(answers, environment).map_err(|error| with_causes(&error))?;
    let url = endpoint.base_url.clone();
    let client = Client::new(&Deadlines { first_byte_s: PATIENCE_S, ..Deadlines::default() });
    let model = HttpModel::new(endpoint, client.map_err(|error| with_causes(&error))?);
    let runtime = runtime().ok_or("the network cannot be set up")?;
    runtime.block_on(model.check()).map_err(|error| what_failed(&error, &url))
}

/// Where the model of these answers is asked.
fn endpoint(answers: &Answers, environment: &Environment) -> Result<Endpoint, EndpointError> {
    let vendor = &answers.vendor;
    let name = ModelName { vendor: vendor.name.clone(), model: answers.model.clone().unwrap_or_default() };
    let (reference, typed) = match &answers.key {
        Some(KeyAnswer::At(reference)) => (Some(reference.clone()), None),
        Some(KeyAnswer::Typed(key)) => (None, Some(key)),
        None => (None, None),
    };
    // A typed key is in no variable yet; to the vendor's side it is.
    let lookup = |name: &str| match typed {
        Some(key) if vendor.key_variable.as_deref() == Some(name) => Some(key.expose().to_owned()),
        _ => environment.text(name).map(str::to_owned),
    };
    llm::endpoint(&name, Some(&VendorSettings { key: reference, ..VendorSettings::default() }), &lookup)
}

fn what_failed(error: &ModelError, url: &str) -> String {
    match error.class {
        ErrorClass::Auth => format!("{url} refuses the key: {error}"),
        ErrorClass::Network | ErrorClass::Timeout => {
            format!("{url} cannot be reached: {error}; is there a network, and is that the right server?")
        }
        ErrorClass::Protocol | ErrorClass::BadRequest => {
            format!("{url} does not take the request: {error}; is that the right server, and the model's right name?")
        }
        _ => error.to_string(),
    }
}

fn runtime() -> Option<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().ok()
}

#[cfg(test)]
mod tests {
    use testkit::{Rules, ScriptedModel, Step};

    use super::super::answers::TypedKey;
    use super::*;

    #[test]
    fn a_vendor_whose_key_is_in_a_variable_is_the_likeliest() {
        let environment = Environment::from_iter([("DEEPSEEK_API_KEY", "sk-test")]);

        let (vendors, likeliest) = known(&environment);

        assert_eq!(
            (likeliest.name.as_str(), likeliest.key_variable.as_deref()),
            ("deepseek", Some("DEEPSEEK_API_KEY"))
        );
        assert!(vendors.contains(&likeliest));
        assert_eq!(vendors.last().map(|vendor| vendor.name.as_str()), Some("demo"));
    }

    #[test]
    fn the_variable_that_is_set_is_offered_where_a_vendor_has_several() {
        let environment = Environment::from_iter([("GOOGLE_API_KEY", "test")]);

        assert_eq!(known(&environment).1.key_variable.as_deref(), Some("GOOGLE_API_KEY"));
    }

    #[test]
    fn a_server_on_this_machine_is_not_asked_for_a_key() {
        let (vendors, _) = known(&Environment::from_iter([("OPENAI_API_KEY", "sk-test"), ("VLLM_API_KEY", "x")]));

        for vendor in vendors.iter().filter(|vendor| ["ollama", "vllm"].contains(&vendor.name.as_str())) {
            assert_eq!(vendor.key_variable, None, "{}", vendor.name);
        }
    }

    /// What a check with a typed key says of this server.
    fn checked(base_url: &str) -> Result<(), String> {
        let environment = Environment::from_iter([("OPENAI_BASE_URL", base_url)]);
        let (vendors, _) = known(&environment);
        let answers = Answers {
            vendor: vendors.into_iter().find(|vendor| vendor.name == "openai").unwrap(),
            key: TypedKey::new("sk-test-abc").map(KeyAnswer::Typed),
            model: Some("gpt-x".into()),
            language: None,
        };
        check(&answers, &environment)
    }

    fn server(step: Step) -> ScriptedModel {
        let server = ScriptedModel::start_with(Rules { key: "sk-test-abc".into(), ..Rules::default() });
        server.script([step]);
        server
    }

    #[test]
    fn a_key_that_works_passes() {
        assert_eq!(checked(&server(Step::text("OK")).openai_url()), Ok(()));
    }

    #[test]
    fn a_key_that_is_refused_is_told_so_and_not_shown() {
        let problem = checked(&server(Step::status(401)).openai_url()).unwrap_err();

        assert!(problem.contains("refuses the key"), "{problem}");
        assert!(!problem.contains("sk-test"), "{problem}");
    }

    #[test]
    fn a_server_that_is_not_there_is_told_apart_from_a_wrong_key() {
        let problem = checked("http://127.0.0.1:9/v1").unwrap_err();

        assert!(problem.contains("http://127.0.0.1:9/v1 cannot be reached"), "{problem}");
    }

    #[test]
    fn a_server_that_does_not_know_the_path_is_told_apart_too() {
        let problem = checked(&server(Step::status(404)).openai_url()).unwrap_err();

        assert!(problem.contains("does not take the request"), "{problem}");
    }
}
