//! The plan: a plain value, made by a pure function.

use std::path::{Path, PathBuf};

use chat::PersonRole;
use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::credentials;

/// Whether commands are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The owner's are not. Those of other people always are.
    Off,
    /// As far as the system provides it.
    #[default]
    On,
    /// Or else they are refused.
    Required,
}

/// Where the things are that commands are kept from, and those that they work with. Whoever wires the process up knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The data folder: ledger, keys, files of people.
    pub data: Option<PathBuf>,
    /// The folder of the agent's own files, where that is inside the data folder.
    pub workspace: Option<PathBuf>,
    /// The person's home folder, in which there are credentials.
    pub home: Option<PathBuf>,
    /// More files and folders with secrets: keys, settings, the log.
    pub secrets: Vec<PathBuf>,
    /// Where programs put what is only for a moment.
    pub temporary: Vec<PathBuf>,
}

/// What a command may reach of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub(super) confinement: Option<Confinement>,
}

/// How a command is confined. Paths need not exist: what is there counts when the plan is put in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Confinement {
    /// What has to hold for the command to run at all.
    pub(super) demand: Demand,
    /// Nobody sees what is in there.
    pub(super) hidden: Vec<PathBuf>,
    /// What can be read; `None` is everything that is not hidden.
    pub(super) readable: Option<Vec<PathBuf>>,
    /// What can be changed.
    pub(super) writable: Vec<PathBuf>,
    /// What is replaced by an empty folder that ends with the command.
    pub(super) scratch: Vec<PathBuf>,
    /// Whether the network can be reached.
    pub(super) network: bool,
    /// Whether it is kept from other processes and from the services of the machine altogether.
    pub(super) alone: bool,
}

/// What has to hold for a command to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Demand {
    /// Nothing.
    Nothing,
    /// Secrets are out of reach, and writing is confined.
    Secrets,
    /// That, and all else that keeps a stranger to the machine apart.
    Apart,
}

impl Plan {
    /// Everything that Cowhand itself may reach.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether it confines anything.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.confinement.is_none()
    }
}

/// How commands of a person of this role, in this working folder, are confined.
#[must_use]
pub fn plan(role: PersonRole, settings: &Settings, folder: &Path) -> Plan {
    let confinement = match (role, settings.sandbox) {
        (PersonRole::Owner, Mode::Off) => None,
        (PersonRole::Owner, mode) => Some(of_the_owner(mode, settings, folder)),
        (PersonRole::Trusted | PersonRole::Guest | PersonRole::Stranger, _) => Some(of_others(settings, folder)),
    };
    Plan { confinement }
}

/// The owner reads what is no secret, and writes where the work is.
fn of_the_owner(mode: Mode, settings: &Settings, folder: &Path) -> Confinement {
    let places = &settings.places;
    let mut writable = working_folders(settings, folder);
    writable.extend(places.temporary.iter().cloned());
    writable.extend(paths(&credentials::TEMPORARY));
    Confinement {
        demand: if mode == Mode::Required { Demand::Secrets } else { Demand::Nothing },
        hidden: secrets(settings),
        readable: None,
        writable,
        scratch: Vec::new(),
        network: true,
        alone: false,
    }
}

/// Others see the working folders and what programs need of the system.
fn of_others(settings: &Settings, folder: &Path) -> Confinement {
    let mut hidden = secrets(settings);
    hidden.extend(paths(&credentials::PRIVATE));
    hidden.extend(settings.places.home.clone());
    // A home in the root folder would hide the whole system.
    hidden.retain(|path| path != Path::new("/"));
    Confinement {
        demand: Demand::Apart,
        hidden,
        readable: Some(paths(&credentials::SYSTEM).collect()),
        writable: working_folders(settings, folder),
        scratch: paths(&credentials::TEMPORARY).collect(),
        network: settings.sandbox_network,
        alone: true,
    }
}

fn working_folders(settings: &Settings, folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    folders.extend(settings.places.workspace.clone());
    folders.extend(settings.extra_folders.iter().cloned());
    folders
}

/// What is out of reach for everybody, save what the settings name as a folder to work in.
fn secrets(settings: &Settings) -> Vec<PathBuf> {
    let places = &settings.places;
    let of_home = places.home.iter().flat_map(|home| credentials::OF_HOME.iter().map(|name| home.join(name)));
    let mut hidden: Vec<PathBuf> = places.data.iter().cloned().chain(places.secrets.iter().cloned()).collect();
    hidden.extend(of_home);
    hidden.extend(paths(&credentials::OF_SYSTEM).chain(paths(&credentials::DOORS)));
    hidden.retain(|path| !settings.extra_folders.contains(path));
    hidden
}

fn paths(names: &[&'static str]) -> impl Iterator<Item = PathBuf> {
    names.iter().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mode: Mode) -> Settings {
        let places = Places {
            data: Some("/home/ada/.local/share/cowhand".into()),
            workspace: Some("/home/ada/.local/share/cowhand/workspace".into()),
            home: Some("/home/ada".into()),
            secrets: vec!["/home/ada/key".into()],
            temporary: vec!["/tmp".into()],
        };
        Settings { sandbox: mode, places, extra_folders: vec!["/srv/site".into()], ..Settings::default() }
    }

    fn confined(role: PersonRole, mode: Mode) -> Confinement {
        plan(role, &settings(mode), Path::new("/home/ada/work")).confinement.unwrap()
    }

    #[test]
    fn the_owner_is_confined_unless_that_is_switched_off() {
        assert!(plan(PersonRole::Owner, &settings(Mode::Off), Path::new("/w")).is_none());
        assert_eq!(confined(PersonRole::Owner, Mode::On).demand, Demand::Nothing);
        assert_eq!(confined(PersonRole::Owner, Mode::Required).demand, Demand::Secrets);
    }

    #[test]
    fn anybody_else_is_confined_whatever_is_set() {
        for mode in [Mode::Off, Mode::On, Mode::Required] {
            for role in [PersonRole::Trusted, PersonRole::Guest] {
                let plan = confined(role, mode);

                assert_eq!((plan.demand, plan.alone, plan.network), (Demand::Apart, true, false));
            }
        }
    }

    #[test]
    fn data_keys_and_credentials_are_hidden_from_everybody() {
        for role in [PersonRole::Owner, PersonRole::Trusted] {
            let hidden = confined(role, Mode::On).hidden;

            for path in ["/home/ada/.local/share/cowhand", "/home/ada/key", "/home/ada/.ssh", "/etc/shadow"] {
                assert!(hidden.contains(&path.into()), "{role:?} {path}");
            }
        }
    }

    #[test]
    fn a_home_in_the_root_folder_does_not_hide_the_system() {
        let mut settings = settings(Mode::On);
        settings.places.home = Some("/".into());

        let plan = plan(PersonRole::Trusted, &settings, Path::new("/w"));

        assert!(!plan.confinement.unwrap().hidden.contains(&"/".into()));
    }

    #[test]
    fn a_plan_survives_being_handed_on_as_text() {
        for role in [PersonRole::Owner, PersonRole::Trusted] {
            let plan = plan(role, &settings(Mode::On), Path::new("/w"));

            let text = serde_json::to_string(&plan).unwrap();

            assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        }
    }
}
