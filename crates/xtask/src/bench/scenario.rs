//! Turns that are more than one short request: with tools, and behind a history.

use std::path::Path;
use std::time::Duration;

use super::figures::row;
use super::server::{Script, Server};
use super::{Options, Requests, candidate, floor};

/// What is measured for its CPU, turn by turn.
pub(super) struct Scenario {
    name: &'static str,
    /// Turns that are not measured; they make a history.
    earlier: u32,
    turns: u32,
    /// Calls of a tool in each turn.
    tool_steps: u32,
}

/// All of them. Few turns are measured where the history is short, as each makes it longer.
pub(super) const SCENARIOS: [Scenario; 4] = [
    Scenario { name: "CPU of a turn of 20 tool steps", earlier: 1, turns: 5, tool_steps: 20 },
    Scenario { name: "CPU of a turn after 10 messages", earlier: 5, turns: 5, tool_steps: 0 },
    Scenario { name: "CPU of a turn after 100 messages", earlier: 50, turns: 10, tool_steps: 0 },
    Scenario { name: "CPU of a turn after 1000 messages", earlier: 500, turns: 10, tool_steps: 0 },
];

impl Scenario {
    /// Measures both sides, and gives the line of the table.
    pub(super) fn measure(&self, programs: &Path, folder: &Path, options: &Options) -> anyhow::Result<String> {
        let folder = folder.join(format!("after-{}-with-{}", self.earlier, self.tool_steps));
        std::fs::create_dir_all(&folder)?;
        let bodies = folder.join("bodies.jsonl");
        let script = Script { answer_bytes: options.answer_bytes, tool_steps: self.tool_steps };
        let all = self.earlier + self.turns;

        let recorder = Server::start(programs, script, Some(&bodies))?;
        candidate(programs, &recorder, &folder.join("recorded"), all, 0)?;
        recorder.stop()?;

        let server = Server::start(programs, script, None)?;
        let requests = Requests { bodies: &bodies, of_a_turn: self.tool_steps + 1 };
        let (mut ours, mut least) = (Duration::ZERO, Duration::ZERO);
        for round in 0..options.long_rounds {
            let data = |name: &str| folder.join(format!("{name}-{round}"));
            ours += candidate(programs, &server, &data("ours"), all, self.earlier)?.cpu_of_turns;
            least += floor(&server, &requests, &data("floor"), all, self.earlier)?.cpu_of_turns;
        }
        server.stop()?;
        let turns = options.long_rounds * self.turns;
        Ok(row(self.name, ours / turns, least / turns))
    }
}
