//! Data folders and ledgers that cannot be used. What is found there stays as it is.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;

use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, argument};

/// A place in which something was said.
async fn used() -> Place {
    let place = Place::with_demo();
    let ended = place.run(&["chat", "who are you?"], "").await;
    assert_eq!(ended.code, 0, "{ended:?}");
    place
}

#[tokio::test]
async fn a_second_process_is_refused_with_the_firsts_id_and_the_way_out() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate).then_text("done")]);
    let place = Place::with(&model);
    let mut first = place.start(&["chat", "--json"]);
    first.says("work").await;
    gate.reached().await;

    let second = place.run(&["chat", "--json", "me too"], "").await;
    gate.open();

    second.refused(3, &[&first.id().to_string(), argument(&place.data()), "--data-dir"]);
    assert_eq!(first.ends().await.answers(), ["done"]);
}

#[tokio::test]
async fn a_folder_that_was_left_can_be_used_again() {
    let place = used().await;

    assert_eq!(place.run(&["chat", "who are you?"], "").await.code, 0);
}

#[tokio::test]
async fn a_damaged_ledger_is_kept_byte_for_byte() {
    let place = Place::with_demo();
    std::fs::create_dir(place.data()).expect("it is new");
    let garbage: Vec<u8> = (0..40_000_u32).map(|number| (number * 7 % 251) as u8).collect();
    std::fs::write(place.ledger(), &garbage).expect("it can be written");

    let ended = place.run(&["chat", "hi"], "").await;

    ended.refused(3, &[argument(&place.ledger()), "damaged", "--data-dir"]);
    assert!(std::fs::read(place.ledger()).expect("it is there") == garbage, "it was changed");
}

#[tokio::test]
async fn a_ledger_with_a_page_overwritten_is_kept_byte_for_byte() {
    let place = used().await;
    let file = OpenOptions::new().write(true).open(place.ledger()).expect("it is there");
    file.write_all_at(&[0xa5; 4096], 4096).expect("it can be written");
    let before = std::fs::read(place.ledger()).expect("it is there");

    let ended = place.run(&["chat", "hi"], "").await;

    ended.refused(3, &[argument(&place.ledger()), "damaged", "--data-dir"]);
    assert!(std::fs::read(place.ledger()).expect("it is there") == before, "it was changed");
}

#[tokio::test]
async fn a_ledger_of_a_newer_version_is_kept_byte_for_byte() {
    let place = used().await;
    // Where SQLite keeps `user_version`: https://www.sqlite.org/fileformat.html#user_version_number.
    let file = OpenOptions::new().write(true).open(place.ledger()).expect("it is there");
    file.write_all_at(&999_u32.to_be_bytes(), 60).expect("it can be written");
    let before = std::fs::read(place.ledger()).expect("it is there");

    let ended = place.run(&["chat", "hi"], "").await;

    ended.refused(3, &[argument(&place.ledger()), "newer", "999", "--data-dir"]);
    assert!(std::fs::read(place.ledger()).expect("it is there") == before, "it was changed");
}

#[tokio::test]
async fn a_data_folder_that_is_missing_is_made() {
    let place = Place::with_demo();
    assert!(!place.data().exists());

    assert_eq!(place.run(&["chat", "who are you?"], "").await.code, 0);
    assert!(place.ledger().exists());
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_made_or_written_ends_with_3() {
    let place = Place::with_demo();
    let file = place.file("file", "");
    File::open(&file).expect("it is there");

    // The kernel's own folders take no files, not even from root, for whom permissions do not count.
    for folder in [argument(&file), &format!("{}/below", argument(&file)), "/proc/cowhand", "/sys/kernel"] {
        let ended = place.run(&["--data-dir", folder, "chat", "hi"], "").await;

        ended.refused(3, &[folder, "--data-dir"]);
    }
}
