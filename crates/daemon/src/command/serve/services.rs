//! The chat services that are configured, and how the adapter of each is started.

use ::chat::ChannelName;
use agent::{Adapter, Agent, Doors, StartError};
use channels::telegram::{self, Arguments, TelegramError, Tempo};
use llm::{Key, KeyReference};
use ractor::ActorCell;

use crate::command::ChatStart;
use crate::environment::Environment;
use crate::exit::{Failure, with_causes};
use crate::settings::{KeyPath, LanguageChoice, Settings};

/// Telegram's name in keys and settings.
pub(super) const TELEGRAM: &str = "telegram";

/// The variable that is looked at where the settings name no token.
const TELEGRAM_TOKEN: &str = "TELEGRAM_BOT_TOKEN";

/// A chat service that is configured.
pub(crate) enum Service {
    /// Telegram, by the bot's token.
    Telegram(Key),
}

/// The services that have a token.
pub(crate) fn configured(
    settings: &Settings,
    off: &[KeyPath],
    environment: &Environment,
) -> Result<Vec<Service>, Failure> {
    let telegram = match off.contains(&KeyPath::dotted(TELEGRAM)) {
        true => None,
        false => token(settings, environment)?,
    };
    let services: Vec<Service> = telegram.map(Service::Telegram).into_iter().collect();
    if services.is_empty() {
        return Err(Failure::config(format!(
            "no chat service is configured, so there is nobody to serve: set {TELEGRAM_TOKEN} to the token that \
             @BotFather gave you, or name where it is by `token` in [telegram]; `cowhand chat` talks here"
        )));
    }
    Ok(services)
}

fn token(settings: &Settings, environment: &Environment) -> Result<Option<Key>, Failure> {
    let lookup = |name: &str| environment.text(name).map(str::to_owned);
    match &settings.telegram.token {
        Some(reference) => {
            let reference = String::from(reference.clone()).parse::<KeyReference>();
            let key = reference.and_then(|reference| reference.resolve(&lookup));
            key.map(Some).map_err(|error| Failure::config(format!("`telegram.token`: {}", with_causes(&error))))
        }
        None => Ok(lookup(TELEGRAM_TOKEN).map(|token| Key::new(&token))),
    }
}

impl Service {
    pub(super) fn name(&self) -> ChannelName {
        match self {
            Self::Telegram(_) => ChannelName(TELEGRAM.to_owned()),
        }
    }

    /// Keeps its adapter running.
    pub(super) async fn keep(self, agent: &mut Agent, start: &ChatStart<'_>) -> Result<(), StartError> {
        let name = self.name();
        let language = match start.settings.language {
            LanguageChoice::Auto => None,
            _ => Some(start.language),
        };
        match self {
            Self::Telegram(token) => {
                let (settings, files) = (start.settings.telegram.clone(), start.paths.blobs());
                let channel = name.clone();
                let arguments = move |doors: Doors| Arguments {
                    channel: channel.clone(),
                    token: token.expose().to_owned(),
                    settings: settings.clone(),
                    tempo: Tempo::default(),
                    language,
                    files: files.clone(),
                    intake: doors.intake,
                    delivery: doors.delivery,
                };
                agent.keep(name, move |doors, parent| start_telegram(arguments(doors), parent)).await
            }
        }
    }
}

async fn start_telegram(arguments: Arguments, parent: ActorCell) -> Result<Adapter, TelegramError> {
    let adapter = telegram::spawn(arguments, parent).await?;
    let actor = adapter.to_channel();
    Ok(Adapter { actor, begin: Box::new(move || adapter.start()) })
}
