//! The actor of a bot.
//!
//! Layout: `session` (what it knows, whom it asks), `arriving` (messages in), `turns` (what is shown of turns that run),
//! `deliveries` (answers out), `courier` (calls).

mod arriving;
mod courier;
mod deliveries;
mod session;
mod turns;

use chat::{Attachment, ChannelNews, ConversationKey, DeliveryId, ToChannel, TurnId};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use serde_json::Value;
use tokio::sync::oneshot;

use super::Arguments;
use super::client::{Client, Token};
use super::decode::Bot;
use crate::pacing::{self, Ticket};
use courier::{Done, Telegraph};
use session::Session;

struct TelegramActor;

/// What can happen to it.
#[derive(Debug)]
pub(super) enum Message {
    /// Everybody knows it now; it may ask for messages.
    Start,
    /// It is told something.
    ToChannel(ToChannel),
    /// The service knows the bot.
    Known(Bot),
    /// The service was asked for updates, or for the bot.
    News(ChannelNews),
    /// These came, where all from `asked` on were wanted.
    Polled { updates: Vec<Value>, asked: i64, tell: oneshot::Sender<()> },
    /// No more pieces of a message are likely to come.
    Joined(ConversationKey),
    /// The files of a message are here, or are not.
    Fetched { key: ConversationKey, serial: u64, attachments: Vec<Attachment> },
    /// A turn may have to be shown anew.
    Look(TurnId),
    /// A call was made.
    Made(Ticket, Done),
    /// A part waits for its turn and is about to be sent.
    Clear { delivery: DeliveryId, part: u32, tell: oneshot::Sender<()> },
    /// A chat goes on under another number.
    Moved { from: i64, to: i64 },
    /// A delivery that failed may be tried again.
    Retry(DeliveryId),
}

impl From<ToChannel> for Message {
    fn from(told: ToChannel) -> Self {
        Self::ToChannel(told)
    }
}

impl TryFrom<Message> for ToChannel {
    type Error = &'static str;

    fn try_from(message: Message) -> Result<Self, Self::Error> {
        match message {
            Message::ToChannel(told) => Ok(told),
            _ => Err("not told by anybody"),
        }
    }
}

/// What the actor is started with.
pub(super) struct Start {
    arguments: Arguments,
    http: reqwest::Client,
}

/// Starts the actor.
pub(super) async fn spawn(
    arguments: Arguments,
    http: reqwest::Client,
    parent: ActorCell,
) -> Result<ActorRef<Message>, SpawnErr> {
    let (actor, _) = Actor::spawn_linked(None, TelegramActor, Start { arguments, http }, parent).await?;
    Ok(actor)
}

impl Actor for TelegramActor {
    type Msg = Message;
    type State = Session;
    type Arguments = Start;

    async fn pre_start(&self, myself: ActorRef<Message>, start: Start) -> Result<Session, ActorProcessingErr> {
        let Start { arguments, http } = start;
        let client = Client::new(http, &arguments.settings.api_url, Token::new(&arguments.token));
        let courier = Telegraph { client: client.clone(), actor: myself.clone() };
        let pacing = pacing::spawn(courier, courier::limits(), myself.get_cell()).await?;
        Ok(Session::new(arguments, client, pacing, myself))
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        session: &mut Session,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Start => session.start(),
            Message::ToChannel(told) => session.told(told),
            Message::Known(bot) => session.known(bot),
            Message::News(news) => session.news(news),
            Message::Polled { updates, asked, tell } => session.polled(&updates, asked, tell),
            Message::Joined(key) => session.advance(&key),
            Message::Fetched { key, serial, attachments } => session.fetched(&key, serial, attachments),
            Message::Look(turn) => session.look(turn),
            Message::Made(ticket, done) => session.made(ticket, done),
            Message::Clear { delivery, part, tell } => session.clear(delivery, part, tell),
            Message::Moved { from, to } => session.moved(from, to),
            Message::Retry(delivery) => session.send_next(delivery),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Message>,
        event: SupervisionEvent,
        _: &mut Session,
    ) -> Result<(), ActorProcessingErr> {
        // Without its pacing it can send nothing; who started it starts it anew.
        if let SupervisionEvent::ActorFailed(..) | SupervisionEvent::ActorTerminated(..) = event {
            myself.stop(Some("the actor that paces its calls is gone".into()));
        }
        Ok(())
    }
}
