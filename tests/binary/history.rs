//! `cowhand history` and `cowhand verify`, beside a running chat and without one.

use serde_json::{Value, json};
use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, argument};

/// A place where the conversation `main` has had a turn with a tool, and `other` one without.
async fn used(model: &ScriptedModel) -> Place {
    model.script([
        Step::calls([("ls", json!({"path": "."}))]),
        Step::text("There is a Plum."),
        Step::text("这里有李子树"),
    ]);
    let place = Place::with(model);
    place.file("plum.txt", "");
    assert_eq!(place.run(&["chat", "what is here?"], "").await.code, 0);
    assert_eq!(place.run(&["chat", "--conversation", "other", "and there?"], "").await.code, 0);
    place
}

async fn said(place: &Place, arguments: &[&str]) -> String {
    let ended = place.run(arguments, "").await;
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    ended.stdout
}

async fn lines(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let said = said(place, arguments).await;
    said.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[tokio::test]
async fn conversations_are_listed_the_last_active_first() {
    let model = ScriptedModel::start().await;
    let place = used(&model).await;

    let listed = lines(&place, &["history", "list", "--json"]).await;

    let listed: Vec<_> =
        listed.iter().map(|it| (it["name"].clone(), it["turns"].clone(), it["messages"].clone())).collect();
    assert_eq!(listed, [(json!("other"), json!(1), json!(2)), (json!("main"), json!(1), json!(4))]);
    assert!(said(&place, &["history", "list"]).await.lines().next().expect("a line").ends_with("other"));
}

#[tokio::test]
async fn a_conversation_is_shown_as_people_saw_it_and_all_of_it_when_asked() {
    let model = ScriptedModel::start().await;
    let place = used(&model).await;

    let people = said(&place, &["history", "show"]).await;
    let all = said(&place, &["history", "show", "main", "--all"]).await;

    assert!(people.contains("  what is here?") && people.contains("  There is a Plum."), "{people}");
    assert!(!people.contains("[calls ls]") && !people.contains("(UTC"), "{people}");
    assert!(
        all.contains("[calls ls] {\"path\":\".\"}") && all.contains("plum.txt") && all.contains("[hidden] ["),
        "{all}"
    );
}

#[tokio::test]
async fn text_is_found_in_all_conversations_in_any_script() {
    let model = ScriptedModel::start().await;
    let place = used(&model).await;

    let plum = lines(&place, &["history", "search", "plum", "--json"]).await;
    let tree = lines(&place, &["history", "search", "李子", "--json"]).await;

    assert_eq!((plum.len(), plum[0]["name"].clone(), plum[0]["role"].clone()), (1, json!("main"), json!("assistant")));
    assert_eq!((tree.len(), tree[0]["name"].clone()), (1, json!("other")));
    assert_eq!(said(&place, &["history", "search", "pear"]).await, "Nothing was found.\n");
}

#[tokio::test]
async fn a_conversation_is_exported_whole_or_as_people_saw_it() {
    let model = ScriptedModel::start().await;
    let place = used(&model).await;

    let whole = lines(&place, &["history", "export", "main", "--format", "jsonl"]).await;
    let markdown = said(&place, &["history", "export", "main"]).await;

    let kinds: Vec<_> = whole.iter().map(|line| line["blocks"][0]["type"].clone()).collect();
    assert_eq!(kinds[1..], [json!("tool_use"), json!("tool_result"), json!("text")]);
    assert!(markdown.starts_with("# main\n\n## you, ") && markdown.contains("\nThere is a Plum.\n"), "{markdown}");
}

#[tokio::test]
async fn an_unknown_name_is_wrong_use_and_names_the_nearest() {
    let model = ScriptedModel::start().await;
    let place = used(&model).await;

    let ended = place.run(&["history", "show", "othr"], "").await;

    ended.refused(2, &["\"othr\"", "did you mean \"other\"?"]);
}

#[tokio::test]
async fn both_work_beside_a_running_chat() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    let place = used(&model).await;
    model.script([Step::empty().gate(&gate).then_text("done")]);
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    gate.reached().await;

    let found = lines(&place, &["history", "search", "plum", "--json"]).await;
    let sound = place.run(&["verify"], "").await;
    let at_rest = place.run(&["verify", "--at-rest"], "").await;
    gate.open();

    assert_eq!(found.len(), 1);
    assert!(sound.code == 0 && sound.stdout.ends_with("ok\n"), "{sound:?}");
    assert_eq!(at_rest.code, 1, "a turn runs: {at_rest:?}");
    assert!(at_rest.stdout.contains("wrong: a turn is open and nobody works on it"), "{at_rest:?}");
    assert_eq!(process.ends().await.code, 0);
}

#[tokio::test]
async fn verify_counts_and_takes_a_copy() {
    let model = ScriptedModel::start().await;
    let place = used(&model).await;
    let copy = place.work().join("copy.db");
    std::fs::copy(place.ledger(), &copy).expect("there is room");

    let report = said(&place, &["verify", "--at-rest", "--json", argument(&copy)]).await;

    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(report["findings"], json!([]));
    assert_eq!(report["inbox"], json!([{"state": "answered", "reason": "reply", "rows": 2}]));
    let ended = place.run(&["verify", argument(&place.work().join("none.db"))], "").await;
    ended.refused(3, &["none.db"]);
}
