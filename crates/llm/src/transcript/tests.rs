use chat::Message;
use serde_json::json;

use super::*;
use crate::Format;
use crate::samples::{assistant, endpoint, request, user};

fn call(id: &str, provider: Option<Provider>) -> Block {
    Block::ToolUse { id: id.into(), name: "read".into(), input: json!({}), provider }
}

fn result(id: &str, content: &str) -> Block {
    Block::ToolResult { tool_use_id: id.into(), content: content.into(), is_error: false }
}

fn provider(model: &str) -> Option<Provider> {
    Some(Provider { vendor: "v".into(), model: model.into(), data: json!({"signature": "s"}) })
}

/// The ids of all calls, and of the calls that are answered with what is answered.
fn ids(transcript: &Transcript<'_>) -> (Vec<String>, Vec<(String, String)>) {
    let (mut calls, mut answers) = (Vec::new(), Vec::new());
    for entry in &transcript.entries {
        match entry {
            Entry::User(user) => {
                answers.extend(user.answers.iter().map(|it| (it.call.id.to_string(), it.content.to_owned())));
            }
            Entry::Assistant(assistant) => calls.extend(assistant.calls.iter().map(|call| call.id.to_string())),
        }
    }
    (calls, answers)
}

/// A server gave every call the same id (C09): all pairs are kept, paired by their place.
#[test]
fn a_repeated_id_is_made_unique_and_results_follow_it() {
    let round = |at: usize| [assistant(vec![call("ZsSt", None)]), user(vec![result("ZsSt", &format!("r{at}"))])];
    let messages: Vec<Message> = [Message::user("go")].into_iter().chain((0..4).flat_map(round)).collect();
    let request = request(messages);

    let (calls, answers) = ids(&Transcript::new(&endpoint(Format::OpenAi), &request));

    assert_eq!(calls, ["ZsSt", "ZsSt_2", "ZsSt_3", "ZsSt_4"]);
    let expected = [("ZsSt", "r0"), ("ZsSt_2", "r1"), ("ZsSt_3", "r2"), ("ZsSt_4", "r3")];
    assert_eq!(answers, expected.map(|(id, content)| (id.to_owned(), content.to_owned())));
}

#[test]
fn a_made_id_does_not_meet_one_that_was_there() {
    let calls = vec![call("a_2", None), call("a", None), call("a", None), call("", None)];
    let results = vec![result("a", "2nd"), result("a", "3rd"), result("", "4th"), result("a_2", "1st")];
    let request = request(vec![Message::user("go"), assistant(calls), user(results)]);

    let (calls, answers) = ids(&Transcript::new(&endpoint(Format::OpenAi), &request));

    assert_eq!(calls, ["a_2", "a", "a_3", "call"]);
    assert_eq!(answers.into_iter().map(|(_, content)| content).collect::<Vec<_>>(), ["1st", "2nd", "3rd", "4th"]);
}

#[test]
fn ids_take_the_form_that_the_format_demands() {
    let long = "x".repeat(60);
    let request = request(vec![
        Message::user("go"),
        assistant(vec![call("functions.read:0", None), call(&long, None)]),
        user(vec![result("functions.read:0", "r"), result(&long, "l")]),
    ]);

    let (openai, _) = ids(&Transcript::new(&endpoint(Format::OpenAi), &request));
    let (anthropic, answers) = ids(&Transcript::new(&endpoint(Format::Anthropic), &request));

    assert_eq!(openai, ["functions.read:0", &long[..40]]);
    assert_eq!(anthropic, ["functions_read_0", &long[..40]]);
    assert_eq!(answers.len(), 2);
}

#[test]
fn names_that_no_server_takes_are_made_fit() {
    assert_eq!(fit_name("read_file"), "read_file");
    assert_eq!(fit_name("functions.read file"), "functions_read_file");
    assert_eq!(fit_name(""), "unknown");
    assert_eq!(fit_name(&"é".repeat(80)), "_".repeat(64));
}

#[test]
fn what_is_empty_is_left_out_and_a_silent_tool_is_said_to_be() {
    let request = request(vec![
        user(vec![Block::text(" \n"), Block::text("go")]),
        assistant(vec![Block::text(""), call("a", None)]),
        user(vec![result("a", " ")]),
        assistant(vec![Block::text("\n")]),
        Message::user("on"),
    ]);

    let transcript = Transcript::new(&endpoint(Format::OpenAi), &request);

    assert_eq!(transcript.entries.len(), 3, "what is behind an entry that is gone joins the one before");
    let Entry::User(last) = &transcript.entries[2] else { panic!("the last is a user's") };
    assert_eq!((last.answers[0].content, &last.parts), (NO_OUTPUT, &vec![Part::Text("on")]));
}

#[test]
fn only_what_this_very_model_thought_is_given_back() {
    let thinking = |provider| Block::Thinking { thinking: "t".into(), provider };
    let request = request(vec![
        Message::user("go"),
        assistant(vec![
            thinking(provider("m")),
            thinking(provider("other")),
            thinking(None),
            call("a", provider("other")),
        ]),
        user(vec![result("a", "r")]),
    ]);

    let transcript = Transcript::new(&endpoint(Format::Anthropic), &request);

    let Entry::Assistant(step) = &transcript.entries[1] else { panic!("it is the model's") };
    assert_eq!(step.thoughts, [Thought { text: "t", data: &json!({"signature": "s"}) }]);
    assert_eq!(step.calls[0].data, None);
}

#[test]
fn a_result_without_a_call_is_left_out() {
    let request = request(vec![user(vec![result("gone", "r"), Block::text("hi")])]);

    let transcript = Transcript::new(&endpoint(Format::OpenAi), &request);

    assert_eq!(ids(&transcript).1, []);
}

#[test]
fn a_picture_has_a_line_in_its_place_where_the_model_sees_none() {
    let mut blind = endpoint(Format::OpenAi);
    blind.quirks.images = false;
    let request = request(vec![user(vec![Block::Image { media_type: "image/png".into(), data: "AA==".into() }])]);

    let transcript = Transcript::new(&blind, &request);

    assert_eq!(transcript.entries, [Entry::User(UserEntry { answers: vec![], parts: vec![Part::Text(NO_PICTURE)] })]);
}

#[test]
fn a_picture_of_a_result_stands_behind_it_in_every_format() {
    let picture = || Block::Image { media_type: "image/png".into(), data: "AA==".into() };
    let request = request(vec![
        Message::user("look"),
        assistant(vec![call("x", None)]),
        user(vec![result("x", "a picture"), Block::hidden("[of x:]"), picture()]),
    ]);
    let place = |body: &str, part: &str| body.find(part).unwrap_or_else(|| panic!("no {part} in {body}"));

    for format in [Format::OpenAi, Format::Anthropic, Format::Gemini] {
        let body = crate::build_request(&endpoint(format), &request).to_string();
        assert!(place(&body, "a picture") < place(&body, "AA=="), "{body}");
    }
    let mut strict = endpoint(Format::OpenAi);
    strict.quirks.alternate_roles = true;
    let body = crate::build_request(&strict, &request).to_string();
    assert!(body.contains(NO_PICTURE) && !body.contains("AA=="), "{body}");
}

/// Otherwise each step would throw the prompt cache away.
#[test]
fn a_longer_history_begins_with_the_shorter_one() {
    let round = |_| [assistant(vec![call("x", provider("m"))]), user(vec![result("x", "r")])];
    let messages: Vec<Message> = [Message::user("go")].into_iter().chain((0..3).flat_map(round)).collect();
    let (short, long) = (request(messages[..5].to_vec()), request(messages));

    let short = Transcript::new(&endpoint(Format::OpenAi), &short);

    assert_eq!(short.entries, Transcript::new(&endpoint(Format::OpenAi), &long).entries[..5]);
}
