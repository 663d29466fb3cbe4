//! A conversation that is killed and started again, and what must be true of it when nothing is left to do.
//!
//! Its model answers `do N` by two commands that each append a line with an id to a file, and then with `done N`.

use serde_json::{Value, json};
use testkit::scripted_model::Line;
use testkit::{Received, ScriptedModel, Step};
use tokio::time::Duration;

use crate::support::process::{Place, Process};

/// What the person is told of a command of which nobody knows whether it took effect.
pub(super) const UNCERTAIN: &str = "is not known";

/// What marks an answer that was perhaps shown before.
const REPEAT: &str = "may be a repeat";

pub(super) struct Tale {
    place: Place,
    /// All that was said on standard output, by all processes, in order.
    told: Vec<Value>,
}

impl Tale {
    /// A model without a script of its own does what is told above; one with a script does that first.
    pub(super) fn with(model: &ScriptedModel) -> Self {
        model.respond_with(respond);
        let place = Place::with(model)
            .set("COWHAND__CONVERSATIONS__RESUME_AFTER_MS", "5")
            .set("COWHAND__CONVERSATIONS__RESUME_AGAIN_AFTER_MS", "5");
        Self { place, told: Vec::new() }
    }

    pub(super) fn set(mut self, name: &str, value: &str) -> Self {
        self.place = self.place.set(name, value);
        self
    }

    /// Says a line to a process that aborts at this point.
    pub(super) async fn dies_at(&mut self, point: &str, line: &str) {
        let mut process = self.place.start_with(&["chat", "--json"], &[("COWHAND_TEST_POINT", point)]);
        process.says(line).await;
        self.hear(process.dies().await);
    }

    /// Says a line, where there is one, and kills the process after this time.
    pub(super) async fn dies_after(&mut self, time: Duration, line: Option<&str>) {
        let mut process = self.place.start(&["chat", "--json"]);
        if let Some(line) = line {
            process.says(line).await;
        }
        tokio::time::sleep(time).await;
        self.hear(process.dies_of_a_kill().await);
    }

    /// Lets a process run until it has nothing more to do.
    pub(super) async fn comes_to_rest(&mut self) {
        let ended = self.place.run(&["chat", "--json"], "").await;
        assert!(ended.code <= 1, "{ended:?}");
        let events = ended.events();
        self.told.extend(events);
    }

    /// Says a line to a process that nothing happens to.
    pub(super) async fn does(&mut self, line: &str) {
        let ended = self.place.run(&["chat", "--json"], format!("{line}\n")).await;
        self.told.extend(ended.events());
    }

    fn hear(&mut self, stdout: String) {
        // The last line of a killed process may be cut off.
        self.told.extend(stdout.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }

    /// What people were told for good: ends of turns, and notices.
    pub(super) fn told(&self) -> String {
        self.finals().collect::<Vec<_>>().join("\n")
    }

    fn finals(&self) -> impl Iterator<Item = &str> {
        let finals = self.told.iter().filter(|event| event["type"] == "turn_finished" || event["type"] == "notice");
        finals.filter_map(|event| event["text"].as_str())
    }

    /// How often the answer to `do N` was given.
    pub(super) fn answers(&self, number: u32) -> usize {
        self.finals().filter(|text| is_about(text, &format!("done {number}"))).count()
    }

    /// How many commands were interrupted, and how many answers given again with a mark.
    pub(super) fn marked(&self) -> (usize, usize) {
        let with = |part: &str| self.finals().filter(|text| text.contains(part)).count();
        (with("interrupted during this call"), with(REPEAT))
    }

    /// How often a command ran.
    pub(super) fn log(&self, id: &str) -> usize {
        let log = std::fs::read_to_string(self.place.work().join("log")).unwrap_or_default();
        log.lines().filter(|line| *line == id).count()
    }

    /// Holds that the ledger is at rest and adds up; the report.
    pub(super) async fn verified(&self) -> Value {
        let ended = self.place.run(&["verify", "--at-rest", "--json"], "").await;
        assert_eq!(ended.code, 0, "{ended:?}");
        serde_json::from_str(&ended.stdout).expect("it is JSON")
    }

    /// The history: a text for each message, blocks of all kinds in it.
    async fn history(&self) -> Vec<String> {
        let ended = self.place.run(&["history", "export", "--format", "jsonl"], "").await;
        if ended.code == 2 {
            return Vec::new();
        }
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.stdout.lines().map(str::to_owned).collect()
    }

    /// Holds all that must be true of a conversation at rest. The numbers of messages that were taken in.
    pub(super) async fn check(&self) -> Vec<u32> {
        self.verified().await;
        let history = self.history().await;
        let is_said = |number: &u32| history.iter().any(|line| line.contains(&format!("\"do {number}\"")));
        let taken: Vec<u32> = (1..1_000).filter(is_said).collect();
        for number in &taken {
            self.check_answer(*number, &history);
        }
        taken
    }

    fn check_answer(&self, number: u32, history: &[String]) {
        let answers: Vec<&str> = self.finals().filter(|text| is_about(text, &format!("done {number}"))).collect();
        assert!(!answers.is_empty(), "do {number} was not answered: {}", self.told());
        for again in &answers[1..] {
            assert!(again.contains(REPEAT), "do {number} was answered again without saying so: {answers:?}");
        }
        for id in ["a", "b"].map(|part| format!("{number}-{part}")) {
            assert!(self.log(&id) <= 1, "{id} ran {} times", self.log(&id));
            let is_interrupted = history.iter().any(|line| is_interrupted(line, &id, history));
            let is_told = answers.iter().any(|text| text.contains(UNCERTAIN) && text.contains(&format!("echo {id} ")));
            assert_eq!(is_told, is_interrupted, "{id}: {answers:?}");
            assert!(self.log(&id) == 1 || is_interrupted || answers[0].contains("Stopped"), "{id} did not run");
        }
    }
}

/// Whether a line of the history is the result of this command, and says that it was interrupted.
fn is_interrupted(line: &str, id: &str, history: &[String]) -> bool {
    let message: Value = serde_json::from_str(line).expect("it is JSON");
    let blocks = message["blocks"].as_array().expect("a list");
    blocks.iter().filter(|block| block["type"] == "tool_result").any(|result| {
        let is_it = result["content"].as_str().is_some_and(|content| content.starts_with("Interrupted"));
        let call = format!("\"id\":{}", result["tool_use_id"]);
        is_it && {
            let turn = format!("\"turn\":{}", message["turn"]);
            history
                .iter()
                .any(|asked| asked.contains(&turn) && asked.contains(&call) && asked.contains(&format!("echo {id} ")))
        }
    })
}

fn is_about(text: &str, answer: &str) -> bool {
    text.lines().any(|line| line == answer)
}

/// `do N`: a command, another one, then the answer.
fn respond(request: &Received) -> Step {
    let lines = request.lines();
    let asked = lines.iter().rposition(|line| matches!(line, Line::User(text) if text.contains("do ")));
    let Some(asked) = asked else { return Step::text("what?") };
    let Line::User(text) = &lines[asked] else { return Step::text("what?") };
    let number = text.lines().find_map(|line| line.strip_prefix("do ")).unwrap_or("0").to_owned();
    let results = lines[asked..].iter().filter(|line| matches!(line, Line::Result { .. })).count();
    let command = |part: &str| Step::calls([("bash", json!({"command": format!("echo {number}-{part} >> log")}))]);
    match results {
        0 => command("a"),
        1 => command("b"),
        _ => Step::text(format!("done {number}")),
    }
}

impl Process {
    /// Waits for its end by a signal of its own; what it said.
    async fn dies(self) -> String {
        let (status, stdout) = self.reaches_its_end().await;
        assert_eq!(status.code(), None, "it should have died: {stdout}");
        stdout
    }

    /// Kills it, if it still runs; what it said.
    async fn dies_of_a_kill(self) -> String {
        self.kill();
        self.reaches_its_end().await.1
    }
}
