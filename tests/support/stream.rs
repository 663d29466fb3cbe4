//! What `--help` promises to readers of `--json`, held against a whole stream of events.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

type Check = fn(&Value) -> bool;

/// One line, which is one object.
pub(crate) fn event(line: &str) -> Value {
    let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert!(event.is_object(), "{line}");
    event
}

/// Fails the test where a stream of events is not as promised.
pub(crate) fn check(events: &[Value]) {
    let mut reader = Reader::default();
    for event in events {
        check_shape(event);
        reader.read(event);
    }
    assert_eq!(reader.running, None, "a turn has no end");
}

fn check_shape(event: &Value) {
    let object = event.as_object().expect("an event is an object");
    let kind = event["type"].as_str().unwrap_or_else(|| panic!("no type: {event}"));
    let promised = fields(kind).unwrap_or_else(|| panic!("not promised: {event}"));
    let is_turn_free = ["notice", "file"].contains(&kind) && !object.contains_key("turn");
    let always: &[(&str, Check)] = if is_turn_free { &[] } else { &[("turn", is_number)] };
    let names: BTreeSet<&str> = object.keys().map(String::as_str).filter(|name| *name != "type").collect();
    let expected: BTreeSet<&str> = always.iter().chain(promised).map(|(name, _)| *name).collect();
    assert_eq!(names, expected, "{event}");
    assert!(always.iter().chain(promised).all(|(name, is_it)| is_it(&event[name])), "{event}");
}

fn fields(kind: &str) -> Option<&'static [(&'static str, Check)]> {
    Some(match kind {
        "turn_started" => &[("message", Value::is_string)],
        "step_started" | "text_reset" => &[("step", is_number)],
        "text_delta" | "reasoning_delta" => &[("step", is_number), ("text", is_some_text)],
        "tool_started" => &[("id", is_some_text), ("name", is_some_text), ("arguments", is_object_or_null)],
        "tool_progress" => &[("id", is_some_text), ("text", Value::is_string)],
        "tool_finished" => {
            &[("id", is_some_text), ("name", is_some_text), ("is_error", Value::is_boolean), ("ms", Value::is_u64)]
        }
        "notice" => &[("text", is_some_text)],
        "file" => &[("name", is_some_text), ("path", is_some_text), ("bytes", Value::is_u64)],
        "turn_finished" => &[
            ("outcome", is_outcome),
            ("text", Value::is_string),
            ("steps", Value::is_u64),
            ("usage", is_usage_or_null),
            ("error", is_error_or_null),
        ],
        _ => return None,
    })
}

fn is_number(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| number >= 1)
}

fn is_some_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_object_or_null(value: &Value) -> bool {
    value.is_object() || value.is_null()
}

fn is_outcome(value: &Value) -> bool {
    matches!(value.as_str(), Some("answered" | "stopped" | "failed" | "silent"))
}

fn is_usage_or_null(value: &Value) -> bool {
    has_just(value, &[("input", Value::is_u64), ("cached", Value::is_u64), ("output", Value::is_u64)])
}

fn is_error_or_null(value: &Value) -> bool {
    has_just(value, &[("class", is_some_text), ("message", is_some_text)])
}

fn has_just(value: &Value, fields: &[(&str, Check)]) -> bool {
    let has_them = |object: &Map<String, Value>| {
        object.len() == fields.len() && fields.iter().all(|(name, is_it)| object.get(*name).is_some_and(is_it))
    };
    value.is_null() || value.as_object().is_some_and(has_them)
}

/// A reader that joins the text as it is told to.
#[derive(Default)]
struct Reader {
    turns: u64,
    running: Option<u64>,
    step: u64,
    said: String,
    tools: BTreeSet<String>,
}

impl Reader {
    fn read(&mut self, event: &Value) {
        match event["type"].as_str().unwrap_or_default() {
            "turn_started" => return self.start(event),
            "notice" | "file" if event.get("turn").is_none() => return,
            _ => assert_eq!(event["turn"].as_u64(), self.running, "not of the turn that runs: {event}"),
        }
        match event["type"].as_str().unwrap_or_default() {
            "step_started" => {
                assert!(event["step"].as_u64() > Some(self.step), "steps go up: {event}");
                self.enter(event);
            }
            "text_delta" => {
                self.enter(event);
                self.said += event["text"].as_str().unwrap_or_default();
            }
            "text_reset" => {
                self.enter(event);
                self.said.clear();
            }
            "tool_started" => assert!(self.tools.insert(event["id"].to_string()), "started twice: {event}"),
            "tool_finished" => assert!(self.tools.remove(&event["id"].to_string()), "was not started: {event}"),
            "turn_finished" => self.finish(event),
            _ => {}
        }
    }

    fn start(&mut self, event: &Value) {
        assert_eq!(self.running, None, "turns come one after the other: {event}");
        self.turns += 1;
        assert_eq!(event["turn"], self.turns, "turns are counted from 1: {event}");
        (self.running, self.step) = (Some(self.turns), 0);
        self.said.clear();
    }

    fn enter(&mut self, event: &Value) {
        let step = event["step"].as_u64().unwrap_or_default();
        assert!(step >= self.step, "of a step that is over: {event}");
        if step > self.step {
            self.step = step;
            self.said.clear();
        }
    }

    fn finish(&mut self, event: &Value) {
        assert_eq!(event["text"], self.said.as_str(), "the deltas do not join to the text");
        assert!(self.tools.is_empty(), "tools without an end: {:?}", self.tools);
        let has_failed = event["outcome"] == "failed";
        assert_eq!(has_failed, event["error"].is_object(), "an error and a failure go together: {event}");
        self.running = None;
    }
}
