//! Workspace files and the system prompt.
//!
//! # Layout
//!
//! - `workspace`: the files that tell the agent who it is, and their templates
//! - `prompt`: the system prompt
//! - `message`: what a model is told with a person's message
//!
//! # Never
//!
//! Decides what to say; calls a model.

mod message;
mod prompt;
mod workspace;

pub use message::prepare_message;
pub use prompt::{PromptInput, system_prompt};
pub use workspace::{WORKSPACE_FILES, WorkspaceFile, create_workspace, read_project, read_workspace};
