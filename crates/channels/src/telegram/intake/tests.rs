//! What is joined, and in which order it is handed in.

use chat::{ChannelName, ConversationKey, Inbound, Language, MessageId, Person, PersonRole};
use tokio::time::{Duration, Instant};

use super::{Step, Waiting};
use crate::telegram::decode::{FileRef, Piece};

const JOIN: Duration = Duration::from_millis(600);

fn key() -> ConversationKey {
    ConversationKey {
        channel: ChannelName("telegram".into()),
        bot: "1".into(),
        chat: "7".into(),
        thread: None,
        person: None,
    }
}

fn piece(id: i64, person: &str, text: &str) -> Piece {
    let person =
        Person { id: person.into(), name: person.into(), role: PersonRole::Stranger, language: Language::English };
    let inbound = Inbound::new(key(), MessageId(id.to_string()), person, text);
    Piece { inbound, files: Vec::new(), album: None, is_forwarded: false, is_long: false, replies_to: None }
}

fn album(id: i64, person: &str, name: &str) -> Piece {
    Piece { album: Some(name.into()), ..piece(id, person, "") }
}

fn file() -> FileRef {
    let (name, media_type) = ("a.txt".into(), "text/plain".into());
    FileRef { id: "f".into(), unique_id: "uf".into(), name, media_type, bytes: 1 }
}

/// The texts that are handed in now, each with its updates.
fn handed(waiting: &mut Waiting, now: Instant) -> Vec<(String, Vec<i64>)> {
    let steps = waiting.advance(&key(), now).into_iter();
    let handed = steps.filter_map(|step| match step {
        Step::Hand(inbound, updates) => Some((format!("{} {}", inbound.id, inbound.text), updates)),
        _ => None,
    });
    handed.collect()
}

fn waiting(pieces: impl IntoIterator<Item = Piece>, now: Instant) -> Waiting {
    let mut waiting = Waiting::new(JOIN);
    pieces.into_iter().zip(1..).for_each(|(piece, update)| waiting.add(piece, update, now));
    waiting
}

#[test]
fn an_ordinary_message_does_not_wait() {
    let now = Instant::now();
    let mut waiting = waiting([piece(1, "ada", "hi")], now);

    assert_eq!(handed(&mut waiting, now), [("1 hi".into(), vec![1])]);
}

#[test]
fn an_album_waits_for_its_last_picture() {
    let now = Instant::now();
    let mut waiting = waiting([album(1, "ada", "g"), album(2, "ada", "g")], now);

    assert_eq!(waiting.advance(&key(), now), [Step::WaitUntil(now + JOIN)]);
    waiting.add(album(3, "ada", "g"), 3, now + JOIN / 2);
    assert_eq!(handed(&mut waiting, now + JOIN), []);
    assert_eq!(handed(&mut waiting, now + JOIN * 3 / 2), [("1 ".into(), vec![1, 2, 3])]);
}

#[test]
fn another_album_and_another_person_are_something_else() {
    let now = Instant::now();
    let mut waiting = waiting([album(1, "ada", "g"), album(2, "ada", "h"), album(3, "bo", "h")], now);

    let ids: Vec<_> = handed(&mut waiting, now + JOIN).into_iter().map(|(_, updates)| updates).collect();
    assert_eq!(ids, [[1], [2], [3]]);
}

#[test]
fn what_follows_a_message_that_waits_comes_after_it() {
    let now = Instant::now();
    let mut waiting = waiting([album(1, "ada", "g"), piece(2, "bo", "hi")], now);

    assert_eq!(handed(&mut waiting, now), [("1 ".into(), vec![1]), ("2 hi".into(), vec![2])]);
}

#[test]
fn what_is_passed_on_together_is_one_message() {
    let now = Instant::now();
    let forwarded = |id, text: &str| Piece { is_forwarded: true, ..piece(id, "ada", text) };
    let mut waiting = waiting([forwarded(1, "a"), forwarded(2, "b")], now);

    assert_eq!(handed(&mut waiting, now + JOIN), [("1 a\nb".into(), vec![1, 2])]);
}

#[test]
fn nothing_overtakes_a_message_whose_file_is_on_its_way() {
    let now = Instant::now();
    let with_file = Piece { files: vec![file()], ..piece(1, "ada", "read") };
    let mut waiting = waiting([with_file, piece(2, "ada", "then")], now);

    assert_eq!(waiting.advance(&key(), now), [Step::Fetch { serial: 1, files: vec![file()] }]);
    assert_eq!(waiting.advance(&key(), now), []);
    waiting.fetched(&key(), 1, Vec::new());
    assert_eq!(handed(&mut waiting, now), [("1 read".into(), vec![1]), ("2 then".into(), vec![2])]);
}
