//! How many tokens something is likely to be, without a vendor's tokenizer.
//!
//! The rule is that of the reference system (a quarter token per ASCII character, one and a half per other character), with what
//! that one leaves out counted too: thinking and the schemas of tools. A [`Calibration`] corrects it by what a vendor reports.

use serde::{Deserialize, Serialize};

use crate::{Block, Message, ToolSpec};

/// What a picture costs. Vendors count by size; this is about what a full screen costs most of them.
const IMAGE: u64 = 1_200;
/// What a call costs beside its arguments.
const CALL: u64 = 50;
/// What a result costs beside its content.
const RESULT: u64 = 30;
/// What a message costs beside its blocks: its role and its borders.
const MESSAGE: u64 = 4;

/// Tokens of a text.
#[must_use]
pub fn text(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let ascii = ascii(text);
    let others = text.chars().count() as u64 - ascii;
    (others * 6 + ascii) / 4 + 1
}

/// How many characters are ASCII. A whole history is counted at each turn, so this is done in a way in which a processor counts
/// many at a time: in single bytes, as many as such a count can hold, without a check of each addition.
fn ascii(text: &str) -> u64 {
    if text.is_ascii() {
        return text.len() as u64;
    }
    let in_chunk = |chunk: &[u8]| chunk.iter().fold(0_u8, |count, byte| count.wrapping_add(u8::from(byte.is_ascii())));
    text.as_bytes().chunks(u8::MAX.into()).map(|chunk| u64::from(in_chunk(chunk))).sum()
}

/// Tokens of a message.
#[must_use]
pub fn message(message: &Message) -> u64 {
    MESSAGE + message.blocks.iter().map(block).sum::<u64>()
}

/// Tokens of several messages.
#[must_use]
pub fn messages<'a>(messages: impl IntoIterator<Item = &'a Message>) -> u64 {
    messages.into_iter().map(message).sum()
}

/// Tokens of what a model is told of its tools.
#[must_use]
pub fn tools(tools: &[ToolSpec]) -> u64 {
    let one = |tool: &ToolSpec| text(&tool.name) + text(&tool.description) + text(&tool.parameters.to_string());
    tools.iter().map(one).sum()
}

fn block(block: &Block) -> u64 {
    match block {
        Block::Text { text: words, .. } => text(words),
        Block::Thinking { thinking, .. } => text(thinking),
        Block::Image { .. } => IMAGE,
        Block::ToolUse { name, input, .. } => CALL + text(name) + text(&input.to_string()),
        Block::ToolResult { content, .. } => RESULT + text(content),
    }
}

/// How far estimates are from what a vendor counts: a factor, learnt from its reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    per_mille: u64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { per_mille: 1_000 }
    }
}

impl Calibration {
    /// The tokens that a vendor is likely to count.
    #[must_use]
    pub fn correct(self, estimate: u64) -> u64 {
        estimate.saturating_mul(self.per_mille) / 1_000
    }

    /// The largest estimate of what a vendor is likely to count as no more than so many tokens.
    #[must_use]
    pub fn estimate_within(self, tokens: u64) -> u64 {
        tokens.saturating_mul(1_000) / self.per_mille.max(1)
    }

    /// Learns from a report: an estimate, and what the vendor counted for the same request. Reports of small requests say little
    /// and are passed over; one report moves the factor at most half of the way, and it stays between a quarter and four.
    #[must_use]
    pub fn learn(self, estimate: u64, counted: u64) -> Self {
        if estimate < 500 || counted == 0 {
            return self;
        }
        let reported = (counted.saturating_mul(1_000) / estimate).clamp(250, 4_000);
        Self { per_mille: u64::midpoint(self.per_mille, reported) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_counted_by_its_characters() {
        assert_eq!(text(""), 0);
        assert_eq!(text("abcd"), 2);
        assert_eq!(text("世界"), 4);
        assert_eq!(text("hello 世界"), 5);
    }

    #[test]
    fn a_long_text_is_counted_like_a_short_one() {
        let long = "hello 世界".repeat(1_000);

        assert_eq!(text(&long), (6_000 + 2_000 * 6) / 4 + 1);
    }

    /// W22: upstream counts any thinking as 10 tokens and tool schemas as none.
    #[test]
    fn w22_thinking_and_schemas_are_counted() {
        let thinking = Block::Thinking { thinking: "x".repeat(4_000), provider: None };
        let spec = ToolSpec {
            name: "ls".into(),
            description: "Lists a folder.".into(),
            parameters: serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        };

        assert!(message(&Message { role: crate::Role::Assistant, blocks: vec![thinking] }) > 1_000);
        assert!(tools(&[spec]) > 15);
    }

    #[test]
    fn what_a_vendor_counts_corrects_the_estimate() {
        let mut calibration = Calibration::default();

        for _ in 0..20 {
            calibration = calibration.learn(10_000, 15_000);
        }

        let corrected = calibration.correct(10_000);
        assert!((14_900..=15_000).contains(&corrected), "{corrected}");
        assert!((10_000..=10_070).contains(&calibration.estimate_within(15_000)));
    }

    #[test]
    fn an_absurd_report_cannot_carry_the_factor_away() {
        let calibration = Calibration::default().learn(1_000, u64::MAX).learn(1_000, u64::MAX).learn(10, 1);

        assert!(calibration.correct(1_000) <= 4_000);
    }
}
