//! Calls of the system that lead around the rest: seccomp.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter, sock_filter,
};

/// Calls that no command of anybody needs: into other processes, into the kernel, around names and mounts.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_nfsservctl,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // `open_tree_attr`, which the library does not name yet; the number is the same everywhere.
    467,
];

/// Calls that are answered as if the kernel were older, since what they are to do is not in their arguments.
const UNKNOWN: [libc::c_long; 4] =
    [libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// Namespaces, each of which would make its maker a root of its own.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Typing into another program's terminal.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// What makes a program run as its owner.
const SET_ID_BITS: [u64; 2] = [0o4000, 0o2000];

/// `O_CREAT`, and what is special about `O_TMPFILE`.
const MAKING: [u64; 2] = [0o100, 0o20_000_000];

/// From here on numbers are those of another way of calling, which the filter would not know.
const X32: u32 = 0x4000_0000;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refuses the calls, for good.
pub(super) fn restrict(alone: bool, network: bool) -> io::Result<String> {
    apply_filter(&filter(refused(alone, network)?, libc::EPERM)?).map_err(io::Error::other)?;
    apply_filter(&filter(unknown(alone), libc::ENOSYS)?).map_err(io::Error::other)?;
    if cfg!(target_arch = "x86_64") {
        apply_filter(&refuse_x32()).map_err(io::Error::other)?;
    }
    Ok("seccomp".to_owned())
}

fn unknown(alone: bool) -> Rules {
    let opens = alone.then_some(libc::SYS_openat2);
    UNKNOWN.into_iter().chain(opens).map(|call| (call, Vec::new())).collect()
}

fn refused(alone: bool, network: bool) -> io::Result<Rules> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.insert(
            call,
            any(0, SeccompCmpArgLen::Qword, NAMESPACES.map(|flag| bits(u64::from(flag.cast_unsigned()))))?,
        );
    }
    rules.insert(libc::SYS_ioctl, any(1, SeccompCmpArgLen::Dword, TYPING.map(|request| (SeccompCmpOp::Eq, request)))?);
    // Limits of other processes.
    rules.insert(libc::SYS_prlimit64, any(0, SeccompCmpArgLen::Dword, [(SeccompCmpOp::Ne, 0)])?);
    rules.insert(libc::SYS_socket, all_but(families(alone, network))?);
    if alone {
        for (call, mode) in modes() {
            rules.insert(call, any(mode, SeccompCmpArgLen::Dword, SET_ID_BITS.map(bits))?);
        }
        for (call, flags) in opens() {
            rules.insert(call, set_id_while_making(flags)?);
        }
    }
    Ok(rules)
}

/// What kinds of sockets can be had. A pair of connected ones is none of them, and always can.
fn families(alone: bool, network: bool) -> Vec<libc::c_int> {
    let services = (!alone).then_some(libc::AF_UNIX);
    let network = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].into_iter().filter(|_| network);
    services.into_iter().chain(network).collect()
}

/// Calls that give a file its mode, and which argument that is.
fn modes() -> Vec<(i64, u8)> {
    let mut modes =
        vec![(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (libc::SYS_fchmodat2, 2), (libc::SYS_mknodat, 2)];
    #[cfg(target_arch = "x86_64")]
    modes.extend([(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mknod, 1)]);
    modes
}

/// Calls that open a file, and which argument says whether they make one; the mode is in the next.
fn opens() -> Vec<(i64, u8)> {
    let mut opens = vec![(libc::SYS_openat, 2)];
    #[cfg(target_arch = "x86_64")]
    opens.push((libc::SYS_open, 1));
    opens
}

/// Where no file is made the mode may be anything.
fn set_id_while_making(flags: u8) -> io::Result<Vec<SeccompRule>> {
    let condition = |argument, bit: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bit), bit)
            .map_err(io::Error::other)
    };
    let mut rules = Vec::new();
    for making in MAKING {
        for bit in SET_ID_BITS {
            let both = vec![condition(flags, making)?, condition(flags + 1, bit)?];
            rules.push(SeccompRule::new(both).map_err(io::Error::other)?);
        }
    }
    Ok(rules)
}

fn bits(bits: u64) -> (SeccompCmpOp, u64) {
    (SeccompCmpOp::MaskedEq(bits), bits)
}

/// Rules of which one is enough.
fn any<const N: usize>(
    argument: u8,
    length: SeccompCmpArgLen,
    wanted: [(SeccompCmpOp, u64); N],
) -> io::Result<Vec<SeccompRule>> {
    let rule = |(operator, value)| {
        let condition = SeccompCondition::new(argument, length.clone(), operator, value)?;
        SeccompRule::new(vec![condition])
    };
    wanted.into_iter().map(rule).collect::<Result<_, _>>().map_err(io::Error::other)
}

/// A rule that refuses every family but these; without any, all of them.
fn all_but(families: Vec<libc::c_int>) -> io::Result<Vec<SeccompRule>> {
    if families.is_empty() {
        return Ok(Vec::new());
    }
    let other = |family: libc::c_int| {
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(family.cast_unsigned()))
    };
    let conditions = families.into_iter().map(other).collect::<Result<_, _>>().map_err(io::Error::other)?;
    Ok(vec![SeccompRule::new(conditions).map_err(io::Error::other)?])
}

fn filter(rules: Rules, error: libc::c_int) -> io::Result<BpfProgram> {
    let arch = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let refuse = SeccompAction::Errno(error.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

/// Load the number; from [`X32`] on say that there is no such call, below go on.
fn refuse_x32() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const FAIL: u32 = 0x0005_0000;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_WORD, 0, 0, 0),
        step(JUMP_IF_AT_LEAST, 0, 1, X32),
        step(RETURN, 0, 0, FAIL | libc::ENOSYS.cast_unsigned()),
        step(RETURN, 0, 0, ALLOW),
    ]
}
