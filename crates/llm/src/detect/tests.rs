use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;
use crate::Deadlines;

fn settings(text: &str) -> Settings {
    toml::from_str(text).unwrap()
}

fn variables<'a>(set: &'a [&'a str]) -> impl Fn(&str) -> Option<String> + use<'a> {
    move |name| set.contains(&name).then(|| "value".to_owned())
}

fn planned(named: Option<&str>, configured: &str, set: &[&str]) -> String {
    let named = named.map(|text| Named { text: text.into(), by: "--model".into() });
    match plan(named.as_ref(), &settings(configured), &variables(set)).unwrap() {
        Plan::Use(choice) => choice.to_string(),
        Plan::Probe => "probing".into(),
    }
}

#[test]
fn a_named_model_wins_over_all_else() {
    let configured = "model = 'anthropic/claude-opus-5-5'";

    assert_eq!(planned(Some("demo"), configured, &["OPENAI_API_KEY"]), "using demo because --model names it");
    assert_eq!(
        planned(None, configured, &["OPENAI_API_KEY"]),
        "using anthropic/claude-opus-5-5 because models.model names it"
    );
}

#[test]
fn a_named_model_that_does_not_exist_is_an_error_and_nothing_else_is_tried() {
    let named = Named { text: "opnai/x".into(), by: "--model".into() };

    let error = plan(Some(&named), &Settings::default(), &variables(&["OPENAI_API_KEY"])).unwrap_err();

    assert!(matches!(error, NameError::UnknownVendor { .. }));
}

#[test]
fn keys_are_looked_for_in_the_order_of_the_table() {
    let all = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "GEMINI_API_KEY", "DASHSCOPE_API_KEY"];
    let expected = [
        "using openai/gpt-6-sol because OPENAI_API_KEY is set",
        "using anthropic/claude-sonnet-5-5 because ANTHROPIC_API_KEY is set",
        "using deepseek/deepseek-flash because DEEPSEEK_API_KEY is set",
        "using gemini/gemini-3.8-flash because GEMINI_API_KEY is set",
        "using qwen/qwen3.8-max because DASHSCOPE_API_KEY is set",
    ];
    for (at, expected) in expected.iter().enumerate() {
        assert_eq!(planned(None, "", &all[at..]), *expected);
    }
    assert_eq!(planned(None, "", &["GOOGLE_API_KEY"]), "using gemini/gemini-3.8-flash because GOOGLE_API_KEY is set");
}

#[test]
fn a_key_in_the_settings_counts_like_one_in_the_environment() {
    let configured = "[vendors.anthropic]\nkey = 'file:/etc/key'\nmodel = 'claude-x'";

    let choice = planned(None, configured, &["GEMINI_API_KEY"]);

    assert_eq!(choice, "using anthropic/claude-x because models.vendors.anthropic is configured");
}

#[test]
fn a_vendor_of_ones_own_comes_before_local_servers_are_looked_for() {
    let configured = "[vendors.house]\nbase_url = 'http://house:9/v1'\nmodel = 'small'";

    assert_eq!(planned(None, configured, &[]), "using house/small because models.vendors.house is configured");
    assert_eq!(planned(None, "", &[]), "probing");
}

#[test]
fn a_key_whose_vendor_has_no_default_model_decides_nothing() {
    assert_eq!(planned(None, "", &["VLLM_API_KEY"]), "probing");
}

async fn server(vendor: &str, answer: Value) -> LocalServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let app = Router::new().route("/v1/models", get(move || async move { Json(answer) }));
    tokio::spawn(async move { axum::serve(listener, app).await });
    LocalServer { vendor: vendor.into(), port }
}

fn models(names: &[&str]) -> Value {
    json!({ "object": "list", "data": names.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>() })
}

#[tokio::test]
async fn the_first_server_in_order_that_has_a_model_is_taken() {
    let servers = [
        server("ollama", models(&[])).await,
        server("llama-cpp", models(&["text-embedding-small", "/models/big.gguf", "other"])).await,
        server("lmstudio", models(&["third"])).await,
    ];

    let choice = detect(None, &Settings::default(), &variables(&[]), &servers).await.unwrap();

    let port = servers[1].port;
    let expected = format!("using llama-cpp//models/big.gguf because http://127.0.0.1:{port}/v1 answers");
    assert_eq!(choice.to_string(), expected);
    let endpoint = choice.endpoint(&Settings::default(), &variables(&[])).unwrap().unwrap();
    assert_eq!(endpoint.base_url, format!("http://127.0.0.1:{port}/v1"));
}

#[tokio::test]
async fn a_server_that_is_silent_or_answers_something_else_is_passed_over() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let servers = [
        LocalServer { vendor: "ollama".into(), port: silent.local_addr().unwrap().port() },
        server("llama-cpp", json!({ "status": "ok" })).await,
    ];

    let choice = detect(None, &Settings::default(), &variables(&[]), &servers).await.unwrap();

    let expected = "using demo because no model is named, no key is set, and no local server answers";
    assert_eq!(choice.to_string(), expected);
    assert!(choice.endpoint(&Settings::default(), &variables(&[])).unwrap().is_none());
}

#[tokio::test]
async fn no_server_is_asked_where_a_key_is_set() {
    let servers = [server("ollama", models(&["local"])).await];

    let choice = detect(None, &Settings::default(), &variables(&["OPENAI_API_KEY"]), &servers).await.unwrap();

    assert_eq!(choice.model.vendor, "openai");
}

#[test]
fn a_choice_becomes_a_model_of_its_name() {
    let client = Client::new(&Deadlines::default()).unwrap();
    let connected = |text: &str| {
        let named = Named { text: text.into(), by: "--model".into() };
        let Plan::Use(choice) = plan(Some(&named), &Settings::default(), &variables(&[])).unwrap() else {
            panic!("it is named")
        };
        connect(&choice, &Settings::default(), &variables(&[]), &client).map(|model| model.name().to_string())
    };

    assert_eq!(connected("demo").unwrap(), "demo");
    assert_eq!(connected("ollama/llama3").unwrap(), "ollama/llama3");
    assert!(matches!(connected("openai"), Err(EndpointError::NoKey { .. })));
}
