//! What a model asks for really happens to files and processes.

use serde_json::json;
use testkit::{ScriptedModel, Step};

use crate::support::process::{Place, of_type};

#[tokio::test]
async fn ls_read_write_and_bash_really_work() {
    let model = ScriptedModel::start().await;
    model.script([
        Step::calls([("ls", json!({"path": "."}))]),
        Step::calls([("read", json!({"path": "plum.txt"}))]),
        Step::calls([("write", json!({"path": "new/pear.txt", "content": "a pear\n"}))]),
        Step::calls([("bash", json!({"command": "cat new/pear.txt; pwd; exit 3"}))]),
        Step::text("done"),
    ]);
    let place = Place::with(&model);
    place.file("plum.txt", "the plum's own words");

    let events = place.events("work\n").await;

    let written = std::fs::read_to_string(place.work().join("new/pear.txt")).expect("it was written");
    assert_eq!(written, "a pear\n");
    let results = model.request(5).await.tool_results();
    let work = place.work().canonicalize().expect("it is there");
    for (at, part) in
        [(0, "plum.txt"), (1, "the plum's own words"), (3, "a pear"), (3, work.to_str().expect("UTF-8")), (3, "3")]
    {
        assert!(results[at].contains(part), "no {part:?} in {results:?}");
    }
    let errors: Vec<_> = of_type(&events, "tool_finished").iter().map(|event| event["is_error"].as_bool()).collect();
    assert_eq!(errors[..3], [Some(false), Some(false), Some(false)]);
}

#[tokio::test]
async fn all_tools_of_this_version_are_offered() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("hi")]);
    let place = Place::with(&model);

    place.events("hello\n").await;

    let offered = model.request(1).await.tool_names();
    for name in ["bash", "edit", "ls", "read", "search", "send", "write"] {
        assert!(offered.iter().any(|tool| tool == name), "no {name} in {offered:?}");
    }
}

#[tokio::test]
async fn workspace_names_the_folder_of_the_agent() {
    let model = ScriptedModel::start().await;
    model.script([Step::calls([("ls", json!({"path": "."}))]), Step::text("done")]);
    let place = Place::with(&model);
    let other = place.work().join("another folder 文");
    std::fs::create_dir(&other).expect("it is new");
    std::fs::write(other.join("inside.txt"), "").expect("it can be written");

    let ended = place.run(&["chat", "--workspace", "another folder 文", "look"], "").await;

    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(model.request(2).await.tool_results()[0].contains("inside.txt"));
}

#[tokio::test]
async fn the_ledger_is_out_of_reach_of_tools_for_files() {
    let model = ScriptedModel::start().await;
    let place = Place::with(&model);
    let path = place.ledger();
    model.script([Step::calls([("write", json!({"path": path, "content": "gone"}))]), Step::text("I may not.")]);

    let events = place.events("destroy it\n").await;

    assert_eq!(of_type(&events, "tool_finished")[0]["is_error"], true);
    assert!(std::fs::read(path).expect("it is there").starts_with(b"SQLite format 3\0"));
}

#[tokio::test]
async fn search_and_edit_really_work() {
    let model = ScriptedModel::start().await;
    model.script([
        Step::calls([("search", json!({"pattern": "ripe"}))]),
        Step::calls([("edit", json!({"path": "fruit/plum.txt", "old_text": "ripe", "new_text": "eaten"}))]),
        Step::text("done"),
    ]);
    let place = Place::with(&model);
    std::fs::create_dir(place.work().join("fruit")).expect("it is new");
    place.file("fruit/plum.txt", "it is ripe\r\n");

    place.events("eat it\n").await;

    let results = model.request(3).await.tool_results();
    assert_eq!(results[0], "fruit/plum.txt:1:it is ripe");
    assert_eq!(results[1], "edited `fruit/plum.txt` once, first changed line 1");
    let edited = std::fs::read_to_string(place.work().join("fruit/plum.txt")).expect("it is there");
    assert_eq!(edited, "it is eaten\r\n");
}

#[tokio::test]
async fn a_file_that_is_sent_comes_with_the_answer() {
    let model = ScriptedModel::start().await;
    model.script([Step::calls([("send", json!({"path": "plum.txt", "caption": "a plum"}))]), Step::text("here")]);
    let place = Place::with(&model);
    place.file("plum.txt", "the plum's own words");

    let events = place.events("send it\n").await;

    let file = of_type(&events, "file").remove(0);
    assert_eq!((&file["turn"], &file["name"], &file["bytes"]), (&json!(1), &json!("plum.txt"), &json!(20)), "{file}");
    let copy = std::fs::read_to_string(file["path"].as_str().expect("a path")).expect("it is there");
    assert_eq!(copy, "the plum's own words");
    assert_eq!(events.last().expect("there are events")["type"], "turn_finished");
}

#[tokio::test]
async fn of_the_data_folder_only_the_workspace_is_open() {
    let model = ScriptedModel::start().await;
    let place = Place::with(&model);
    let folder = place.data();
    model.script([
        Step::calls([
            ("ls", json!({"path": folder})),
            ("write", json!({"path": folder.join("workspace/MEMORY.md"), "content": "x"})),
        ]),
        Step::text("done"),
    ]);

    let events = place.events("look\n").await;

    let errors: Vec<_> = of_type(&events, "tool_finished").iter().map(|event| event["is_error"].as_bool()).collect();
    assert_eq!(errors, [Some(true), Some(false)]);
}

#[tokio::test]
async fn the_step_limit_is_a_setting_and_ends_in_a_summary() {
    let model = ScriptedModel::start().await;
    let call = || Step::calls([("ls", json!({"path": "."}))]);
    model.script([call(), call(), Step::text("I looked twice.")]);
    let place = Place::with(&model).set("COWHAND__LIMITS__MAX_STEPS", "2");

    let end = of_type(&place.events("look\n").await, "turn_finished").remove(0);

    assert_eq!((&end["steps"], &end["outcome"]), (&json!(3), &json!("answered")), "{end}");
    assert!(end["text"].as_str().expect("a text").contains("I looked twice."), "{end}");
    assert!(model.request(3).await.tool_names().is_empty());
}
