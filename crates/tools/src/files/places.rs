//! Where the tools for files may go: by the role of the person that a call is made for.
//!
//! The owner reads everything but what is hidden, and writes in the working folder, the workspace and the extra folders. A trusted
//! person reads and writes in the working folder and the extra folders alone. A guest does neither.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use chat::PersonRole;
use rustix::fs::FileType;

use super::failed;
use super::real_path::real_path;
use super::spot::Spot;
use super::way::{Astray, Identity, Way};
use crate::protected::Hidden;
use crate::{Protected, Settings, ToolContext};

/// Where the tools for files may go.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    protected: Protected,
    /// The agent's own folder: what is in it makes the agent what it is, so only the owner writes there.
    workspace: Option<PathBuf>,
    /// What may be used beside the working folder.
    extra_folders: Arc<[PathBuf]>,
}

/// What a tool is about to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intent {
    Read,
    Write,
}

impl Places {
    pub(crate) fn new(settings: &Settings) -> Self {
        let extra_folders = settings.extra_folders.iter().map(|folder| at_home(folder)).collect();
        Self { protected: settings.protected.clone(), workspace: settings.workspace.clone(), extra_folders }
    }

    /// The file or folder that a path leads to, where it may be read.
    pub(crate) fn to_read(&self, path: &str, context: &ToolContext) -> Result<Spot, String> {
        self.find(path, context, Intent::Read).map(|(spot, _)| spot)
    }

    /// The same, with what is hidden below it.
    pub(crate) fn to_search(&self, path: &str, context: &ToolContext) -> Result<(Spot, Hidden), String> {
        self.find(path, context, Intent::Read)
    }

    /// The file that a path leads to, where it may be written.
    pub(crate) fn to_write(&self, path: &str, context: &ToolContext) -> Result<Spot, String> {
        self.find(path, context, Intent::Write).map(|(spot, _)| spot)
    }

    fn find(&self, path: &str, context: &ToolContext, intent: Intent) -> Result<(Spot, Hidden), String> {
        let hidden = self.protected.look();
        let (way, astray) = match Way::go(&absolute(path, context)?) {
            Ok(way) => (way, None),
            Err((Some(way), astray)) => (way, Some(astray)),
            Err((None, Astray::Failed(error))) => return Err(failed("find", path, &error)),
            Err((None, Astray::Secret)) => return Err(secret(path)),
        };
        // What may not be read is not told apart from what does not exist.
        self.check_role(path, &way, context, intent)?;
        match astray {
            Some(Astray::Secret) => return Err(secret(path)),
            Some(Astray::Failed(error)) => return Err(failed("find", path, &error)),
            None if is_hidden(&way, &hidden) => return Err(secret(path)),
            None => {}
        }
        Ok((Spot::new(way), hidden))
    }

    fn check_role(&self, path: &str, way: &Way, context: &ToolContext, intent: Intent) -> Result<(), String> {
        let workspace = match (context.role, intent) {
            (PersonRole::Owner, Intent::Read) => return Ok(()),
            (PersonRole::Owner, Intent::Write) => self.workspace.as_ref(),
            (PersonRole::Trusted, _) => None,
            (PersonRole::Guest | PersonRole::Stranger, _) => return Err("guests have no files here".to_owned()),
        };
        let open = || std::iter::once(&context.folder).chain(workspace).chain(self.extra_folders.iter());
        if open().any(|folder| is_inside(way, folder)) {
            return Ok(());
        }
        let folders: Vec<String> = open().map(|folder| format!("`{}`", folder.display())).collect();
        let verb = if intent == Intent::Write { "written" } else { "read" };
        let folders = folders.join(", ");
        Err(format!(
            "`{path}` may not be {verb}: it is outside of {folders} (the setting tools.extra_folders adds others)"
        ))
    }
}

fn is_hidden(way: &Way, hidden: &Hidden) -> bool {
    hidden.covers(&way.real(), way.identities())
        || (way.missing.is_empty() && way.last().is(FileType::RegularFile) && hidden.hides_file(&way.last().found))
}

/// Whether a way leads into a folder, or would once that is made.
fn is_inside(way: &Way, folder: &Path) -> bool {
    match identity_of(folder) {
        Some(folder) => way.identities().any(|stop| stop == folder),
        None => real_path(folder).is_ok_and(|folder| !folder.exists() && way.real().starts_with(folder)),
    }
}

fn identity_of(folder: &Path) -> Option<Identity> {
    fs::metadata(folder).ok().filter(fs::Metadata::is_dir).map(|found| (found.dev(), found.ino()))
}

/// The path of a call: from the folder of the call, or from home where it begins with `~/`.
fn absolute(path: &str, context: &ToolContext) -> Result<PathBuf, String> {
    if path.is_empty() {
        return Err("`path` is empty".to_owned());
    }
    if path.contains('\0') {
        return Err("`path` contains a NUL character".to_owned());
    }
    let wanted = at_home(Path::new(path));
    if wanted.is_relative() && !context.folder.is_dir() {
        return Err(format!("the working folder `{}` does not exist", context.folder.display()));
    }
    let joined = context.folder.join(wanted);
    std::path::absolute(&joined).map_err(|error| failed("find", path, &error))
}

fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::home_dir()) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_path_buf(),
    }
}

fn secret(path: &str) -> String {
    format!("`{path}` holds secrets; no tool may touch it")
}
