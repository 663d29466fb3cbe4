//! Messages as they are kept when the turn is over, and results as they are taken in.

use std::sync::Arc;

use chat::{Block, Language, Message};

use crate::wording::{ForPeople, for_model};

/// How many bytes of a thought are kept at its head, and as many at its tail.
const THOUGHT_END: usize = 2 * 1024;

/// How many characters a result may be longer than the limit: whoever capped it may have said so in it.
const CAP_SLACK: usize = 1_000;

/// A message of a turn that is over. Thinking is shown to people and not sent again, so it is cut to its head and tail and loses
/// what only the vendor can read; what belongs to a tool call stays with it.
pub(crate) fn for_history(message: &Arc<Message>, language: Language) -> Arc<Message> {
    if !message.blocks.iter().any(|block| matches!(block, Block::Thinking { .. })) {
        return Arc::clone(message);
    }
    let blocks = message.blocks.iter().filter_map(|block| match block {
        // Nothing is left of a thought that only the vendor can read.
        Block::Thinking { thinking, .. } if thinking.trim().is_empty() => None,
        Block::Thinking { thinking, .. } => {
            Some(Block::Thinking { thinking: cut_thought(thinking, language), provider: None })
        }
        other => Some(other.clone()),
    });
    Arc::new(Message { role: message.role, blocks: blocks.collect() })
}

fn cut_thought(thought: &str, language: Language) -> String {
    let marker = |left_out| ForPeople::ThoughtCut { left_out }.text(language);
    let (head, tail) = (THOUGHT_END, thought.len().saturating_sub(THOUGHT_END));
    if head < tail { without_middle(thought, head, tail, marker) } else { thought.to_owned() }
}

/// Cuts a result that is far longer than the limit, which is in characters, to its head and tail.
pub(crate) fn cap_result(content: String, limit: usize) -> String {
    let most = limit.saturating_add(CAP_SLACK);
    if content.len() <= most || content.chars().count() <= most {
        return content;
    }
    let (head, tail) = (limit - limit / 2, limit / 2);
    let head = content.char_indices().nth(head).map_or(content.len(), |(at, _)| at);
    let tail = content.char_indices().rev().take(tail).last().map_or(content.len(), |(at, _)| at);
    without_middle(&content, head, tail, for_model::result_cut)
}

/// The text up to the byte `head` and from the byte `tail`, moved outwards of characters, with a marker between them.
fn without_middle(text: &str, head: usize, tail: usize, marker: impl Fn(usize) -> String) -> String {
    let head = text.floor_char_boundary(head);
    let tail = text.ceil_char_boundary(tail);
    let left_out = text[head..tail].chars().count();
    format!("{}{}{}", &text[..head], marker(left_out), &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_within_the_limit_stays_as_it_is() {
        let content = "é".repeat(1_100);

        assert_eq!(cap_result(content.clone(), 100), content);
    }

    #[test]
    fn a_giant_result_keeps_its_head_and_tail() {
        let content = format!("head{}tail", "é".repeat(2_000));

        let cut = cap_result(content, 100);

        assert!(cut.starts_with("headé") && cut.ends_with("étail"), "{cut}");
        assert!(cut.contains("1908 characters left out"), "{cut}");
    }

    #[test]
    fn a_limit_of_nothing_leaves_the_marker_alone() {
        assert_eq!(cap_result("x".repeat(2_000), 0), for_model::result_cut(2_000));
    }

    #[test]
    fn a_long_thought_is_cut_between_characters() {
        let thought = "思".repeat(2_000);

        let cut = cut_thought(&thought, Language::English);

        assert_eq!(cut.matches('思').count(), 682 * 2);
        assert!(cut.contains("636 characters left out"), "{cut}");
    }
}
