//! Whether the model's server is there and takes the key. Nothing is spent.

use llm::{Client, HttpModel, LocalServer, Reached, Reason, detect};

use super::Check;
use crate::environment::Environment;
use crate::settings::{Reading, models};

const NAME: &str = "model";

pub(super) fn check(reading: &Reading, environment: &Environment) -> Check {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => runtime.block_on(reach(reading, environment)),
        Err(error) => Check::problem(NAME, format!("the system gives nothing to work with: {error}"), "ulimit -n 1024"),
    }
}

async fn reach(reading: &Reading, environment: &Environment) -> Check {
    let settings = &reading.settings.models;
    let named = models::named(None, environment);
    let variables = models::variables(&reading.off(), environment);
    let choice = match detect(named.as_ref(), settings, &variables, &LocalServer::usual()).await {
        Ok(choice) => choice,
        Err(error) => return Check::problem(NAME, error.to_string(), "cowhand init"),
    };
    if choice.reason == Reason::Nothing {
        return Check::warning(NAME, "there is no key and no local server, so the demo model answers", "cowhand init");
    }
    let (Ok(endpoint), Ok(client)) = (choice.endpoint(settings, &variables), Client::new(&settings.deadlines)) else {
        return match choice.endpoint(settings, &variables) {
            Err(error) => Check::problem(NAME, format!("{} cannot be asked: {error}", choice.model), "cowhand init"),
            Ok(_) => Check::problem(NAME, "the network client cannot be set up", "unset HTTPS_PROXY"),
        };
    };
    // The demo model is in process.
    let Some(endpoint) = endpoint else { return Check::ok(NAME, choice.to_string()) };
    let base = endpoint.base_url.split('?').next().unwrap_or_default().to_owned();
    match HttpModel::new(endpoint, client).reach().await {
        Ok(Reached::Lists) => Check::ok(NAME, format!("{choice}; its server takes the key")),
        Ok(Reached::Answers) => Check::ok(NAME, format!("{choice}; its server answers, the key was not tried")),
        Err(error) => Check::problem(NAME, format!("{}: {}", choice.model, error.message), format!("curl -sSI {base}")),
    }
}
