//! Writes JSON as it should not be written.

use std::fmt::Write;

use serde_json::Value;

/// What is wrong with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// Control characters stand in strings as they are.
    Controls,
    /// Strings as Python writes them.
    SingleQuotes,
    CurlyQuotes,
    /// Nothing is escaped in values but quotes.
    Backslashes,
    /// Nothing is escaped in values but backslashes and control characters.
    InnerQuotes,
    TrailingCommas,
    MissingCommas,
    BlockComments,
    LineComments,
    PythonWords,
    Tuples,
    UnquotedKeys,
    FullWidth,
    StrangeSpace,
    Fence,
    Prose,
    Tags,
    ByteOrderMark,
    NulPadding,
    SentTwice,
}

/// Writes an object with damage of one kind wherever it can be.
pub(super) fn write(object: &Value, damage: Damage) -> String {
    let mut writer = Writer { damage, text: String::new() };
    writer.value(object);
    let text = writer.text;
    match damage {
        Damage::Fence => format!("```json\n{text}\n```\n"),
        Damage::Prose => format!("Here's the call: {text}\nIt's done (as asked, twice: yes)."),
        Damage::Tags => format!("<p name=\"x\">{text}</p></call>"),
        Damage::ByteOrderMark => format!("\u{feff}{text}"),
        Damage::NulPadding => format!("{text}\0\0"),
        Damage::SentTwice => format!("{text}{text}"),
        _ => text,
    }
}

struct Writer {
    damage: Damage,
    text: String,
}

impl Writer {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.word("null", "None"),
            Value::Bool(true) => self.word("true", "True"),
            Value::Bool(false) => self.word("false", "False"),
            Value::Number(number) => write!(self.text, "{number}").unwrap(),
            Value::String(text) => self.string(text, self.damage),
            Value::Array(items) => {
                let is_tuple = self.damage == Damage::Tuples;
                self.sign(if is_tuple { '(' } else { '[' });
                for (at, item) in items.iter().enumerate() {
                    self.value(item);
                    let next = items.get(at + 1);
                    let is_between_brackets = has_brackets(item) && next.is_some_and(has_brackets);
                    self.comma(next.is_none(), is_tuple && items.len() == 1, is_between_brackets);
                }
                self.sign(if is_tuple { ')' } else { ']' });
            }
            Value::Object(members) => {
                self.sign('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    self.key(key);
                    self.sign(':');
                    self.value(value);
                    self.comma(at + 1 == members.len(), false, true);
                }
                self.sign('}');
            }
        }
    }

    fn word(&mut self, ours: &str, python: &str) {
        self.text.push_str(if self.damage == Damage::PythonWords { python } else { ours });
    }

    /// Writes the comma behind an item; `is_certain` if what follows tells as much.
    fn comma(&mut self, is_last: bool, is_needed: bool, is_certain: bool) {
        if is_last {
            if is_needed || self.damage == Damage::TrailingCommas {
                self.sign(',');
            }
        } else if self.damage == Damage::MissingCommas && is_certain {
            self.text.push(' ');
        } else {
            self.sign(',');
        }
    }

    fn key(&mut self, key: &str) {
        let is_name = key.starts_with(|c: char| c.is_alphabetic()) && key.chars().all(char::is_alphanumeric);
        let is_word = ["True", "False", "None", "true", "false", "null"].contains(&key);
        if self.damage == Damage::UnquotedKeys && is_name && !is_word {
            self.text.push_str(key);
        } else if matches!(self.damage, Damage::Backslashes | Damage::InnerQuotes) {
            self.string(key, Damage::Controls);
        } else {
            self.string(key, self.damage);
        }
    }

    /// Writes a sign of structure, with what stands around it.
    fn sign(&mut self, sign: char) {
        let (before, behind) = match self.damage {
            Damage::BlockComments => ("/* isn't */", " /**/"),
            Damage::LineComments => ("// a, {b}: [c]\n", " // x\n"),
            Damage::StrangeSpace => ("\u{a0}", "\u{3000}\0"),
            _ => ("", " "),
        };
        self.text.push_str(before);
        self.text.push(if self.damage == Damage::FullWidth { full_width(sign) } else { sign });
        self.text.push_str(behind);
    }

    fn string(&mut self, text: &str, damage: Damage) {
        let (begin, end) = match damage {
            Damage::SingleQuotes => ('\'', '\''),
            Damage::CurlyQuotes => ('“', '”'),
            _ => ('"', '"'),
        };
        self.text.push(begin);
        for c in text.chars() {
            match c {
                '"' if !matches!(damage, Damage::InnerQuotes | Damage::SingleQuotes | Damage::CurlyQuotes) => {
                    self.text.push_str("\\\"")
                }
                '\'' if damage == Damage::SingleQuotes => self.text.push_str("\\'"),
                '\\' if damage != Damage::Backslashes => self.text.push_str("\\\\"),
                c if c < ' ' && !matches!(damage, Damage::Controls | Damage::Backslashes) => {
                    write!(self.text, "\\u{:04x}", u32::from(c)).unwrap();
                }
                c => self.text.push(c),
            }
        }
        self.text.push(end);
    }
}

fn has_brackets(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

fn full_width(sign: char) -> char {
    match sign {
        '{' => '｛',
        '}' => '｝',
        '[' => '［',
        ']' => '］',
        ',' => '，',
        ':' => '：',
        _ => sign,
    }
}
