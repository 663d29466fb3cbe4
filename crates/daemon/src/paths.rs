//! Where things are on disk.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::exit::Failure;

/// The file that holds for every user of the machine.
const SYSTEM_CONFIG: &str = "/etc/cowhand/cowhand.toml";

/// The data folder and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paths {
    data: PathBuf,
}

impl Paths {
    /// Finds the data folder: the argument, `COWHAND_DATA_DIR`, the setting, what systemd prepared, the user's own.
    pub(crate) fn find(
        argument: Option<&Path>,
        environment: &Environment,
        setting: Option<&Path>,
    ) -> Result<Self, Failure> {
        let data = argument
            .map(Path::to_path_buf)
            .or_else(|| environment.path("COWHAND_DATA_DIR"))
            .or_else(|| setting.map(|folder| expand_home(folder, environment)))
            .or_else(|| state_directory(environment))
            .or_else(|| user_folder(environment, "XDG_DATA_HOME", ".local/share"));
        let Some(data) = data else {
            return Err(Failure::data(format!(
                "there is no place for the data folder, as {}; name one by --data-dir or COWHAND_DATA_DIR",
                no_home(environment)
            )));
        };
        if data.as_os_str().is_empty() {
            return Err(Failure::usage("--data-dir: the path is empty"));
        }
        Ok(Self { data })
    }

    /// Makes the data folder where it is missing, open to its owner alone.
    pub(crate) fn create(&self) -> Result<(), Failure> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.data).map_err(|error| {
            let folder = self.data.display();
            Failure::data(format!(
                "the data folder {folder} cannot be made: {error}; name another one by --data-dir or COWHAND_DATA_DIR"
            ))
        })
    }

    /// The data folder itself.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// The files that tell the agent who it is.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.data.join("workspace")
    }

    /// Makes the folder in which the agent works where it is not told another one.
    pub(crate) fn create_workspace(&self) -> Result<PathBuf, Failure> {
        let folder = self.workspace();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder).and_then(|()| folder.canonicalize());
        made.map_err(|error| Failure::data(format!("the workspace {} cannot be made: {error}", folder.display())))
    }

    /// The socket on which commands talk to the bot that runs: where systemd prepared a place, else in the data folder.
    pub(crate) fn control_socket(&self, environment: &Environment) -> PathBuf {
        let prepared = environment.text("RUNTIME_DIRECTORY").and_then(|folders| folders.split(':').next());
        let folder = prepared.filter(|folder| !folder.is_empty()).map(PathBuf::from);
        folder.unwrap_or_else(|| self.data.clone()).join("control.sock")
    }

    /// The files that people sent, and copies of those that were sent to them.
    pub(crate) fn blobs(&self) -> PathBuf {
        self.data.join("blobs")
    }

    /// What was typed at the terminal's prompt.
    pub(crate) fn terminal_history(&self) -> PathBuf {
        self.data.join("terminal-history")
    }

    /// The log of chats at a terminal.
    pub(crate) fn log(&self) -> PathBuf {
        self.data.join("cowhand.log")
    }
}

/// Where configuration files may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConfigPlaces {
    /// This file and no other; it has to be there.
    Named(PathBuf),
    /// The usual places, each of which may be empty; what stands later counts more.
    Usual {
        /// For the whole machine.
        system: PathBuf,
        /// The user's own; `None` where no home is known.
        user: Option<PathBuf>,
    },
}

impl ConfigPlaces {
    /// Finds them: the argument or `COWHAND_CONFIG` replaces the usual ones.
    pub(crate) fn find(argument: Option<&Path>, environment: &Environment) -> Self {
        if let Some(file) = argument.map(Path::to_path_buf).or_else(|| environment.path("COWHAND_CONFIG")) {
            return Self::Named(file);
        }
        let user = user_folder(environment, "XDG_CONFIG_HOME", ".config").map(|folder| folder.join("cowhand.toml"));
        Self::Usual { system: PathBuf::from(SYSTEM_CONFIG), user }
    }

    /// The files, the one that counts least first, and whether each has to be there.
    pub(crate) fn in_order(&self) -> Vec<(&Path, bool)> {
        match self {
            Self::Named(file) => vec![(file, true)],
            Self::Usual { system, user } => {
                [Some(system), user.as_ref()].into_iter().flatten().map(|file| (file.as_path(), false)).collect()
            }
        }
    }

    /// The file that `init` writes.
    pub(crate) fn to_write(&self) -> Option<&Path> {
        match self {
            Self::Named(file) => Some(file),
            Self::Usual { user, .. } => user.as_deref(),
        }
    }
}

/// Cowhand's folder in one of the XDG base directories. As their specification asks, a relative one is ignored.
fn user_folder(environment: &Environment, variable: &str, below_home: &str) -> Option<PathBuf> {
    let base = environment.path(variable).filter(|path| path.is_absolute());
    let base = base.or_else(|| home(environment).map(|home| home.join(below_home)))?;
    Some(base.join("cowhand"))
}

/// Why there is no home folder, where there is none.
pub(crate) fn no_home(environment: &Environment) -> &'static str {
    match environment.path("HOME") {
        Some(_) => "HOME is a relative path",
        None => "HOME is not set",
    }
}

/// The user's home folder.
fn home(environment: &Environment) -> Option<PathBuf> {
    environment.path("HOME").filter(|path| path.is_absolute())
}

/// A path of settings, in which `~/` stands for the home folder as it does in a shell.
pub(crate) fn expand_home(path: &Path, environment: &Environment) -> PathBuf {
    let below_home = path.strip_prefix("~").ok().and_then(|rest| Some(home(environment)?.join(rest)));
    below_home.unwrap_or_else(|| path.to_path_buf())
}

/// The first of the state directories of a service; systemd separates several by colons.
fn state_directory(environment: &Environment) -> Option<PathBuf> {
    let first = environment.text("STATE_DIRECTORY")?.split(':').next()?;
    (!first.is_empty()).then(|| PathBuf::from(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: (&str, &str) = ("HOME", "/home/ada");

    fn data_folder(argument: Option<&str>, variables: &[(&str, &str)], setting: Option<&str>) -> PathBuf {
        let environment = variables.iter().copied().collect();
        let paths = Paths::find(argument.map(Path::new), &environment, setting.map(Path::new)).unwrap();
        paths.data().to_path_buf()
    }

    #[test]
    fn each_way_to_name_the_data_folder_ranks_above_the_next() {
        let mut variables = vec![
            HOME,
            ("XDG_DATA_HOME", "/xdg"),
            ("STATE_DIRECTORY", "/var/lib/cowhand:/var/lib/other"),
            ("COWHAND_DATA_DIR", "/variable"),
        ];

        assert_eq!(data_folder(Some("/argument"), &variables, Some("/setting")), Path::new("/argument"));
        assert_eq!(data_folder(None, &variables, Some("/setting")), Path::new("/variable"));
        variables.pop();
        assert_eq!(data_folder(None, &variables, Some("/setting")), Path::new("/setting"));
        assert_eq!(data_folder(None, &variables, None), Path::new("/var/lib/cowhand"));
        variables.pop();
        assert_eq!(data_folder(None, &variables, None), Path::new("/xdg/cowhand"));
        variables.pop();
        assert_eq!(data_folder(None, &variables, None), Path::new("/home/ada/.local/share/cowhand"));
    }

    #[test]
    fn without_a_home_the_failure_says_how_to_name_a_data_folder() {
        let failure = Paths::find(None, &Environment::default(), None).unwrap_err();

        assert_eq!(failure.exit, crate::exit::Exit::Data);
        assert!(failure.message.contains("HOME") && failure.message.contains("--data-dir"), "{failure}");
    }

    #[test]
    fn a_home_that_is_relative_is_told_from_one_that_is_not_set() {
        let failure = Paths::find(None, &Environment::from_iter([("HOME", "here")]), None).unwrap_err();

        assert!(failure.message.contains("as HOME is a relative path; name one by --data-dir"), "{failure}");
    }

    #[test]
    fn a_relative_xdg_folder_is_ignored() {
        assert_eq!(
            data_folder(None, &[HOME, ("XDG_DATA_HOME", "here")], None),
            Path::new("/home/ada/.local/share/cowhand")
        );
    }

    #[test]
    fn a_folder_of_settings_may_start_at_home() {
        assert_eq!(data_folder(None, &[HOME], Some("~/bot")), Path::new("/home/ada/bot"));
        assert_eq!(data_folder(None, &[], Some("~/bot")), Path::new("~/bot"));
    }

    #[test]
    fn a_named_configuration_replaces_the_usual_ones() {
        let environment = Environment::from_iter([HOME, ("COWHAND_CONFIG", "/variable.toml")]);

        let by_argument = ConfigPlaces::find(Some(Path::new("/argument.toml")), &environment);
        let by_variable = ConfigPlaces::find(None, &environment);

        assert_eq!(by_argument, ConfigPlaces::Named("/argument.toml".into()));
        assert_eq!(by_variable, ConfigPlaces::Named("/variable.toml".into()));
    }

    #[test]
    fn the_users_file_is_in_the_xdg_folder_else_below_home() {
        let user = |variables: &[(&str, &str)]| match ConfigPlaces::find(None, &variables.iter().copied().collect()) {
            ConfigPlaces::Usual { user, .. } => user,
            ConfigPlaces::Named(file) => Some(file),
        };

        assert_eq!(user(&[HOME, ("XDG_CONFIG_HOME", "/xdg")]), Some("/xdg/cowhand/cowhand.toml".into()));
        assert_eq!(user(&[HOME]), Some("/home/ada/.config/cowhand/cowhand.toml".into()));
        assert_eq!(user(&[]), None);
    }

    #[test]
    fn a_data_folder_is_made_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths { data: folder.path().join("a/b") };

        paths.create().unwrap();

        assert_eq!(paths.data().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_data_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let paths = Paths { data: folder.path().join("file/data") };

        let failure = paths.create().unwrap_err();

        assert_eq!(failure.exit, crate::exit::Exit::Data);
        assert!(failure.message.contains("file/data"), "{failure}");
    }
}
