//! From a step to a stream of reply events.

use chat::reply::Reasoning;
use chat::{Arguments, ArgumentsRefusal, ErrorClass, Finish, ModelError, Reply, ToolCall};
use futures_util::{Stream, stream};
use llm::{ModelRequest, ReplyEvent};
use serde_json::Value;

use crate::script::Script;
use crate::scripted_model::cut_text;
use crate::step::{self, Answer, Failure, Part, Step};

/// Plays a step.
pub(super) fn play(step: Step, number: usize, script: Script<ModelRequest>) -> impl Stream<Item = ReplyEvent> {
    let watch = HangupWatch { script, number, is_done: false };
    let player = Player { moves: moves(step, number).into_iter(), watch };
    stream::unfold(player, async |mut player| player.next().await.map(|event| (event, player)))
}

/// A stream of just this error.
pub(super) fn failed(error: ModelError) -> impl Stream<Item = ReplyEvent> {
    stream::iter([ReplyEvent::Failed { error, partial: String::new() }])
}

/// What happens next.
enum Move {
    Event(ReplyEvent),
    Wait(Part),
    Panic(String),
}

struct Player {
    moves: std::vec::IntoIter<Move>,
    watch: HangupWatch,
}

impl Player {
    async fn next(&mut self) -> Option<ReplyEvent> {
        loop {
            match self.moves.next() {
                Some(Move::Event(event)) => {
                    // As with a socket, others get their turn between two events.
                    tokio::task::yield_now().await;
                    self.watch.is_done |= matches!(event, ReplyEvent::Finished(_) | ReplyEvent::Failed { .. });
                    return Some(event);
                }
                Some(Move::Wait(Part::Gate(gate))) => gate.pass().await,
                Some(Move::Wait(Part::Pause(time))) => tokio::time::sleep(time).await,
                Some(Move::Wait(_)) => std::future::pending().await,
                Some(Move::Panic(message)) => panic!("{message}"),
                None => return None,
            }
        }
    }
}

/// Notes that the stream was dropped before its end.
struct HangupWatch {
    script: Script<ModelRequest>,
    number: usize,
    is_done: bool,
}

impl Drop for HangupWatch {
    fn drop(&mut self) {
        if !self.is_done {
            self.script.hang_up(self.number);
        }
    }
}

fn moves(step: Step, number: usize) -> Vec<Move> {
    match step.answer {
        Answer::Reply(reply) => moves_of_reply(&reply, number),
        Answer::Failure(failure) => vec![fail(error_of(&failure), "")],
        Answer::Silence => vec![Move::Wait(Part::Stall)],
        Answer::Disconnect => vec![fail(ModelError::new(ErrorClass::Network, "the connection was closed"), "")],
        Answer::Panic(message) => vec![Move::Panic(message)],
        Answer::Raw { .. } => panic!("a raw body needs a socket: use a ScriptedModel"),
    }
}

fn moves_of_reply(reply: &step::Reply, number: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut whole = Reply::default();
    for part in &reply.parts {
        match part {
            Part::Text(text) => {
                whole.text.push_str(text);
                moves.extend(events(text, reply.chars_per_event, ReplyEvent::Text));
            }
            Part::Reasoning(text) => {
                whole.reasoning.push(Reasoning { text: text.clone(), provider: None });
                moves.extend(events(text, reply.chars_per_event, ReplyEvent::Reasoning));
            }
            Part::Call { id, name, arguments } => {
                let id = id.clone().unwrap_or_else(|| format!("call_{number}_{}", whole.calls.len()));
                whole.calls.push(ToolCall { id, name: name.clone(), arguments: read(arguments), provider: None });
            }
            Part::Gate(_) | Part::Pause(_) | Part::Stall => moves.push(Move::Wait(part.clone())),
            Part::Error(failure) => {
                moves.push(fail(error_of(failure), &whole.text));
                return moves;
            }
            Part::Cut => {
                moves.push(fail(ModelError::new(ErrorClass::Truncated, "the reply was cut off"), &whole.text));
                return moves;
            }
        }
    }
    moves.push(if reply.whole { finish(whole, reply) } else { truncated(&whole.text) });
    moves
}

fn events(text: &str, chars: usize, event: fn(String) -> ReplyEvent) -> Vec<Move> {
    let pieces = cut_text(text, chars).into_iter().filter(|piece| !piece.is_empty());
    pieces.map(|piece| Move::Event(event(piece.to_owned()))).collect()
}

fn read(arguments: &str) -> Arguments {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Arguments::Object(object),
        Ok(_) => refused(ArgumentsRefusal::Invalid, "not an object"),
        Err(error) if error.is_eof() => refused(ArgumentsRefusal::Truncated, &error.to_string()),
        Err(error) => refused(ArgumentsRefusal::Invalid, &error.to_string()),
    }
}

fn refused(reason: ArgumentsRefusal, detail: &str) -> Arguments {
    Arguments::Refused { reason, detail: detail.to_owned() }
}

fn finish(mut whole: Reply, reply: &step::Reply) -> Move {
    whole.usage = reply.usage;
    whole.finish = Some(match reply.finish.as_deref() {
        _ if reply.has_calls() => Finish::ToolCalls,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::ContentFilter,
        _ => Finish::Stop,
    });
    Move::Event(ReplyEvent::Finished(whole))
}

fn truncated(partial: &str) -> Move {
    fail(ModelError::new(ErrorClass::Truncated, "the reply ended without a finish reason"), partial)
}

fn fail(error: ModelError, partial: &str) -> Move {
    Move::Event(ReplyEvent::Failed { error, partial: partial.to_owned() })
}

fn error_of(failure: &Failure) -> ModelError {
    let message = failure.message.clone().unwrap_or_else(|| format!("the fake model fails: {}", failure.class.name()));
    let retry_after_ms = failure.retry_after_s.map(|seconds| seconds * 1000);
    ModelError { class: failure.class, message, retry_after_ms }
}
