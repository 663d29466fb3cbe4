//! What is shown: events on their way to the thread that writes.

use std::time::Duration;

use chat::DeliveryId;
use ractor::ActorRef;
use tokio::time::Instant;

use super::actor::Message;
use super::client::{Write, Writer};
use super::coalesce::Coalescer;
use super::render::{Renderer, Surroundings, Written};
use super::turns::Event;

/// How often rows that show how time passes are written anew.
const SECOND: Duration = Duration::from_secs(1);

/// Shows events in the order in which they come.
pub(super) struct Screen {
    coalescer: Coalescer,
    renderer: Renderer,
    writer: Writer,
    width: Box<dyn Fn() -> usize + Send>,
    actor: ActorRef<Message>,
    at_prompt: bool,
    /// The beginning of a line that cannot be shown above a prompt before it is whole.
    partial: String,
    awaits_flush: bool,
    awaits_tick: bool,
}

impl Screen {
    pub(super) fn new(
        renderer: Renderer,
        writer: Writer,
        width: Box<dyn Fn() -> usize + Send>,
        actor: ActorRef<Message>,
    ) -> Self {
        Self {
            coalescer: Coalescer::default(),
            renderer,
            writer,
            width,
            actor,
            at_prompt: false,
            partial: String::new(),
            awaits_flush: false,
            awaits_tick: false,
        }
    }

    pub(super) fn is_at_prompt(&self) -> bool {
        self.at_prompt
    }

    pub(super) fn show(&mut self, event: Event) {
        let events = self.coalescer.push(event, Instant::now());
        self.render(&events);
        if let Some(due) = self.coalescer.due().filter(|_| !self.awaits_flush) {
            self.awaits_flush = true;
            self.actor.send_after(due - Instant::now(), || Message::Flush);
        }
    }

    /// Pieces of text were held for long enough.
    pub(super) fn flush_is_due(&mut self) {
        self.awaits_flush = false;
        self.flush();
    }

    pub(super) fn tick(&mut self) {
        self.awaits_tick = false;
        let around = self.surroundings();
        self.written(|renderer, written| renderer.tick(around, written));
    }

    /// Takes note of a line that was typed while no prompt was shown.
    pub(super) fn typed(&mut self, line: &str) {
        let around = self.surroundings();
        self.written(|renderer, written| renderer.typed(line, around, written));
    }

    /// Takes note of Ctrl-C, typed while no prompt was shown.
    pub(super) fn interrupted(&mut self) {
        let around = self.surroundings();
        self.written(|renderer, written| renderer.interrupted(around, written));
    }

    /// Tells that a delivery is out, once it is.
    pub(super) fn sent(&mut self, delivery: DeliveryId) {
        self.flush();
        self.writer.write(Write::Sent(delivery));
    }

    /// Shows the prompt. From now on other things are shown above it, in whole lines.
    pub(super) fn prompt(&mut self, readings: u64) {
        self.flush();
        self.writer.write(Write::Prompt(readings));
        self.set_at_prompt(true);
    }

    /// Takes note that the prompt is gone.
    pub(super) fn leave_prompt(&mut self) {
        self.set_at_prompt(false);
    }

    /// Asks to be told when all is written.
    pub(super) fn drain(&mut self) {
        self.flush();
        self.set_at_prompt(false);
        self.written(|_, _| {});
        self.writer.write(Write::Drain);
    }

    fn flush(&mut self) {
        let events = self.coalescer.flush(Instant::now());
        self.render(&events);
    }

    fn render(&mut self, events: &[Event]) {
        let around = self.surroundings();
        self.written(|renderer, written| events.iter().for_each(|event| renderer.event(event, around, written)));
    }

    fn set_at_prompt(&mut self, at_prompt: bool) {
        self.at_prompt = at_prompt;
        self.renderer.set_at_prompt(at_prompt);
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { now: Instant::now(), width: (self.width)() }
    }

    /// Hands over what is rendered.
    fn written(&mut self, render: impl FnOnce(&mut Renderer, &mut Written)) {
        let mut written = Written { out: std::mem::take(&mut self.partial), err: String::new() };
        render(&mut self.renderer, &mut written);
        if self.at_prompt {
            let whole = written.out.rfind('\n').map_or(0, |end| end + 1);
            self.partial = written.out.split_off(whole);
        }
        let Written { out, err } = written;
        if !err.is_empty() {
            self.writer.write(Write::Err(err));
        }
        if !out.is_empty() {
            self.writer.write(if self.at_prompt { Write::Announce(out) } else { Write::Out(out) });
        }
        if self.renderer.is_ticking() && !self.awaits_tick {
            self.awaits_tick = true;
            self.actor.send_after(SECOND, || Message::Tick);
        }
    }
}
