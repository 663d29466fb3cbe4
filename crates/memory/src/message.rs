//! What a model is told with a person's message.

use chat::{Block, Message, Role};
use jiff::ZonedDateTime;

/// A person's message as it enters the history: their text, and behind it, hidden from people, when they wrote it. The time
/// is put in once and stays, so that what a vendor has cached of a conversation stays valid.
#[must_use]
pub fn prepare_message(text: &str, at: &ZonedDateTime) -> Message {
    let time = Block::hidden(format!("[{}]", at.strftime("%A, %Y-%m-%d %H:%M %Z (UTC%:z)")));
    let text = (!text.trim().is_empty()).then(|| Block::text(text));
    Message { role: Role::User, blocks: text.into_iter().chain([time]).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_told_and_not_shown() {
        let at: ZonedDateTime = "2026-12-01T08:30[Europe/Berlin]".parse().expect("a time");

        let message = prepare_message("good morning", &at);

        assert_eq!(message.visible_text(), "good morning");
        assert_eq!(message.blocks[1], Block::hidden("[Tuesday, 2026-12-01 08:30 CET (UTC+01:00)]"));
    }

    #[test]
    fn a_blank_message_is_not_an_empty_block() {
        let message = prepare_message(" \n", &ZonedDateTime::now());

        assert_eq!(message.blocks.len(), 1);
    }
}
