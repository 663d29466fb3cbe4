use std::sync::Arc;

use chat::{Block, Message, Provider, ToolSpec};
use serde_json::json;

use super::*;
use crate::samples::{assistant, endpoint, request, user};
use crate::{Effort, EffortStyle, EmptyContent, OutputLimit, Quirks, ReasoningField, SystemPlace};

fn with_quirks(quirks: Quirks) -> Endpoint {
    Endpoint { quirks, ..endpoint(Format::OpenAi) }
}

fn own(data: Value) -> Option<Provider> {
    Some(Provider { vendor: "v".into(), model: "m".into(), data })
}

fn thinking(data: Value) -> Block {
    Block::Thinking { thinking: "hm".into(), provider: own(data) }
}

fn call(id: &str, provider: Option<Provider>) -> Block {
    Block::ToolUse { id: id.into(), name: "read".into(), input: json!({"path": id}), provider }
}

fn result(id: &str, is_error: bool) -> Block {
    Block::ToolResult { tool_use_id: id.into(), content: format!("of {id}"), is_error }
}

/// A conversation with one of everything: a picture, two calls of which one failed, text beside results, a nudge.
fn conversation(data: Value) -> ModelRequest {
    let tool = ToolSpec {
        name: "read".into(),
        description: "Reads a file.".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    };
    let picture = Block::Image { media_type: "image/png".into(), data: "iVBO".into() };
    let mut request = request(vec![
        user(vec![Block::hidden("It is noon."), Block::text("What is in a and b?"), picture]),
        assistant(vec![thinking(data.clone()), Block::text("I look."), call("a", own(data)), call("b", None)]),
        user(vec![Block::text("Hurry!"), result("b", true), result("a", false)]),
    ]);
    request.tools = Arc::new([tool]);
    request.nudge = Some("Answer now.".into());
    request
}

fn messages(endpoint: &Endpoint, request: &ModelRequest) -> Vec<Value> {
    let mut body = build_request(endpoint, request);
    let key = if endpoint.format == Format::Gemini { "contents" } else { "messages" };
    body[key].as_array_mut().map(std::mem::take).expect("each format has them")
}

/// What a request sets besides its messages.
fn settings(endpoint: &Endpoint) -> Value {
    let mut body = build_request(endpoint, &request(vec![Message::user("hi")]));
    body.as_object_mut()
        .expect("it is one")
        .retain(|key, _| !["messages", "contents", "model", "stream"].contains(&key.as_str()));
    body
}

#[test]
fn one_of_everything_in_each_format() {
    let openai = with_quirks(Quirks { reasoning_field: Some(ReasoningField::ReasoningContent), ..Quirks::NONE });

    insta::assert_json_snapshot!("openai", build_request(&openai, &conversation(json!(null))));
    let signature = json!({"signature": "sig"});
    insta::assert_json_snapshot!("anthropic", build_request(&endpoint(Format::Anthropic), &conversation(signature)));
    let signature = json!({"thoughtSignature": "sig", "id": "f1"});
    insta::assert_json_snapshot!("gemini", build_request(&endpoint(Format::Gemini), &conversation(signature)));
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    for format in [Format::OpenAi, Format::Anthropic, Format::Gemini] {
        let bytes = request_bytes(&endpoint(format), &conversation(json!(null)));

        assert_eq!(bytes, request_bytes(&endpoint(format), &conversation(json!(null))));
        assert_eq!(
            serde_json::from_slice::<Value>(&bytes).unwrap(),
            build_request(&endpoint(format), &conversation(json!(null)))
        );
    }
}

#[test]
fn what_stands_for_empty_content_is_a_quirk() {
    let request = request(vec![Message::user("go"), assistant(vec![call("a", None)]), user(vec![result("a", false)])]);
    let content = |empty_content| {
        let mut messages = messages(&with_quirks(Quirks { empty_content, ..Quirks::NONE }), &request);
        messages.remove(2).as_object_mut().expect("it is one").remove("content")
    };

    assert_eq!(content(EmptyContent::Null), Some(json!(null)));
    assert_eq!(content(EmptyContent::EmptyString), Some(json!("")));
    assert_eq!(content(EmptyContent::Omitted), None);
}

#[test]
fn where_the_system_prompt_goes_is_a_quirk() {
    let request = request(vec![Message::user("hi")]);
    let messages = |system| messages(&with_quirks(Quirks { system, ..Quirks::NONE }), &request);
    let hi = json!({"role": "user", "content": "hi"});

    assert_eq!(messages(SystemPlace::System), [json!({"role": "system", "content": "Be brief."}), hi.clone()]);
    assert_eq!(messages(SystemPlace::Developer), [json!({"role": "developer", "content": "Be brief."}), hi]);
    assert_eq!(messages(SystemPlace::FirstUser), [json!({"role": "user", "content": "Be brief.\n\nhi"})]);
}

#[test]
fn where_roles_must_alternate_a_user_speaks_at_the_end_of_a_tools_result() {
    let quirks = Quirks { alternate_roles: true, ..Quirks::NONE };

    let messages = messages(&with_quirks(quirks), &conversation(json!(null)));

    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
    assert_eq!(messages[4]["content"], "Error: of b\n\nHurry!\n\nAnswer now.");
}

#[test]
fn reasoning_is_given_back_in_the_field_that_the_server_wants() {
    let details = json!({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]});
    let step = |field, required, data| {
        let request = request(vec![
            Message::user("go"),
            assistant(vec![thinking(data), call("a", None)]),
            user(vec![result("a", false)]),
        ]);
        let quirks = Quirks { reasoning_field: field, reasoning_required: required, ..Quirks::NONE };
        messages(&with_quirks(quirks), &request).remove(2)
    };

    assert_eq!(step(Some(ReasoningField::ReasoningContent), false, json!(null))["reasoning_content"], "hm");
    assert_eq!(step(Some(ReasoningField::Reasoning), false, json!(null))["reasoning"], "hm");
    let with_details = step(Some(ReasoningField::ReasoningDetails), false, details.clone());
    assert_eq!(with_details["reasoning_details"], details["reasoning_details"]);
    assert_eq!(step(None, true, json!(null)).as_object().expect("it is one").len(), 3);
}

#[test]
fn where_it_is_required_every_reply_has_reasoning_once_a_tool_was_called() {
    let quirks =
        Quirks { reasoning_field: Some(ReasoningField::ReasoningContent), reasoning_required: true, ..Quirks::NONE };
    let talk = vec![Message::user("hi"), Message::assistant("hello"), Message::user("go")];
    let with_call = [talk.clone(), vec![assistant(vec![call("a", None)]), user(vec![result("a", false)])]].concat();

    let reasoning = |messages: Vec<Value>, at: usize| messages[at].get("reasoning_content").cloned();
    assert_eq!(reasoning(messages(&with_quirks(quirks), &request(talk)), 2), None);
    let messages = messages(&with_quirks(quirks), &request(with_call));
    assert_eq!((reasoning(messages.clone(), 2), reasoning(messages, 4)), (Some(json!("")), Some(json!(""))));
}

#[test]
fn settings_of_a_completion_are_quirks() {
    let mut endpoint = with_quirks(Quirks { stream_usage: false, ..Quirks::NONE });
    assert_eq!(settings(&endpoint), json!({}));

    endpoint.max_output = Some(9);
    assert_eq!(settings(&endpoint), json!({"max_tokens": 9}));

    endpoint.quirks = Quirks { output_limit: OutputLimit::MaxCompletionTokens, ..Quirks::NONE };
    assert_eq!(settings(&endpoint), json!({"stream_options": {"include_usage": true}, "max_completion_tokens": 9}));
}

#[test]
fn effort_is_written_as_the_server_reads_it() {
    let written = |format, style, effort| {
        let quirks = Quirks { effort: style, stream_usage: false, ..Quirks::NONE };
        settings(&Endpoint { quirks, effort: Some(effort), max_output: Some(10_000), ..endpoint(format) })
    };
    let openai = |style, effort| written(Format::OpenAi, style, effort);
    let with = |more: Value| {
        let mut all = json!({"max_tokens": 10_000});
        all.as_object_mut().expect("it is one").extend(more.as_object().expect("it is one").clone());
        all
    };

    assert_eq!(openai(EffortStyle::Ignored, Effort::High), with(json!({})));
    assert_eq!(openai(EffortStyle::ReasoningEffort, Effort::Off), with(json!({"reasoning_effort": "none"})));
    assert_eq!(openai(EffortStyle::Reasoning, Effort::Low), with(json!({"reasoning": {"effort": "low"}})));
    assert_eq!(openai(EffortStyle::Thinking, Effort::Off), with(json!({"thinking": {"type": "disabled"}})));
    let both = json!({"thinking": {"type": "enabled"}, "reasoning_effort": "max"});
    assert_eq!(openai(EffortStyle::ThinkingAndEffort, Effort::Max), with(both));
    assert_eq!(openai(EffortStyle::EnableThinking, Effort::Medium), with(json!({"enable_thinking": true})));
    let anthropic = written(Format::Anthropic, EffortStyle::Adaptive, Effort::Medium);
    assert_eq!(
        (&anthropic["thinking"]["type"], &anthropic["output_config"]["effort"]),
        (&json!("adaptive"), &json!("medium"))
    );
    let anthropic = written(Format::Anthropic, EffortStyle::Budget, Effort::Max);
    assert_eq!(anthropic["thinking"], json!({"type": "enabled", "budget_tokens": 9_999}));
    let gemini = written(Format::Gemini, EffortStyle::Level, Effort::Low);
    let config =
        json!({"maxOutputTokens": 10_000, "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true}});
    assert_eq!(gemini["generationConfig"], config);
}

/// Otherwise the server refuses the request: the thought that led to the call is not there.
#[test]
fn a_step_of_another_model_takes_the_thinking_budget_away() {
    let quirks = Quirks { effort: EffortStyle::Budget, ..Quirks::NONE };
    let endpoint = Endpoint { quirks, effort: Some(Effort::Low), ..endpoint(Format::Anthropic) };
    let step = |thought: Option<Block>| {
        let blocks = thought.into_iter().chain([call("a", None)]).collect();
        build_request(&endpoint, &request(vec![Message::user("go"), assistant(blocks), user(vec![result("a", false)])]))
    };

    assert_eq!(step(None)["thinking"]["type"], "disabled");
    assert_eq!(step(Some(thinking(json!({"signature": "s"}))))["thinking"]["type"], "enabled");
}

#[test]
fn anthropic_is_told_of_past_tools_where_none_may_be_called() {
    let request = request(vec![Message::user("go"), assistant(vec![call("a", None)]), user(vec![result("a", false)])]);

    let body = build_request(&endpoint(Format::Anthropic), &request);

    assert_eq!((&body["tools"][0]["name"], &body["tool_choice"]), (&json!("read"), &json!({"type": "none"})));
}

#[test]
fn anthropics_thoughts_go_back_as_they_came_or_not_at_all() {
    let blocks = vec![thinking(json!({"redacted": "AB"})), thinking(json!(null)), call("a", None)];
    let request = request(vec![Message::user("go"), assistant(blocks), user(vec![result("a", false)])]);

    let messages = messages(&endpoint(Format::Anthropic), &request);

    let kinds: Vec<&Value> =
        messages[1]["content"].as_array().expect("blocks").iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["redacted_thinking", "tool_use"]);
}

#[test]
fn gemini_is_given_a_stand_in_for_a_signature_in_the_turn_that_runs_only() {
    let step =
        || [assistant(vec![call("a", None), call("b", None)]), user(vec![result("a", false), result("b", false)])];
    let talk = [
        vec![Message::user("go")],
        step().to_vec(),
        vec![Message::assistant("ok"), Message::user("again")],
        step().to_vec(),
    ];

    let contents = messages(&endpoint(Format::Gemini), &request(talk.concat()));

    let signature = |content: &Value, part: usize| content["parts"][part].get("thoughtSignature").cloned();
    assert_eq!((signature(&contents[1], 0), signature(&contents[1], 1)), (None, None));
    assert_eq!(signature(&contents[5], 0), Some(json!("skip_thought_signature_validator")));
    assert_eq!(signature(&contents[5], 1), None);
}

#[test]
fn input_that_is_no_object_is_an_empty_one() {
    let odd = Block::ToolUse { id: "a".into(), name: "read".into(), input: json!([1]), provider: None };
    let request = request(vec![Message::user("go"), assistant(vec![odd]), user(vec![result("a", false)])]);

    assert_eq!(messages(&endpoint(Format::OpenAi), &request)[2]["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(messages(&endpoint(Format::Anthropic), &request)[1]["content"][0]["input"], json!({}));
    assert_eq!(messages(&endpoint(Format::Gemini), &request)[1]["parts"][0]["functionCall"]["args"], json!({}));
}
