//! One file per command.

pub(crate) mod chat;
pub(crate) mod config;
pub(crate) mod debug;
pub(crate) mod doctor;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod remote;
pub(crate) mod serve;
pub(crate) mod verify;

use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::chat::Language;
use llm::Named;
use store::{Ledger, Reader};
use tools::redact::Secrets;

use crate::cli::{ChatArgs, Cli, Command, PlaceArgs, ServeArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::paths::{ConfigPlaces, Paths};
use crate::settings::{KeyPath, Place, Settings, Sources, models};
use crate::{guard, logging};

/// Does what the command line asks for. What goes wrong before the work is told on stderr.
pub(crate) fn run(cli: Cli, environment: &Environment) -> ExitCode {
    if let Some(point) = environment.text("COWHAND_TEST_POINT") {
        store::test_point::arm(point);
    }
    let done = match cli.command {
        Command::Chat(args) => start_chat(&args, &cli.places, environment).map(ExitCode::from),
        Command::Init(args) => init::run(&args, &cli.places, environment).map(ExitCode::from),
        Command::Config(command) => config::run(&command, &cli.places, environment).map(ExitCode::from),
        Command::Doctor(args) => doctor::run(&args, &cli.places, environment).map(ExitCode::from),
        Command::SandboxTrial(args) => Ok(doctor::try_plan(&args)),
        Command::Serve(args) => start_serve(&args, &cli.places, environment).map(ExitCode::from),
        Command::Status(args) => remote::status(&args, &cli.places, environment).map(ExitCode::from),
        Command::Pair(args) => remote::pair(&args, &cli.places, environment).map(ExitCode::from),
        Command::Stop(args) => remote::stop(&args, &cli.places, environment).map(ExitCode::from),
        Command::Reload => remote::reload(&cli.places, environment).map(ExitCode::from),
        Command::Recall(command) => history::run(&command, &cli.places, environment).map(ExitCode::from),
        Command::Verify(args) => verify::run(&args, &cli.places, environment).map(ExitCode::from),
        Command::Debug(command) => debug::run(&command, &cli.places, environment).map(ExitCode::from),
    };
    done.unwrap_or_else(|failure| {
        tell(&failure.to_string());
        failure.exit.into()
    })
}

/// What a chat starts from.
pub(crate) struct ChatStart<'a> {
    /// Everything that can be set, valid.
    pub(crate) settings: Settings,
    /// The sections of it that are off, as something in them is wrong; it has been told.
    pub(crate) off: Vec<KeyPath>,
    /// The data folder, which is there.
    pub(crate) paths: Paths,
    /// The model that is named above all settings.
    pub(crate) named: Option<Named>,
    /// The variables.
    pub(crate) environment: &'a Environment,
    /// The folder that the agent works in: absolute, and there.
    pub(crate) folder: PathBuf,
    /// The values that nobody is shown.
    pub(crate) secrets: Secrets,
    /// The language of the bot's own texts.
    pub(crate) language: Language,
    /// Whether a person sits at both ends.
    pub(crate) interactive: bool,
}

impl ChatStart<'_> {
    /// Looks a variable up for the model's side.
    pub(crate) fn variables(&self) -> impl Fn(&str) -> Option<String> + Send + Sync {
        models::variables(&self.off, self.environment)
    }
}

fn start_chat(args: &ChatArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    guard::keep_to_itself();
    check_conversation(&args.conversation)?;
    let folder = working_folder(args.workspace.as_deref())?;
    let Prepared { mut settings, off, named } = prepare(args.model.as_deref(), places, environment)?;
    let paths = Paths::find(places.data_dir.as_deref(), environment, settings.data.folder.as_deref())?;
    let config_places = ConfigPlaces::find(places.config.as_deref(), environment);
    settings.tools.places = guard::places(&paths, &config_places, &settings, environment);
    let secrets = guard::secrets(&settings, environment);
    paths.create()?;
    let interactive = !args.json && args.message.is_none() && stdin().is_terminal() && stdout().is_terminal();
    if let Some(warning) = logging::start(&settings.log, interactive.then(|| paths.log()), environment, &secrets) {
        tell(&format!("cowhand: warning: {warning}"));
    }
    let language = settings.language.resolve(environment);
    chat::run(args, ChatStart { settings, off, paths, named, environment, folder, secrets, language, interactive })
}

fn start_serve(args: &ServeArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    guard::keep_to_itself();
    let Prepared { mut settings, off, named } = prepare(args.model.as_deref(), places, environment)?;
    let channels = serve::configured(&settings, &off, environment)?;
    let paths = Paths::find(places.data_dir.as_deref(), environment, settings.data.folder.as_deref())?;
    let folder = args.workspace.as_deref().map(|folder| working_folder(Some(folder))).transpose()?;
    paths.create()?;
    let folder = folder.map_or_else(|| paths.create_workspace(), Ok)?;
    settings.tools.places =
        guard::places(&paths, &ConfigPlaces::find(places.config.as_deref(), environment), &settings, environment);
    let secrets = guard::secrets(&settings, environment);
    if let Some(warning) = logging::start(&settings.log, None, environment, &secrets) {
        tell(&format!("cowhand: warning: {warning}"));
    }
    let language = settings.language.resolve(environment);
    let start = ChatStart { settings, off, named, paths, environment, folder, secrets, language, interactive: false };
    serve::run(&start, places, channels)
}

/// Settings that can be used, and the model that is named above them.
struct Prepared {
    settings: Settings,
    off: Vec<KeyPath>,
    named: Option<Named>,
}

/// Reads the settings, and tells what is wrong with them.
fn prepare(model: Option<&str>, places: &PlaceArgs, environment: &Environment) -> Result<Prepared, Failure> {
    let reading = sources(places, model, environment).read().usable()?;
    for finding in &reading.findings {
        tell(&format!("cowhand: warning: {finding}"));
    }
    let off = reading.off();
    let named = named_model(model, environment)?;
    let found = models::plan(&reading, named.as_ref(), environment);
    found.map_err(|finding| match model {
        Some(_) => Failure::usage(finding.to_string()),
        None => Failure::config(finding.to_string()),
    })?;
    Ok(Prepared { settings: reading.settings, off, named })
}

/// The ledger in the data folder, to be read beside whoever writes.
fn ledger(places: &PlaceArgs, environment: &Environment) -> Result<Reader, Failure> {
    let settings = sources(places, None, environment).read().usable()?.settings;
    let paths = Paths::find(places.data_dir.as_deref(), environment, settings.data.folder.as_deref())?;
    Ledger::open_read_only(paths.data()).map_err(|error| Failure::data(error.to_string()))
}

/// Where settings are looked for.
fn sources<'a>(places: &PlaceArgs, model: Option<&str>, environment: &'a Environment) -> Sources<'a> {
    let folder = |folder: &Path| folder.to_string_lossy().into_owned();
    let said = [
        (
            Place::Variable("COWHAND_DATA_DIR".into()),
            "data.folder",
            environment.path("COWHAND_DATA_DIR").as_deref().map(folder),
        ),
        (Place::Variable("COWHAND_MODEL".into()), "models.model", environment.text("COWHAND_MODEL").map(str::to_owned)),
        (Place::Argument("--data-dir"), "data.folder", places.data_dir.as_deref().map(folder)),
        (Place::Argument("--model"), "models.model", model.map(str::to_owned)),
    ];
    let said = said.into_iter().filter_map(|(place, path, value)| Some((place, KeyPath::dotted(path), value?)));
    let places = ConfigPlaces::find(places.config.as_deref(), environment);
    Sources { places, environment, overrides: said.collect() }
}

fn named_model(model: Option<&str>, environment: &Environment) -> Result<Option<Named>, Failure> {
    let named = models::named(model, environment);
    match named {
        Some(Named { text, by }) if text.trim().is_empty() => Err(Failure::usage(format!("{by}: the name is empty"))),
        named => Ok(named),
    }
}

fn working_folder(argument: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(folder) = argument else {
        let current = std::env::current_dir();
        return current.map_err(|error| {
            Failure::usage(format!("the current folder cannot be used: {error}; name another one by --workspace"))
        });
    };
    let shown = folder.display();
    match folder.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(Failure::usage(format!("--workspace {shown}: this is not a folder"))),
        Err(error) => Err(Failure::usage(format!("--workspace {shown}: {error}"))),
    }
}

fn check_conversation(name: &str) -> Result<(), Failure> {
    let fits = !name.trim().is_empty() && name.chars().count() <= 100 && !name.contains(char::is_control);
    if fits { Ok(()) } else { Err(Failure::usage("--conversation: a name has 1 to 100 characters, all on one line")) }
}

/// Writes a line to stderr. There is nobody to tell when that fails.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes a text to stdout. A reader that went away wanted no more of it.
fn print(text: &str) {
    let _ = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_folder_that_is_missing_or_a_file_is_wrong_use() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();

        for wrong in [folder.path().join("nothing"), file] {
            let failure = working_folder(Some(&wrong)).unwrap_err();

            assert_eq!(failure.exit, Exit::Usage);
            assert!(failure.message.contains(wrong.to_str().unwrap()), "{failure}");
        }
    }

    #[test]
    fn a_relative_working_folder_becomes_absolute() {
        assert!(working_folder(Some(Path::new("."))).unwrap().is_absolute());
        assert!(working_folder(None).unwrap().is_absolute());
    }

    #[test]
    fn a_conversation_needs_a_name_of_one_line() {
        assert!(check_conversation("地図").is_ok());
        for wrong in ["", " ", "a\nb", &"x".repeat(101)] {
            assert_eq!(check_conversation(wrong).unwrap_err().exit, Exit::Usage);
        }
    }
}
