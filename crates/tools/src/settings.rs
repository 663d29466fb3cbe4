//! What of the tools can be set.

use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::policy::Rule;
use crate::{Protected, sandbox};

/// What of the built-in tools can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How long a command may run where the model does not say, in seconds.
    pub bash_timeout_s: NonZeroU64,
    /// The longest that a model may let a command run, in seconds.
    pub bash_longest_timeout_s: NonZeroU64,
    /// The shell of commands; without one it is `bash`, or `sh` where there is none.
    pub shell: Option<PathBuf>,
    /// Names of environment variables that commands get beside the usual harmless ones. Keep secrets out: whoever can run a command can read them.
    pub pass_environment: Vec<String>,
    /// Folders, beside the working folder, that commands may change; what is named here is never hidden from them.
    pub folders: Vec<PathBuf>,
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
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bash_timeout_s: seconds(120),
            bash_longest_timeout_s: seconds(600),
            shell: None,
            pass_environment: Vec::new(),
            folders: Vec::new(),
            sandbox: sandbox::Mode::On,
            sandbox_network: false,
            rules: Vec::new(),
            places: sandbox::Places::default(),
            protected: Protected::default(),
        }
    }
}

fn seconds(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_written_keeps_its_default() {
        let settings: Settings = serde_json::from_value(json!({"bash_timeout_s": 5})).unwrap();

        assert_eq!(settings, Settings { bash_timeout_s: seconds(5), ..Settings::default() });
    }

    #[test]
    fn an_unknown_key_and_a_timeout_of_nothing_are_refused() {
        for wrong in [json!({"bash_timeout": 5}), json!({"protected": []}), json!({"bash_timeout_s": 0})] {
            assert!(serde_json::from_value::<Settings>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
