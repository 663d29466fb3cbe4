//! Where secrets, doors and system files usually are.

/// Credentials below a home folder.
pub(crate) const OF_HOME: [&str; 41] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".age",
    ".vault-token",
    ".terraform.d",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".password-store",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".config/age",
    ".config/chromium",
    ".config/containers/auth.json",
    ".config/cowhand",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/google-chrome",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".config/systemd/user",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".local/share/cowhand",
    ".local/share/keyrings",
    ".mozilla",
    ".thunderbird",
    ".rclone.conf",
];

/// Secrets of the system itself, which only root can read, and Cowhand may be root.
pub(crate) const OF_SYSTEM: [&str; 14] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/security/opasswd",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/cowhand",
    "/etc/credstore",
    "/etc/credstore.encrypted",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/run/credentials",
    "/var/lib/sss/secrets",
];

/// Sockets of services that do what they are told, for whoever can open them: each leads out of the sandbox.
pub(crate) const DOORS: [&str; 15] = [
    "/run/user",
    "/run/dbus",
    "/run/systemd/private",
    "/run/systemd/io.systemd.Machine",
    "/run/docker.sock",
    "/run/docker",
    "/run/containerd",
    "/run/podman",
    "/run/crio",
    "/run/libvirt",
    "/run/snapd.socket",
    "/run/atd",
    "/run/screen",
    "/run/cowhand",
    "/var/snap/lxd/common/lxd/unix.socket",
];

/// Where people keep what is theirs, and where services have their sockets.
pub(crate) const PRIVATE: [&str; 8] = ["/home", "/root", "/run", "/srv", "/mnt", "/media", "/boot", "/var/spool"];

/// Where programs put what is only for a moment.
pub(crate) const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// What programs need of the system, for reading. `/etc` is without what not everybody may read.
pub(crate) const SYSTEM: [&str; 26] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/var/lib/dpkg/alternatives",
    "/var/cache/fontconfig",
    "/etc/resolv.conf",
    "/etc/localtime",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
];

/// Devices that do no harm.
pub(crate) const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Terminals, which are the owner's: others could write on his, or read what he types.
pub(crate) const TERMINALS: [&str; 2] = ["/dev/ptmx", "/dev/pts"];
