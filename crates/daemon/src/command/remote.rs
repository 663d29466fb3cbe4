//! Commands that are carried out by the bot that runs: `status`, `pair`, `stop`, `reload`.

use ::chat::PersonRole;

use super::{print, sources};
use crate::cli::{PairArgs, PlaceArgs, Role, StatusArgs, StopArgs};
use crate::control::{self, Answer, Question};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::paths::Paths;

pub(crate) fn status(args: &StatusArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let answer = ask(&Question::Status, places, environment)?;
    match (&answer.status, args.json) {
        (Some(status), true) => {
            let text = serde_json::to_string(status).map_err(|error| Failure::data(error.to_string()))?;
            print(&format!("{text}\n"));
        }
        _ => print(&format!("{}\n", answer.text)),
    }
    Ok(Exit::Done)
}

pub(crate) fn pair(args: &PairArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let role = match args.role {
        Role::Guest => PersonRole::Guest,
        Role::Trusted => PersonRole::Trusted,
        Role::Owner => PersonRole::Owner,
    };
    tell(&ask(&Question::Pair { code: args.code.clone(), role }, places, environment)?)
}

pub(crate) fn stop(args: &StopArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    tell(&ask(&Question::Stop { conversation: args.conversation.clone() }, places, environment)?)
}

pub(crate) fn reload(places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    tell(&ask(&Question::Reload, places, environment)?)
}

fn tell(answer: &Answer) -> Result<Exit, Failure> {
    print(&format!("{}\n", answer.text));
    Ok(Exit::Done)
}

/// Asks the bot of this data folder. What it refuses is a failure here.
fn ask(question: &Question, places: &PlaceArgs, environment: &Environment) -> Result<Answer, Failure> {
    let settings = sources(places, None, environment).read().usable()?.settings;
    let paths = Paths::find(places.data_dir.as_deref(), environment, settings.data.folder.as_deref())?;
    let answer = control::ask(&paths.control_socket(environment), question)?;
    if answer.ok { Ok(answer) } else { Err(Failure::usage(answer.text)) }
}
