//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::help;

/// A chat-bot daemon: an AI agent that talks to you, reads and writes files and runs commands.
#[derive(Debug, Parser)]
#[command(name = "cowhand", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = help::MORE, after_long_help = help::overview(), disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Where settings and data are.
    #[command(flatten)]
    pub(crate) places: PlaceArgs,
    /// What is to be done.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where settings and data are; before or after the command.
#[derive(Debug, Default, Args)]
pub(crate) struct PlaceArgs {
    /// Read this configuration file in place of the usual ones [variable: COWHAND_CONFIG]
    #[arg(long, global = true, value_name = "FILE", display_order = 90)]
    pub(crate) config: Option<PathBuf>,
    /// Keep conversations in this folder [variable: COWHAND_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR", display_order = 91)]
    pub(crate) data_dir: Option<PathBuf>,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk to the agent in this terminal, or through a pipe
    #[command(after_help = help::MORE_ON_CHAT, after_long_help = help::chat())]
    Chat(ChatArgs),
    /// Write a configuration and a workspace, asking at most four questions
    #[command(long_about = help::INIT)]
    Init(InitArgs),
    /// Check or show the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Reserved for a later version
    #[command(hide = true)]
    Serve(LaterArgs),
    /// Reserved for a later version
    #[command(hide = true)]
    Pair(LaterArgs),
    /// Reserved for a later version
    #[command(hide = true)]
    Verify(LaterArgs),
    /// Reserved for a later version
    #[command(hide = true)]
    Debug(LaterArgs),
}

/// How to talk.
#[derive(Debug, Default, Args)]
pub(crate) struct ChatArgs {
    /// Ask this model; `demo` needs no key and no network [variable: COWHAND_MODEL]
    #[arg(long, value_name = "VENDOR/MODEL")]
    pub(crate) model: Option<String>,
    /// Let the agent work in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Go on with the conversation of this name [default: main]
    #[arg(long, value_name = "NAME", default_value = "main", hide_default_value = true)]
    pub(crate) conversation: String,
    /// Write events as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Say this, wait for the answer and end
    pub(crate) message: Option<String>,
}

/// How to set up.
#[derive(Debug, Default, Args)]
pub(crate) struct InitArgs {
    /// Ask nothing: take what each question offers, replace a configuration that is there (it is kept as .bak)
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// What to do with the settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say which files are read and everything that is wrong with them; exit 0 or 78
    Check,
    /// Print the settings in effect as TOML, each with the place it comes from; secrets are not shown
    Show,
}

/// Arguments of a command that is not there yet.
#[derive(Debug, Default, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LaterArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    fn help(line: &str) -> String {
        // However wide the terminal of whoever runs the test is.
        let command = Cli::command().term_width(100);
        command.try_get_matches_from(line.split(' ')).unwrap_err().to_string()
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn places_stand_before_or_after_the_command() {
        for line in ["cowhand --config a.toml --data-dir d chat hi", "cowhand chat hi --data-dir d --config a.toml"] {
            let cli = parse(line).unwrap();

            assert_eq!(cli.places.config, Some("a.toml".into()));
            assert_eq!(cli.places.data_dir, Some("d".into()));
        }
    }

    #[test]
    fn the_conversation_is_main_unless_it_is_named() {
        let Command::Chat(args) = parse("cowhand chat").unwrap().command else { panic!("not a chat") };

        assert_eq!(args.conversation, "main");
    }

    #[test]
    fn wrong_use_ends_with_2() {
        for line in ["cowhand", "cowhand chta", "cowhand chat --modle x", "cowhand chat one two", "cowhand config"] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn a_command_of_a_later_version_takes_any_arguments() {
        assert!(matches!(parse("cowhand verify --at-rest x").unwrap().command, Command::Verify(_)));
    }

    #[test]
    fn help_teaches_the_whole_command() {
        insta::assert_snapshot!("help", help("cowhand --help"));
    }

    #[test]
    fn help_on_chat_tells_what_scripts_may_rely_on() {
        insta::assert_snapshot!("help_chat", help("cowhand chat --help"));
    }

    #[test]
    fn help_on_init_says_what_is_asked_and_written() {
        insta::assert_snapshot!("help_init", help("cowhand init --help"));
    }

    #[test]
    fn the_version_names_the_program() {
        assert_eq!(help("cowhand --version"), format!("cowhand {}\n", env!("CARGO_PKG_VERSION")));
    }
}
