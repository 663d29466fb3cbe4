//! `cowhand chat`.

use std::process::ExitCode;

use tracing::debug;

use super::ChatStart;
use crate::cli::ChatArgs;
use crate::exit::Exit;

/// Talks until the input or the person ends it.
pub(crate) fn run(args: &ChatArgs, start: ChatStart) -> ExitCode {
    let ChatStart { settings, off, paths, folder, language, interactive } = start;
    let (workspace, history) = (paths.workspace(), paths.terminal_history());
    debug!(?args.model, args.conversation, ?settings, ?off, ?workspace, ?history, ?folder, ?language, interactive, "a chat starts");
    Exit::Done.into()
}
