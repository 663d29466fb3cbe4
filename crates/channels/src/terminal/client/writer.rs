//! Writes in order: text, what became of a delivery, and the prompt that follows.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use chat::{DeliveryId, Receipt};
use ractor::DerivedActorRef;
use tokio::sync::oneshot;

/// What is to be written, or done when all before it is.
#[derive(Debug)]
pub(in crate::terminal) enum Write {
    /// To standard output.
    Out(String),
    /// To standard error.
    Err(String),
    /// Whole lines, above the prompt.
    Announce(String),
    /// A delivery was written.
    Sent(DeliveryId),
    /// A person may write again, after so many readings.
    Prompt(u64),
    /// Tell when all before this is done.
    Drain,
}

/// Shows a prompt where lines are read without an editor.
const PROMPT: &str = "> ";

/// The thread that writes.
#[derive(Debug)]
pub(in crate::terminal) struct Writer {
    sender: Sender<Write>,
}

/// What the thread that writes works with.
pub(in crate::terminal) struct Ends {
    pub(in crate::terminal) stdout: Box<dyn io::Write + Send>,
    pub(in crate::terminal) stderr: Box<dyn io::Write + Send>,
    pub(in crate::terminal) prompter: Option<Prompter>,
    pub(in crate::terminal) delivery: DerivedActorRef<Receipt>,
    pub(in crate::terminal) tell: Box<dyn Fn(Told) + Send>,
    /// Dropped when all is written and nothing more comes.
    pub(in crate::terminal) until_written: oneshot::Sender<()>,
}

/// What the thread that writes tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::terminal) enum Told {
    /// All is written.
    Drained,
    /// Nobody reads standard output any more.
    OutputClosed,
}

impl Writer {
    /// Starts the thread. It ends when the writer is dropped and all is written.
    pub(in crate::terminal) fn start(ends: Ends) -> io::Result<Self> {
        let (sender, writes) = channel();
        let thread = thread::Builder::new().name("terminal-output".into());
        thread.spawn(move || WriterThread { ends, closed: None }.run(&writes))?;
        Ok(Self { sender })
    }

    pub(in crate::terminal) fn write(&self, write: Write) {
        // The thread lives as long as this.
        let _ = self.sender.send(write);
    }
}

struct WriterThread {
    ends: Ends,
    /// Why standard output takes no more.
    closed: Option<String>,
}

impl WriterThread {
    fn run(mut self, writes: &Receiver<Write>) {
        for write in writes {
            match write {
                Write::Out(text) => self.out(&text),
                Write::Err(text) => self.err(&text),
                Write::Announce(text) => self.announce(text),
                Write::Sent(delivery) => self.sent(delivery),
                Write::Prompt(readings) => self.prompt(readings),
                Write::Drain => (self.ends.tell)(Told::Drained),
            }
        }
        drop(self.ends.until_written);
    }

    fn out(&mut self, text: &str) {
        if self.closed.is_some() {
            return;
        }
        let stdout = &mut self.ends.stdout;
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.closed = Some(error.to_string());
            (self.ends.tell)(Told::OutputClosed);
        }
    }

    fn err(&mut self, text: &str) {
        // Where even this fails there is nobody left to be told.
        let _ = self.ends.stderr.write_all(text.as_bytes()).and_then(|()| self.ends.stderr.flush());
    }

    fn announce(&mut self, text: String) {
        match &self.ends.prompter {
            Some(prompter) => prompter.announce(text),
            None => self.out(&text),
        }
    }

    fn sent(&self, delivery: DeliveryId) {
        let receipt = match &self.closed {
            None => Receipt::Sent(delivery),
            Some(reason) => Receipt::Failed { delivery, reason: reason.clone() },
        };
        // Without delivery the process is going down, and the delivery is found again at the next start.
        let _ = self.ends.delivery.send_message(receipt);
    }

    fn prompt(&mut self, readings: u64) {
        match &self.ends.prompter {
            Some(prompter) => prompter.prompt(readings),
            None => self.out(PROMPT),
        }
    }
}

/// Speaks to the line editor.
#[derive(Debug)]
pub(in crate::terminal) struct Prompter {
    pub(super) prompts: Sender<u64>,
    /// The editor waits for its input and for this.
    pub(super) wake: OwnedFd,
    pub(super) announcements: Sender<String>,
}

impl Prompter {
    fn prompt(&self, readings: u64) {
        let _ = self.prompts.send(readings);
        let _ = rustix::io::write(&self.wake, &[0]);
    }

    fn announce(&self, text: String) {
        let _ = self.announcements.send(text);
    }
}
