//! A turn that was recorded, run again.

use serde_json::{Value, json};
use store::Ledger;
use turn::{Journal, replay};

use super::{input, parse};
use crate::cli::{DebugTurnArgs, PlaceArgs};
use crate::command::sources;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::paths::Paths;

/// Writes a turn out of the ledger, or runs one again and tells where it differs from what was recorded.
pub(super) fn turn(
    args: &DebugTurnArgs,
    places: &PlaceArgs,
    environment: &Environment,
) -> Result<(Value, Exit), Failure> {
    if let Some(id) = args.export {
        return Ok((export(id, places, environment)?, Exit::Done));
    }
    let written = parse(&input(args.file.as_deref())?, "the turn")?;
    let journal: Journal = serde_json::from_value(written)
        .map_err(|error| Failure::usage(format!("this is no turn as `debug turn --export` writes it: {error}")))?;
    let replayed = replay(&journal);
    let exit = if replayed.differs_at.is_some() { Exit::TurnFailed } else { Exit::Done };
    Ok((json!({"steps": replayed.steps, "differs_at": replayed.differs_at}), exit))
}

fn export(id: i64, places: &PlaceArgs, environment: &Environment) -> Result<Value, Failure> {
    let settings = sources(places, None, environment).read().usable()?.settings;
    let paths = Paths::find(places.data_dir.as_deref(), environment, settings.data.folder.as_deref())?;
    let ledger = Ledger::open_read_only(paths.data()).map_err(|error| Failure::data(error.to_string()))?;
    let events = ledger.turn_events(chat::TurnId(id)).map_err(|error| Failure::data(error.to_string()))?;
    if events.is_empty() {
        return Err(Failure::usage(format!("turn {id} is not on record in {}", paths.data().display())));
    }
    agent::journal_of(&events).map(|journal| json!(journal)).map_err(|error| Failure::data(error.to_string()))
}
