//! What can go wrong with a call.

use serde_json::{Value, json};

/// What goes wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Too many calls: so many seconds of peace are wanted.
    Flood(u64),
    /// The service refuses with this code and text.
    Refuse(u16, &'static str),
    /// The group is a supergroup of this number now.
    Moved(i64),
    /// Something in front of the service answers instead.
    BadGateway,
    /// The call is done, and the answer is lost on its way.
    LoseAnswer,
    /// Nothing is answered.
    Hang,
    /// The call waits until [`super::FakeTelegram::release`], and is done then.
    Wait,
    /// The answer is not of the API.
    Garbage,
}

impl Fault {
    /// The answer, if the service itself gives one.
    pub(super) fn answer(&self) -> Option<(u16, Value)> {
        match self {
            Self::Flood(seconds) => Some(flood(*seconds)),
            Self::Refuse(code, text) => Some(refusal(*code, text)),
            Self::Moved(chat) => {
                let mut answer = refusal(400, "Bad Request: group chat was upgraded to a supergroup chat");
                answer.1["parameters"] = json!({ "migrate_to_chat_id": chat });
                Some(answer)
            }
            _ => None,
        }
    }
}

/// A refusal in the form that all have.
pub(super) fn refusal(code: u16, text: &str) -> (u16, Value) {
    (code, json!({ "ok": false, "error_code": code, "description": text }))
}

/// The refusal of a call that comes too early.
pub(super) fn flood(seconds: u64) -> (u16, Value) {
    let mut answer = refusal(429, &format!("Too Many Requests: retry after {seconds}"));
    answer.1["parameters"] = json!({ "retry_after": seconds });
    answer
}
