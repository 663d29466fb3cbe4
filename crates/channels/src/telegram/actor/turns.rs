//! What is shown of turns that run.

use chat::{Button, ConversationKey, Progress, Receipt, TurnId};
use tokio::time::{Duration, Instant};
use tracing::debug;

use super::Message;
use super::courier::{Call, Done, What};
use super::session::{Purpose, Session};
use crate::live::{Live, Pace};
use crate::pacing::{Class, Ticket};
use crate::telegram::client::Trouble;
use crate::telegram::render;
use crate::wording::Text;

/// A turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    key: ConversationKey,
    live: Live,
    pub(super) placeholder: Placeholder,
    preview: Option<Ticket>,
    /// The message that it answers, in a group.
    reply_to: Option<i32>,
    is_over: bool,
    /// When it is looked at next.
    look: Option<Instant>,
}

/// The message that shows a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    /// It was not sent.
    Missing,
    /// It is on its way.
    Asked(Ticket),
    /// It stands under this number.
    Stands(i32),
    /// Its number was never learnt, or it is gone: it carries no answer.
    Lost,
}

impl Session {
    pub(super) fn progress(&mut self, key: ConversationKey, turn: TurnId, progress: Progress) {
        if !self.turns.contains_key(&turn) {
            self.begin_turn(key, turn, &progress);
        }
        if let Some(state) = self.turns.get_mut(&turn).filter(|state| !state.is_over) {
            state.live.on(progress, Instant::now());
            self.refresh(turn);
        }
    }

    fn begin_turn(&mut self, key: ConversationKey, turn: TurnId, progress: &Progress) {
        let Some((chat, thread)) = self.place(&key) else { return };
        let tempo = &self.arguments.tempo;
        let least = if chat < 0 { tempo.group_edits } else { tempo.private_edits };
        let pace = Pace { silence: tempo.silence, least, most: tempo.longest_silence };
        let message = match progress {
            Progress::TurnStarted { message } => message.as_str(),
            _ => "",
        };
        let reply_to = self.conversations.get(&key).filter(|_| chat < 0).and_then(|it| it.message_of(message));
        let live = Live::new(pace, Instant::now());
        let placeholder = self.adopted.remove(&turn).map_or(Placeholder::Missing, Placeholder::Stands);
        self.turns.insert(turn, Turn { key, live, placeholder, preview: None, reply_to, is_over: false, look: None });
        self.submit(Class::Typing, None, Call { chat, clearance: None, what: What::Type { thread } });
    }

    /// An earlier process showed a turn in this message. Nothing is shown for that alone: the turn may be over by now.
    pub(super) fn adopt_placeholder(&mut self, turn: TurnId, platform_id: &str) {
        let Ok(message) = platform_id.parse() else { return };
        match self.turns.get_mut(&turn) {
            Some(state) if state.placeholder == Placeholder::Missing => {
                state.placeholder = Placeholder::Stands(message)
            }
            Some(_) => {}
            None => _ = self.adopted.insert(turn, message),
        }
    }

    pub(super) fn look(&mut self, turn: TurnId) {
        if let Some(state) = self.turns.get_mut(&turn) {
            state.look = None;
            self.refresh(turn);
        }
    }

    /// Shows a turn if it is time to, and sees to it that it is looked at when it will be.
    fn refresh(&mut self, turn: TurnId) {
        let now = Instant::now();
        let Some(state) = self.turns.get_mut(&turn).filter(|state| !state.is_over) else { return };
        if state.live.due() <= now {
            return self.show(turn, now);
        }
        let due = state.live.due();
        if state.look.is_none_or(|look| due < look) {
            state.look = Some(due);
            self.myself.send_after(due.saturating_duration_since(now), move || Message::Look(turn));
        }
    }

    fn show(&mut self, turn: TurnId, now: Instant) {
        let Some(state) = self.turns.get(&turn) else { return };
        let (key, placeholder, reply_to) = (state.key.clone(), state.placeholder, state.reply_to);
        let (Some((chat, thread)), language) = (self.place(&key), self.language(&key)) else { return };
        if matches!(placeholder, Placeholder::Asked(_) | Placeholder::Lost) {
            return;
        }
        let Some(state) = self.turns.get_mut(&turn) else { return };
        let html = render::last_part(&state.live.show(language, now));
        if html.is_empty() {
            // A fence that was just begun, say: there is nothing to see yet.
            return self.refresh(turn);
        }
        let stop = Button { label: Text::Stop.say(language), data: format!("stop:{turn}") };
        let buttons = vec![vec![stop]];
        if let Placeholder::Stands(message) = placeholder {
            let what = What::Edit { message, html, buttons };
            let call = Call { chat, clearance: None, what };
            let ticket = self.submit(Class::Preview, Some(Purpose::Preview(turn)), call);
            self.with_turn(turn, |state| state.preview = Some(ticket));
        } else {
            let what = What::Send { thread, html, reply_to, buttons };
            let call = Call { chat, clearance: None, what };
            let ticket = self.submit(Class::Status, Some(Purpose::Placeholder(turn)), call);
            self.with_turn(turn, |state| state.placeholder = Placeholder::Asked(ticket));
        }
        self.refresh(turn);
    }

    fn with_turn(&mut self, turn: TurnId, change: impl FnOnce(&mut Turn)) {
        if let Some(state) = self.turns.get_mut(&turn) {
            change(state);
        }
    }

    pub(super) fn placeholder_made(&mut self, turn: TurnId, done: Done) {
        let Some(state) = self.turns.get_mut(&turn) else { return };
        state.placeholder = match done {
            Ok(Some(message)) => Placeholder::Stands(message),
            Err(Trouble::Cancelled) => Placeholder::Missing,
            Ok(None) => Placeholder::Lost,
            Err(trouble) => {
                debug!(%turn, %trouble, "a turn cannot be shown");
                Placeholder::Lost
            }
        };
        let (key, is_over) = (state.key.clone(), state.is_over);
        if let Placeholder::Stands(message) = state.placeholder {
            self.tell(Receipt::Placeholder { key, turn, platform_id: message.to_string() });
        }
        if is_over { self.placeholder_settled(turn) } else { self.refresh(turn) }
    }

    pub(super) fn preview_made(&mut self, turn: TurnId, done: &Done) {
        if let (Some(state), Err(Trouble::NotFound)) = (self.turns.get_mut(&turn), done) {
            // Somebody took it away; the answer comes anew.
            state.placeholder = Placeholder::Lost;
        }
    }

    /// A turn has ended: nothing of it is shown any more. Gives the number of its message and how long it took, unless the message
    /// is still on its way.
    pub(super) fn end_turn(&mut self, turn: TurnId) -> Result<Ended, ()> {
        let Some(state) = self.turns.get_mut(&turn) else {
            return Ok(Ended { placeholder: self.adopted.remove(&turn), ..Ended::default() });
        };
        state.is_over = true;
        let age = state.live.age(Instant::now());
        let (preview, placeholder) = (state.preview.take(), state.placeholder);
        preview.into_iter().for_each(|preview| self.cancel(preview));
        match placeholder {
            Placeholder::Asked(ticket) => {
                self.cancel(ticket);
                Err(())
            }
            Placeholder::Stands(message) => Ok(Ended { placeholder: Some(message), age }),
            Placeholder::Missing | Placeholder::Lost => Ok(Ended { placeholder: None, age }),
        }
    }

    /// Forgets a turn, and makes one line of its message if the answer stands elsewhere.
    pub(super) fn forget_turn(&mut self, turn: TurnId, shrink: Option<i32>, key: &ConversationKey) {
        let state = self.turns.remove(&turn);
        let (Some(message), Some((chat, _))) = (shrink, self.place(key)) else { return };
        let language = self.language(key);
        let live = state.map(|state| state.live);
        let html = match live {
            Some(live) => render::last_part(&live.in_short(language, Instant::now())),
            None => "…".into(),
        };
        let what = What::Edit { message, html, buttons: Vec::new() };
        self.submit(Class::Status, None, Call { chat, clearance: None, what });
    }
}

/// What is left of a turn that has ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ended {
    pub(super) placeholder: Option<i32>,
    pub(super) age: Duration,
}
