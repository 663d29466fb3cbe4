//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, Parser, Subcommand};

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

impl Cli {
    /// Reads a command line. Commands that are reserved for later versions are not offered where one is missing or misspelt.
    pub(crate) fn read(line: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(line).map_err(|mut error| {
            for kind in [ContextKind::ValidSubcommand, ContextKind::SuggestedSubcommand] {
                if let Some(ContextValue::Strings(names)) = error.get(kind) {
                    let names: Vec<String> = names.iter().filter(|name| is_there(name)).cloned().collect();
                    error.remove(kind);
                    if !names.is_empty() {
                        error.insert(kind, ContextValue::Strings(names));
                    }
                }
            }
            error
        })
    }
}

fn is_there(command: &str) -> bool {
    Cli::command().find_subcommand(command).is_none_or(|command| !command.is_hide_set())
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
    /// Say whether everything is in order, and what to do where it is not
    #[command(long_about = help::DOCTOR)]
    Doctor(DoctorArgs),
    /// Put a plan of the sandbox in force and tell what came of it
    #[command(hide = true)]
    SandboxTrial(SandboxTrialArgs),
    /// Run the bot in every chat service that is configured, until it is told to end
    #[command(long_about = help::SERVE)]
    Serve(ServeArgs),
    /// Say how the bot that `serve` runs is doing
    Status(StatusArgs),
    /// Let in the person who was given this code by the bot
    #[command(long_about = help::PAIR)]
    Pair(PairArgs),
    /// End what runs in a conversation, by the key that `status` shows
    Stop(StopArgs),
    /// Let the running bot read again who may talk to it; all other settings need a new start
    Reload,
    /// Look up, search and export what was said; also while the bot runs
    #[command(name = "history", subcommand)]
    Recall(HistoryCommand),
    /// Recount the ledger: every message has one end, every call its result
    #[command(long_about = help::VERIFY)]
    Verify(VerifyArgs),
    /// Show what is made of captured input, for bug reports: prints JSON
    #[command(subcommand, long_about = help::DEBUG)]
    Debug(DebugCommand),
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

/// How to run in chat services.
#[derive(Debug, Default, Args)]
pub(crate) struct ServeArgs {
    /// Ask this model; `demo` needs no key and no network [variable: COWHAND_MODEL]
    #[arg(long, value_name = "VENDOR/MODEL")]
    pub(crate) model: Option<String>,
    /// Let the agent work in this folder [default: the data folder's workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
}

/// How to tell.
#[derive(Debug, Default, Args)]
pub(crate) struct StatusArgs {
    /// Write it as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who is let in.
#[derive(Debug, Args)]
pub(crate) struct PairArgs {
    /// The code that the bot gave them
    pub(crate) code: String,
    /// What they may do
    #[arg(long = "as", value_name = "ROLE", default_value = "guest")]
    pub(crate) role: Role,
}

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// Talk, without any tool that reads or writes this machine
    Guest,
    /// Everything but a shell
    Trusted,
    /// Everything, and decide on others
    Owner,
}

/// What is to end.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// The conversation's key
    pub(crate) conversation: String,
}

/// How to set up.
#[derive(Debug, Default, Args)]
pub(crate) struct InitArgs {
    /// Ask nothing: take what each question offers, replace a configuration that is there (it is kept as .bak)
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// How to report.
#[derive(Debug, Default, Args)]
pub(crate) struct DoctorArgs {
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to try.
#[derive(Debug, Args)]
pub(crate) struct SandboxTrialArgs {
    /// The plan, as JSON
    pub(crate) plan: String,
}

/// What to do with the settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say which files are read and everything that is wrong with them; exit 0 or 78
    Check,
    /// Print the settings in effect as TOML, each with the place it comes from; secrets are not shown
    Show,
}

/// What to look up.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// All conversations, the one that was active last first
    List(HistoryListArgs),
    /// What was said in a conversation
    Show(HistoryShowArgs),
    /// The messages that hold a text, in all conversations, newest first
    Search(HistorySearchArgs),
    /// A whole conversation on standard output
    Export(HistoryExportArgs),
}

/// How to list.
#[derive(Debug, Default, Args)]
pub(crate) struct HistoryListArgs {
    /// One JSON object per line: name, key, last_active, turns, messages
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to show.
#[derive(Debug, Default, Args)]
pub(crate) struct HistoryShowArgs {
    /// The conversation, as `--conversation` names it, or a whole key as `history list --json` prints it
    #[arg(default_value = "main")]
    pub(crate) name: String,
    /// Also what people do not see in a chat: thinking, hidden notes, calls of tools and their results
    #[arg(long)]
    pub(crate) all: bool,
    /// One JSON object per line: seq, turn, at, role, blocks
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to search.
#[derive(Debug, Default, Args)]
pub(crate) struct HistorySearchArgs {
    /// The text; the case of A to Z does not matter
    pub(crate) text: String,
    /// At most so many messages
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) most: u32,
    /// One JSON object per line: name, key, seq, turn, at, role, text
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct HistoryExportArgs {
    /// The conversation, as `--conversation` names it, or a whole key as `history list --json` prints it
    #[arg(default_value = "main")]
    pub(crate) name: String,
    /// The form
    #[arg(long, default_value = "markdown")]
    pub(crate) format: ExportFormat,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object per message, with all of its blocks
    Jsonl,
    /// What people see
    Markdown,
}

/// What to recount.
#[derive(Debug, Default, Args)]
pub(crate) struct VerifyArgs {
    /// Nobody works on it: what is open without a time at which it goes on is wrong too
    #[arg(long)]
    pub(crate) at_rest: bool,
    /// Print one JSON object: inbox, others, findings
    #[arg(long)]
    pub(crate) json: bool,
    /// A ledger's file, a copy for example; the one in the data folder without it
    pub(crate) file: Option<PathBuf>,
}

/// What to look at. Each reads a file, or standard input.
#[derive(Debug, Subcommand)]
pub(crate) enum DebugCommand {
    /// A captured answer of a model: text, reasoning, calls, finish, error
    Reply(DebugReplyArgs),
    /// The text of a call's arguments: {"ok": …} or {"refuse": "truncated" or "invalid"}
    Args(DebugArgsArgs),
    /// A history, an array of {role, content}: the repaired one
    #[command(long_about = help::DEBUG_REPAIR)]
    Repair(DebugFileArgs),
    /// A history: the body that would be sent for it
    Request(DebugRequestArgs),
    /// A recorded turn, run again: {steps, differs_at}; exit 1 where it differs
    Turn(DebugTurnArgs),
}

/// The input of a command that takes nothing else.
#[derive(Debug, Default, Args)]
pub(crate) struct DebugFileArgs {
    /// The file; standard input without one
    pub(crate) file: Option<PathBuf>,
}

/// A captured answer.
#[derive(Debug, Args)]
pub(crate) struct DebugReplyArgs {
    /// The wire format
    #[arg(long)]
    pub(crate) format: WireFormat,
    /// The HTTP status that came with it
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) status: u16,
    /// A tool that was offered; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Vec<String>,
    /// A header that came with it, as 'NAME: VALUE'; may be given several times
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// The file; standard input without one
    pub(crate) file: Option<PathBuf>,
}

/// A text of arguments.
#[derive(Debug, Args)]
pub(crate) struct DebugArgsArgs {
    /// Why the reply ended, as the server said it (stop, tool_calls, length …); `none` where it never said
    #[arg(long, value_name = "REASON")]
    pub(crate) finish: Option<String>,
    /// The file; standard input without one
    pub(crate) file: Option<PathBuf>,
}

/// A history to send.
#[derive(Debug, Args)]
pub(crate) struct DebugRequestArgs {
    /// The wire format
    #[arg(long)]
    pub(crate) format: WireFormat,
    /// The vendor, whose departures from the format are known
    #[arg(long)]
    pub(crate) vendor: Option<String>,
    /// The model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// A file with the tools that are offered: an array of {name, description, parameters}
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// The system prompt
    #[arg(long, default_value = "")]
    pub(crate) system: String,
    /// The file; standard input without one
    pub(crate) file: Option<PathBuf>,
}

/// A recorded turn.
#[derive(Debug, Default, Args)]
pub(crate) struct DebugTurnArgs {
    /// Write this turn of the ledger in place of running one again
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    pub(crate) export: Option<i64>,
    /// The file; standard input without one
    pub(crate) file: Option<PathBuf>,
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum WireFormat {
    /// OpenAI's chat completions
    Openai,
    /// Anthropic's messages
    Anthropic,
    /// Gemini's streamGenerateContent
    Gemini,
}

impl WireFormat {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        llm::Format::from(self).name()
    }
}

impl From<WireFormat> for llm::Format {
    fn from(format: WireFormat) -> Self {
        match format {
            WireFormat::Openai => Self::OpenAi,
            WireFormat::Anthropic => Self::Anthropic,
            WireFormat::Gemini => Self::Gemini,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::read(line.split(' ').map(OsString::from))
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
    fn help_on_doctor_says_what_is_looked_at() {
        insta::assert_snapshot!("help_doctor", help("cowhand doctor --help"));
    }

    #[test]
    fn the_version_names_the_program() {
        assert_eq!(help("cowhand --version"), format!("cowhand {}\n", env!("CARGO_PKG_VERSION")));
    }
}
