//! Gemini's `streamGenerateContent`.

mod chunk;
mod request;
mod schema;
#[cfg(test)]
mod tests;

use chat::Finish;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::draft::{Draft, DraftArguments, DraftCall};
use crate::format::{Refusal, error_in};
use crate::wire::{Content, lenient_value};
pub(crate) use request::{Request, request};

use chunk::{Candidate, Chunk, FunctionCall, Part, Usage};

/// Where content is asked for; the base URL may end with the version.
pub(crate) fn url(base: &str, model: &str) -> String {
    let last = base.rsplit('/').next().unwrap_or_default();
    let is_version = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let version = if is_version { "" } else { "/v1beta" };
    let model = model.strip_prefix("models/").unwrap_or(model);
    format!("{base}{version}/models/{model}:streamGenerateContent?alt=sse")
}

/// Nothing has to be remembered between the chunks of one reply: each part is whole.
#[derive(Debug)]
pub(crate) struct Assembly;

impl Assembly {
    /// Takes an event's data.
    pub(crate) fn read_event(&mut self, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        if let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(data) {
            return take(&chunk, data, draft);
        }
        let value = lenient_value(data)?;
        take(&Chunk::deserialize(&value)?, data, draft)
    }

    /// Takes a whole response, or the array of chunks that is sent where no event stream is asked for.
    pub(crate) fn read_document(&mut self, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        let value = lenient_value(data)?;
        let chunks = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
        for chunk in chunks {
            self.read_event(&chunk.to_string(), draft)?;
        }
        Ok(())
    }
}

fn take(chunk: &Chunk<'_>, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
    take_usage(chunk.usage_metadata.as_ref(), draft);
    if chunk.prompt_feedback.as_ref().is_some_and(|feedback| !feedback.block_reason.is_empty()) {
        draft.end(Some(Finish::ContentFilter));
    }
    // One is asked for, and some gateways send more.
    let is_first = |candidate: &&Candidate<'_>| candidate.index.0.is_none_or(|index| index == 0);
    let candidate = chunk.candidates.iter().flatten().find(is_first);
    let content = candidate.and_then(|candidate| candidate.content.as_ref());
    for part in content.iter().flat_map(|content| content.parts.iter().flatten()) {
        take_part(part, draft);
    }
    if chunk.error.is_some() {
        error_in(data, "")?;
    }
    if let Some(finish) = candidate.and_then(|candidate| finish_of(candidate.finish_reason.as_str())) {
        draft.end(Some(finish));
    }
    Ok(())
}

fn take_part(part: &Part<'_>, draft: &mut Draft) {
    let signature = part.thought_signature.as_str();
    if let Some(function) = &part.function_call {
        draft.calls.push(call(function, signature));
        return;
    }
    if part.thought {
        draft.add_reasoning(part.text.as_str());
    } else {
        draft.add_text(part.text.as_str());
    }
    if !signature.is_empty() {
        // It belongs to the part, not to what was thought before it.
        draft.begin_reasoning();
        *draft.reasoning_data() = json!({ "thoughtSignature": signature });
    }
}

fn call(function: &FunctionCall<'_>, signature: &str) -> DraftCall {
    let arguments = match &function.args {
        Content::Text(text) => DraftArguments::Text(text.clone().into_owned()),
        Content::Value(value) => match value.as_ref() {
            Value::Object(args) => DraftArguments::Object(args.clone()),
            value => DraftArguments::Text(value.to_string()),
        },
        Content::Nothing => DraftArguments::default(),
    };
    let id = function.id.as_str();
    let own = [("thoughtSignature", signature), ("id", id)].into_iter().filter(|(_, value)| !value.is_empty());
    let own: Map<String, Value> = own.map(|(key, value)| (key.to_owned(), value.into())).collect();
    DraftCall {
        id: id.to_owned(),
        name: function.name.as_str().to_owned(),
        arguments,
        provider: (!own.is_empty()).then_some(Value::Object(own)),
    }
}

fn take_usage(wire: Option<&Usage>, draft: &mut Draft) {
    let Some(wire) = wire else { return };
    let usage = draft.usage();
    usage.input = wire
        .prompt_token_count
        .0
        .map_or(usage.input, |prompt| prompt + wire.tool_use_prompt_token_count.0.unwrap_or(0));
    usage.cached = wire.cached_content_token_count.0.unwrap_or(usage.cached);
    let counts = [wire.candidates_token_count.0, wire.thoughts_token_count.0];
    usage.output = counts.into_iter().flatten().sum::<u64>().max(usage.output);
}

fn finish_of(reason: &str) -> Option<Finish> {
    match reason {
        "" | "FINISH_REASON_UNSPECIFIED" => None,
        "MAX_TOKENS" => Some(Finish::Length),
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" | "IMAGE_SAFETY" => {
            Some(Finish::ContentFilter)
        }
        _ => Some(Finish::Stop),
    }
}
