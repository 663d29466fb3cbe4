//! Assembles a reply from a fixed stream of 1 MB, for the guard of instruction counts: at once, or as the argument says in so many
//! chunks. Making the stream is a few copies, so nearly all that is counted is the assembly.

use chat::Finish;
use llm::{Format, read_pieces};

fn main() {
    let chunks = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).expect("a number of chunks");
    let stream = stream();
    let pieces = stream.as_bytes().chunks(stream.len().div_ceil(chunks));

    let reply = read_pieces(Format::OpenAi, pieces, &["write".to_owned()]);

    assert_eq!((reply.error, reply.finish), (None, Some(Finish::ToolCalls)));
    assert_eq!(reply.text.len(), 2200 * 12);
    assert_eq!(reply.calls.len(), 1);
}

/// Thinking, text, and one call with long arguments, in small events as services send them.
fn stream() -> String {
    let mut stream = event(r#"{"role":"assistant","content":"","refusal":null}"#, "null");
    stream += &event(r#"{"reasoning_content":"let me see. "}"#, "null").repeat(1100);
    stream += &event(r#"{"content":"these words "}"#, "null").repeat(2200);
    let call = r#"{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"write","arguments":"{\"path\":\"a\",\"content\":\""}}]}"#;
    stream += &event(call, "null");
    let fragment = r#"{"tool_calls":[{"index":0,"function":{"arguments":"a line\\n"}}]}"#;
    stream += &event(fragment, "null").repeat(1100);
    stream += &event(r#"{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}"#, "null");
    stream += &event("{}", "\"tool_calls\"");
    stream + "data: [DONE]\n\n"
}

fn event(delta: &str, finish: &str) -> String {
    format!(
        r#"data: {{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","system_fingerprint":null,"choices":[{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}]}}"#
    ) + "\n\n"
}
