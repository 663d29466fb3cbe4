//! What the demo model does next: one call at a time, then an answer from what the calls gave back.
//!
//! It remembers nothing: the wishes are read anew from the texts of the turn, and each is taken as far as the calls made so far go.

use chat::{Arguments, Finish, Language, Reply, ToolCall, ToolSpec};

use super::answer::find_entry;
use super::request::read;
use super::shell::shell_word;
use super::situation::{Outcome, Past, Situation};
use super::tools::{Call, offered};
use super::wish::{Unit, Wish};
use super::wording::Wording;
use super::{answer, named, path};
use crate::ModelRequest;

/// What the demo model replies to a request.
pub(super) fn reply(request: &ModelRequest) -> Reply {
    let situation = Situation::of(request);
    let mut file = situation.file.clone();
    let mut wishes = Vec::new();
    let mut language = None;
    for text in &situation.texts {
        let reading = read(text, file.clone());
        file = reading.wishes.iter().rev().find_map(Wish::file).map(str::to_owned).or(file);
        language = reading.language.or(language);
        wishes.extend(reading.wishes);
    }
    // A nudge asks for words, not for more work.
    let tools = if request.nudge.is_some() { &[] } else { &*request.tools };
    let wording = Wording {
        language: language.or(situation.language).unwrap_or(Language::English),
        tools: offered(&request.tools),
        is_cut_short: request.nudge.is_some(),
    };
    let asked = situation.texts.join("\n");
    let mut work = Work { past: &situation.calls, tools, wording, asked, sections: Vec::new() };
    if situation.has_image {
        work.sections.push(work.wording.image());
    } else if situation.texts.is_empty() {
        work.sections.push(work.wording.empty());
    }
    match work.fulfil(&wishes, situation.has_image) {
        Some(call) => called(call, situation.next_call),
        None => said(work.sections.join("\n\n")),
    }
}

fn said(text: String) -> Reply {
    Reply { text, finish: Some(Finish::Stop), ..Reply::default() }
}

fn called(call: Call, number: u64) -> Reply {
    let arguments = Arguments::Object(call.input.as_object().cloned().unwrap_or_default());
    let call = ToolCall { id: format!("demo-{number}"), name: call.tool.to_owned(), arguments, provider: None };
    Reply { calls: vec![call], finish: Some(Finish::ToolCalls), ..Reply::default() }
}

/// A turn that is being worked on.
struct Work<'a> {
    /// The calls made so far that no wish has used yet.
    past: &'a [Past],
    tools: &'a [ToolSpec],
    wording: Wording,
    /// What the person said.
    asked: String,
    /// What there is to say so far.
    sections: Vec<String>,
}

/// Why a wish cannot be fulfilled yet.
enum Halt {
    /// This call has to be made first.
    Call(Call),
    /// This tool is not there.
    Missing(&'static str),
}

/// What has come of a wish.
struct Done {
    text: String,
    /// Whether what follows may build on it.
    is_ok: bool,
}

impl Done {
    fn ok(text: String) -> Result<Self, Halt> {
        Ok(Self { text, is_ok: true })
    }

    fn failed(text: String) -> Result<Self, Halt> {
        Ok(Self { text, is_ok: false })
    }
}

impl Work<'_> {
    /// Takes the wishes as far as the calls made so far go; gives the call that is to be made next.
    fn fulfil(&mut self, wishes: &[Wish], has_image: bool) -> Option<Call> {
        for (at, wish) in wishes.iter().enumerate() {
            if has_image && !wish.is_action() {
                continue;
            }
            match self.take(wish) {
                Err(Halt::Call(call)) => return Some(call),
                Err(Halt::Missing(tool)) => self.say(self.wording.missing(tool)),
                Ok(done) => {
                    self.sections.push(done.text);
                    let builds =
                        matches!(wish, Wish::Write { .. } | Wish::Create(_) | Wish::Append { .. } | Wish::Run(_));
                    if builds && !done.is_ok && at + 1 < wishes.len() {
                        self.sections.push(self.wording.rest_undone());
                        return None;
                    }
                }
            }
        }
        None
    }

    /// Says something, though not twice.
    fn say(&mut self, text: String) {
        if !self.sections.contains(&text) {
            self.sections.push(text);
        }
    }

    fn take(&mut self, wish: &Wish) -> Result<Done, Halt> {
        match wish {
            Wish::List(path) => self.list(path),
            Wish::Read(path) => self.read(path),
            Wish::Look(path) => self.look(path),
            Wish::Find(name) => self.find(name),
            Wish::Write { path, content } => self.write(path, content),
            Wish::Create(path) => self.create(path),
            Wish::Append { path, content } => self.append(path, content),
            Wish::Count { path, unit } => self.count(path, *unit),
            Wish::Run(command) => self.run(command),
            Wish::Unclear(gap) => Done::ok(self.wording.unclear(*gap)),
            Wish::Compose => Done::ok(self.wording.compose()),
            Wish::Introduce => Done::ok(self.wording.introduction()),
            Wish::Greet => Done::ok(self.wording.greeting()),
            Wish::Thank => Done::ok(self.wording.thanks()),
            Wish::Leave => Done::ok(self.wording.goodbye()),
            Wish::Help => Done::ok(self.wording.help()),
            Wish::Unknown if named::may_name_entry(&self.asked) => self.named_or_unknown(),
            Wish::Unknown => Done::ok(self.wording.unknown(!self.sections.is_empty())),
        }
    }

    /// What came of a call, if it was made already.
    fn call(&mut self, call: Call) -> Result<Outcome, Halt> {
        let made = |past: &Past| past.name == call.tool && past.input == call.input;
        if let Some(at) = self.past.iter().position(made) {
            let outcome = self.past[at].outcome.clone();
            self.past = &self.past[at + 1..];
            return Ok(outcome);
        }
        if call.is_offered(self.tools) { Err(Halt::Call(call)) } else { Err(Halt::Missing(call.tool)) }
    }

    /// What came of a call that may be left out where its tool is not there.
    fn call_if_offered(&mut self, call: Call) -> Result<Option<Outcome>, Halt> {
        match self.call(call) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(Halt::Missing(_)) => Ok(None),
            Err(halt) => Err(halt),
        }
    }

    fn list(&mut self, path: &str) -> Result<Done, Halt> {
        let outcome = self.call(Call::ls(path))?;
        let named = (path == "." && !outcome.is_error).then(|| named::entry(&outcome.content, &self.asked)).flatten();
        if let Some(entry) = named {
            return self.open(&entry);
        }
        self.shown(&outcome, |wording| wording.listing(path, &outcome.content))
    }

    /// Shows an entry of the working folder.
    fn open(&mut self, entry: &str) -> Result<Done, Halt> {
        match entry.strip_suffix('/') {
            Some(folder) => {
                let outcome = self.call(Call::ls(folder))?;
                self.shown(&outcome, |wording| wording.listing(folder, &outcome.content))
            }
            None => self.read(entry),
        }
    }

    /// Shows what is named in a text that was not understood, if something is.
    fn named_or_unknown(&mut self) -> Result<Done, Halt> {
        let listed = self.call_if_offered(Call::ls("."))?.filter(|listed| !listed.is_error);
        match listed.and_then(|listed| named::entry(&listed.content, &self.asked)) {
            Some(entry) => self.open(&entry),
            None => Done::ok(self.wording.unknown(!self.sections.is_empty())),
        }
    }

    /// The whole name of a file of which perhaps only the last part was taken for one: `my notes.txt`, `我的文件.txt`.
    fn whole_name(&mut self, path: &str) -> Result<String, Halt> {
        if !named::is_doubtful(&self.asked, path) {
            return Ok(path.to_owned());
        }
        let listed = self.call_if_offered(Call::ls("."))?.filter(|listed| !listed.is_error);
        Ok(listed
            .and_then(|listed| named::longer(&listed.content, &self.asked, path))
            .unwrap_or_else(|| path.to_owned()))
    }

    fn read(&mut self, path: &str) -> Result<Done, Halt> {
        let path = &*self.whole_name(path)?;
        let outcome = self.call(Call::read(path))?;
        if outcome.is_error && ["folder", "directory"].iter().any(|word| outcome.content.contains(word)) {
            // What looked like a file by its name is a folder: `/tmp/tmp.x1y2`.
            if let Some(listed) = self.call_if_offered(Call::ls(path))?.filter(|listed| !listed.is_error) {
                return Done::ok(self.wording.listing(path, &listed.content));
            }
        }
        self.shown(&outcome, |wording| wording.content(path, &outcome.content))
    }

    fn shown(&self, outcome: &Outcome, text: impl Fn(&Wording) -> String) -> Result<Done, Halt> {
        if outcome.is_error {
            Done::failed(self.wording.failure(&outcome.content))
        } else {
            Done::ok(text(&self.wording))
        }
    }

    fn look(&mut self, path: &str) -> Result<Done, Halt> {
        match self.call_if_offered(Call::ls(path))? {
            Some(listed) if !listed.is_error => Done::ok(self.wording.listing(path, &listed.content)),
            _ => self.read(path),
        }
    }

    fn find(&mut self, name: &str) -> Result<Done, Halt> {
        let listed = self.call_if_offered(Call::ls("."))?.filter(|listed| !listed.is_error);
        let Some(listed) = listed else { return self.read(name) };
        match find_entry(&listed.content, name) {
            Some(folder) if folder.ends_with('/') => self.list(folder.trim_end_matches('/')),
            Some(file) => self.read(&file),
            None => Done::failed(self.wording.not_found(name)),
        }
    }

    fn write(&mut self, path: &str, content: &str) -> Result<Done, Halt> {
        let path = &*self.whole_name(path)?;
        let outcome = self.call(Call::write(path, content))?;
        self.shown(&outcome, |wording| wording.written(path, content))
    }

    fn create(&mut self, path: &str) -> Result<Done, Halt> {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let folder = if folder.is_empty() { "/" } else { folder };
        let listed = self.call_if_offered(Call::ls(folder))?.filter(|listed| !listed.is_error);
        if listed.is_some_and(|listed| listed.content.lines().any(|line| line.trim_end_matches('/') == name)) {
            return Done::ok(self.wording.exists(path));
        }
        let outcome = self.call(Call::write(path, ""))?;
        self.shown(&outcome, |wording| wording.created(path))
    }

    fn append(&mut self, path: &str, content: &str) -> Result<Done, Halt> {
        let path = &*self.whole_name(path)?;
        let file = shell_word(path);
        // A last line without a line break is ended first.
        let line = format!(
            "{{ [ -z \"$(tail -c 1 {file} 2>/dev/null)\" ] || echo; printf '%s\\n' {}; }} >> {file}",
            quoted(content)
        );
        let outcome = match self.call_if_offered(Call::bash(&line))? {
            Some(outcome) => outcome,
            None => {
                let old = self.call(Call::read(path))?;
                let page = answer::page(&old.content);
                if old.is_error || !page.notes.is_empty() {
                    return Done::failed(self.wording.missing("bash"));
                }
                let old = if is_empty_note(&old.content) { String::new() } else { format!("{}\n", page.text) };
                self.call(Call::write(path, &format!("{old}{content}\n")))?
            }
        };
        self.shown(&outcome, |wording| wording.appended(path, content))
    }

    fn count(&mut self, path: &str, unit: Unit) -> Result<Done, Halt> {
        let path = &*self.whole_name(path)?;
        // A last line without a line break is one too, for awk.
        let program = match unit {
            Unit::Lines => "awk 'END { print NR }'",
            Unit::Words => "wc -w",
            Unit::Characters => "wc -m",
        };
        if let Some(counted) = self.call_if_offered(Call::bash(&format!("{program} {}", shell_word(path))))? {
            let number = counted.content.split_whitespace().next().and_then(|word| word.parse().ok());
            return match number.filter(|_| !counted.is_error) {
                Some(number) => Done::ok(self.wording.counted(path, number, unit)),
                None => Done::failed(self.wording.failure(&counted.content)),
            };
        }
        let file = self.call(Call::read(path))?;
        let page = answer::page(&file.content);
        if !page.notes.is_empty() {
            return Done::failed(self.wording.missing("bash"));
        }
        let text = if is_empty_note(&page.text) { "" } else { page.text.as_str() };
        let number = match unit {
            Unit::Lines => text.lines().count(),
            Unit::Words => text.split_whitespace().count(),
            Unit::Characters => text.chars().count(),
        };
        self.shown(&file, |wording| wording.counted(path, number as u64, unit))
    }

    fn run(&mut self, command: &str) -> Result<Done, Halt> {
        if let Some(outcome) = self.call_if_offered(Call::bash(command))? {
            let text = if outcome.is_error { Wording::command_failed } else { Wording::ran };
            let text = text(&self.wording, command, &outcome.content);
            return Ok(Done { text, is_ok: !outcome.is_error });
        }
        // Two commands are tools of their own.
        let mut words = command.split(' ').filter(|word| !word.starts_with('-'));
        match (words.next(), words.next(), words.next()) {
            (Some("ls"), None, None) => self.list("."),
            (Some("ls"), Some(folder), None) => self.list(folder),
            (Some("cat"), Some(file), None) if path::looks_like_path(file) => self.read(file),
            _ => Err(Halt::Missing("bash")),
        }
    }
}

/// What the tool says in place of an empty file.
fn is_empty_note(shown: &str) -> bool {
    shown.starts_with('(') && shown.ends_with("is empty)")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
