//! Files that a turn hands out.

use chat::{OutboundBody, OutcomeKind, OutgoingFile, Receipt};

use super::desk::Desk;

#[tokio::test]
async fn a_file_that_a_turn_hands_out_follows_its_answer() {
    let mut desk = Desk::open().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("blob");
    std::fs::write(&path, "a pear").expect("the folder is there");
    desk.service.says(&desk.ada(), "send it");
    let inbound = desk.takes().await;

    let turn = desk.begin(&inbound);
    let mut outbound = Desk::outcome(&inbound, turn, OutcomeKind::Answered, "Here it is.");
    let OutboundBody::TurnFinished { outcome, .. } = &mut outbound.body else { panic!("a turn ends") };
    let (name, media_type, caption) = ("pear.txt".into(), "text/plain".into(), Some("ripe".into()));
    outcome.files.push(OutgoingFile { path, name, media_type, bytes: 6, caption });
    let told = desk.delivers(outbound).await;

    assert!(matches!(told.last(), Some(Receipt::Sent(_))), "{told:?}");
    let standing = desk.service.standing(7);
    assert_eq!(standing[0].text, "Here it is.");
    assert_eq!(standing[1].file, Some(("pear.txt".into(), b"a pear".to_vec())));
    desk.close().await;
}
