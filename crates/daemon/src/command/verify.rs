//! `cowhand verify`: recounts what the ledger promises, by statements of its own.

use std::fmt::Write;

use serde_json::{Value, json};
use store::{Reader, Report};

use super::{ledger, print};
use crate::cli::{PlaceArgs, VerifyArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};

/// Recounts, and prints what it found.
pub(crate) fn run(args: &VerifyArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let reader = match &args.file {
        Some(file) => Reader::open_file(file).map_err(|error| Failure::data(error.to_string()))?,
        None => ledger(places, environment)?,
    };
    let report = if args.at_rest { reader.verify_at_rest() } else { reader.verify() };
    let report = report.map_err(|error| Failure::data(error.to_string()))?;
    print(&if args.json { format!("{}\n", as_json(&report)) } else { as_text(&report) });
    Ok(if report.findings.is_empty() { Exit::Done } else { Exit::TurnFailed })
}

fn as_json(report: &Report) -> Value {
    let inbox = report.inbox.iter();
    let inbox = inbox.map(|count| json!({"state": count.state, "reason": count.reason, "rows": count.rows}));
    let others = report.others.iter();
    let others = others.map(|count| json!({"what": count.what, "state": count.state, "rows": count.rows}));
    let findings = report.findings.iter().map(|finding| json!({"what": finding.what, "place": finding.place}));
    json!({
        "inbox": inbox.collect::<Vec<_>>(),
        "others": others.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// Writing to a string does not fail.
fn as_text(report: &Report) -> String {
    let mut text = String::new();
    let all: i64 = report.inbox.iter().map(|count| count.rows).sum();
    let _ = writeln!(text, "{all:>8} messages were accepted");
    for count in &report.inbox {
        let reason = count.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let _ = writeln!(text, "{:>8}   {}{reason}", count.rows, count.state);
    }
    for count in &report.others {
        let state = count.state.as_ref().map(|state| format!(" ({state})")).unwrap_or_default();
        let _ = writeln!(text, "{:>8} {}{state}", count.rows, count.what);
    }
    for finding in &report.findings {
        let _ = writeln!(text, "wrong: {}: {}", finding.what, finding.place);
    }
    let _ = match report.findings.len() {
        0 => writeln!(text, "ok"),
        1 => writeln!(text, "1 finding"),
        many => writeln!(text, "{many} findings"),
    };
    text
}
