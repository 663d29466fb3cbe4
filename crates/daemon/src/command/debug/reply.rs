//! A captured answer of a model, and the arguments of a call.

use chat::{Arguments, ArgumentsRefusal, Finish, ToolCall};
use llm::{parse_arguments, read_body};
use serde_json::{Value, json};

use super::input;
use crate::cli::{DebugArgsArgs, DebugReplyArgs};
use crate::exit::Failure;

/// What is made of a body.
pub(super) fn reply(args: &DebugReplyArgs) -> Result<Value, Failure> {
    let headers = args.header.iter().map(|header| read_header(header)).collect::<Result<Vec<_>, _>>()?;
    let body = input(args.file.as_deref())?;
    let reply = read_body(args.format.into(), args.status, &headers, &body, &args.tool);
    let calls: Vec<Value> = reply.calls.iter().map(call).collect();
    Ok(json!({
        "text": reply.text,
        "reasoning": reply.reasoning,
        "tool_calls": calls,
        "finish": reply.finish,
        "error": reply.error.map(|error| error.class.name()),
    }))
}

fn read_header(header: &str) -> Result<(String, String), Failure> {
    let (name, value) = header
        .split_once(':')
        .ok_or_else(|| Failure::usage(format!("--header \"{header}\": it has to look like \"name: value\"")))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn call(call: &ToolCall) -> Value {
    match &call.arguments {
        Arguments::Object(arguments) => json!({"id": call.id, "name": call.name, "arguments": arguments}),
        Arguments::Refused { reason, .. } => json!({"id": call.id, "name": call.name, "refused": refusal(*reason)}),
    }
}

fn refusal(reason: ArgumentsRefusal) -> &'static str {
    match reason {
        ArgumentsRefusal::Truncated => "truncated",
        ArgumentsRefusal::Invalid => "invalid",
    }
}

/// What is made of a text of arguments.
pub(super) fn arguments(args: &DebugArgsArgs) -> Result<Value, Failure> {
    let bytes = input(args.file.as_deref())?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match parse_arguments(&text, args.finish.as_deref().and_then(finish)) {
        Arguments::Object(arguments) => json!({"ok": arguments}),
        Arguments::Refused { reason, .. } => json!({"refuse": refusal(reason)}),
    })
}

/// A reason in the words of any of the formats; `none`, `null` or nothing where it was never learnt.
fn finish(reason: &str) -> Option<Finish> {
    match reason.to_ascii_lowercase().as_str() {
        "" | "none" | "null" => None,
        "length" | "max_tokens" => Some(Finish::Length),
        "tool_calls" | "tool_use" | "function_call" => Some(Finish::ToolCalls),
        "content_filter" | "safety" | "refusal" => Some(Finish::ContentFilter),
        _ => Some(Finish::Stop),
    }
}
