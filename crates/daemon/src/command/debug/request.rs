//! The body that would be sent for a history.

use std::sync::Arc;

use chat::{Message, ToolSpec};
use llm::{Endpoint, ModelName, ModelRequest, Quirks, build_request};
use serde_json::Value;

use super::{history, input, parse};
use crate::cli::DebugRequestArgs;
use crate::exit::Failure;

/// The body.
pub(super) fn request(args: &DebugRequestArgs) -> Result<Value, Failure> {
    let messages = history::read(&input(args.file.as_deref())?)?;
    let plain: Vec<Message> = messages.into_iter().map(|(message, _)| message).collect();
    history::check_inputs(&plain)?;
    let (messages, _) = chat::repair::repair(plain);
    let request = ModelRequest {
        system: Arc::from(args.system.as_str()),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools(args)?.into(),
        nudge: None,
    };
    Ok(build_request(&endpoint(args)?, &request))
}

fn tools(args: &DebugRequestArgs) -> Result<Vec<ToolSpec>, Failure> {
    let Some(file) = &args.tools else { return Ok(Vec::new()) };
    let written = parse(&input(Some(file))?, "the file of --tools")?;
    serde_json::from_value(written).map_err(|error| {
        Failure::usage(format!("the file of --tools has to be an array of {{name, description, parameters}}: {error}"))
    })
}

fn endpoint(args: &DebugRequestArgs) -> Result<Endpoint, Failure> {
    let format = args.format.into();
    let vendor = args.vendor.clone().unwrap_or_else(|| args.format.name().to_owned());
    let name = ModelName { vendor, model: args.model.clone().unwrap_or_else(|| "model".to_owned()) };
    if args.vendor.is_some() {
        // No key is needed for what is only looked at; servers are the usual ones.
        let lookup = |variable: &str| (!variable.ends_with("BASE_URL")).then(|| "debug".to_owned());
        let endpoint = llm::endpoint(&name, None, &lookup).map_err(|error| Failure::usage(error.to_string()))?;
        return Ok(Endpoint { format, ..endpoint });
    }
    Ok(Endpoint {
        name,
        format,
        base_url: String::new(),
        key: None,
        quirks: Quirks::default(),
        window: None,
        max_output: None,
        effort: None,
        headers: Vec::new(),
    })
}
