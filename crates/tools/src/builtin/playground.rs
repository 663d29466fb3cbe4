//! A folder to try tools in.

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use chat::{PersonRole, ToolResult};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::process::this_test_binary;
use crate::{Jobs, Registry, Settings, ToolContext, builtin_with};

/// A folder to try tools in.
pub(super) struct Playground {
    folder: TempDir,
    pub(super) settings: Settings,
    pub(super) cancelled: CancellationToken,
    jobs: Jobs,
    pub(super) role: PersonRole,
    tools: OnceCell<Registry>,
}

impl Playground {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            settings: Settings { runner: this_test_binary(), ..Settings::default() },
            cancelled: CancellationToken::new(),
            jobs: Jobs::new(&Settings::default()),
            role: PersonRole::Owner,
            tools: OnceCell::new(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file there, with the folders above it.
    pub(super) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Calls a tool, as a model would.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.call_with(tool, arguments, |_| ()).await
    }

    /// Calls a tool and takes what it tells meanwhile.
    pub(super) async fn call_with(
        &self,
        tool: &str,
        arguments: Value,
        progress: impl Fn(String) + Send + Sync + 'static,
    ) -> ToolResult {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let context = ToolContext {
            cancelled: self.cancelled.clone(),
            progress: Arc::new(progress),
            role: self.role,
            ..ToolContext::in_folder(self.folder.path())
        };
        // Made with the first call: the settings can be changed before, and what tools remember is kept afterwards.
        let registry = self.tools.get_or_init(|| Registry::new(builtin_with(&self.settings, &self.jobs)));
        let tool = Arc::clone(registry.get(tool).unwrap());
        tokio::spawn(async move { tool.run(arguments, context).await }).await.unwrap()
    }

    /// Calls a tool that succeeds.
    pub(super) async fn ok(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert!(!result.is_error, "{}", result.content);
        result.content
    }

    /// Calls a tool that fails.
    pub(super) async fn error(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert!(result.is_error, "{}", result.content);
        result.content
    }
}
