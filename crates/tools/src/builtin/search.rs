//! The tool `search`.

mod below;
mod content;
mod names;
mod outcome;

use chat::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::{Duration, Instant};

use self::below::Below;
use self::outcome::Outcome;
use crate::arguments::parse;
use crate::blocking::blocking;
use crate::files::Places;
use crate::schema::spec_of;
use crate::{Access, EffectClass, Tool, ToolContext, ToolFuture};

/// Results that one call shows where the model does not say.
const USUAL_RESULTS: usize = 50;

/// Results that one call shows at most.
const MOST_RESULTS: usize = 500;

/// How long a search may take.
const LONGEST: Duration = Duration::from_secs(30);

/// Searches files below a folder, by what is in them or by their names.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// A regular expression; for names, a part of the name or a glob (`*.rs`).
    pattern: String,
    /// What to search; left out, content.
    target: Option<Target>,
    /// Where; left out, the working folder.
    path: Option<String>,
    /// Only files like this, such as `*.rs` or `src/**`.
    glob: Option<String>,
    /// What to show of content: lines, the files with a match, or how many lines match in each.
    output: Option<Output>,
    /// Ignore case.
    ignore_case: Option<bool>,
    /// Search what .gitignore names and folders like node_modules too.
    no_ignore: Option<bool>,
    /// At most this many results; 50 if left out, up to 500.
    max_results: Option<i64>,
}

/// What is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Target {
    #[default]
    Content,
    Files,
}

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Output {
    #[default]
    Content,
    Files,
    Count,
}

/// Searches files.
pub(super) struct Search {
    spec: ToolSpec,
    places: Places,
}

impl Search {
    pub(super) fn new(places: Places) -> Self {
        Self { spec: spec_of::<Arguments>("search"), places }
    }
}

impl Tool for Search {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Pure
    }

    fn needs(&self) -> Access {
        Access::Files
    }

    fn parallel_safe(&self) -> bool {
        true
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        let places = self.places.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| search(&arguments, context, &places))
    }
}

fn search(arguments: &Arguments, context: &ToolContext, places: &Places) -> Result<String, String> {
    if arguments.pattern.is_empty() {
        return Err("`pattern` is empty".to_owned());
    }
    let most = match arguments.max_results {
        Some(most) if most < 1 => return Err(format!("`max_results` must be at least 1, not {most}")),
        Some(most) => usize::try_from(most).unwrap_or(MOST_RESULTS).min(MOST_RESULTS),
        None => USUAL_RESULTS,
    };
    let path = arguments.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".");
    let (spot, hidden) = places.to_search(path, context)?;
    spot.must_exist(path)?;
    let glob = arguments.glob.as_deref().filter(|glob| !glob.is_empty());
    let clock = Clock { deadline: Instant::now() + LONGEST, context };
    let below = Below::new(path, &spot, hidden, glob, arguments.no_ignore == Some(true))?;
    let mut outcome = Outcome::new(most);
    match arguments.target.unwrap_or_default() {
        Target::Content => content::search(arguments, &below, &clock, &mut outcome)?,
        Target::Files => names::search(&arguments.pattern, &below, &clock, &mut outcome)?,
    }
    Ok(outcome.show(&below))
}

/// When to give up.
struct Clock<'a> {
    deadline: Instant,
    context: &'a ToolContext,
}

impl Clock<'_> {
    /// Whether to go on: not after the time is up, with an error where nobody wants the result any more.
    fn goes_on(&self) -> Result<bool, String> {
        crate::blocking::go_on(self.context)?;
        Ok(Instant::now() < self.deadline)
    }
}

#[cfg(test)]
mod tests;
