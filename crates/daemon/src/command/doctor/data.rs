//! Whether the data folder, the disk and the clock can be used.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::{Access, access, statvfs};
use store::Ledger;

use super::Check;
use crate::exit::with_causes;
use crate::paths::Paths;

/// Less room than this stops the intake soon.
const LEAST_MIB: u64 = 64;

/// Less room than this is worth a word.
const LITTLE_MIB: u64 = 512;

/// Nothing of Cowhand is older: a clock that shows less was never set.
const BUILT_AFTER: &str = "2026-01-01T00:00:00Z";

pub(super) fn check(paths: &Paths) -> Vec<Check> {
    let mut checks = vec![folder(paths.data()), ledger(paths.data())];
    checks.extend(disk(paths.data()));
    checks.push(clock(Timestamp::now(), newest(paths.data())));
    checks
}

fn folder(data: &Path) -> Check {
    const NAME: &str = "data folder";
    let shown = data.display();
    let Ok(found) = fs::metadata(data) else {
        let above = data.ancestors().skip(1).find(|above| above.exists()).unwrap_or(Path::new("/"));
        return match access(above, Access::WRITE_OK | Access::EXEC_OK) {
            Ok(()) => Check::ok(NAME, format!("{shown} is made at the first start")),
            Err(error) => Check::problem(
                NAME,
                format!("{shown} cannot be made: {error}"),
                format!("sudo install -d -m 700 -o $USER {shown}"),
            ),
        };
    };
    if let Err(error) = access(data, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        return Check::problem(
            NAME,
            format!("{shown} cannot be used: {error}"),
            format!("sudo chown -R $USER {shown}"),
        );
    }
    if found.permissions().mode() & 0o077 != 0 {
        return Check::warning(NAME, format!("others can look into {shown}"), format!("chmod 700 {shown}"));
    }
    Check::ok(NAME, shown.to_string())
}

fn ledger(data: &Path) -> Check {
    const NAME: &str = "ledger";
    if !data.join("ledger.db").exists() {
        return Check::ok(NAME, "there is none yet");
    }
    match Ledger::open_read_only(data) {
        Ok(_) => Check::ok(NAME, "it can be read"),
        Err(error) => {
            let fix = format!("keep a copy of {}, then start with another --data-dir", data.display());
            Check::problem(NAME, with_causes(&error), fix)
        }
    }
}

fn disk(data: &Path) -> Option<Check> {
    const NAME: &str = "disk";
    let there = data.ancestors().find(|folder| folder.exists())?;
    let found = statvfs(there).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize) >> 20;
    let text = format!("{free} MiB are free for {}", data.display());
    let fix = format!("du -xh {} | sort -h | tail", there.display());
    Some(match free {
        ..LEAST_MIB => Check::problem(NAME, text, fix),
        LEAST_MIB..LITTLE_MIB => Check::warning(NAME, text, fix),
        _ => Check::ok(NAME, text),
    })
}

/// When something in the data folder was last changed.
fn newest(data: &Path) -> Option<Timestamp> {
    let changed = |file: &Path| Timestamp::try_from(fs::metadata(file).ok()?.modified().ok()?).ok();
    changed(&data.join("ledger.db"))
}

fn clock(now: Timestamp, newest: Option<Timestamp>) -> Check {
    const NAME: &str = "clock";
    const FIX: &str = "sudo timedatectl set-ntp true";
    let built = BUILT_AFTER.parse::<Timestamp>().unwrap_or(Timestamp::UNIX_EPOCH);
    if now < built {
        return Check::problem(NAME, format!("it shows {now:.0}, before this program was made"), FIX);
    }
    match newest.filter(|newest| newest.duration_since(now) > SignedDuration::from_hours(1)) {
        Some(newest) => {
            Check::warning(NAME, format!("it shows {now:.0}, but the ledger was written at {newest:.0}"), FIX)
        }
        None => Check::ok(NAME, format!("{now:.0}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn a_clock_that_was_never_set_is_a_problem_and_one_that_went_back_a_warning() {
        let now: Timestamp = "2026-12-01T12:00:00Z".parse().unwrap();

        assert_eq!(clock(Timestamp::UNIX_EPOCH, None).state, State::Problem);
        assert_eq!(clock(now, Some(now + SignedDuration::from_hours(2))).state, State::Warning);
        assert_eq!(clock(now, Some(now)).state, State::Ok);
    }

    #[test]
    fn a_folder_that_others_can_look_into_is_warned_about() {
        let data = tempfile::tempdir().unwrap();
        let with = |mode| {
            fs::set_permissions(data.path(), fs::Permissions::from_mode(mode)).unwrap();
            folder(data.path())
        };

        assert_eq!(with(0o700).state, State::Ok);
        assert!(with(0o755).fix.unwrap().starts_with("chmod 700 "));
    }

    #[test]
    fn a_damaged_ledger_is_a_problem() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(ledger(data.path()).state, State::Ok);

        fs::write(data.path().join("ledger.db"), "no database").unwrap();

        assert_eq!(ledger(data.path()).state, State::Problem);
    }
}
