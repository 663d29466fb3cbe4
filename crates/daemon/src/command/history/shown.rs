//! A message of a history as it is printed.

use ::chat::Role;
use serde_json::{Value, json};
use store::ToldMessage;

use super::time;

/// Around what was looked for, how many characters are shown.
const AROUND: usize = 60;

/// A message as it is printed.
pub(super) struct Shown {
    seq: i64,
    turn: i64,
    at: String,
    role: Role,
    parts: Vec<Part>,
}

/// A part of it: what it is, for those that people do not see in a chat, and what it says.
struct Part {
    kind: Option<String>,
    text: String,
    block: Value,
}

impl Shown {
    /// What people see of a message; with `is_all` also what they do not.
    pub(super) fn new(told: &ToldMessage, is_all: bool) -> Self {
        let blocks = told.message.blocks.iter().map(|block| json!(block));
        let parts = blocks.map(part).filter(|part| is_all || part.kind.is_none()).collect();
        let (seq, turn, role) = (told.seq.0, told.turn.0, told.message.role);
        Self { seq, turn, at: time(told.at), role, parts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn json(&self) -> Value {
        let blocks: Vec<&Value> = self.parts.iter().map(|part| &part.block).collect();
        json!({"seq": self.seq, "turn": self.turn, "at": self.at, "role": self.role, "blocks": blocks})
    }

    pub(super) fn text(&self) -> String {
        format!(
            "{} {} (turn {})\n{}\n",
            self.at,
            role_name(self.role),
            self.turn,
            self.said(|line| format!("  {line}"))
        )
    }

    pub(super) fn markdown(&self) -> String {
        format!("## {}, {}\n\n{}\n", role_name(self.role), self.at, self.said(str::to_owned))
    }

    fn said(&self, line: impl Fn(&str) -> String) -> String {
        let mut said = String::new();
        for part in &self.parts {
            let mark = part.kind.as_ref().map(|kind| format!("[{kind}] ")).unwrap_or_default();
            for text in format!("{mark}{}", part.text).lines() {
                said += &line(text);
                said.push('\n');
            }
        }
        said
    }
}

fn part(block: Value) -> Part {
    let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
    let (kind, text) = match block["type"].as_str().unwrap_or_default() {
        "text" if block["hidden"] == true => (Some("hidden".to_owned()), text("text")),
        "text" => (None, text("text")),
        "thinking" => (Some("thinking".to_owned()), text("thinking")),
        "image" => (None, format!("(image: {})", text("media_type"))),
        "tool_use" => (Some(format!("calls {}", text("name"))), block["input"].to_string()),
        "tool_result" if block["is_error"] == true => (Some("failed".to_owned()), text("content")),
        "tool_result" => (Some("result".to_owned()), text("content")),
        other => (Some(other.to_owned()), block.to_string()),
    };
    Part { kind, text, block }
}

/// Who said something.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "you",
        Role::Assistant => "bot",
    }
}

/// What stands around the place that was looked for, on one line.
pub(super) fn around(text: &str, wanted: &str) -> String {
    let at = text.to_ascii_lowercase().find(&wanted.to_ascii_lowercase()).unwrap_or(0);
    let before = text[..at].chars().count();
    let from = before.saturating_sub(AROUND);
    let most = before - from + wanted.chars().count() + AROUND;
    let piece: String = text.chars().skip(from).take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{piece}{}", dots(from > 0), dots(from + most < text.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_for_is_shown_with_what_stands_around_it() {
        let text = format!("{}the Plum\ntree{}", "é".repeat(100), "ü".repeat(100));

        let around = around(&text, "plum");

        assert!(around.starts_with("…é") && around.ends_with("ü…"), "{around}");
        assert!(around.contains("the Plum tree"), "{around}");
    }
}
