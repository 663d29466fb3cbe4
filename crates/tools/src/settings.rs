//! What of the tools can be set.

use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::policy::Rule;
use crate::{Protected, RunnerProgram, sandbox};

/// What of the built-in tools can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How long a command may run where the model does not say, in seconds.
    pub bash_timeout_s: NonZeroU64,
    /// The longest that a model may let a command run, in seconds.
    pub bash_longest_timeout_s: NonZeroU64,
    /// The longest that a command may run in the background, in seconds.
    pub job_timeout_s: NonZeroU64,
    /// How many commands of one conversation may run in the background at once.
    pub jobs_running: NonZeroU64,
    /// How many commands in the background a conversation can look back at.
    pub jobs_kept: NonZeroU64,
    /// How much of what a command in the background writes is kept until it is looked at, in KiB.
    pub job_output_kib: NonZeroU64,
    /// The shell of commands; without one it is `bash`, or `sh` where there is none.
    pub shell: Option<PathBuf>,
    /// Names of environment variables that commands get beside the usual harmless ones. Keep secrets out: whoever can run a command can read them.
    pub pass_environment: Vec<String>,
    /// Folders beside the working folder in which tools and commands may write, and trusted people read. `~/` stands for the home folder.
    pub extra_folders: Vec<PathBuf>,
    /// The largest file that may be sent to a chat, in MiB.
    pub send_mib: NonZeroU64,
    /// The agent's own folder, which the tools for files may write too. Whoever wires the process up knows.
    #[serde(skip)]
    pub workspace: Option<PathBuf>,
    /// Where copies of files go that are sent to a chat. Without it none can be. Whoever wires the process up knows.
    #[serde(skip)]
    pub blobs: Option<PathBuf>,
    /// Whether commands are confined. Those of anybody but the owner always are.
    pub sandbox: sandbox::Mode,
    /// Whether commands of anybody but the owner may use the network.
    pub sandbox_network: bool,
    /// Who may call which tool, above what holds by role; the first that fits decides.
    pub rules: Vec<Rule>,
    /// Where things are that commands are kept from. Whoever wires the process up knows; it is not for a settings file.
    #[serde(skip)]
    pub places: sandbox::Places,
    /// What the tools for files refuse to touch. Whoever wires the process up knows; it is not for a settings file.
    #[serde(skip)]
    pub protected: Protected,
    /// What commands run under. It is this very program; tests say otherwise.
    #[serde(skip)]
    pub runner: RunnerProgram,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bash_timeout_s: at_least_one(120),
            bash_longest_timeout_s: at_least_one(600),
            job_timeout_s: at_least_one(3600),
            jobs_running: at_least_one(8),
            jobs_kept: at_least_one(20),
            job_output_kib: at_least_one(256),
            shell: None,
            pass_environment: Vec::new(),
            extra_folders: Vec::new(),
            send_mib: at_least_one(50),
            workspace: None,
            blobs: None,
            sandbox: sandbox::Mode::On,
            sandbox_network: false,
            rules: Vec::new(),
            places: sandbox::Places::default(),
            protected: Protected::default(),
            runner: RunnerProgram::default(),
        }
    }
}

fn at_least_one(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_written_keeps_its_default() {
        let settings: Settings = serde_json::from_value(json!({"bash_timeout_s": 5})).unwrap();

        assert_eq!(settings, Settings { bash_timeout_s: at_least_one(5), ..Settings::default() });
    }

    #[test]
    fn an_unknown_key_and_a_timeout_of_nothing_are_refused() {
        for wrong in
            [json!({"bash_timeout": 5}), json!({"protected": []}), json!({"blobs": "x"}), json!({"bash_timeout_s": 0})]
        {
            assert!(serde_json::from_value::<Settings>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
