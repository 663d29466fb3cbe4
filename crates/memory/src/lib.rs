//! Workspace files and the system prompt.
