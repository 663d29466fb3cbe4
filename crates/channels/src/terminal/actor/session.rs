//! What the actor holds, and what it does with what happens to it.

use std::io;
use std::time::SystemTime;

use chat::{
    Arrival, ConversationKey, Inbound, MessageId, Outbound, OutboundBody, Outcome, OutcomeKind, Person, ToChannel,
    TurnId, WhenBusy,
};
use ractor::{ActorRef, DerivedActorRef};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::debug;

use super::{Message, Start};
use crate::terminal::client::{Ends, Reading, Source, Writer};
use crate::terminal::decode::Line;
use crate::terminal::dialogue::{Dialogue, Exit, Interrupt, Interrupts, Sent};
use crate::terminal::render::{Manner, Renderer};
use crate::terminal::screen::Screen;
use crate::terminal::turns::{Event, Turns};
use crate::terminal::{Arguments, LONGEST_FAREWELL, Mode, Streams};
use crate::wording::Text;

/// All that the actor knows.
pub(in crate::terminal) struct Session {
    key: ConversationKey,
    person: Person,
    intake: DerivedActorRef<Arrival>,
    mode: Mode,
    actor: ActorRef<Message>,
    source: Source,
    screen: Screen,
    dialogue: Dialogue,
    turns: Turns,
    interrupts: Interrupts,
    /// What the ids of this run's messages begin with.
    run: String,
    messages: u64,
    /// How often something was read.
    readings: u64,
    leaving: Option<Exit>,
    tell_exit: Option<oneshot::Sender<Exit>>,
    /// Ends with the session.
    _forwarder: JoinSet<()>,
}

impl Session {
    pub(super) fn new(start: Start, actor: ActorRef<Message>) -> io::Result<Self> {
        let Start { arguments, input: (source, prompter), tell_exit, until_written } = start;
        let Arguments { key, person, intake, delivery, mode, output, settings, streams } = arguments;
        let Streams { input: _, stdout, stderr, stdout_is_terminal, width, interrupts } = streams;
        let renderer = Renderer::new(Manner {
            output,
            look: settings.look,
            language: person.language,
            stdout_is_terminal,
            is_typed: mode == Mode::Interactive,
            is_once: matches!(mode, Mode::Once(_)),
        });
        let told = actor.clone();
        let tell = Box::new(move |event| drop(told.cast(Message::from(event))));
        let writer = Writer::start(Ends { stdout, stderr, prompter, delivery, tell, until_written })?;
        let forwarder = forward(interrupts, actor.clone());
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            key,
            person,
            intake,
            mode,
            source,
            screen: Screen::new(renderer, writer, width, actor.clone()),
            actor,
            dialogue: Dialogue::default(),
            turns: Turns::default(),
            interrupts: Interrupts::default(),
            run: format!("{}-{}", started.as_millis(), std::process::id()),
            messages: 0,
            readings: 0,
            leaving: None,
            tell_exit: Some(tell_exit),
            _forwarder: forwarder,
        })
    }

    /// Begins to read.
    pub(super) fn start(&mut self) -> io::Result<()> {
        if let Mode::Once(message) = &self.mode {
            let line = Line::of(message);
            self.dialogue.end();
            line.into_iter().for_each(|line| self.read(Reading::Line(line)));
        } else {
            let actor = self.actor.clone();
            self.source.start(move |reading| drop(actor.cast(Message::Read(reading))))?;
        }
        self.settle();
        Ok(())
    }

    /// Takes what the actors of the conversation tell.
    pub(super) fn told(&mut self, told: ToChannel) {
        if *told.key() != self.key {
            debug!(key = %told.key(), "not of this conversation: left for its own terminal");
            return;
        }
        match told {
            ToChannel::Deliver(outbound) | ToChannel::Resume { outbound, .. } => self.deliver(outbound),
            // What a turn still says belongs to its end, which is delivered to a script that was left too.
            ToChannel::Progress { turn, progress, .. } if self.leaving.is_none() || self.mode != Mode::Interactive => {
                self.turns.progress(turn, progress).into_iter().for_each(|event| self.screen.show(event));
            }
            // Who has left is told nothing else that is not kept.
            _ if self.leaving.is_some() => {}
            ToChannel::Accepted { .. } => {}
            ToChannel::Refused { id, text, .. } => {
                self.dialogue.lost();
                self.answered(&id, Event::Notice(text));
            }
            ToChannel::CommandAnswered { id, text, .. } if self.dialogue.is_stop(&id) => {
                self.answered(&id, Event::Notice(text));
            }
            ToChannel::CommandAnswered { id, text, .. } => self.answered(&id, Event::Answer(text)),
            ToChannel::Joined { id, turn, .. } => self.joined(&id, turn),
            ToChannel::Progress { .. } => {}
            // What is written to standard output is out: it has no parts, no buttons, and nothing waits in it.
            ToChannel::Placeholder { .. }
            | ToChannel::PartsStored { .. }
            | ToChannel::PartCleared { .. }
            | ToChannel::PressAnswered { .. }
            | ToChannel::Noticed { .. } => {}
        }
        self.settle();
    }

    /// Takes what was read.
    pub(super) fn read(&mut self, reading: Reading) {
        if self.leaving.is_some() {
            return;
        }
        self.readings += 1;
        let was_at_prompt = self.screen.is_at_prompt();
        self.screen.leave_prompt();
        match reading {
            Reading::Line(line) => self.take_line(line, was_at_prompt),
            Reading::Ended => self.dialogue.end(),
            Reading::Failed(error) => {
                self.dialogue.end();
                self.dialogue.lost();
                self.say(&Text::InputFailed(error.to_string()));
            }
            Reading::Interrupted { is_second: true } => self.leave(Exit::Interrupted),
            Reading::Interrupted { is_second: false } => self.interrupted_by_hand(),
        }
        self.settle();
    }

    /// A signal to interrupt came.
    pub(super) fn interrupted(&mut self) {
        if self.leaving.is_some() {
            return;
        }
        if self.mode == Mode::Interactive {
            if !self.screen.is_at_prompt() {
                self.screen.interrupted();
            }
            self.interrupted_by_hand();
        } else {
            // To ask for the turn's end would let what waits behind it begin; who shuts down ends both.
            self.leave(Exit::Interrupted);
        }
        self.settle();
    }

    pub(super) fn flush(&mut self) {
        self.screen.flush_is_due();
    }

    pub(super) fn tick(&mut self) {
        self.screen.tick();
    }

    /// Leaves, once all is written. A person who wants to go does not wait for an output that is stuck.
    pub(super) fn leave(&mut self, exit: Exit) {
        if self.leaving.is_some() {
            return;
        }
        self.leaving = Some(exit);
        self.source.close();
        self.screen.drain();
        if matches!(exit, Exit::Interrupted | Exit::OutputClosed) {
            self.actor.send_after(LONGEST_FAREWELL, || Message::Drained);
        }
    }

    /// All is written, or is not going to be.
    pub(super) fn drained(&mut self) {
        if let (Some(exit), Some(tell)) = (self.leaving, self.tell_exit.take()) {
            // Nobody waits for it where the whole process goes down.
            let _ = tell.send(exit);
        }
    }

    /// A person typed Ctrl-C, at the prompt or while there is none.
    fn interrupted_by_hand(&mut self) {
        match self.interrupts.press(self.is_busy(), Instant::now()) {
            Interrupt::Stop => self.stop(),
            Interrupt::Warn => self.say(&Text::PressAgain),
            Interrupt::Quit => self.leave(Exit::Interrupted),
        }
    }

    fn is_busy(&self) -> bool {
        !self.dialogue.is_settled() || self.turns.is_any_running()
    }

    fn stop(&mut self) {
        let id = self.send("/stop".into(), false);
        self.dialogue.note_stop(id);
    }

    fn take_line(&mut self, line: Line, was_at_prompt: bool) {
        match line {
            Line::TooLong => {
                self.dialogue.lost();
                self.say(&Text::LineTooLong);
                self.source.allow();
            }
            Line::Text { text, is_mended } => {
                if self.mode == Mode::Interactive && !was_at_prompt {
                    self.screen.typed(&text);
                }
                if is_mended {
                    self.say(&Text::LineMended);
                }
                self.send(text, true);
            }
        }
    }

    fn send(&mut self, text: String, holds_permit: bool) -> MessageId {
        self.messages += 1;
        let id = MessageId(format!("{}-{}", self.run, self.messages));
        let when_busy = if self.mode == Mode::Interactive { WhenBusy::Add } else { WhenBusy::Queue };
        self.dialogue.sent(id.clone(), Sent { text: text.clone(), holds_permit });
        let (key, person) = (self.key.clone(), self.person.clone());
        let inbound = Inbound { when_busy, ..Inbound::new(key, id.clone(), person, text) };
        if self.intake.send_message(Arrival::Message(inbound)).is_err() {
            self.dialogue.lost();
            self.answered(&id, Event::Notice(Text::Unreachable.say(self.person.language)));
        }
        id
    }

    fn answered(&mut self, id: &MessageId, event: Event) {
        let sent = self.dialogue.settled(id);
        self.screen.show(event);
        self.release(sent);
    }

    fn joined(&mut self, id: &MessageId, turn: TurnId) {
        let sent = self.dialogue.joined(id, turn);
        if sent.is_some() {
            self.say(&Text::Joined);
        }
        self.release(sent);
    }

    fn deliver(&mut self, outbound: Outbound) {
        let Outbound { id, key: _, reply_to, body } = outbound;
        match body {
            OutboundBody::Notice { text } | OutboundBody::Question { text, .. } => {
                self.screen.show(Event::Notice(text))
            }
            OutboundBody::TurnFinished { turn, outcome } => self.finished(turn, outcome, reply_to.as_ref()),
        }
        self.screen.sent(id);
    }

    fn finished(&mut self, turn: TurnId, outcome: Outcome, reply_to: Option<&MessageId>) {
        let sent = self.dialogue.finished(turn, reply_to, outcome.kind == OutcomeKind::Failed);
        let message = sent.as_ref().map(|sent| sent.text.clone());
        for event in self.turns.finished(turn, outcome, message) {
            self.screen.show(event);
        }
        self.release(sent);
    }

    /// Lets the next line be read.
    fn release(&self, sent: Option<Sent>) {
        if sent.is_some_and(|sent| sent.holds_permit) {
            self.source.allow();
        }
    }

    fn say(&mut self, text: &Text) {
        self.screen.show(Event::Notice(text.say(self.person.language)));
    }

    /// Leaves when it is time to, or shows the prompt when nothing is left to wait for.
    fn settle(&mut self) {
        if self.leaving.is_some() {
            return;
        }
        if let Some(exit) = self.dialogue.exit() {
            let has_seen_it = self.mode == Mode::Interactive && exit == Exit::TurnFailed;
            return self.leave(if has_seen_it { Exit::Done } else { exit });
        }
        let awaits_input = self.dialogue.awaits_input() && !self.turns.is_any_running();
        if self.mode == Mode::Interactive && awaits_input && !self.screen.is_at_prompt() {
            self.screen.prompt(self.readings);
        }
    }
}

/// Tells the actor of each interrupt, until this is dropped.
fn forward(mut interrupts: UnboundedReceiver<()>, actor: ActorRef<Message>) -> JoinSet<()> {
    let mut forwarder = JoinSet::new();
    forwarder
        .spawn(async move { while interrupts.recv().await.is_some() && actor.cast(Message::Interrupted).is_ok() {} });
    forwarder
}
