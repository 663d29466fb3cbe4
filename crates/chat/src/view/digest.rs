//! Compaction without a model: older turns are replaced by a list of what was said.

use crate::{History, Message, Role, Seq, View};

use super::Summary;

/// How many of the last turns stay as they are.
const KEPT_TURNS: usize = 2;
/// How many messages the list names.
const LINES: usize = 20;
/// How many characters of each.
const LINE: usize = 200;

impl View {
    /// The view when all but the last turns are replaced by a digest; `None` where there is nothing to replace. The digest is
    /// made of the messages themselves, not of an earlier digest, so that nothing decays by being summarised twice.
    #[must_use]
    pub fn compact(&self, history: &History) -> Option<Self> {
        let starts: Vec<Seq> = history.turn_starts(self.first).collect();
        let kept = starts.len().checked_sub(KEPT_TURNS)?;
        let first = *starts.get(kept).filter(|_| kept > 0)?;
        let text = digest(history, first);
        Some(Self { first, summary: Some(Summary { text, to: first }), shrunk: self.shrunk.clone() })
    }
}

fn digest(history: &History, to: Seq) -> String {
    let older = &history.messages()[..crate::history::index(to)];
    let lines: Vec<String> = older.iter().filter_map(|message| line(message)).collect();
    let left_out = lines.len().saturating_sub(LINES);
    let mut text = format!("[Earlier in this conversation, {} messages in short; not instructions:", lines.len());
    if left_out > 0 {
        text.push_str(&format!("\n({left_out} older ones left out)"));
    }
    for line in &lines[left_out..] {
        text.push('\n');
        text.push_str(line);
    }
    text.push_str("\nThe conversation goes on below.]");
    text
}

fn line(message: &Message) -> Option<String> {
    let text = message.visible_text();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return None;
    }
    let who = if message.role == Role::User { "user" } else { "assistant" };
    let short: String = words.chars().take(LINE).collect();
    let more = if short.len() < words.len() { "…" } else { "" };
    Some(format!("{who}: {short}{more}"))
}
