//! Tries to get at what is secret, or to change what is not one's own, from a command.
//!
//! Each try is a script that prints [`Yard::SECRET`] or changes a file outside when it works. Run for a trusted person who was given
//! `bash` by a rule none may; for the owner none that is after the ledger, the keys or the credentials. All of them are run twice:
//! with everything that the kernel has, and without namespaces, as in many containers.
//!
//! The program that is confined is started in one place, [`Yard::run`].

#[path = "red_team/yard.rs"]
mod yard;

use yard::{Kernel, Yard};

use chat::PersonRole::{Owner, Trusted};

/// A try: its name, and the script. In the script `$DATA` is the data folder, `$HOME_OF` the home folder of whoever runs the bot,
/// `$OUTSIDE` a folder of somebody else, `$DAEMON` the id of the bot's process, `$SOCKET` and `$ABSTRACT` the sockets of a service.
type Try = (&'static str, &'static str);

/// After the secrets of the bot and the credentials of its owner: for nobody.
const SECRETS: [Try; 24] = [
    ("plainly", "cat $DATA/ledger.db"),
    ("by a key's file", "cat $DATA/keys/openai; cat $HOME_OF/key"),
    ("by a credential folder", "cat $HOME_OF/.ssh/id_ed25519 $HOME_OF/.aws/credentials"),
    ("by a symbolic link", "ln -s $DATA/ledger.db link; cat link; ln -s $DATA folder; cat folder/ledger.db"),
    ("by a hard link", "ln $DATA/ledger.db hard && cat hard; ln $HOME_OF/.ssh/id_ed25519 hard2 && cat hard2"),
    ("by a glob", "cat $HOME_OF/.loc*/*/led* $HOME_OF/.s*/*"),
    ("by a subshell and a variable", "x=led; (cd $DATA && cat $(echo ${x}ger).db); eval \"cat $DATA/l''edger.db\""),
    ("by dots", "cat $DATA/workspace/../ledger.db; cat ./../../../$DATA/ledger.db"),
    ("by going up from the workspace", "cd $DATA/workspace && cd .. && cat ledger.db; cat ../ledger.db"),
    ("by a link made before", "cat before; cat before_folder/ledger.db"),
    ("by copying, moving, packing", "cp -r $DATA copy; mv $DATA/ledger.db moved; tar c $DATA | tar xO; cat copy/ledger.db moved"),
    ("by another interpreter", "python3 -c \"print(open('$DATA/ledger.db').read())\"; perl -pe1 $DATA/ledger.db; dd if=$DATA/ledger.db"),
    ("by the environment of the bot", "cat /proc/$DAEMON/environ | tr '\\0' '\\n'; env"),
    ("by the memory of the bot", "python3 -c \"
import os
for line in open('/proc/$DAEMON/maps'):
    if '[stack]' in line:
        start,end=[int(at,16) for at in line.split()[0].split('-')]
        mem=open('/proc/$DAEMON/mem','rb');mem.seek(start);print(mem.read(end-start).replace(b'\\0',b' ').decode('latin1'))\""),
    ("by open files of the bot", "cat /proc/$DAEMON/fd/*; for i in 3 4 5 6 7 8 9; do cat <&$i; done"),
    ("by root and folder of the bot", "cat /proc/$DAEMON/root$DATA/ledger.db; cat /proc/$DAEMON/cwd/ledger.db"),
    ("by root and folder of another process", "cat /proc/1/root$DATA/ledger.db; cat /proc/self/root$DATA/ledger.db"),
    ("by a debugger", "timeout 5 gdb -p $DAEMON -batch -ex 'info proc'; timeout 1 strace -p $DAEMON; python3 -c \"
import ctypes;l=ctypes.CDLL(None);print('the-secret-ptrace' if l.ptrace(16,$DAEMON,0,0)==0 else 'no')\""),
    ("by a namespace of one's own", "unshare -Urm sh -c \"umount -l $DATA; umount $DATA; cat $DATA/ledger.db\"; nsenter -t $DAEMON -m cat $DATA/ledger.db"),
    ("by mounts", "umount -l $DATA; umount $DATA; mount --bind / mnt; mount -t tmpfs x $OUTSIDE; cat $DATA/ledger.db mnt$DATA/ledger.db"),
    ("by another root", "mkdir -p r; chroot / cat $DATA/ledger.db; chroot /proc/$DAEMON/root cat $DATA/ledger.db"),
    ("by the disk itself", "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmem /dev/port; do head -c 1 $d >/dev/null && echo the-secret-$d; done; \
      mknod disk b 254 0 && head -c 1 disk && echo the-secret-node; mknod mem c 1 1 && head -c 1 mem && echo the-secret-node"),
    ("by a handle in place of a name", "python3 -c \"
import ctypes,os;l=ctypes.CDLL(None,use_errno=True)
r=l.syscall(304,os.open('.',0),b'0'*128,0);print('the-secret-handle' if ctypes.get_errno()!=1 else 'refused')\""),
    ("by racing a link", "mkdir -p d; echo x > d/ledger.db; (for i in $(seq 300); do ln -sfn $DATA s; ln -sfn d s; done) & \
      for i in $(seq 300); do cat s/ledger.db; done; wait"),
];

/// After what is the system's or somebody else's, or to stay: not for a trusted person.
const OF_OTHERS: [Try; 18] = [
    ("shadow", "cat /etc/shadow /etc/gshadow /etc/shadow-; sed -n 1p /etc/shadow && getent shadow root"),
    ("the home folder", "cat $HOME_OF/diary.txt; ls -A $HOME_OF; cat ~/diary.txt"),
    ("files of others in the temporary folder", "cat $OUTSIDE/note.txt; ls /tmp/* /var/tmp/* /dev/shm/*; cat /dev/shm/*"),
    ("writing outside", "echo changed > $OUTSIDE/note.txt; echo x > $OUTSIDE/new; rm -f $OUTSIDE/note.txt; truncate -s 0 $OUTSIDE/note.txt"),
    ("writing outside by a link", "ln -s $OUTSIDE/note.txt out; echo changed > out; ln $OUTSIDE/note.txt out2; echo changed >> out2"),
    ("rights of files outside", "chmod 777 $OUTSIDE/note.txt; chown 12345 $OUTSIDE/note.txt; touch -d 2001-01-01 $OUTSIDE/note.txt"),
    ("moving files out and in", "mv $OUTSIDE/note.txt in; echo x > y; mv y $OUTSIDE/new"),
    ("start files of the shell", "echo 'echo x' >> $HOME_OF/.bashrc; echo x > $HOME_OF/.profile; echo x >> /etc/profile"),
    ("the clock's table", "echo '* * * * * id' | crontab -; echo id | at now; echo '* * * * * root id' > /etc/cron.d/x; ls /var/spool/cron"),
    ("hooks of another repository", "echo id > $OUTSIDE/.git/hooks/post-commit; git -C $OUTSIDE config core.pager id"),
    ("a program that runs as its owner", "cp /bin/bash sh; chmod u+s sh; chmod 4755 sh; ls -l sh | grep -q '^-rws' && echo the-secret-setuid; \
      sudo -n id; su -c id; python3 -c \"
import os;os.close(os.open('made',os.O_CREAT|os.O_WRONLY,0o4755));print('the-secret-setuid' if os.stat('made').st_mode&0o4000 else 'no')\""),
    ("signals to others", "kill -TERM $DAEMON; kill -KILL $DAEMON; kill -STOP -1; pkill -P 1; python3 -c \"
import os;os.kill($DAEMON,15)\""),
    ("limits of others", "prlimit --pid $DAEMON --nofile=1:1 && echo the-secret-limit; python3 -c \"
import resource;resource.prlimit($DAEMON,resource.RLIMIT_NOFILE,(1,1));print('the-secret-limit')\""),
    ("a socket by path", "python3 -c \"
import socket,os;s=socket.socket(socket.AF_UNIX);s.connect(os.environ['SOCKET']);print(s.recv(99).decode())\"; \
      curl -s --unix-socket /run/docker.sock http://x/info; docker ps"),
    ("a socket without a path", "python3 -c \"
import socket,os;s=socket.socket(socket.AF_UNIX);s.connect('\\0'+os.environ['ABSTRACT']);print(s.recv(99).decode())\""),
    ("the network", "python3 -c \"
import socket,os;s=socket.create_connection(('127.0.0.1',int(os.environ['PORT'])),3);print(s.recv(99).decode())\"; \
      cat < /dev/tcp/127.0.0.1/$PORT"),
    ("a dump of memory", "ulimit -c unlimited && echo the-secret-core; sh -c 'kill -SEGV $$'; ls core* && echo the-secret-core"),
    ("the terminal", "for t in /dev/pts/* /dev/tty /dev/console; do echo hi > $t && echo the-secret-$t; done; python3 -c \"
import fcntl;fcntl.ioctl(0,0x5412,b'x');print('the-secret-typed')\""),
];

fn none_works(role: chat::PersonRole, kernel: Kernel, tries: &[Try]) {
    let yard = Yard::new();
    if !yard.has(kernel) {
        return;
    }
    let worked: Vec<String> =
        tries.iter().filter_map(|(name, script)| yard.outcome(role, kernel, name, script)).collect();
    assert!(worked.is_empty(), "{} of {} worked for {role:?}:\n{}", worked.len(), tries.len(), worked.join("\n"));
}

#[test]
fn no_command_of_the_owner_gets_at_secrets() {
    none_works(Owner, Kernel::Whole, &SECRETS);
}

#[test]
fn no_command_of_the_owner_gets_at_secrets_without_namespaces() {
    none_works(Owner, Kernel::WithoutNamespaces, &SECRETS);
}

#[test]
fn no_command_of_a_trusted_person_gets_at_secrets() {
    none_works(Trusted, Kernel::Whole, &SECRETS);
}

#[test]
fn no_command_of_a_trusted_person_gets_at_secrets_without_namespaces() {
    none_works(Trusted, Kernel::WithoutNamespaces, &SECRETS);
}

#[test]
fn no_command_of_a_trusted_person_gets_at_what_is_not_theirs() {
    none_works(Trusted, Kernel::Whole, &OF_OTHERS);
}

/// Rights and times of files are not Landlock's; a file is then changed in them, and in nothing else.
#[test]
fn no_command_of_a_trusted_person_gets_at_what_is_not_theirs_without_namespaces() {
    let tries: Vec<Try> = OF_OTHERS.into_iter().filter(|(name, _)| *name != "rights of files outside").collect();
    none_works(Trusted, Kernel::WithoutNamespaces, &tries);
}

/// A try that fails because nothing works at all would prove nothing.
#[test]
fn what_is_allowed_works() {
    let yard = Yard::new();
    let work = "rm -rf a list; set -e; echo mine > file; cat file; mkdir a; mv file a; cat a/*; cat < <(echo piped); echo x > /dev/null; \
        cat $DATA/workspace/AGENT.md; ls /usr/bin > list; (sleep 0 &); python3 -c 'print(6*7)'; git init -q a; ";
    // Where nothing can be covered, nobody has a temporary folder that is beside something secret.
    for (kernel, more) in [(Kernel::Whole, "echo t > $(mktemp); echo fine"), (Kernel::WithoutNamespaces, "echo fine")] {
        for role in [Owner, Trusted].into_iter().filter(|_| yard.has(kernel)) {
            let output = yard.run(role, kernel, &format!("{work}{more}"));

            assert!(output.ends_with("fine\n"), "{role:?} {kernel:?}: {output}");
        }
    }
}

/// Tries that fail for a reason of their own would prove nothing either.
#[test]
fn without_a_sandbox_the_tries_work() {
    let yard = Yard::new();
    let of_anybody = [
        "plainly",
        "by a key's file",
        "by a credential folder",
        "by a symbolic link",
        "by a hard link",
        "by a glob",
        "by a subshell and a variable",
        "by dots",
        "by going up from the workspace",
        "by a link made before",
        "by another interpreter",
        "by the environment of the bot",
        "by the memory of the bot",
        "by open files of the bot",
        "by root and folder of the bot",
        "by a debugger",
        "by racing a link",
        "the home folder",
        "files of others in the temporary folder",
        "a program that runs as its owner",
        "limits of others",
        "a socket by path",
        "a socket without a path",
        "the network",
    ];
    for name in of_anybody {
        let script = SECRETS.iter().chain(&OF_OTHERS).find(|(it, _)| *it == name).expect("it is a try").1;
        let output = yard.run_unconfined(script);

        assert!(output.contains(Yard::SECRET), "{name} does not work: {output}");
    }
}
