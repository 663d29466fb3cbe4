//! What of the sandbox for commands is in force. A process of its own tries, for there is no way back.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use chat::PersonRole;
use tools::Settings;
use tools::sandbox::{InForce, Layer, Mode, Plan, plan};
use tracing::{info, warn};

use super::{Check, print};
use crate::cli::SandboxTrialArgs;

const NAME: &str = "sandbox";

/// What the process that tries says in place of what is in force, where the plan insists on more.
const REFUSED: u8 = 1;

/// Enters a plan and tells what came of it: the hidden command.
pub(crate) fn try_plan(args: &SandboxTrialArgs) -> ExitCode {
    let plan: Plan = match serde_json::from_str(&args.plan) {
        Ok(plan) => plan,
        Err(error) => {
            print(&format!("{error}\n"));
            return ExitCode::from(2);
        }
    };
    match plan.enter_and_tell() {
        Ok(in_force) => {
            print(&serde_json::to_string(&in_force).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => {
            print(&error.to_string());
            ExitCode::from(REFUSED)
        }
    }
}

/// What came of a plan: what is in force, or why a command would be refused.
fn trial(plan: &Plan) -> Result<Option<InForce>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let text = serde_json::to_string(plan).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    // A place that is hidden from nobody.
    command.args(["sandbox-trial", &text]).current_dir("/").env_clear().stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { serde_json::from_str(&said).map_err(|error| error.to_string()) } else { Err(said) }
}

/// Says once in the log what commands are not kept from.
pub(crate) fn tell_what_is_missing(settings: Settings, folder: PathBuf) {
    tokio::task::spawn_blocking(move || match trial(&plan(PersonRole::Owner, &settings, &folder)) {
        Ok(None) => info!("commands of the owner are not confined"),
        Ok(Some(in_force)) => {
            for missing in in_force.missing() {
                warn!(missing, "commands are not confined in full; `cowhand doctor` tells more");
            }
        }
        Err(reason) => warn!(reason, "commands cannot be confined; `cowhand doctor` tells more"),
    });
}

pub(super) fn check(settings: &Settings) -> Vec<Check> {
    let folder = settings.places.workspace.clone().unwrap_or_default();
    let mut checks = of_the_owner(settings, &folder);
    checks.push(of_others(settings, &folder));
    checks
}

fn of_the_owner(settings: &Settings, folder: &Path) -> Vec<Check> {
    match trial(&plan(PersonRole::Owner, settings, folder)) {
        Ok(None) => vec![Check::warning(
            NAME,
            "commands of the owner are not confined: they can read the ledger and all keys",
            "set tools.sandbox = \"on\"",
        )],
        Ok(Some(in_force)) => layers(&in_force),
        Err(reason) if settings.sandbox == Mode::Required => {
            vec![Check::problem(NAME, reason, "set tools.sandbox = \"on\"")]
        }
        Err(reason) => vec![Check::warning(NAME, reason, "cowhand doctor --json")],
    }
}

fn layers(in_force: &InForce) -> Vec<Check> {
    let userns = "sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1";
    let landlock = "boot a kernel with CONFIG_SECURITY_LANDLOCK and `landlock` in its parameter lsm=";
    let newer = "boot Linux 6.12 or newer; without it, commands of others than the owner are refused";
    let seccomp = "boot a kernel with CONFIG_SECCOMP_FILTER";
    let capabilities = "start it as a plain user";
    [
        ("own view of files", &in_force.mounts, userns),
        ("rules on paths", &in_force.paths, landlock),
        ("rules on signals and sockets", &in_force.scopes, newer),
        ("rules on system calls", &in_force.calls, seccomp),
        ("powers of root", &in_force.capabilities, capabilities),
    ]
    .map(|(what, layer, fix)| match layer {
        Layer::InForce(how) => Check::ok(NAME, format!("{what}: {how}")),
        Layer::Missing(why) => Check::warning(NAME, format!("{what}: {why}"), fix),
    })
    .into()
}

/// Nobody but the owner has commands unless a rule says so, so that they would be refused is no more than worth knowing.
fn of_others(settings: &Settings, folder: &Path) -> Check {
    match trial(&plan(PersonRole::Trusted, settings, folder)) {
        Ok(_) => Check::ok(NAME, "commands of others, where a rule allows them: kept apart from all else"),
        Err(reason) => Check::warning(
            NAME,
            format!("commands of others would be refused: {reason}"),
            "boot Linux 6.12 or newer, with Landlock",
        ),
    }
}
