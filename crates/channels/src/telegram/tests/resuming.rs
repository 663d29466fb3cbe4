//! Turns that an earlier process showed.

use chat::ToChannel;

use super::desk::{Desk, notice};

#[tokio::test]
async fn a_turn_that_goes_on_after_a_restart_is_shown_where_it_was() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    // The earlier process is played by a notice.
    desk.delivers(notice(&inbound, 1, "I think")).await;
    let live = desk.service.hears("I think").await;

    let (key, turn) = (inbound.key.clone(), chat::TurnId(9));
    desk.tell(ToChannel::Placeholder { key: key.clone(), turn, platform_id: live.id.to_string() });
    desk.writes(&key, turn, "I go on");
    assert_eq!(desk.service.hears("I go on").await.id, live.id);
    desk.answers(&inbound, turn, "Done.").await;

    assert_eq!(desk.service.standing(7).into_iter().map(|it| it.text).collect::<Vec<_>>(), ["Done."]);
    desk.close().await;
}

#[tokio::test]
async fn the_answer_of_a_turn_that_says_nothing_after_a_restart_is_where_it_was_shown() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    desk.delivers(notice(&inbound, 1, "I think")).await;
    let live = desk.service.hears("I think").await;

    let (key, turn) = (inbound.key.clone(), chat::TurnId(9));
    desk.tell(ToChannel::Placeholder { key, turn, platform_id: live.id.to_string() });
    desk.answers(&inbound, turn, "Done.").await;

    assert_eq!(desk.service.standing(7).into_iter().map(|it| it.text).collect::<Vec<_>>(), ["Done."]);
    desk.close().await;
}
