//! Telegram's Bot API on a real socket, as strict as the service where a bot can tell. Error texts are those of the service: from
//! the sources of its server (`telegram-bot-api` Client.cpp, td `MessageEntity.cpp` and `MessagesManager.cpp`), as far as they are
//! known; limits on speed are the averages of its FAQ.
//!
//! ```no_run
//! # async fn test() {
//! let telegram = testkit::FakeTelegram::start();
//! // … start a bot at telegram.api_url() with telegram.token() and let it work …
//! let ada = telegram.person(7, "Ada");
//! telegram.says(&ada, "hi");
//! telegram.hears("hello").await;
//! # }
//! ```
//!
//! Layout: `state` (chats, messages, what waits), `methods` (what the bot may ask), `html` (marked text), `fault` (what goes
//! wrong), `server` (the socket), `story` (what people do).

mod fault;
mod html;
mod methods;
mod server;
mod state;
mod story;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{oneshot, watch};

use crate::bound::within_limit;

pub use fault::Fault;
pub use html::read as read_html;
pub use state::{Call, Message};
pub use story::{Chat, Person};

use state::State;

/// The token that it knows.
const TOKEN: &str = "123456:AAFakeTokenForTest_0123456789abcdefg";

/// A Bot API of one bot.
pub struct FakeTelegram {
    address: SocketAddr,
    state: Arc<watch::Sender<State>>,
    running: Option<oneshot::Sender<()>>,
}

impl FakeTelegram {
    /// Starts it on a free port.
    #[must_use]
    pub fn start() -> Self {
        Self::start_at(0)
    }

    /// Starts it on this port of loopback. It has its own thread, so it also serves tests that block theirs.
    #[must_use]
    pub fn start_at(port: u16) -> Self {
        let state = Arc::new(watch::Sender::new(State::new(TOKEN)));
        let (address, running) = server::start(port, state.clone());
        Self { address, state, running: Some(running) }
    }

    /// Where a bot finds it.
    #[must_use]
    pub fn api_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The token that it knows.
    #[must_use]
    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Goes away: connections break and new ones are refused.
    pub async fn die(&mut self) {
        self.running = None;
        // The port is free when nobody listens any more.
        within_limit("the end of a server", async {
            while std::net::TcpStream::connect(self.address).is_ok() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    /// Comes back with all that it knew.
    pub fn revive(&mut self) {
        let (_, running) = server::start(self.address.port(), self.state.clone());
        self.running = Some(running);
    }

    /// Lets the next call of a method go wrong.
    pub fn fail(&self, method: &str, fault: Fault) {
        self.fail_times(method, 1, fault);
    }

    /// Lets so many calls of a method go wrong.
    pub fn fail_times(&self, method: &str, times: usize, fault: Fault) {
        self.state.send_modify(|state| state.faults.push((method.to_ascii_lowercase(), times, fault)));
    }

    /// Lets all that waits in a fault go on.
    pub fn release(&self) {
        self.state.send_modify(|state| state.releases += 1);
    }

    /// The calls of a method so far.
    #[must_use]
    pub fn calls(&self, method: &str) -> Vec<Call> {
        let state = self.state.borrow();
        state.calls.iter().filter(|call| call.method.eq_ignore_ascii_case(method)).cloned().collect()
    }

    /// Waits until a method was called so often, and gives the last of these calls.
    pub async fn called(&self, method: &str, times: usize) -> Call {
        let what = format!("call {times} of {method}");
        self.until(&what, |state| {
            let mut calls = state.calls.iter().filter(|call| call.method.eq_ignore_ascii_case(method));
            calls.nth(times.saturating_sub(1)).cloned()
        })
        .await
    }

    /// Waits until a message of the bot stands somewhere that has this in it.
    pub async fn hears(&self, text: &str) -> Message {
        let what = format!("a message with {text:?}");
        self.until(&what, |state| state.standing().find(|message| message.text.contains(text)).cloned()).await
    }

    /// Waits until a message of the bot that is not this one stands somewhere that has this in it.
    pub async fn hears_anew(&self, text: &str, not: &Message) -> Message {
        let what = format!("another message with {text:?}");
        let is_wanted = |message: &&Message| message.id != not.id && message.text.contains(text);
        self.until(&what, |state| state.standing().find(is_wanted).cloned()).await
    }

    /// Waits until no message of the bot in a chat has a button, and gives the last.
    pub async fn without_buttons(&self, chat: i64) -> Message {
        self.until("messages without buttons", |state| {
            let mut standing: Vec<_> = state.standing().filter(|message| message.chat == chat).collect();
            standing.iter().all(|message| message.buttons.is_empty()).then(|| standing.pop().cloned()).flatten()
        })
        .await
    }

    /// The bot's messages that stand in a chat, oldest first.
    #[must_use]
    pub fn standing(&self, chat: i64) -> Vec<Message> {
        self.state.borrow().standing().filter(|message| message.chat == chat).cloned().collect()
    }

    /// Waits until the bot put this under a message.
    pub async fn reaction(&self, chat: i64, message: i64) -> String {
        self.until("a reaction", |state| state.reactions.get(&(chat, message)).cloned()).await
    }

    /// Waits until the bot has confirmed all updates so far.
    pub async fn is_read(&self) {
        self.until("all updates to be confirmed", |state| state.updates.is_empty().then_some(())).await;
    }

    /// How many updates the bot has not confirmed.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.state.borrow().updates.len()
    }

    /// What was wrong with calls that the service would have refused.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        self.state.borrow().refusals.clone()
    }

    /// Puts an update before the bot as it is.
    pub fn update(&self, kind: &str, body: Value) {
        self.state.send_modify(|state| state.push(kind, body));
    }

    /// Waits until what stands in a chat looks otherwise than this, and puts down how.
    pub async fn changed(&self, shown: &mut String, chat: i64) {
        let look = |state: &State| {
            let messages = state.standing().filter(|message| message.chat == chat);
            let last = messages.last().map(|message| format!("[{}] {}", message.id, message.text));
            last.unwrap_or_default()
        };
        let mut changes = self.state.subscribe();
        // The state is held by self.
        let _ = changes.wait_for(|state| look(state) != *shown).await.map(|state| *shown = look(&state));
    }

    async fn until<T>(&self, what: &str, mut find: impl FnMut(&State) -> Option<T>) -> T {
        let mut changes = self.state.subscribe();
        let mut found = None;
        let search = changes.wait_for(|state| {
            found = find(state);
            found.is_some()
        });
        within_limit(what, search).await.map(drop).expect("the state is held by self");
        found.expect("it was waited for")
    }
}
