use std::collections::BTreeMap;
use std::fs;

use super::*;

fn no_variables(_: &str) -> Option<String> {
    None
}

fn name(text: &str) -> ModelName {
    ModelName::parse(text, &BTreeMap::new()).unwrap()
}

fn error(text: &str) -> String {
    ModelName::parse(text, &BTreeMap::new()).unwrap_err().to_string()
}

fn own(settings: &str) -> VendorSettings {
    toml::from_str(settings).unwrap()
}

#[test]
fn names_are_unique_and_urls_can_be_joined_to_a_path() {
    for (at, vendor) in VENDORS.iter().enumerate() {
        assert!(VENDORS[..at].iter().all(|other| other.name != vendor.name), "{}", vendor.name);
        let urls = vendor.keys.iter().filter_map(|key| key.base_url).chain([vendor.base_url]);
        for url in urls {
            assert!(url.starts_with("http") && !url.ends_with('/'), "{url}");
        }
        assert!(vendor.is_local() || (!vendor.keys.is_empty() && vendor.default_model().is_some()), "{}", vendor.name);
    }
}

#[test]
fn a_name_is_a_vendor_a_slash_and_a_model_that_may_hold_slashes() {
    let parsed = name(" openrouter/mistralai/devstral ");

    assert_eq!(parsed, ModelName { vendor: "openrouter".into(), model: "mistralai/devstral".into() });
    assert_eq!(parsed.to_string(), "openrouter/mistralai/devstral");
}

#[test]
fn a_vendor_alone_stands_for_its_default_model() {
    assert_eq!(name("anthropic").to_string(), "anthropic/claude-sonnet-5-5");
    assert_eq!(error("ollama"), "ollama has no default model: write ollama/MODEL");
}

#[test]
fn the_demo_model_is_written_alone() {
    assert_eq!(name("demo"), ModelName::demo());
    assert_eq!(ModelName::demo().to_string(), "demo");
    assert_eq!(error("demo/large"), "the demo model is written \"demo\", with nothing behind it");
}

#[test]
fn a_vendor_that_is_misspelt_is_told_with_the_nearest_one() {
    let error = error("opnai/gpt-6-sol");

    assert!(
        error.starts_with("there is no vendor \"opnai\" (\"openai\" perhaps?); there are openai, anthropic"),
        "{error}"
    );
}

#[test]
fn a_model_without_a_vendor_is_told_how_it_is_written() {
    let error = error("gpt-4o-mini");

    assert!(error.starts_with("\"gpt-4o-mini\" names no vendor: write it as VENDOR/MODEL"), "{error}");
    assert!(error.contains("vllm"), "{error}");
}

#[test]
fn a_vendor_of_ones_own_is_known_by_its_name() {
    let vendors = BTreeMap::from([("house".to_owned(), own("base_url = 'http://house:9/v1'\nmodel = 'small'"))]);

    assert_eq!(ModelName::parse("house", &vendors).unwrap().to_string(), "house/small");
    assert_eq!(ModelName::parse("house/big", &vendors).unwrap().to_string(), "house/big");
}

#[test]
fn a_server_is_that_of_the_settings_else_of_the_variable_else_of_the_table() {
    let lookup = |variable: &str| match variable {
        "OPENAI_API_KEY" => Some("k".to_owned()),
        "OPENAI_BASE_URL" => Some("http://127.0.0.1:1/v1".to_owned()),
        _ => None,
    };
    let settings = own("base_url = 'http://127.0.0.1:2/v1'");
    let url = |settings, lookup| endpoint(&name("openai"), settings, lookup).unwrap().base_url;

    assert_eq!(url(Some(&settings), &lookup), "http://127.0.0.1:2/v1");
    assert_eq!(url(None, &lookup), "http://127.0.0.1:1/v1");
    assert_eq!(url(None, &|variable| (variable == "OPENAI_API_KEY").then(|| "k".into())), "https://api.openai.com/v1");
}

#[test]
fn a_key_of_a_vendors_other_site_leads_there() {
    let lookup = |variable: &str| (variable == "ZAI_API_KEY").then(|| "k".to_owned());

    assert_eq!(endpoint(&name("glm"), None, &lookup).unwrap().base_url, "https://api.z.ai/api/paas/v4");
}

#[test]
fn a_missing_key_is_told_with_the_variables_that_would_do() {
    let missing = endpoint(&name("gemini"), None, &no_variables).unwrap_err();

    let expected = "gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or `models.vendors.gemini.key`";
    assert_eq!(missing.to_string(), expected);
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let blank = |_: &str| Some("  ".to_owned());

    assert!(matches!(endpoint(&name("openai"), None, &blank), Err(EndpointError::NoKey { .. })));
}

#[test]
fn a_server_on_this_machine_or_of_ones_own_needs_no_key() {
    assert!(endpoint(&name("ollama/llama3"), None, &no_variables).unwrap().key.is_none());
    let settings = own("base_url = 'http://127.0.0.1:2/v1'");
    assert!(endpoint(&name("openai"), Some(&settings), &no_variables).unwrap().key.is_none());
}

#[test]
fn what_is_known_of_a_model_is_not_said_of_another() {
    let window = |model: &str| {
        let name = ModelName { vendor: "deepseek".into(), model: model.into() };
        endpoint(&name, None, &|name| name.ends_with("KEY").then(|| "k".into())).unwrap().window
    };

    assert_eq!(window("deepseek-flash"), Some(1_000_000));
    assert_eq!(window("deepseek-next"), None);
}

#[test]
fn a_vendor_of_ones_own_needs_a_server() {
    let name = ModelName { vendor: "house".into(), model: "small".into() };

    let error = endpoint(&name, Some(&own("model = 'small'")), &no_variables).unwrap_err();

    assert_eq!(error.to_string(), "`models.vendors.house` needs a `base_url`");
}

#[test]
fn a_key_comes_from_a_variable_a_file_or_a_credential() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("key"), "  from-file\n").unwrap();
    let place = folder.path().to_str().unwrap().to_owned();
    let lookup = move |variable: &str| match variable {
        "MY_KEY" => Some("from-variable".to_owned()),
        "HOME" | "CREDENTIALS_DIRECTORY" => Some(place.clone()),
        _ => None,
    };
    let key = |text: &str| text.parse::<KeyReference>().unwrap().resolve(&lookup).unwrap();

    assert_eq!(key("env:MY_KEY"), crate::Key::new("from-variable"));
    assert_eq!(key("cred:key"), crate::Key::new("from-file"));
    assert_eq!(key("file:~/key"), crate::Key::new("from-file"));
    assert_eq!(key(&format!("file:{}/key", folder.path().display())), crate::Key::new("from-file"));
}

#[test]
fn a_key_in_place_of_a_reference_is_refused_without_being_shown() {
    for text in ["sk-secret", "sk:secret", "env:", "cred:../secret", "file:secret"] {
        let error = text.parse::<KeyReference>().unwrap_err().to_string();
        assert!(error.starts_with("a key is not written into settings") && !error.contains("secret"), "{error}");
    }
}

#[test]
fn a_file_that_holds_no_key_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in [("empty", String::new()), ("two", "a\nb\n".into()), ("large", "x".repeat(64 * 1024 + 1))] {
        let path = folder.path().join(file);
        fs::write(&path, content).unwrap();
        let error = KeyReference::File(path).resolve(&no_variables).unwrap_err();
        assert!(matches!(error, KeyError::NoKey(_)), "{file}: {error}");
    }
    let missing = KeyReference::File(folder.path().join("missing")).resolve(&no_variables).unwrap_err();
    assert!(missing.to_string().ends_with("missing cannot be read"), "{missing}");
    let unset = KeyReference::Variable("MY_KEY".into()).resolve(&no_variables).unwrap_err();
    assert_eq!(unset.to_string(), "the variable MY_KEY is not set");
}

#[test]
fn settings_of_a_vendor_come_back_from_their_text() {
    let text = "base_url = \"http://house:9/v1\"\nkey = \"env:HOUSE_KEY\"\nformat = \"anthropic\"\nmodel = \"small\"\nwindow = 8192\n";

    assert_eq!(toml::to_string(&own(text)).unwrap(), text);
    assert!(toml::from_str::<VendorSettings>("base_ulr = ''").is_err());
}
