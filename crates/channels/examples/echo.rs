//! The terminal with an agent that only repeats what it is told, to try the terminal by hand:
//!
//! ```text
//! cargo run -p channels --example echo                     a prompt
//! cargo run -p channels --example echo -- MESSAGE          one turn
//! echo hello | cargo run -p channels --example echo        a pipe; with --json as events
//! ```
//!
//! A message that begins with `tool` has it run a tool for five seconds, `think` has it think, `again` has it start over,
//! `fail` has it fail, `later` has something come while the prompt is shown. Everything is repeated word by word. `/stop` ends that.

use std::env::var;
use std::io::{IsTerminal, stdin, stdout};
use std::process::exit;

use channels::terminal::{self, Arguments, Exit, Look, Mode, Output, Settings, Streams};
use chat::{
    Arrival, ChannelName, ConversationKey, DeliveryId, Inbound, Language, Outbound, OutboundBody, Outcome, OutcomeKind,
    Person, PersonRole, Progress, Receipt, ToChannel, TurnError, TurnId,
};
use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Duration, sleep};

/// Hands on what an adapter sends.
struct Door<T>(std::marker::PhantomData<fn(T)>);

impl<T: ractor::Message + Sync> Actor for Door<T> {
    type Msg = T;
    type State = UnboundedSender<T>;
    type Arguments = UnboundedSender<T>;

    async fn pre_start(
        &self,
        _: ActorRef<T>,
        to: UnboundedSender<T>,
    ) -> Result<UnboundedSender<T>, ActorProcessingErr> {
        Ok(to)
    }

    async fn handle(&self, _: ActorRef<T>, message: T, to: &mut UnboundedSender<T>) -> Result<(), ActorProcessingErr> {
        Ok(to.send(message)?)
    }
}

async fn door<T: ractor::Message + Sync>() -> (DerivedActorRef<T>, UnboundedReceiver<T>) {
    let (to, from) = unbounded_channel();
    let (door, _) =
        Actor::spawn(None, Door(std::marker::PhantomData), to).await.expect("a door has nothing that fails");
    (door.get_derived(), from)
}

struct Echo {
    key: ConversationKey,
    terminal: DerivedActorRef<ToChannel>,
    arrivals: UnboundedReceiver<Arrival>,
    waiting: Vec<Inbound>,
    turns: i64,
}

impl Echo {
    async fn run(mut self) {
        loop {
            let inbound = match self.waiting.is_empty() {
                false => self.waiting.remove(0),
                true => match self.arrivals.recv().await {
                    Some(Arrival::Message(inbound)) => inbound,
                    _ => return,
                },
            };
            if inbound.text.starts_with('/') {
                self.answer(&inbound, "Nothing is running.");
            } else {
                self.turn(inbound).await;
            }
        }
    }

    async fn turn(&mut self, inbound: Inbound) {
        self.turns += 1;
        let text = inbound.text.clone();
        self.progress(Progress::TurnStarted { message: text.clone() });
        self.progress(Progress::StepStarted { step: 1 });
        let mut kind = OutcomeKind::Answered;
        if self.pause(300).await && (!text.starts_with("tool") || self.tool().await) {
            if text.starts_with("think") {
                self.progress(Progress::ReasoningDelta { step: 1, text: "What could they mean?\nWell.".into() });
            }
            for (number, word) in text.split_inclusive(' ').enumerate() {
                self.progress(Progress::TextDelta { step: 1, text: word.into() });
                if number == 2 && text.starts_with("again") {
                    self.progress(Progress::TextReset { step: 1 });
                    self.progress(Progress::TextDelta { step: 1, text: "again and ".into() });
                }
                if !self.pause(150).await {
                    kind = OutcomeKind::Stopped;
                    break;
                }
            }
        } else {
            kind = OutcomeKind::Stopped;
        }
        if text.starts_with("later") {
            tokio::spawn(come_later(self.terminal.clone(), self.key.clone()));
        }
        self.finish(inbound, kind);
    }

    async fn tool(&mut self) -> bool {
        let id = String::from("1");
        let arguments = json!({"command": "sleep 5 && echo done"}).as_object().cloned();
        self.progress(Progress::ToolStarted { id: id.clone(), name: "bash".into(), arguments });
        let is_whole = self.pause(2500).await && {
            self.progress(Progress::ToolProgress { id: id.clone(), text: "half of it\n".into() });
            self.pause(2500).await
        };
        let display = Some("```diff\n- old\n+ new\n```".into());
        self.progress(Progress::ToolFinished { id, name: "bash".into(), is_error: !is_whole, ms: 5000, display });
        is_whole
    }

    fn finish(&mut self, inbound: Inbound, kind: OutcomeKind) {
        let kind = if inbound.text.starts_with("fail") { OutcomeKind::Failed } else { kind };
        let (text, error) = match kind {
            OutcomeKind::Stopped => ("Stopped.".into(), None),
            OutcomeKind::Failed => {
                let error = TurnError { class: "auth".into(), message: "the key is wrong".into() };
                ("This could not be finished: the key is wrong.".into(), Some(error))
            }
            _ => (inbound.text, None),
        };
        let turn = TurnId(self.turns);
        let outcome = Outcome { kind, text, steps: 1, usage: None, error, files: Vec::new() };
        let body = OutboundBody::TurnFinished { turn, outcome };
        let outbound = Outbound { id: DeliveryId(self.turns), key: self.key.clone(), reply_to: Some(inbound.id), body };
        self.tell(ToChannel::Deliver(outbound));
    }

    /// Waits, and takes what arrives meanwhile. Gives whether to go on.
    async fn pause(&mut self, ms: u64) -> bool {
        let end = sleep(Duration::from_millis(ms));
        tokio::pin!(end);
        loop {
            let inbound = tokio::select! {
                () = &mut end => return true,
                arrival = self.arrivals.recv() => match arrival {
                    Some(Arrival::Message(inbound)) => inbound,
                    _ => return false,
                },
            };
            if inbound.text == "/stop" {
                self.answer(&inbound, "Stopping.");
                return false;
            }
            if inbound.text.starts_with('/') {
                self.answer(&inbound, "Running.");
            } else {
                self.waiting.push(inbound);
            }
        }
    }

    fn answer(&self, inbound: &Inbound, text: &str) {
        self.tell(ToChannel::CommandAnswered { key: self.key.clone(), id: inbound.id.clone(), text: text.into() });
    }

    fn progress(&self, progress: Progress) {
        self.tell(ToChannel::Progress { key: self.key.clone(), turn: TurnId(self.turns), progress });
    }

    fn tell(&self, told: ToChannel) {
        let _ = self.terminal.send_message(told);
    }
}

/// A turn that nobody at this terminal asked for.
async fn come_later(terminal: DerivedActorRef<ToChannel>, key: ConversationKey) {
    let turn = TurnId(-1);
    let text = "This was *asked* some time ago,\nand is answered **now**.";
    let progress = |progress| ToChannel::Progress { key: key.clone(), turn, progress };
    let _ = terminal.send_message(progress(Progress::TurnStarted { message: "from before".into() }));
    for word in text.split_inclusive(' ') {
        sleep(Duration::from_millis(300)).await;
        let _ = terminal.send_message(progress(Progress::TextDelta { step: 1, text: word.into() }));
    }
    let outcome = Outcome {
        kind: OutcomeKind::Answered,
        text: text.into(),
        steps: 1,
        usage: None,
        error: None,
        files: Vec::new(),
    };
    let body = OutboundBody::TurnFinished { turn, outcome };
    let _ = terminal.send_message(ToChannel::Deliver(Outbound { id: DeliveryId(-1), key, reply_to: None, body }));
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let is_json = words.first().is_some_and(|word| word == "--json");
    words.drain(..usize::from(is_json));
    let is_person = stdin().is_terminal() && stdout().is_terminal() && !is_json;
    let mode = match (words.is_empty(), is_person) {
        (false, _) => Mode::Once(words.join(" ")),
        (true, true) => Mode::Interactive,
        (true, false) => Mode::Pipe,
    };
    let output = match (is_json, stdout().is_terminal()) {
        (true, _) => Output::Json,
        (false, true) => Output::Rich,
        (false, false) => Output::Plain,
    };
    let look = Look::of(var("TERM").ok().as_deref(), var("NO_COLOR").ok().as_deref());
    let key = ConversationKey {
        channel: ChannelName("terminal".into()),
        bot: "echo".into(),
        chat: "main".into(),
        thread: None,
        person: None,
    };
    let person = Person { id: "1".into(), name: "me".into(), role: PersonRole::Owner, language: Language::English };
    let (intake, arrivals) = door::<Arrival>().await;
    let (delivery, _receipts) = door::<Receipt>().await;
    let mut terminal = terminal::spawn(Arguments {
        key: key.clone(),
        person,
        intake,
        delivery,
        streams: Streams::of_process(mode == Mode::Interactive && look.moves)?,
        mode,
        output,
        settings: Settings { history: var("ECHO_HISTORY").ok().map(Into::into), look },
    })
    .await?;
    let echo = Echo { key, terminal: terminal.to_channel(), arrivals, waiting: Vec::new(), turns: 0 };
    tokio::spawn(echo.run());
    terminal.start();
    let left = terminal.exit().await;
    drop(terminal);
    exit(match left {
        Exit::Done => 0,
        Exit::Interrupted => 130,
        Exit::TurnFailed | Exit::OutputClosed | Exit::Broken => 1,
    })
}
