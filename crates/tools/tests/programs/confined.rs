//! Puts a plan in force and becomes a shell: `confined PLAN COMMAND`. For tests of the sandbox alone.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use tools::sandbox::Plan;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(plan), Some(command)) = (arguments.next(), arguments.next()) else { return ExitCode::from(2) };
    let plan: Plan = match serde_json::from_str(&plan) {
        Ok(plan) => plan,
        Err(error) => return failed(&error),
    };
    match plan.enter_and_tell() {
        Ok(in_force) if command == "--tell" => {
            println!("{}", serde_json::to_string(&in_force).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Ok(_) => failed(&Command::new("/bin/bash").args(["-c", "--", &command]).exec()),
        Err(error) => failed(&error),
    }
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("confined: {error}");
    ExitCode::from(97)
}
