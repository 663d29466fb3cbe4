//! What a person types with a slash in front.

use serde::{Deserialize, Serialize};

/// A command to the bot itself. Models never see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// Ends the turn that runs.
    Stop,
    /// Gives the turn that runs a new direction.
    Steer(String),
    /// Tells what is going on.
    Status,
    /// Lists the commands.
    Help,
    /// Lists the tools.
    Tools,
    /// Tells how full the context is.
    Context,
    /// Tells the version.
    Version,
    /// Starts over with an empty history.
    New,
    /// Replaces all but the last turns by a digest.
    Compact,
}

/// What a text with a slash in front was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// A command.
    Command(Command),
    /// A name that is not a command; `nearest` is one that differs in a letter or two.
    Unknown {
        /// The name as typed, without the slash.
        name: String,
        /// What was perhaps meant.
        nearest: Option<&'static str>,
    },
    /// A command that comes with a later version.
    Reserved(&'static str),
    /// No command: ordinary text, a path such as `/etc/hosts` among it.
    Text,
}

/// Every command's name, with what follows it and a line about it in English, in the order in which help lists them.
pub const COMMANDS: [(&str, &str, &str); 9] = [
    ("stop", "", "end the turn that runs"),
    ("steer", " TEXT", "give the turn that runs a new direction"),
    ("status", "", "what is going on"),
    ("new", "", "start over with an empty history"),
    ("compact", "", "replace all but the last turns by a short digest"),
    ("tools", "", "the tools the agent has here"),
    ("context", "", "how full the context is"),
    ("version", "", "the version"),
    ("help", "", "this list"),
];

/// Names that a later version gives a meaning to.
pub const RESERVED: [&str; 1] = ["model"];

impl Command {
    /// Reads a message's text. Only a slash and a single word of letters is taken for a command, so that a path is ordinary text;
    /// so is a word that is far from every command.
    #[must_use]
    pub fn parse(text: &str) -> Parsed {
        let Some(body) = text.trim().strip_prefix('/') else { return Parsed::Text };
        let (name, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Parsed::Text;
        }
        let name = name.to_ascii_lowercase();
        let rest = rest.trim();
        let command = match name.as_str() {
            "stop" => Self::Stop,
            "steer" => Self::Steer(rest.to_owned()),
            "status" => Self::Status,
            "help" => Self::Help,
            "tools" => Self::Tools,
            "context" => Self::Context,
            "version" => Self::Version,
            "new" => Self::New,
            "compact" => Self::Compact,
            _ => return Self::not_a_command(name),
        };
        Parsed::Command(command)
    }

    fn not_a_command(name: String) -> Parsed {
        if let Some(reserved) = RESERVED.into_iter().find(|reserved| *reserved == name) {
            return Parsed::Reserved(reserved);
        }
        let nearest = COMMANDS.iter().map(|(command, ..)| *command).find(|command| is_one_edit_apart(command, &name));
        if nearest.is_some() { Parsed::Unknown { name, nearest } } else { Parsed::Text }
    }
}

/// Whether one letter more, less, changed, or swapped with its neighbour makes `left` into `right`.
fn is_one_edit_apart(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let end = left[start..].iter().rev().zip(right[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[start..left.len() - end], &right[start..right.len() - end]);
    match (left, right) {
        ([a, b], [c, d]) => a == d && b == c,
        _ => left.len() <= 1 && right.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_with_what_follows_it() {
        assert_eq!(Command::parse("/STOP"), Parsed::Command(Command::Stop));
        assert_eq!(Command::parse("/steer  be brief "), Parsed::Command(Command::Steer("be brief".into())));
    }

    #[test]
    fn a_path_is_ordinary_text() {
        assert_eq!(Command::parse("/etc/hosts what is it?"), Parsed::Text);
        assert_eq!(Command::parse("/"), Parsed::Text);
        assert_eq!(Command::parse("/srv"), Parsed::Text);
    }

    #[test]
    fn a_near_miss_is_told_and_not_sent_to_a_model() {
        for typo in ["stpo", "stopp", "sto", "xtop"] {
            let parsed = Command::parse(&format!("/{typo}"));
            assert_eq!(parsed, Parsed::Unknown { name: typo.into(), nearest: Some("stop") });
        }
    }

    #[test]
    fn a_name_of_a_later_version_is_reserved() {
        assert_eq!(Command::parse("/model"), Parsed::Reserved("model"));
    }
}
