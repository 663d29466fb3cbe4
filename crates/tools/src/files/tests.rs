use std::fs::{self, File};
use std::io::Read as _;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chat::PersonRole;
use proptest::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use super::Places;
use crate::{Protected, Settings, ToolContext};

/// A working folder `w` beside what is none of it, with a protected folder `secrets` and a protected file `key` in it.
struct Ground {
    folder: TempDir,
    settings: Settings,
    role: PersonRole,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for made in ["w/secrets/deep", "w/secrets-evil", "w/open", "w-evil", "x"] {
            fs::create_dir_all(folder.path().join(made)).unwrap();
        }
        for made in ["w/key", "w/keys", "w/secrets/deep/token", "w/secrets-evil/a", "w/open/a", "w-evil/a", "x/a"] {
            fs::write(folder.path().join(made), made).unwrap();
        }
        let protected = Protected::new(["w/secrets", "w/key"].map(|name| folder.path().join(name)));
        let settings = Settings { protected, ..Settings::default() };
        Self { folder, settings, role: PersonRole::Owner }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn context(&self) -> ToolContext {
        ToolContext { role: self.role, ..ToolContext::in_folder(self.at("w")) }
    }

    /// What is read at a path.
    fn read(&self, path: &str) -> Result<String, String> {
        let (mut file, _) = Places::new(&self.settings).to_read(path, &self.context())?.open(path)?;
        let mut content = String::new();
        file.read_to_string(&mut content).unwrap();
        Ok(content)
    }

    fn write(&self, path: &str, content: &str) -> Result<(), String> {
        let spot = Places::new(&self.settings).to_write(path, &self.context())?;
        spot.must_be_replaceable(path)?;
        spot.replace(path, content.as_bytes(), &self.context()).map(drop)
    }

    fn is_hidden(&self, path: &str) -> bool {
        let found = Places::new(&self.settings).to_read(path, &self.context());
        found.is_err_and(|error| error.contains("holds secrets"))
    }

    fn absolute(&self, path: &str) -> String {
        self.at(path).to_str().unwrap().to_owned()
    }
}

/// Case H03: paths are compared by components, after they were followed.
#[test]
fn h03_only_what_really_is_inside_is_inside() {
    let mut ground = Ground::new();
    ground.role = PersonRole::Trusted;
    let outside = [
        ground.absolute("w/../x/a"),
        ground.absolute("w-evil/a"),
        "../x/a".to_owned(),
        "open/../../x/a".to_owned(),
        "none/../../x/a".to_owned(),
        format!("/{}", ground.absolute("x/a")),
        ground.absolute("x/none"),
        "/".to_owned(),
    ];
    for path in outside {
        assert!(ground.read(&path).unwrap_err().contains("it is outside of"), "read {path}");
        assert!(ground.write(&path, "x").unwrap_err().contains("it is outside of"), "write {path}");
    }
    for path in [format!("/{}", ground.absolute("w/./open//a")), "open/a".to_owned(), "../w/open/../open/a".to_owned()]
    {
        assert_eq!(ground.read(&path).unwrap(), "w/open/a", "{path}");
        ground.write(&path, "w/open/a").unwrap();
    }
    assert_eq!(ground.read("").unwrap_err(), "`path` is empty");
    assert_eq!(ground.read("a\0b").unwrap_err(), "`path` contains a NUL character");
    assert!(ground.read("open/none").unwrap_err().contains("does not exist"));
}

#[test]
fn the_agents_own_folder_is_written_for_the_owner_alone() {
    let mut ground = Ground::new();
    ground.settings.workspace = Some(ground.at("x"));

    ground.write("../x/RULE.md", "x").unwrap();
    ground.settings.workspace = Some(ground.at("none/yet"));
    ground.write("../none/yet/RULE.md", "x").unwrap();
    assert!(ground.write("../none/RULE.md", "x").is_err());
    ground.settings.workspace = Some(ground.at("x"));
    ground.role = PersonRole::Trusted;

    assert!(ground.write("../x/RULE.md", "y").unwrap_err().contains("it is outside of"));
    assert!(ground.read("../x/RULE.md").unwrap_err().contains("it is outside of"));
}

#[test]
fn what_is_hidden_is_found_however_it_is_written() {
    let ground = Ground::new();
    for path in
        ["key", "./key", "open/../key", "secrets", "secrets/", "secrets//deep/./token", "secrets/new/file", "a/../key"]
    {
        assert!(ground.is_hidden(path), "{path}");
        assert!(ground.write(path, "x").unwrap_err().contains("holds secrets"), "{path}");
    }
    assert!(ground.is_hidden(&format!("/{}", ground.absolute("w//key"))));
    for path in ["keys", "secrets-evil/a", "secrets/../open", "open/key", "."] {
        assert!(!ground.is_hidden(path), "{path}");
    }
}

#[test]
fn no_link_opens_what_is_hidden() {
    let ground = Ground::new();
    symlink("../secrets", ground.at("w/open/inner")).unwrap();
    symlink("open/inner/deep/token", ground.at("w/chain")).unwrap();
    symlink(ground.at("w/secrets/not-there-yet"), ground.at("w/dangling")).unwrap();
    fs::hard_link(ground.at("w/key"), ground.at("w/open/hard")).unwrap();
    fs::hard_link(ground.at("w/secrets/deep/token"), ground.at("w/open/hard-of-inside")).unwrap();
    fs::hard_link(ground.at("w/open/a"), ground.at("w/open/harmless")).unwrap();

    for path in ["open/inner", "open/inner/deep", "chain", "dangling", "open/hard", "open/hard-of-inside"] {
        assert!(ground.is_hidden(path), "{path}");
        assert!(ground.write(path, "x").is_err(), "{path}");
    }
    assert_eq!(ground.read("open/harmless").unwrap(), "w/open/a");
    assert!(!ground.at("w/secrets/not-there-yet").exists());
}

#[test]
fn a_hidden_path_that_is_itself_a_link_hides_its_target() {
    let mut ground = Ground::new();
    symlink("open/a", ground.at("w/link")).unwrap();
    ground.settings.protected = Protected::new([ground.at("w/link")]);

    assert!(ground.is_hidden("open/a"));
}

#[test]
fn the_innermost_mark_decides() {
    let mut ground = Ground::new();
    let protected = Protected::new([ground.at("w/secrets"), ground.at("w/secrets/deep/token")]);
    ground.settings.protected = protected.except([ground.at("w/secrets/deep")]);

    ground.write("secrets/deep/new", "x").unwrap();
    assert!(ground.is_hidden("secrets/deep/token") && ground.is_hidden("secrets/other"));

    let protected = Protected::new([ground.at("w/secrets")]);
    ground.settings.protected = protected.except([ground.at("w/secrets/to-be-made")]);
    ground.write("secrets/to-be-made/new", "x").unwrap();
    ground.write("secrets/to-be-made/other", "x").unwrap();
    assert!(ground.is_hidden("secrets/to-be-made-not/new") && ground.is_hidden("secrets/deep/new"));
}

#[test]
fn the_secrets_of_processes_are_hidden_by_every_name() {
    let ground = Ground::new();
    let open = File::open(ground.at("w/key")).unwrap();
    let (own, number) = (std::process::id(), open.as_raw_fd());
    symlink("/proc/self/environ", ground.at("w/link")).unwrap();
    for path in [
        "/proc/self/environ".to_owned(),
        "/proc/thread-self/environ".to_owned(),
        "/proc/self/mem".to_owned(),
        "/proc/self/maps".to_owned(),
        "/proc/1/environ".to_owned(),
        format!("/proc/{own}/task/{own}/environ"),
        format!("/proc/self/fd/{number}"),
        format!("/proc/{own}/fd/{number}"),
        format!("/dev/fd/{number}"),
        "/dev/stdin".to_owned(),
        "/proc/self/root/etc/passwd".to_owned(),
        "/proc/self/cwd/x".to_owned(),
        "/proc/self/root/proc/1/environ".to_owned(),
        "/proc/kcore".to_owned(),
        "link".to_owned(),
    ] {
        assert!(ground.is_hidden(&path), "{path}");
    }
    for path in ["/proc/self/status", "/proc/mounts", "/proc/self/../self/status"] {
        assert!(ground.read(path).is_ok(), "{path}");
    }
}

#[test]
fn links_that_stay_inside_are_followed_and_others_are_not() {
    let mut ground = Ground::new();
    ground.role = PersonRole::Trusted;
    symlink("open", ground.at("w/inside")).unwrap();
    symlink("../x", ground.at("w/outside")).unwrap();
    symlink(ground.at("x/new"), ground.at("w/dangling")).unwrap();
    symlink("open/new", ground.at("w/later")).unwrap();
    symlink("circle", ground.at("w/circle")).unwrap();

    assert_eq!(ground.read("inside/a").unwrap(), "w/open/a");
    ground.write("later", "x").unwrap();
    assert_eq!(fs::read(ground.at("w/open/new")).unwrap(), b"x");
    for path in ["outside/a", "outside/new", "dangling"] {
        assert!(ground.read(path).is_err() && ground.write(path, "x").is_err(), "{path}");
    }
    assert!(ground.read("circle").unwrap_err().contains("round in a circle"));
    assert!(!ground.at("x/new").exists());
}

/// Swaps two names as fast as it can until it is dropped.
struct Swapping {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u64>>,
}

impl Swapping {
    fn of(one: PathBuf, other: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let swap = move || {
            let mut swaps = 0;
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
            }
            swaps
        };
        Self { stop, thread: Some(std::thread::spawn(swap)) }
    }

    fn stop(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_folder_that_is_swapped_for_a_link_never_leads_a_write_outside() {
    let mut ground = Ground::new();
    ground.role = PersonRole::Trusted;
    fs::create_dir(ground.at("w/swapped")).unwrap();
    symlink(ground.at("x"), ground.at("w/link")).unwrap();
    let swapping = Swapping::of(ground.at("w/swapped"), ground.at("w/link"));

    let mut written = 0;
    for round in 0..400 {
        written += u32::from(ground.write(&format!("swapped/{round}"), "x").is_ok());
        written += u32::from(ground.write(&format!("swapped/new-{round}/deep/file"), "x").is_ok());
    }

    let swaps = swapping.stop();
    assert_eq!(names_in(&ground.at("x")), ["a"]);
    assert!(swaps > 0 && written > 0, "{swaps} swaps, {written} written");
}

#[test]
fn a_file_that_is_swapped_for_a_link_never_lets_a_secret_be_read() {
    let ground = Ground::new();
    symlink(ground.at("w/key"), ground.at("w/link")).unwrap();
    let swapping = Swapping::of(ground.at("w/open/a"), ground.at("w/link"));

    let mut read = 0;
    for _ in 0..2_000 {
        if let Ok(content) = ground.read("open/a") {
            assert_eq!(content, "w/open/a");
            read += 1;
        }
    }

    let swaps = swapping.stop();
    assert!(swaps > 0 && read > 0, "{swaps} swaps, {read} read");
    assert_eq!(fs::read_to_string(ground.at("w/key")).unwrap(), "w/key");
}

proptest! {
    #[test]
    fn whatever_a_path_looks_like_a_trusted_person_reads_nothing_outside(
        parts in prop::collection::vec(prop::sample::select(vec!["..", ".", "w", "x", "open", "a", "key", "", "in", "out"]), 1..8),
        rooted in any::<bool>(),
    ) {
        let mut ground = Ground::new();
        ground.role = PersonRole::Trusted;
        symlink("../x", ground.at("w/out")).unwrap();
        symlink("../w/open", ground.at("w/in")).unwrap();
        let path = parts.join("/");
        let path = if rooted { ground.absolute(&path) } else { path };

        if let Ok(content) = ground.read(&path) {
            prop_assert!(content.starts_with("w/") && content != "w/key", "{} gave {}", path, content);
        }
    }
}
