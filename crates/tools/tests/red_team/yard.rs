//! Where the red team plays: a home with secrets, a folder of somebody else, a process that holds secrets, a service with sockets.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use chat::PersonRole;
use tempfile::TempDir;
use tools::Settings;
use tools::sandbox::{Places, Plan, plan};

/// What the kernel offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Everything it has.
    Whole,
    /// Everything but namespaces of mounts.
    WithoutNamespaces,
}

/// The playground. What is in it ends with it.
pub(crate) struct Yard {
    folder: TempDir,
    daemon: Child,
    /// Keep a descriptor open that a careless start would hand on.
    _held: OwnedFd,
    socket: PathBuf,
    abstract_name: String,
    port: u16,
}

impl Yard {
    /// What every secret begins with.
    pub(crate) const SECRET: &'static str = "the-secret-";

    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written");
        let at = |name: &str| folder.path().join(name);
        for name in [
            "home/.ssh",
            "home/.aws",
            "home/.local/data/keys",
            "home/.local/data/workspace",
            "work",
            "outside/.git/hooks",
        ] {
            fs::create_dir_all(at(name)).expect("the folder is new");
        }
        for (name, text) in [
            ("home/.ssh/id_ed25519", "the-secret-ssh\n"),
            ("home/.aws/credentials", "the-secret-aws\n"),
            ("home/.local/data/ledger.db", "the-secret-ledger\n"),
            ("home/.local/data/keys/openai", "the-secret-openai\n"),
            ("home/.local/data/workspace/AGENT.md", "You are a bot.\n"),
            ("home/key", "the-secret-key\n"),
            ("home/diary.txt", "the-secret-diary\n"),
            ("home/.bashrc", "# as it was\n"),
            ("outside/note.txt", "the-secret-note\n"),
        ] {
            fs::write(at(name), text).expect("the folder is new");
        }
        symlink(at("home/.local/data/ledger.db"), at("work/before")).expect("it is new");
        symlink(at("home/.local/data"), at("work/before_folder")).expect("it is new");
        let held = File::open(at("home/.local/data/ledger.db")).expect("it was just written").into();
        let daemon = daemon(&at("home/.local/data"));
        let (socket, abstract_name) = (at("home/service.sock"), format!("cowhand-red-team-{}", daemon.id()));
        let port = serve(&socket, &abstract_name);
        Self { folder, daemon, _held: held, socket, abstract_name, port }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether this machine can be made to look so.
    pub(crate) fn has(&self, kernel: Kernel) -> bool {
        let without = || self.command(kernel, "/bin/true", &[]).status().is_ok_and(|status| status.success());
        kernel == Kernel::Whole || without()
    }

    /// What is wrong after a try; `None` where it came to nothing.
    pub(crate) fn outcome(&self, role: PersonRole, kernel: Kernel, name: &str, script: &str) -> Option<String> {
        let before = self.outside();
        let output = self.run(role, kernel, script);
        let seen = output.contains(Self::SECRET).then(|| format!("{name}: it told\n{output}"));
        let changed = (self.outside() != before).then(|| format!("{name}: it changed\n{}\n{output}", self.outside()));
        let ended = (!self.daemon_lives()).then(|| format!("{name}: it ended another process\n{output}"));
        let unconfined = output.contains("confined: ").then(|| format!("{name}: it was not run: {output}"));
        seen.or(changed).or(ended).or(unconfined)
    }

    /// Runs a script in the sandbox; its output and errors together. The one place that knows which program confines.
    pub(crate) fn run(&self, role: PersonRole, kernel: Kernel, script: &str) -> String {
        let plan = serde_json::to_string(&self.plan(role)).expect("a plan is plain data");
        finished(self.command(kernel, env!("CARGO_BIN_EXE_confined"), &[&plan, &format!("exec 2>&1; {script}")]))
    }

    /// Runs a script as it is.
    pub(crate) fn run_unconfined(&self, script: &str) -> String {
        finished(self.command(Kernel::Whole, "/bin/bash", &["-c", &format!("exec 2>&1; {script}")]))
    }

    fn plan(&self, role: PersonRole) -> Plan {
        let places = Places {
            data: Some(self.at("home/.local/data")),
            workspace: Some(self.at("home/.local/data/workspace")),
            home: Some(self.at("home")),
            secrets: vec![self.at("home/key")],
            temporary: vec!["/tmp".into()],
        };
        plan(role, &Settings { places, ..Settings::default() }, &self.at("work"))
    }

    fn command(&self, kernel: Kernel, program: &str, arguments: &[&str]) -> Command {
        let mut command = match kernel {
            Kernel::Whole => Command::new(program),
            Kernel::WithoutNamespaces => {
                let mut command = Command::new("unshare");
                let script = "echo 0 > /proc/sys/user/max_mnt_namespaces && echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
                command.args(["-Ur", "sh", "-c", script, "sh", program]);
                command
            }
        };
        command.args(arguments).current_dir(self.at("work")).env_clear().stdin(Stdio::null());
        command
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.at("home"));
        command
            .env("DATA", self.at("home/.local/data"))
            .env("HOME_OF", self.at("home"))
            .env("OUTSIDE", self.at("outside"));
        command.env("DAEMON", self.daemon.id().to_string()).env("SOCKET", &self.socket);
        command.env("ABSTRACT", &self.abstract_name).env("PORT", self.port.to_string());
        command
    }

    /// All that a command must not change, in a form that can be compared.
    fn outside(&self) -> String {
        let mut found = String::new();
        for folder in ["home", "outside"] {
            describe(&self.at(folder), &mut found);
        }
        found
    }

    fn daemon_lives(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/stat", self.daemon.id())).unwrap_or_default();
        status.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['S', 'R']))
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// A process with secrets in its environment, its memory, its open files and its folder.
fn daemon(data: &Path) -> Child {
    let ledger = File::open(data.join("ledger.db")).expect("it was just written");
    let mut command = Command::new("sleep");
    command.arg("600").current_dir(data).env("BOT_TOKEN", "the-secret-token").stdin(ledger).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().expect("there is a sleep")
}

/// A service that tells its secret to whoever connects.
fn serve(path: &Path, name: &str) -> u16 {
    fn tell(stream: Option<impl Write>) {
        // Who connected may be gone.
        let _ = stream.map(|mut stream| stream.write_all(b"the-secret-service"));
    }
    let by_path = UnixListener::bind(path).expect("the path is new");
    fs::set_permissions(path, Permissions::from_mode(0o777)).expect("it is ours");
    let address = SocketAddr::from_abstract_name(name).expect("the name is short");
    let by_name = UnixListener::bind_addr(&address).expect("the name is new");
    let by_port = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let port = by_port.local_addr().expect("it is bound").port();
    std::thread::spawn(move || by_path.incoming().for_each(|stream| tell(stream.ok())));
    std::thread::spawn(move || by_name.incoming().for_each(|stream| tell(stream.ok())));
    std::thread::spawn(move || by_port.incoming().for_each(|stream| tell(stream.ok())));
    port
}

/// A try that does not come to an end is ended.
fn finished(mut command: Command) -> String {
    let mut bounded = Command::new("timeout");
    bounded.args(["-k", "1", "20"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        bounded.env(name, value);
    }
    bounded.env_remove("BASH_ENV").current_dir(command.get_current_dir().expect("it was set")).stdin(Stdio::null());
    command.stdin(Stdio::null());
    let output = bounded.output().expect("there is a timeout");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn describe(path: &Path, found: &mut String) {
    let Ok(it) = fs::symlink_metadata(path) else { return };
    let content = if it.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let facts = (it.mode(), it.uid(), it.nlink(), if it.is_file() { it.mtime_nsec() } else { 0 });
    *found += &format!("{} {facts:?} {content:?}\n", path.display());
    let mut inside: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    inside.sort();
    inside.iter().for_each(|path| describe(path, found));
}
