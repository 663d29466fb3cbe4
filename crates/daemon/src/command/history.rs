//! `cowhand history`: what was said, read beside whoever writes.

mod shown;

use std::fmt::Write;

use ::chat::ConversationKey;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use serde_json::{Value, json};
use store::{KnownConversation, ReadError, Reader};

use self::shown::Shown;
use super::chat::key as terminal_key;
use super::{ledger, print};
use crate::cli::{ExportFormat, HistoryCommand, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::settings::nearest;

/// Does one of them.
pub(crate) fn run(command: &HistoryCommand, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let reader = ledger(places, environment)?;
    let text = match command {
        HistoryCommand::List(args) => list(&read(reader.conversations())?, args.json),
        HistoryCommand::Show(args) => {
            let shown = shown(&reader, &args.name, args.all)?;
            if args.json { lines(shown.iter().map(Shown::json)) } else { shown.iter().map(Shown::text).collect() }
        }
        HistoryCommand::Search(args) => search(&reader, &args.text, args.most, args.json)?,
        HistoryCommand::Export(args) => export(&reader, &args.name, args.format)?,
    };
    print(&text);
    Ok(Exit::Done)
}

fn read<T>(read: Result<T, ReadError>) -> Result<T, Failure> {
    read.map_err(|error| Failure::data(error.to_string()))
}

fn list(conversations: &[KnownConversation], is_json: bool) -> String {
    if is_json {
        return lines(conversations.iter().map(|known| {
            let KnownConversation { key, last_active, turns, messages } = known;
            let active = time(*last_active);
            json!({
                "name": name(key), "key": key.to_string(), "last_active": active, "turns": turns, "messages": messages,
            })
        }));
    }
    let mut text = String::new();
    for known in conversations {
        let turns = if known.turns == 1 { "turn" } else { "turns" };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}  {:>5} {turns:<5}  {}", time(known.last_active), known.turns, name(&known.key));
    }
    if text.is_empty() { "There are no conversations yet.\n".to_owned() } else { text }
}

fn shown(reader: &Reader, wanted: &str, is_all: bool) -> Result<Vec<Shown>, Failure> {
    let key = find(reader, wanted)?;
    let told = read(reader.told(&key))?;
    Ok(told.iter().map(|told| Shown::new(told, is_all)).filter(|shown| !shown.is_empty()).collect())
}

fn search(reader: &Reader, text: &str, most: u32, is_json: bool) -> Result<String, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::usage("there is nothing to look for: the text is empty"));
    }
    let found = read(reader.search(text, most))?;
    if is_json {
        return Ok(lines(found.iter().map(|found| {
            json!({
                "name": name(&found.key), "key": found.key.to_string(), "seq": found.seq.0, "turn": found.turn.0,
                "at": time(found.at), "role": found.role, "text": found.text,
            })
        })));
    }
    let line = |found: &store::FoundMessage| {
        let said = shown::around(&found.text, text);
        format!("{}  {} #{}  {}: {said}\n", time(found.at), name(&found.key), found.seq.0, shown::role_name(found.role))
    };
    Ok(if found.is_empty() { "Nothing was found.\n".to_owned() } else { found.iter().map(line).collect() })
}

fn export(reader: &Reader, wanted: &str, format: ExportFormat) -> Result<String, Failure> {
    Ok(match format {
        ExportFormat::Jsonl => lines(shown(reader, wanted, true)?.iter().map(Shown::json)),
        ExportFormat::Markdown => {
            let title = format!("# {wanted}\n\n");
            title + &shown(reader, wanted, false)?.iter().map(Shown::markdown).collect::<String>()
        }
    })
}

/// The conversation of this name: as `--conversation` names those of the terminal, else the whole key, else the chat of a channel.
fn find(reader: &Reader, wanted: &str) -> Result<ConversationKey, Failure> {
    let known = read(reader.conversations())?;
    let keys = || known.iter().map(|known| &known.key);
    let whole: Option<ConversationKey> = wanted.parse().ok();
    let exact = keys().find(|key| **key == terminal_key(wanted) || Some(*key) == whole.as_ref());
    if let Some(key) = exact.or_else(|| keys().find(|key| key.chat == wanted)) {
        return Ok(key.clone());
    }
    let names: Vec<String> = keys().map(name).collect();
    let hint = match nearest(wanted, names.iter().map(String::as_str)) {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => "`cowhand history list` names them all".to_owned(),
    };
    Err(Failure::usage(format!("there is no conversation {wanted:?}; {hint}")))
}

/// A conversation's name: short for those of the terminal.
fn name(key: &ConversationKey) -> String {
    if *key == terminal_key(&key.chat) { key.chat.clone() } else { key.to_string() }
}

fn lines(values: impl Iterator<Item = Value>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

/// A time as people read it, in the machine's zone.
fn time(unix_ms: i64) -> String {
    let at = ZonedDateTime::new(Timestamp::from_millisecond(unix_ms).unwrap_or_default(), TimeZone::system());
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
