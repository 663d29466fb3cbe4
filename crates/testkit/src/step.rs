//! What a model answers to one request. The same steps serve a [`crate::ScriptedModel`] in each of its formats and a
//! [`crate::FakeModel`].

use std::time::Duration;

use chat::{ErrorClass, ModelError, Usage};
use serde_json::Value;

use crate::Gate;
use answer::class_of;

pub(crate) mod answer;

pub(crate) use answer::{Answer, Failure, Part, Reply};

/// The answer to one request, built piece by piece: `Step::text("Hel").gate(&gate).then_text("lo")`.
///
/// In JSON a step is a [`crate::script_file::StepFile`]: `{"text": "hi"}`, `{"status": 500}`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(try_from = "crate::script_file::StepFile")]
pub struct Step {
    pub(crate) answer: Answer,
    pub(crate) headers: Vec<(String, String)>,
}

impl Step {
    /// A reply of this text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::reply([Part::Text(text.into())])
    }

    /// A reply that thinks first; text or calls follow by [`Step::then_text`] and [`Step::then_calls`].
    #[must_use]
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::reply([Part::Reasoning(text.into())])
    }

    /// A reply that asks for these tools, with ids that are unique in the model.
    #[must_use]
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::reply([]).then_calls(calls)
    }

    /// A reply that asks for one tool with an id and a text of arguments that need not be JSON.
    #[must_use]
    pub fn call_as_written(id: &str, name: &str, arguments: &str) -> Self {
        Self::reply([]).then_call_as_written(id, name, arguments)
    }

    /// A whole reply with nothing in it.
    #[must_use]
    pub fn empty() -> Self {
        Self::reply([])
    }

    /// A reply whose connection breaks after this text.
    #[must_use]
    pub fn cut_after(text: impl Into<String>) -> Self {
        Self::text(text).cut()
    }

    /// A reply that falls silent after this text and keeps its connection.
    #[must_use]
    pub fn stall_after(text: impl Into<String>) -> Self {
        Self::text(text).stall()
    }

    /// A reply whose body ends in good order after this text, without any sign that it was whole.
    #[must_use]
    pub fn ends_after(text: impl Into<String>) -> Self {
        Self::text(text).unfinished()
    }

    /// An error of this HTTP status, with the body that the vendor sends with it.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::failure(class_of(status), Some(status))
    }

    /// An error of this HTTP status that asks to be left alone for so many seconds.
    #[must_use]
    pub fn retry_after(status: u16, seconds: u64) -> Self {
        let failure =
            Failure { class: class_of(status), status: Some(status), retry_after_s: Some(seconds), message: None };
        Self::from_answer(Answer::Failure(failure))
    }

    /// The refusal of a request that is larger than the model's window.
    #[must_use]
    pub fn overflow() -> Self {
        Self::failure(ErrorClass::Overflow, None)
    }

    /// The refusal of a history as malformed.
    #[must_use]
    pub fn malformed_history() -> Self {
        Self::failure(ErrorClass::MalformedHistory, None)
    }

    /// The refusal of an account without money.
    #[must_use]
    pub fn no_quota() -> Self {
        Self::failure(ErrorClass::Quota, None)
    }

    /// Just this error; a server gives it the status that the vendor gives to its class.
    #[must_use]
    pub fn error(error: ModelError) -> Self {
        let retry_after_s = error.retry_after_ms.map(|ms| ms.div_ceil(1000));
        let failure = Failure { class: error.class, status: None, retry_after_s, message: Some(error.message) };
        Self::from_answer(Answer::Failure(failure))
    }

    /// A body of event stream as it stands, written at once.
    #[must_use]
    pub fn raw_sse(body: impl Into<Vec<u8>>) -> Self {
        Self::raw(200, "text/event-stream", [body.into()])
    }

    /// A body as it stands, each piece written on its own.
    #[must_use]
    pub fn raw(status: u16, content_type: &str, pieces: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let body = pieces.into_iter().collect();
        Self::from_answer(Answer::Raw { status, content_type: content_type.to_owned(), body })
    }

    /// No answer at all, not even a status, while the connection stays.
    #[must_use]
    pub fn silence() -> Self {
        Self::from_answer(Answer::Silence)
    }

    /// A connection that is closed in place of an answer.
    #[must_use]
    pub fn disconnect() -> Self {
        Self::from_answer(Answer::Disconnect)
    }

    /// A model whose own code panics; a server closes the connection.
    #[must_use]
    pub fn panic(message: impl Into<String>) -> Self {
        Self::from_answer(Answer::Panic(message.into()))
    }

    /// Goes on with this text.
    #[must_use]
    pub fn then_text(self, text: impl Into<String>) -> Self {
        self.then(Part::Text(text.into()))
    }

    /// Goes on thinking.
    #[must_use]
    pub fn then_reasoning(self, text: impl Into<String>) -> Self {
        self.then(Part::Reasoning(text.into()))
    }

    /// Asks for these tools, with ids that are unique in the model.
    #[must_use]
    pub fn then_calls<'a>(self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        calls.into_iter().fold(self, |step, (name, arguments)| step.then_call(None, name, &arguments.to_string()))
    }

    /// Asks for one tool with an id and a text of arguments that need not be JSON.
    #[must_use]
    pub fn then_call_as_written(self, id: &str, name: &str, arguments: &str) -> Self {
        self.then_call(Some(id), name, arguments)
    }

    pub(crate) fn then_call(self, id: Option<&str>, name: &str, arguments: &str) -> Self {
        let id = id.map(str::to_owned);
        self.then(Part::Call { id, name: name.to_owned(), arguments: arguments.to_owned() })
    }

    /// Waits here until the gate is opened.
    #[must_use]
    pub fn gate(self, gate: &Gate) -> Self {
        self.then(Part::Gate(gate.clone()))
    }

    /// Waits here for a time: for benches by hand and paused time; a test of a real socket uses [`Step::gate`].
    #[must_use]
    pub fn pause(self, time: Duration) -> Self {
        self.then(Part::Pause(time))
    }

    /// Reports an error of this class here, inside the stream.
    #[must_use]
    pub fn then_error(self, class: ErrorClass) -> Self {
        self.then(Part::Error(Failure { class, status: None, retry_after_s: None, message: None }))
    }

    /// Breaks the connection here.
    #[must_use]
    pub fn cut(self) -> Self {
        self.then(Part::Cut)
    }

    /// Falls silent here and keeps the connection.
    #[must_use]
    pub fn stall(self) -> Self {
        self.then(Part::Stall)
    }

    /// Ends with this word for why. OpenAI's own (`length`, `content_filter`) are put into the words of the format that is asked;
    /// any other is sent as it stands.
    #[must_use]
    pub fn finish(self, word: &str) -> Self {
        self.with_reply(|reply| reply.finish = Some(word.to_owned()))
    }

    /// Ends without any sign that the reply was whole.
    #[must_use]
    pub fn unfinished(self) -> Self {
        self.with_reply(|reply| reply.whole = false)
    }

    /// Costs so much.
    #[must_use]
    pub fn usage(self, usage: Usage) -> Self {
        self.with_reply(|reply| reply.usage = Some(usage))
    }

    /// Leaves out what it cost.
    #[must_use]
    pub fn without_usage(self) -> Self {
        self.with_reply(|reply| reply.usage = None)
    }

    /// Puts at most so many characters of text or arguments into one event; all of a part is in one event without it.
    #[must_use]
    pub fn chars_per_event(self, chars: usize) -> Self {
        assert!(chars > 0, "an event holds at least one character");
        self.with_reply(|reply| reply.chars_per_event = chars)
    }

    /// Writes at most so many bytes at once, wherever that cuts an event or a character.
    #[must_use]
    pub fn bytes_per_write(self, bytes: usize) -> Self {
        assert!(bytes > 0, "a write holds at least one byte");
        self.with_reply(|reply| reply.bytes_per_write = bytes)
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn reply(parts: impl Into<Vec<Part>>) -> Self {
        Self::from_answer(Answer::Reply(Reply {
            parts: parts.into(),
            finish: None,
            usage: Some(Usage { input: 100, cached: 0, output: 10 }),
            whole: true,
            chars_per_event: usize::MAX,
            bytes_per_write: usize::MAX,
        }))
    }

    fn failure(class: ErrorClass, status: Option<u16>) -> Self {
        Self::from_answer(Answer::Failure(Failure { class, status, retry_after_s: None, message: None }))
    }

    fn from_answer(answer: Answer) -> Self {
        Self { answer, headers: Vec::new() }
    }

    fn then(self, part: Part) -> Self {
        self.with_reply(|reply| reply.parts.push(part))
    }

    fn with_reply(mut self, change: impl FnOnce(&mut Reply)) -> Self {
        let Answer::Reply(reply) = &mut self.answer else {
            panic!("only a reply can go on: {:?}", self.answer);
        };
        change(reply);
        self
    }
}
