//! The files below a folder that may be searched.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder};

use crate::files::{Spot, open_below};
use crate::protected::Hidden;

/// Folders that are seldom meant: what version control keeps, and what package managers bring.
const SELDOM_MEANT: [&str; 8] = [".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", ".tox"];

/// Files that name what is ignored.
const NAMING_IGNORED: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];

/// Trees of the system that hold no files of anybody.
const OF_THE_SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The files below a folder, or a single one.
pub(super) struct Below {
    /// What the model called it.
    called: PathBuf,
    real: PathBuf,
    is_folder: bool,
    /// The folder, held open; of a single file the one it is in.
    folder: OwnedFd,
    hidden: Arc<Hidden>,
    glob: Option<GlobMatcher>,
    no_ignore: bool,
    has_skipped: Arc<AtomicBool>,
}

impl Below {
    pub(super) fn new(
        path: &str,
        spot: &Spot,
        hidden: Hidden,
        glob: Option<&str>,
        no_ignore: bool,
    ) -> Result<Self, String> {
        if !spot.is_folder() {
            spot.must_be_plain(path)?;
        }
        Ok(Self {
            called: PathBuf::from(path),
            real: spot.real(),
            is_folder: spot.is_folder(),
            folder: spot.hold_folder(path)?,
            hidden: Arc::new(hidden),
            glob: glob.map(|glob| glob_of("glob", glob, false)).transpose()?,
            no_ignore,
            has_skipped: Arc::default(),
        })
    }

    /// The files and folders below, in the order of their paths; links are not followed, and what is hidden is left out.
    pub(super) fn walk(&self) -> impl Iterator<Item = DirEntry> {
        let (hidden, has_skipped, no_ignore) =
            (Arc::clone(&self.hidden), Arc::clone(&self.has_skipped), self.no_ignore);
        let mut builder = WalkBuilder::new(&self.real);
        builder.standard_filters(!no_ignore).hidden(false).require_git(false).follow_links(false);
        builder.sort_by_file_name(OsStr::cmp);
        builder.filter_entry(move |entry| entry.depth() == 0 || is_meant(entry, &hidden, &has_skipped, no_ignore));
        let is_inside = |entry: &DirEntry| !self.is_folder || entry.depth() > 0;
        builder.build().filter_map(Result::ok).filter(move |entry| is_inside(entry) && self.fits_glob(entry))
    }

    fn fits_glob(&self, entry: &DirEntry) -> bool {
        self.glob.as_ref().is_none_or(|glob| matches(glob, self.inside(entry.path())))
    }

    /// The path below the folder.
    pub(super) fn inside<'a>(&self, path: &'a Path) -> &'a Path {
        let inside = path.strip_prefix(&self.real).unwrap_or(path);
        if inside.as_os_str().is_empty() { path.file_name().map_or(path, Path::new) } else { inside }
    }

    /// The path as a model can use it in its next call.
    pub(super) fn called(&self, path: &Path) -> String {
        let called = match path.strip_prefix(&self.real) {
            Ok(inside) if inside.as_os_str().is_empty() => self.called.clone(),
            Ok(inside) if self.called == Path::new(".") => inside.to_path_buf(),
            Ok(inside) => self.called.join(inside),
            Err(_) => path.to_path_buf(),
        };
        called.to_string_lossy().into_owned()
    }

    /// Opens a file below the folder; `None` where it is gone, no plain file any more, or hidden.
    pub(super) fn open(&self, path: &Path) -> Option<File> {
        let (file, found) = open_below(&self.folder, self.inside(path))?;
        (!self.hidden.hides_file(&found)).then_some(file)
    }

    /// Whether files may have been left out because they are ignored.
    pub(super) fn has_skipped(&self) -> bool {
        self.has_skipped.load(Ordering::Relaxed)
    }
}

/// Whether a file or folder is looked at.
fn is_meant(entry: &DirEntry, hidden: &Hidden, has_skipped: &AtomicBool, no_ignore: bool) -> bool {
    if hidden.hides_entry(entry.path(), entry.ino()) || OF_THE_SYSTEM.iter().any(|tree| entry.path() == Path::new(tree))
    {
        return false;
    }
    if no_ignore {
        return true;
    }
    let is_named = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let is_skipped = is_folder && is_named(&SELDOM_MEANT);
    if is_skipped || is_named(&NAMING_IGNORED) {
        has_skipped.store(true, Ordering::Relaxed);
    }
    !is_skipped
}

/// Reads a glob of a model.
pub(super) fn glob_of(argument: &str, glob: &str, ignore_case: bool) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(glob).literal_separator(true).case_insensitive(ignore_case).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| format!("`{argument}` is no glob: {error}"))
}

/// Whether a path fits a glob; one without a slash is for names, wherever they are.
pub(super) fn matches(glob: &GlobMatcher, path: &Path) -> bool {
    if glob.glob().glob().contains('/') {
        glob.is_match(path)
    } else {
        path.file_name().is_some_and(|name| glob.is_match(name))
    }
}
