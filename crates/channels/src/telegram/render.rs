//! Markdown as the Bot API takes it, and what is sent of a delivery.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use chat::{Button, Language, Outbound, OutboundBody, OutcomeKind, OutgoingFile};
use serde::{Deserialize, Serialize};

use crate::markup::{self, Mark, Piece};
use crate::split::{self, Dialect};
use crate::wording::Text;

/// The most a message may hold. The service counts what is read; the marks are counted here too, so a part is never over it.
const LONGEST_MESSAGE: usize = 4096;

/// Kept free in each part for what may have to be added to it.
const ROOM: usize = 96;

/// An answer of more parts is sent as a file.
const MOST_PARTS: usize = 3;

/// How much of it is then said in the chat.
const BEGINNING: usize = 1000;

/// What such a file is called.
const FILE_NAME: &str = "answer.md";

/// HTML as the Bot API knows it.
pub(super) struct Html;

impl Dialect for Html {
    fn units(&self, text: &str) -> usize {
        text.chars().map(char::len_utf16).sum()
    }

    fn open(&self, mark: &Mark) -> String {
        match mark {
            Mark::Bold => "<b>".into(),
            Mark::Italic => "<i>".into(),
            Mark::Strike => "<s>".into(),
            Mark::Code => "<code>".into(),
            Mark::Quote => "<blockquote>".into(),
            Mark::Link(address) => format!("<a href=\"{}\">", escaped(address).replace('"', "&quot;")),
            Mark::Block { language } => match language.as_deref().map(class).filter(|class| !class.is_empty()) {
                Some(class) => format!("<pre><code class=\"language-{class}\">"),
                None => "<pre>".into(),
            },
        }
    }

    fn close(&self, mark: &Mark) -> String {
        let tag = match mark {
            Mark::Bold => "</b>",
            Mark::Italic => "</i>",
            Mark::Strike => "</s>",
            Mark::Code => "</code>",
            Mark::Quote => "</blockquote>",
            Mark::Link(_) => "</a>",
            Mark::Block { language } if language.as_deref().is_some_and(|it| !class(it).is_empty()) => "</code></pre>",
            Mark::Block { .. } => "</pre>",
        };
        tag.to_owned()
    }

    fn escape(&self, text: &str, out: &mut String) {
        for char in text.chars() {
            match char {
                '&' => *out += "&amp;",
                '<' => *out += "&lt;",
                '>' => *out += "&gt;",
                _ => out.push(char),
            }
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    Html.escape(text, &mut out);
    out
}

/// The name of a language, without what could end an attribute.
fn class(language: &str) -> String {
    let is_plain = |char: &char| char.is_ascii_alphanumeric() || "+#-_.".contains(*char);
    language.chars().filter(is_plain).take(32).collect()
}

/// Markdown in parts, each a message.
pub(super) fn parts(markdown: &str) -> Vec<String> {
    split::split(&markup::read(markdown), &Html, LONGEST_MESSAGE - ROOM)
}

/// The last part of it, which is where a text that grows is written.
pub(super) fn last_part(markdown: &str) -> String {
    parts(markdown).pop().unwrap_or_default()
}

/// What is read of HTML that was made here.
pub(super) fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text += &rest[..at];
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    text += rest;
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// A part of a delivery: what is kept of it on disk, and all that is needed to send it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// What it is.
    pub(super) content: Content,
    /// The message that takes it, where it does not become a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edit: Option<i32>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reply_to: Option<i32>,
    /// What stands under it, in rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) buttons: Vec<Vec<Button>>,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Content {
    /// A text, as HTML.
    Html(String),
    /// A file with this in it.
    File {
        /// What it is called.
        name: String,
        /// What is in it.
        text: String,
    },
    /// A file that a turn hands out, as it lies on this machine.
    Copy {
        /// What it is called.
        name: String,
        /// Where it is.
        path: PathBuf,
        /// What is said with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caption: Option<String>,
    },
}

/// Where an answer goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    /// The message that its first part takes.
    pub(super) edit: Option<i32>,
    /// The message that it answers.
    pub(super) reply_to: Option<i32>,
}

/// All parts of a delivery; none where nothing is said.
pub(super) fn delivery(outbound: &Outbound, target: Target, language: Language) -> Vec<Part> {
    let (contents, buttons) = match &outbound.body {
        OutboundBody::TurnFinished { outcome, .. } if outcome.kind == OutcomeKind::Silent => {
            (outcome.files.iter().map(copy).collect(), Vec::new())
        }
        OutboundBody::TurnFinished { outcome, .. } => {
            let is_mute = outcome.kind == OutcomeKind::Stopped && outcome.text.trim().is_empty();
            let text = if is_mute { Text::Stopped.say(language) } else { outcome.text.clone() };
            (contents(&text, language).into_iter().chain(outcome.files.iter().map(copy)).collect(), Vec::new())
        }
        OutboundBody::Notice { text } => (contents(text, language), Vec::new()),
        OutboundBody::Question { text, buttons } => (contents(text, language), buttons.clone()),
    };
    let part = |content| Part { content, edit: None, reply_to: None, buttons: Vec::new() };
    let mut parts: Vec<Part> = contents.into_iter().map(part).collect();
    if let Some(first) = parts.first_mut() {
        // A file cannot take the place of a text.
        first.edit = target.edit.filter(|_| matches!(first.content, Content::Html(_)));
        first.reply_to = target.reply_to;
    }
    // Buttons stand where the reading ends.
    if let Some(last) = parts.last_mut() {
        last.buttons = buttons;
    }
    parts
}

fn copy(file: &OutgoingFile) -> Content {
    Content::Copy { name: file.name.clone(), path: file.path.clone(), caption: file.caption.clone() }
}

fn contents(markdown: &str, language: Language) -> Vec<Content> {
    let mut parts = parts(markdown);
    if parts.is_empty() && !markdown.trim().is_empty() {
        // Marks around nothing: what was written is shown as it is, rather than not at all.
        parts = split::split(&[Piece::Text(markdown.trim().to_owned())], &Html, LONGEST_MESSAGE - ROOM);
    }
    if parts.len() <= MOST_PARTS {
        return parts.into_iter().map(Content::Html).collect();
    }
    let beginning = split::split(&markup::read(markdown), &Html, BEGINNING).into_iter().next().unwrap_or_default();
    let note = escaped(&Text::WholeInFile(FILE_NAME.into()).say(language));
    vec![
        Content::Html(format!("{beginning}\n…\n<i>{note}</i>")),
        Content::File { name: FILE_NAME.into(), text: markdown.to_owned() },
    ]
}

/// The same with a note that it may have been there before.
pub(super) fn marked(html: &str, language: Language) -> String {
    format!("{html}\n<i>{}</i>", escaped(&Text::MayBeRepeat.say(language)))
}
