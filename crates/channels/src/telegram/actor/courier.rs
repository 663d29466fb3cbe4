//! The calls that a chat sees, one after the other.

use std::path::PathBuf;

use chat::{Button, DeliveryId};
use ractor::ActorRef;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{Duration, timeout};
use tracing::debug;

use super::Message;
use crate::pacing::{Courier, Lane, Limits, Rate, Ticket};
use crate::telegram::client::{Client, Trouble};
use crate::telegram::render::plain;

/// How long what is on its way to disk is waited for.
const CLEARANCE: Duration = Duration::from_secs(30);

/// A call about a chat.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(super) chat: i64,
    /// The part of a delivery that it sends; it goes when that is on disk.
    pub(super) clearance: Option<(DeliveryId, u32)>,
    pub(super) what: What,
}

/// What a call does.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Send { thread: Option<i32>, html: String, reply_to: Option<i32>, buttons: Vec<Vec<Button>> },
    File { thread: Option<i32>, name: String, content: FileContent, caption: Option<String>, reply_to: Option<i32> },
    Edit { message: i32, html: String, buttons: Vec<Vec<Button>> },
    Delete { message: i32 },
    Type { thread: Option<i32> },
    React { message: i32, emoji: &'static str },
    AnswerPress { id: String, text: Option<String> },
}

/// What is in a file that is sent.
#[derive(Clone, Debug)]
pub(crate) enum FileContent {
    /// This text.
    Text(String),
    /// What lies there.
    Stored(PathBuf),
}

impl FileContent {
    async fn bytes(&self) -> Result<Vec<u8>, Trouble> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::Stored(path) => {
                let read = tokio::fs::read(path).await;
                read.map_err(|error| Trouble::Refused(format!("the file {} cannot be read: {error}", path.display())))
            }
        }
    }
}

/// What became of a call: the number of the message, where there is one.
pub(crate) type Done = Result<Option<i32>, Trouble>;

/// How fast calls may go. The service bears 30 a second in all, one a second in a chat and 20 a minute in a group (its FAQ, "My bot
/// is hitting limits"); a full burst and what follows it stay below that together.
pub(super) fn limits() -> Limits {
    Limits {
        all: Rate { burst: 8, every: Duration::from_millis(48), kept: 3 },
        chat: Rate { burst: 4, every: Duration::from_secs(1), kept: 1 },
        group: Rate { burst: 8, every: Duration::from_secs(5), kept: 3 },
    }
}

/// The lane of a chat: groups have negative numbers.
pub(super) fn lane(chat: i64) -> Lane {
    Lane { chat, is_group: chat < 0 }
}

/// Makes the calls of one bot.
pub(crate) struct Telegraph {
    pub(super) client: Client,
    pub(super) actor: ActorRef<Message>,
}

impl Courier for Telegraph {
    type Call = Call;
    type Done = Done;

    async fn carry(&self, mut call: Call) -> Done {
        if let Some((delivery, part)) = call.clearance {
            self.clear(delivery, part).await?;
        }
        loop {
            let trouble = match self.make(&call).await {
                Err(trouble) => trouble,
                done => return done,
            };
            // Each of these changes the call so that it cannot end in the same way again.
            match (&trouble, &mut call.what) {
                (Trouble::Moved(to), _) if *to != call.chat => {
                    // An actor that is gone has no chats any more.
                    let _ = self.actor.cast(Message::Moved { from: call.chat, to: *to });
                    call.chat = *to;
                }
                (
                    Trouble::NoTopic,
                    What::Send { thread: thread @ Some(_), .. } | What::File { thread: thread @ Some(_), .. },
                ) => {
                    *thread = None;
                }
                _ => return Err(trouble),
            }
        }
    }

    fn pause(done: &Done) -> Option<Duration> {
        match done {
            Err(Trouble::Flood(pause)) => Some(*pause),
            _ => None,
        }
    }

    fn lost() -> Done {
        Err(Trouble::Unknown("the call broke down".into()))
    }

    fn cancelled() -> Done {
        Err(Trouble::Cancelled)
    }

    fn report(&self, ticket: Ticket, done: Done) {
        // An actor that is gone wants no reports.
        let _ = self.actor.cast(Message::Made(ticket, done));
    }
}

impl Telegraph {
    /// Waits until it is on disk that a part is being sent.
    async fn clear(&self, delivery: DeliveryId, part: u32) -> Result<(), Trouble> {
        let (tell, cleared) = oneshot::channel();
        let asked = self.actor.cast(Message::Clear { delivery, part, tell });
        let is_clear = asked.is_ok() && timeout(CLEARANCE, cleared).await.is_ok_and(|it| it.is_ok());
        if is_clear {
            Ok(())
        } else {
            Err(Trouble::Unreached("that it is being sent could not be written down".into()))
        }
    }

    /// Makes a call; a text that cannot be parsed goes once more as it is read.
    async fn make(&self, call: &Call) -> Done {
        let (method, mut body) = match &call.what {
            What::File { .. } => return self.upload(call).await.map(Some),
            what => what.request(call.chat),
        };
        let mut done = self.client.call::<Value>(method, &body).await;
        if let (Err(Trouble::Unparsable(why)), What::Send { html, .. } | What::Edit { html, .. }) = (&done, &call.what)
        {
            debug!(why, "a text goes without its marks");
            body["text"] = plain(html).into();
            body["parse_mode"] = Value::Null;
            done = self.client.call::<Value>(method, &body).await;
        }
        done.map(|result| result["message_id"].as_i64().and_then(|id| i32::try_from(id).ok()))
    }

    async fn upload(&self, call: &Call) -> Result<i32, Trouble> {
        let What::File { thread, name, content, caption, reply_to } = &call.what else {
            return Err(Trouble::Refused("not a file".into()));
        };
        let mut more = Vec::new();
        more.extend(thread.map(|thread| ("message_thread_id", thread.to_string())));
        more.extend(reply_to.map(|id| ("reply_parameters", reply(id).to_string())));
        more.extend(caption.clone().map(|caption| ("caption", caption)));
        self.client.upload(call.chat, (name, content.bytes().await?), more).await
    }
}

fn reply(id: i32) -> Value {
    json!({ "message_id": id, "allow_sending_without_reply": true })
}

impl What {
    fn request(&self, chat: i64) -> (&'static str, Value) {
        match self {
            Self::Send { thread, html, reply_to, buttons } => {
                let mut body = json!({ "chat_id": chat, "text": html, "parse_mode": "HTML", "link_preview_options": { "is_disabled": true } });
                if let Some(thread) = thread {
                    body["message_thread_id"] = (*thread).into();
                }
                if let Some(id) = reply_to {
                    body["reply_parameters"] = reply(*id);
                }
                if !buttons.is_empty() {
                    body["reply_markup"] = keyboard(buttons);
                }
                ("sendMessage", body)
            }
            Self::Edit { message, html, buttons } => {
                let mut body = json!({ "chat_id": chat, "message_id": message, "text": html, "parse_mode": "HTML", "link_preview_options": { "is_disabled": true } });
                if !buttons.is_empty() {
                    body["reply_markup"] = keyboard(buttons);
                }
                ("editMessageText", body)
            }
            Self::Delete { message } => ("deleteMessage", json!({ "chat_id": chat, "message_id": message })),
            Self::Type { thread } => {
                let mut body = json!({ "chat_id": chat, "action": "typing" });
                if let Some(thread) = thread {
                    body["message_thread_id"] = (*thread).into();
                }
                ("sendChatAction", body)
            }
            Self::React { message, emoji } => (
                "setMessageReaction",
                json!({ "chat_id": chat, "message_id": message, "reaction": [{ "type": "emoji", "emoji": emoji }] }),
            ),
            Self::AnswerPress { id, text } => {
                let text: Option<String> = text.as_ref().map(|text| text.chars().take(200).collect());
                ("answerCallbackQuery", json!({ "callback_query_id": id, "text": text }))
            }
            // It is not a call of this form.
            Self::File { .. } => ("sendDocument", json!({ "chat_id": chat })),
        }
    }
}

fn keyboard(buttons: &[Vec<Button>]) -> Value {
    let button = |button: &Button| json!({ "text": button.label, "callback_data": button.data });
    let rows = buttons.iter().map(|row| row.iter().map(button).collect::<Vec<_>>());
    json!({ "inline_keyboard": rows.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most that may happen within this time.
    fn most(rate: Rate, within: Duration) -> f64 {
        f64::from(rate.burst) + within.as_secs_f64() / rate.every.as_secs_f64()
    }

    #[test]
    fn a_burst_and_what_follows_it_are_within_what_the_service_bears() {
        let limits = limits();

        assert!(most(limits.all, Duration::from_secs(1)) <= 30.0);
        assert!(most(limits.group, Duration::from_secs(60)) <= 20.0);
        assert!(most(limits.chat, Duration::from_secs(10)) <= 15.0);
    }
}
