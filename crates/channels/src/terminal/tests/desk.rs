//! A terminal with a person before it and a conversation behind it, both played by the test.

use std::collections::VecDeque;
use std::io::{self, PipeWriter, Read, Write};

use chat::{
    Arrival, ChannelName, ConversationKey, DeliveryId, Inbound, Language, MessageId, Outbound, OutboundBody, Outcome,
    OutcomeKind, Person, PersonRole, Progress, Receipt, RefusalReason, ToChannel, TurnId,
};
use ractor::DerivedActorRef;
use testkit::Probe;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Duration, timeout};

use super::message;
use crate::terminal::{self, Arguments, Exit, Input, Look, Mode, Output, Settings, Streams, Terminal};

/// Nothing takes this long, unless it never comes.
const LONG: Duration = Duration::from_secs(10);

/// Hands on what is written.
struct Paper(UnboundedSender<String>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(String::from_utf8(bytes.to_vec()).unwrap());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was written so far.
pub(super) struct Printed {
    from: UnboundedReceiver<String>,
    pub(super) text: String,
}

impl Printed {
    fn on_paper() -> (Paper, Self) {
        let (to, from) = unbounded_channel();
        (Paper(to), Self { from, text: String::new() })
    }

    /// Waits until this was written.
    pub(super) async fn until(&mut self, end: &str) -> &str {
        while !self.text.ends_with(end) {
            let written = timeout(LONG, self.from.recv()).await;
            self.text += &written.ok().flatten().unwrap_or_else(|| panic!("{end:?} never came, but {:?}", self.text));
        }
        &self.text
    }

    /// All that was written by now.
    pub(super) fn so_far(&mut self) -> &str {
        while let Ok(written) = self.from.try_recv() {
            self.text += &written;
        }
        &self.text
    }
}

/// How a desk is set up.
pub(super) struct Setup {
    pub(super) mode: Mode,
    pub(super) output: Output,
    pub(super) input: Box<dyn Read + Send>,
    /// In place of paper.
    pub(super) stdout: Option<Box<dyn Write + Send>>,
    /// In place of one that is there.
    pub(super) intake: Option<DerivedActorRef<Arrival>>,
}

impl Setup {
    /// A pipe.
    pub(super) fn pipe(input: impl Read + Send + 'static) -> Self {
        Self { mode: Mode::Pipe, output: Output::Plain, input: Box::new(input), stdout: None, intake: None }
    }
}

pub(super) struct Desk {
    pub(super) terminal: Terminal,
    arrivals: Probe<Arrival>,
    receipts: Probe<Receipt>,
    pub(super) out: Printed,
    pub(super) err: Printed,
    interrupt: UnboundedSender<()>,
    turns: i64,
    running: VecDeque<TurnId>,
}

pub(super) fn key(chat: &str) -> ConversationKey {
    ConversationKey {
        channel: ChannelName("terminal".into()),
        bot: "local".into(),
        chat: chat.into(),
        thread: None,
        person: None,
    }
}

impl Desk {
    pub(super) async fn set_up(setup: Setup) -> Self {
        let (arrivals, receipts) = (Probe::<Arrival>::spawn().await, Probe::<Receipt>::spawn().await);
        let ((paper, out), (error_paper, err)) = (Printed::on_paper(), Printed::on_paper());
        let (interrupt, interrupts) = unbounded_channel();
        let person =
            Person { id: "1".into(), name: "ada".into(), role: PersonRole::Owner, language: Language::English };
        let streams = Streams {
            input: Input::Lines(setup.input),
            stdout: setup.stdout.unwrap_or_else(|| Box::new(paper)),
            stderr: Box::new(error_paper),
            stdout_is_terminal: setup.output == Output::Rich,
            width: Box::new(|| 80),
            interrupts,
        };
        let settings = Settings { history: None, look: Look { styled: false, moves: true } };
        let (mode, output) = (setup.mode, setup.output);
        let intake = setup.intake.unwrap_or_else(|| arrivals.actor().get_derived());
        let delivery = receipts.actor().get_derived();
        let arguments = Arguments { key: key("main"), person, intake, delivery, mode, output, settings, streams };
        let terminal = terminal::spawn(arguments).await.unwrap();
        Self { terminal, arrivals, receipts, out, err, interrupt, turns: 0, running: VecDeque::new() }
    }

    /// A pipe with this in it.
    pub(super) async fn with_lines(lines: &str, output: Output) -> Self {
        let input = io::Cursor::new(lines.to_owned().into_bytes());
        let desk = Self::set_up(Setup { output, ..Setup::pipe(input) }).await;
        desk.terminal.start();
        desk
    }

    /// A person, who types into the other end.
    pub(super) async fn with_person() -> (Self, PipeWriter) {
        let (input, keyboard) = io::pipe().unwrap();
        let (mode, output) = (Mode::Interactive, Output::Rich);
        let desk = Self::set_up(Setup { mode, output, ..Setup::pipe(input) }).await;
        desk.terminal.start();
        (desk, keyboard)
    }

    /// The next message that the terminal hands in.
    pub(super) async fn arrival(&mut self) -> Inbound {
        message(self.arrivals.next().await)
    }

    pub(super) async fn receipt(&mut self) -> Receipt {
        self.receipts.next().await
    }

    pub(super) fn has_arrival(&mut self) -> bool {
        self.arrivals.try_next().is_some()
    }

    pub(super) fn tell(&self, told: ToChannel) {
        self.terminal.to_channel().send_message(told).unwrap();
    }

    /// A turn begins.
    pub(super) fn begin(&mut self, message: &str) -> TurnId {
        self.turns += 1;
        let turn = TurnId(self.turns);
        self.running.push_back(turn);
        self.progress(turn, Progress::TurnStarted { message: message.into() });
        self.progress(turn, Progress::StepStarted { step: 1 });
        turn
    }

    pub(super) fn progress(&self, turn: TurnId, progress: Progress) {
        self.tell(ToChannel::Progress { key: key("main"), turn, progress });
    }

    /// The turn ends that began first.
    pub(super) fn end(&mut self, inbound: &Inbound, kind: OutcomeKind, text: &str) -> DeliveryId {
        let turn = self.running.pop_front().expect("a turn runs");
        self.end_turn(turn, Some(inbound.id.clone()), kind, text)
    }

    pub(super) fn end_turn(
        &self,
        turn: TurnId,
        reply_to: Option<MessageId>,
        kind: OutcomeKind,
        text: &str,
    ) -> DeliveryId {
        let outcome = Outcome { kind, text: text.into(), steps: 1, usage: None, error: None, files: Vec::new() };
        let id = DeliveryId(100 + turn.0);
        let body = OutboundBody::TurnFinished { turn, outcome };
        self.tell(ToChannel::Deliver(Outbound { id, key: key("main"), reply_to, body }));
        id
    }

    /// A whole turn.
    pub(super) fn answer(&mut self, inbound: &Inbound, text: &str) -> DeliveryId {
        self.begin(&inbound.text);
        self.end(inbound, OutcomeKind::Answered, text)
    }

    pub(super) fn answer_command(&self, inbound: &Inbound, text: &str) {
        self.tell(ToChannel::CommandAnswered { key: key("main"), id: inbound.id.clone(), text: text.into() });
    }

    pub(super) fn refuse(&self, inbound: &Inbound, text: &str) {
        let (id, reason) = (inbound.id.clone(), RefusalReason::QueueFull);
        self.tell(ToChannel::Refused { key: key("main"), id, reason, text: text.into() });
    }

    pub(super) fn join(&self, inbound: &Inbound, turn: TurnId) {
        self.tell(ToChannel::Joined { key: key("main"), id: inbound.id.clone(), turn });
    }

    pub(super) fn interrupt(&self) {
        self.interrupt.send(()).unwrap();
    }

    pub(super) async fn exit(&mut self) -> Exit {
        timeout(LONG, self.terminal.exit()).await.expect("it leaves")
    }
}
