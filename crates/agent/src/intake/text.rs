//! A message as the model reads it: with what it replies to, and what came with it.

use chat::command::Parsed;
use chat::{Attachment, AttachmentContent, Command, Inbound};

use super::commands;

/// How much of a quoted text is told.
const QUOTED_CHARS: usize = 1_000;

/// The text of a message, with what it quotes in front of it and its files named behind it. A command stays as it is.
pub(super) fn for_model(inbound: &Inbound) -> String {
    let is_command = Command::parse(&inbound.text) != Parsed::Text || commands::read(&inbound.text).is_some();
    if is_command {
        return inbound.text.clone();
    }
    let quoted = inbound.quoted.as_deref().map(quote);
    let text = (!inbound.text.trim().is_empty()).then(|| inbound.text.clone());
    let files = inbound.attachments.iter().map(line).collect::<Vec<_>>().join("\n");
    let files = (!files.is_empty()).then_some(files);
    [quoted, text, files].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn quote(text: &str) -> String {
    let text: String = text.chars().take(QUOTED_CHARS).collect();
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

fn line(attachment: &Attachment) -> String {
    let Attachment { name, media_type, bytes, content } = attachment;
    let kind = if is_picture(attachment) { "image" } else { "file" };
    match content {
        // As yet no model is shown a picture, and it is not to guess what is on it.
        AttachmentContent::Stored(path) if is_picture(attachment) => {
            format!(
                "[image: {} ({name}, {media_type}, {bytes} bytes); you are not shown what is on it]",
                path.display()
            )
        }
        AttachmentContent::Stored(path) => {
            format!("[{kind}: {} ({name}, {media_type}, {bytes} bytes)]", path.display())
        }
        AttachmentContent::Missing(reason) => {
            format!("[{kind}: {name} ({media_type}, {bytes} bytes) is not here: {reason}]")
        }
    }
}

/// Whether it is a picture.
pub(super) fn is_picture(attachment: &Attachment) -> bool {
    attachment.media_type.starts_with("image/")
}
