//! Rows above the cursor that show what is running, and for how long.

use tokio::time::{Duration, Instant};

use super::tool::{duration, fit};
use crate::markdown::style::Style;
use crate::markdown::width_of_text;

/// Waiting that is shorter than this is not shown.
const WORTH_SHOWING: Duration = Duration::from_millis(900);

/// What is running. Its rows stand above the row of the cursor, so that what a person types meanwhile is not written over.
#[derive(Debug)]
pub(super) struct Live {
    is_styled: bool,
    tools: Vec<Tool>,
    waiting: Option<Waiting>,
    /// How many rows are on the screen.
    drawn: usize,
}

#[derive(Debug)]
struct Tool {
    id: String,
    label: String,
    output: String,
    since: Instant,
}

#[derive(Debug)]
struct Waiting {
    text: String,
    since: Instant,
}

impl Live {
    pub(super) fn new(is_styled: bool) -> Self {
        Self { is_styled, tools: Vec::new(), waiting: None, drawn: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.waiting.is_none()
    }

    /// Whether any row is on the screen.
    pub(super) fn is_drawn(&self) -> bool {
        self.drawn > 0
    }

    /// A tool starts.
    pub(super) fn start(&mut self, id: &str, label: String, now: Instant) {
        self.tools.push(Tool { id: id.to_owned(), label, output: String::new(), since: now });
    }

    /// A tool has put something out.
    pub(super) fn output(&mut self, id: &str, output: String) {
        if let Some(tool) = self.tools.iter_mut().find(|tool| tool.id == id) {
            tool.output = output;
        }
    }

    /// A tool ended; gives its label.
    pub(super) fn end(&mut self, id: &str) -> Option<String> {
        let place = self.tools.iter().position(|tool| tool.id == id)?;
        Some(self.tools.remove(place).label)
    }

    /// The model is waited for.
    pub(super) fn wait(&mut self, text: String, now: Instant) {
        self.waiting = Some(Waiting { text, since: now });
    }

    pub(super) fn stop_waiting(&mut self) {
        self.waiting = None;
    }

    pub(super) fn clear(&mut self) {
        self.tools.clear();
        self.waiting = None;
    }

    /// Takes the rows off the screen, and with them so many rows that were typed below.
    pub(super) fn erase(&mut self, typed: usize, out: &mut String) {
        if self.drawn > 0 {
            out.push_str(&format!("\x1b[{}A\r\x1b[J", self.drawn + typed));
            self.drawn = 0;
        }
    }

    /// Writes the rows at the cursor, which is at the start of a row.
    pub(super) fn draw(&mut self, now: Instant, width: usize, out: &mut String) {
        for row in self.rows(now, width) {
            out.push_str(&row);
            out.push('\n');
            self.drawn += 1;
        }
    }

    /// Writes the rows anew where they are. The cursor stays where it is, behind what was typed.
    pub(super) fn redraw(&mut self, now: Instant, width: usize, out: &mut String) {
        let rows = self.rows(now, width);
        if rows.len() != self.drawn {
            self.erase(0, out);
            return self.draw(now, width, out);
        }
        if rows.is_empty() {
            return;
        }
        out.push_str(&format!("\x1b7\x1b[{}A", rows.len()));
        for row in rows {
            out.push_str(&format!("\r{row}\x1b[K\x1b[B"));
        }
        out.push_str("\x1b8");
    }

    fn rows(&self, now: Instant, width: usize) -> Vec<String> {
        let waiting = self.waiting.iter().filter(|waiting| now - waiting.since >= WORTH_SHOWING);
        let waiting = waiting.map(|waiting| self.row("⋯", &waiting.text, "", now - waiting.since, width));
        let tools = self.tools.iter();
        let tools = tools.map(|tool| self.row("⚙", &tool.label, &tool.output, now - tool.since, width));
        tools.chain(waiting).collect()
    }

    /// A row that is never broken in two.
    fn row(&self, sign: &str, label: &str, output: &str, time: Duration, width: usize) -> String {
        let time = duration(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let room = width.saturating_sub(width_of_text(sign) + 3 + width_of_text(&time));
        let label = fit(label, room);
        let left = room.saturating_sub(width_of_text(&label) + 2);
        let output = if left < 8 || output.is_empty() { String::new() } else { format!("  {}", fit(output, left)) };
        let time = format!("{time}{output}");
        format!("{sign} {label} {}", if self.is_styled { Style::DIM.paint(&time) } else { time })
    }
}
