//! Where this process is the one that orphans are left to, as process 1 of a container is. It is a program of its own, for that is a
//! property of the whole process.

use std::fs;

use rustix::process::{Pid, getpid, set_child_subreaper};
use serde_json::{Value, json};
use tools::{Settings, ToolContext, builtin};

#[tokio::test]
async fn orphans_of_a_call_are_reaped_with_it() {
    set_child_subreaper(Some(getpid())).unwrap();
    let tools = builtin(&Settings::default());
    let bash = tools.iter().find(|tool| tool.spec().name == "bash").unwrap();
    let context = ToolContext::in_folder("/");
    let command = "(true & setsid sleep 600 </dev/null >/dev/null 2>&1 & sleep 600 &)";
    let Value::Object(arguments) = json!({"command": command}) else { unreachable!() };

    let result = bash.run(arguments, context).await;

    assert!(result.content.contains("still running in the background"), "{}", result.content);
    assert_eq!(children_of(getpid()), Vec::<String>::new());
}

/// What `/proc` says of each child, those that wait to be reaped among them.
fn children_of(parent: Pid) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("the process filesystem is there").flatten();
    let lines = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let is_child = |line: &String| {
        let (_, rest) = line.rsplit_once(") ").expect("a name stands in brackets");
        rest.split(' ').nth(1) == Some(&parent.as_raw_pid().to_string())
    };
    lines.filter(is_child).collect()
}
