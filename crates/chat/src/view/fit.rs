//! Fitting a history to a budget, before a turn.

use crate::{Caps, History, Message, Seq, View, estimate};

use super::Shrunk;

/// What a request may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens of earlier messages.
    pub tokens: u64,
    /// Earlier turns.
    pub turns: usize,
}

impl View {
    /// The view when what is sent has to fit. Where it fits already it stays as it is, so that what a vendor has cached stays valid;
    /// where it does not, it gets smaller than it would have to, so that this is not so again at the next turn: long results of
    /// tools are cut, then the older half of the turns goes, again and again, until what is left takes three quarters of the budget.
    #[must_use]
    pub fn fit(&self, history: &History, budget: Budget) -> Self {
        let fits = |view: &Self, tokens: u64, turns: usize| {
            history.turn_starts(view.first).count() <= turns && view.tokens(history) <= tokens
        };
        let mut view = self.clone();
        if fits(&view, budget.tokens, budget.turns) {
            return view;
        }
        let goal = budget.tokens / 4 * 3;
        if view.tokens(history) > budget.tokens {
            view.shrunk = Some(Shrunk { before: history.next_seq(), caps: Caps::EARLIER });
        }
        while !fits(&view, goal, budget.turns) && view.first < history.next_seq() {
            view.drop_older_half(history);
        }
        view
    }

    /// The view after a model refused a request as too large: hard cuts, and at most the last five turns.
    #[must_use]
    pub fn shrink_hard(&self, history: &History) -> Self {
        let first = history.turn_starts(self.first).rev().take(5).last().unwrap_or_else(|| history.next_seq());
        let shrunk = Some(Shrunk { before: history.next_seq(), caps: Caps::HARD });
        let mut view = Self { first, shrunk, ..self.clone() };
        view.forget_summary_of_nothing(history);
        view
    }

    /// Tokens of what is sent.
    #[must_use]
    pub fn tokens(&self, history: &History) -> u64 {
        self.of(history).iter().map(|message| estimate::message(message)).sum()
    }

    fn drop_older_half(&mut self, history: &History) {
        let starts: Vec<Seq> = history.turn_starts(self.first).collect();
        let dropped = starts.len().div_ceil(2);
        self.first = starts.get(dropped).copied().unwrap_or_else(|| history.next_seq());
        self.forget_summary_of_nothing(history);
    }

    fn forget_summary_of_nothing(&mut self, history: &History) {
        if self.first == history.next_seq() {
            self.summary = None;
        }
    }
}

/// Cuts the messages of a running turn after a model refused a request as too large; pairs stay pairs.
#[must_use]
pub fn shrink_turn(messages: &[std::sync::Arc<Message>]) -> Vec<std::sync::Arc<Message>> {
    messages.iter().map(|message| Caps::HARD.cut(message)).collect()
}
