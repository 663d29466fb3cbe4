//! `cowhand debug`: what Cowhand makes of captured input, for bug reports. Each command reads a file or standard input and prints JSON.

mod history;
mod reply;
mod request;
mod turn;

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use super::print;
use crate::cli::{DebugCommand, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};

/// The largest input that is read, in bytes.
const LARGEST_INPUT: u64 = 64 << 20;

/// Does one of them.
pub(crate) fn run(command: &DebugCommand, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let (printed, exit) = match command {
        DebugCommand::Reply(args) => (reply::reply(args)?, Exit::Done),
        DebugCommand::Args(args) => (reply::arguments(args)?, Exit::Done),
        DebugCommand::Repair(args) => (history::repaired(&input(args.file.as_deref())?)?, Exit::Done),
        DebugCommand::Request(args) => (request::request(args)?, Exit::Done),
        DebugCommand::Turn(args) => turn::turn(args, places, environment)?,
    };
    let text = serde_json::to_string_pretty(&printed).unwrap_or_else(|error| json!(error.to_string()).to_string());
    print(&format!("{text}\n"));
    Ok(exit)
}

/// What a file holds, or else standard input.
fn input(file: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let (name, read) = match file {
        Some(file) => {
            let opened = std::fs::File::open(file);
            (file.display().to_string(), opened.and_then(|file| file.take(LARGEST_INPUT + 1).read_to_end(&mut bytes)))
        }
        None => ("standard input".to_owned(), std::io::stdin().take(LARGEST_INPUT + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| Failure::usage(format!("{name} cannot be read: {error}")))?;
    if bytes.len() as u64 > LARGEST_INPUT {
        return Err(Failure::usage(format!("{name} is larger than 64 MiB")));
    }
    Ok(bytes)
}

/// Reads JSON, of which a message names what it should be.
fn parse(bytes: &[u8], what: &str) -> Result<Value, Failure> {
    serde_json::from_slice(bytes).map_err(|error| Failure::usage(format!("{what} is not JSON: {error}")))
}
