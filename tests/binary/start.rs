//! Starts that are refused, and where settings come from.

use crate::support::process::{Place, argument};

#[tokio::test]
async fn wrong_use_ends_with_2() {
    let place = Place::with_demo();

    for (arguments, says) in [
        (vec!["chat", "--jsom"], "--json"),
        (vec!["talk"], "talk"),
        (vec![], "Usage"),
        (vec!["chat", "--workspace", "nowhere", "hi"], "nowhere"),
        (vec!["chat", "--conversation", "", "hi"], "--conversation"),
        (vec!["chat", "--model", "nobody/knows", "hi"], "nobody"),
        (vec!["chat", "one", "two"], "two"),
    ] {
        place.run(&arguments, "").await.refused(2, &[says]);
    }
    assert!(!place.data().exists());
}

#[tokio::test]
async fn help_and_version_are_answered_on_standard_output() {
    let place = Place::new();

    for arguments in [["--help"].as_slice(), &["chat", "--help"], &["--version"]] {
        let ended = place.run(arguments, "").await;

        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        assert!(ended.stdout.contains("owhand"), "{ended:?}");
    }
}

#[tokio::test]
async fn a_typo_in_the_configuration_ends_with_78_and_the_nearest_key() {
    let place = Place::with_demo();
    let file = place.file("cowhand.toml", "[limits]\nmax_step = 3\n");

    for arguments in [["--config", argument(&file), "chat", "hi"], ["chat", "--config", argument(&file), "hi"]] {
        let ended = place.run(&arguments, "").await;

        ended.refused(78, &[argument(&file), "line 2", "limits.max_step", "limits.max_steps"]);
    }
    assert!(!place.data().exists(), "nothing was started");
}

#[tokio::test]
async fn a_configuration_that_is_no_toml_ends_with_78_and_its_line() {
    let place = Place::with_demo();
    let file = place.file("cowhand.toml", "[limits]\nmax_steps = = 3\n");

    let ended = place.run(&["--config", argument(&file), "chat", "hi"], "").await;

    ended.refused(78, &[argument(&file), "line 2"]);
}

#[tokio::test]
async fn a_configuration_that_was_named_has_to_be_there() {
    let place = Place::with_demo().set("COWHAND_CONFIG", "/nowhere/cowhand.toml");

    place.run(&["chat", "hi"], "").await.refused(78, &["/nowhere/cowhand.toml"]);
}

#[tokio::test]
async fn the_users_configuration_is_read_and_arguments_count_more() {
    let place = Place::new();
    let folder = place.work().join("../home/.config/cowhand");
    std::fs::create_dir_all(&folder).expect("the home is ours");
    std::fs::write(folder.join("cowhand.toml"), "[models]\nmodel = \"nobody/knows\"\n").expect("it can be written");

    place.run(&["chat", "hi"], "").await.refused(78, &["nobody"]);
    let ended = place.run(&["chat", "--model", "demo", "who are you?"], "").await;

    assert_eq!(ended.code, 0, "{ended:?}");
}

#[tokio::test]
async fn an_unknown_variable_of_ours_is_a_warning() {
    let place = Place::with_demo().set("COWHAND__LIMITS__MAX_STEP", "3");

    let ended = place.run(&["chat", "who are you?"], "").await;

    assert_eq!(ended.code, 0);
    assert!(ended.stderr.contains("COWHAND__LIMITS__MAX_STEP"), "{ended:?}");
}

#[tokio::test]
async fn the_argument_for_the_data_folder_counts_more_than_the_variable() {
    let place = Place::with_demo();
    let other = place.work().join("deep/data");

    let ended = place.run(&["--data-dir", argument(&other), "chat", "who are you?"], "").await;

    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(other.join("ledger.db").exists() && !place.data().exists());
}
