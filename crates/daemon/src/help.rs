//! The long texts of `--help`. What they say of scripts is kept stable.

use chat::command::{COMMANDS, RESERVED};
use llm::VENDORS;

use crate::exit::Exit;

/// Where a short help leads.
pub(crate) const MORE: &str = "`cowhand --help` tells more: examples, exit codes, JSON events, variables.";

/// Where the short help of a chat leads.
pub(crate) const MORE_ON_CHAT: &str = "`cowhand chat --help` tells more: pipes, commands, JSON events.";

/// About `cowhand debug`.
pub(crate) const DEBUG: &str = "\
Show what Cowhand makes of captured input, for bug reports. Each command reads a file, or standard
input, and prints JSON. Exit codes: 0; 1 when a turn that is run again differs from its record; 2 for
input that cannot be read.";

/// About `cowhand debug repair`.
pub(crate) const DEBUG_REPAIR: &str = "\
Repairs a history: an array of {role, content}, with the role user or assistant. Content is a text, or
an array of blocks: {type:\"text\",text}, {type:\"thinking\",thinking}, {type:\"image\",media_type,data},
{type:\"tool_use\",id,name,input}, {type:\"tool_result\",tool_use_id,content,is_error}.
A text block with hidden:true is for the model alone; repairs that add a text mark it so. A valid history comes back as it went in.";

/// About `cowhand verify`.
pub(crate) const VERIFY: &str = "\
Recount the ledger by statements of its own: every message that was accepted is open or has exactly one end with its
reason, every tool call in a history has its result, nothing is lost in between. It changes nothing and may run beside
the bot. Exit codes: 0; 1 when something is wrong; 3 when the ledger cannot be read.";

/// What `init` does.
pub(crate) const INIT: &str = "\
Write a configuration and a workspace, asking at most four questions.

It asks for the vendor, the key (or the variable that holds it), the model and the bot's language. Enter takes what \
stands in brackets, and answers may come through a pipe, one per line. A key that is typed is not shown; it goes into \
a file of its own that only you can read. The key is checked with one call; whatever comes of it, your answers are saved.

The configuration goes to the file of --config, else to $XDG_CONFIG_HOME/cowhand/cowhand.toml (~/.config/cowhand). One \
that is there is replaced only when you say so, and kept as .bak.";

/// What `serve` does.
pub(crate) const SERVE: &str = "\
Run the bot in every chat service that is configured, until it is told to end.

A service is configured by its token: TELEGRAM_BOT_TOKEN, or `token` in [telegram]. While a service has no owner, a code is \
shown here: who sends it to the bot in private is the owner. Everybody else is a stranger, who is given a code for `cowhand \
pair`, and whom the owner is asked about. The agent works in the data folder's workspace. Ctrl-C or SIGTERM end it in order, \
with 0; what is open then is taken up at the next start.";

/// What `pair` does.
pub(crate) const PAIR: &str = "\
Let in the person who was given this code by the bot. It talks to the bot that `serve` runs with the same data folder.";
/// What `doctor` does.
pub(crate) const DOCTOR: &str = "\
Say whether everything is in order, and what to do where it is not.

It looks at the settings, the data folder and the ledger in it, room on the disk, the clock, the model's server (its list of \
models is asked for, which costs nothing), and what of the sandbox for commands is in force. Each line is ok, a warning or a \
problem, with one thing that mends it. Exit codes: 0 without a problem, else 1.

--json writes {ok, checks}; each check is {name, state, text, fix}, where state is ok, warning or problem, and fix may be null.";

const EXAMPLES: &str = "\
Examples:
  cowhand chat                                talk; without key or local server, to a demo model
  cowhand init                                set up a key, a model and the workspace
  cowhand chat 'what is in this folder?'      one question, one answer
  cowhand chat --model demo 'list the files'  no key, no network
  git diff | cowhand chat --json              each line is a message; events as JSON
  TELEGRAM_BOT_TOKEN=… cowhand serve          a bot in Telegram; shows how to become its owner
  cowhand history search plum                 who said what about plums
  cowhand config show                         every setting and where it comes from

  cowhand doctor                              whether everything is in order";

const VARIABLES: &str = "\
Variables (empty ones count as not set):
  COWHAND_CONFIG, COWHAND_DATA_DIR   as --config and --data-dir, which count more
  COWHAND_MODEL                      as --model, which counts more
  COWHAND__SECTION__KEY              any setting: COWHAND__LIMITS__MAX_STEPS=30
  LC_ALL, LC_MESSAGES, LANG          the bot's language, where the setting `language` is \"auto\"
  TELEGRAM_BOT_TOKEN                 the token of the bot in Telegram, for `serve`
  HTTPS_PROXY, NO_PROXY              a proxy towards model servers
  NO_COLOR                           any value: no colours";

const SETTINGS: &str = "\
Settings, each place counting more than the one before:
  the defaults
  /etc/cowhand/cowhand.toml
  $XDG_CONFIG_HOME/cowhand/cowhand.toml, else ~/.config/cowhand/cowhand.toml
  COWHAND__SECTION__KEY
  arguments
--config replaces both files. `cowhand config show` prints what is in effect.

The data folder is the first of these that is given:
  --data-dir, COWHAND_DATA_DIR, the setting data.folder, $STATE_DIRECTORY,
  $XDG_DATA_HOME/cowhand, ~/.local/share/cowhand";

const PIPE: &str = "\
In a pipe every line is one message, and one is answered after the other; at most 20 lines are read ahead, while /stop, \
/steer and /status act when they are read. At the end of input the last turn finishes. With MESSAGE it is one turn. A \
failed turn's text names the cause, and the pipe goes on.";

const JSON_EVENTS: &str = "\
--json writes one object per line and nothing else to stdout. Each has `type`, and `turn` (from 1; absent in notices \
outside a turn). Readers are to ignore types and fields that they do not know.
  turn_started {message}
  step_started {step}
  text_delta {step, text}
  reasoning_delta {step, text}
  text_reset {step}                       what this step has said so far is void
  tool_started {id, name, arguments}      an object; null if refused
  tool_progress {id, text}
  tool_finished {id, name, is_error, ms}
  notice {text}                           also what commands answer
  turn_finished {outcome, text, steps, usage, error}
      outcome: answered, stopped, failed or silent
      usage: {input, cached, output} or null
      error: {class, message} or null
The text_delta of the last step, after its last text_reset, join to the text of turn_finished. What goes wrong at the \
start is told on stderr, with the exit code.";

const SCRIPTS: &str = "\
Scripts may rely on all of this help, and on this form:
  cowhand [--config FILE] [--data-dir DIR] chat [--model VENDOR/MODEL] [--workspace DIR]
          [--conversation NAME] [--json] [MESSAGE]";

/// What follows the list of commands and options.
pub(crate) fn overview() -> String {
    let later = format!("Reserved for later versions: in a chat {}.", reserved());
    [EXAMPLES, &exit_codes(), SETTINGS, VARIABLES, &keys(), SCRIPTS, PIPE, JSON_EVENTS, &later].join("\n\n")
}

/// What follows the options of a chat.
pub(crate) fn chat() -> String {
    let keys = "At a terminal Ctrl-C stops the turn that runs; pressed twice it ends the chat.";
    [&slash_commands(), keys, PIPE, JSON_EVENTS, &exit_codes()].join("\n\n")
}

/// The variables of vendors.
fn keys() -> String {
    let with_model = VENDORS.iter().filter(|vendor| vendor.default_model().is_some());
    let names = |vendor: &llm::Vendor| vendor.keys.iter().map(|key| key.name).collect::<Vec<_>>().join(" or ");
    let keys: Vec<String> = with_model.map(names).collect();
    let servers: Vec<&str> = VENDORS.iter().filter_map(|vendor| vendor.base_url_variables.first().copied()).collect();
    format!(
        "Where no model is named, the first of these keys that is set decides on the vendor: {}. Without any, a server on \
         this machine is looked for, else the demo model answers.\n\nThese name another server for a vendor (OpenAI's with its \
         /v1): {}.",
        keys.join(", "),
        servers.join(", ")
    )
}

fn exit_codes() -> String {
    let lines = Exit::ALL.map(|exit| format!("  {:<4} {}", exit as u8, exit.meaning()));
    format!("Exit codes:\n{}", lines.join("\n"))
}

fn slash_commands() -> String {
    let lines = COMMANDS.map(|(name, rest, about)| format!("  {:<12} {about}", format!("/{name}{rest}")));
    format!("Commands in a chat:\n{}\n  {} are reserved for later versions", lines.join("\n"), reserved())
}

fn reserved() -> String {
    RESERVED.map(|name| format!("/{name}")).join(" and ")
}
