//! What is shown of a turn, and answers.

use chat::{Button, DeliveryId, Outbound, OutboundBody, OutcomeKind, PartState, Progress, Receipt, ToChannel};
use serde_json::json;
use testkit::FakeTelegram;
use testkit::fake_telegram::Fault;
use tokio::time::Duration;

use super::desk::{Desk, kept, notice};

fn is_sent(told: &[Receipt]) -> bool {
    matches!(told.last(), Some(Receipt::Sent(_)))
}

fn tool(name: &str) -> Progress {
    Progress::ToolStarted { id: "c".into(), name: name.into(), arguments: None }
}

#[tokio::test]
async fn a_turn_is_one_message_that_becomes_its_answer() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;

    let turn = desk.begin(&inbound);
    desk.service.called("sendChatAction", 1).await;
    desk.writes(&inbound.key, turn, "Let me **see**");
    let live = desk.service.hears("Let me see").await;
    let Receipt::Placeholder { platform_id, .. } = desk.receipts.next().await else { panic!("no placeholder") };
    desk.progress(&inbound.key, turn, tool("bash"));
    desk.service.hears("⚙ bash").await;
    let told = desk.answers(&inbound, turn, "It is *here*.").await;

    assert!(is_sent(&told), "{told:?}");
    let standing = desk.service.standing(7);
    assert_eq!((standing.len(), standing[0].id, standing[0].id.to_string()), (1, live.id, platform_id));
    assert_eq!((standing[0].markup.as_str(), standing[0].buttons.len()), ("It is <i>here</i>.", 0));
    desk.close().await;
}

#[tokio::test]
async fn a_silent_turn_shows_itself_and_a_tool_its_time() {
    let change = |tempo: &mut crate::telegram::Tempo| {
        tempo.silence = Duration::from_millis(30);
        tempo.longest_silence = Duration::from_millis(100);
    };
    let mut desk = Desk::open_with(FakeTelegram::start(), |_, tempo| change(tempo)).await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;

    let turn = desk.begin(&inbound);
    desk.service.hears("thinking · 0 s").await;
    desk.progress(&inbound.key, turn, tool("bash"));

    desk.service.hears("⚙ bash · 1 s").await;
    desk.parent.finish().await;
}

#[tokio::test]
async fn a_turn_that_has_nothing_to_see_yet_is_not_shown() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;

    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "```\n");
    desk.writes(&inbound.key, turn, "let a;");

    assert_eq!(desk.service.hears("let a;").await.markup, "<pre>let a;</pre>");
    desk.close().await;
}

#[tokio::test]
async fn the_answer_of_a_long_turn_is_a_new_message_and_the_old_one_shrinks() {
    let mut desk = Desk::open_with(FakeTelegram::start(), |_, tempo| tempo.long_turn = Duration::ZERO).await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;

    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "I work");
    let live = desk.service.hears("I work").await;
    desk.answers(&inbound, turn, "Done.").await;

    let answer = desk.service.hears_anew("Done.", &live).await;
    let shrunk = desk.service.hears("Worked for 0 s.").await;
    assert_eq!((shrunk.id, shrunk.buttons.len()), (live.id, 0));
    assert!(answer.id > live.id);
    desk.close().await;
}

#[tokio::test]
async fn nothing_is_sent_before_its_parts_are_on_disk() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let (key, outbound) = (inbound.key.clone(), notice(&inbound, 1, &"word ".repeat(1500)));

    desk.tell(ToChannel::Deliver(outbound.clone()));
    let Receipt::Rendered { delivery, parts } = desk.receipts.next().await else { panic!("not rendered") };
    // Had a part been let go, this would wait behind it.
    desk.tell(ToChannel::Noticed { key: key.clone(), id: inbound.id.clone() });
    desk.service.reaction(7, inbound.id.0.parse().unwrap()).await;
    assert_eq!((parts.len(), desk.service.standing(7).len()), (2, 0));
    desk.tell(ToChannel::PartsStored { key: key.clone(), delivery });
    for part in 0..2 {
        let Receipt::PartSending { part: sending, .. } = desk.receipts.next().await else { panic!("not sending") };
        assert_eq!((sending, desk.service.standing(7).len()), (part, part as usize));
        desk.tell(ToChannel::PartCleared { key: key.clone(), delivery, part });
        let Receipt::PartSent { platform_id, .. } = desk.receipts.next().await else { panic!("not sent") };
        assert_eq!(desk.service.standing(7)[part as usize].id.to_string(), platform_id);
    }

    assert!(matches!(desk.receipts.next().await, Receipt::Sent(DeliveryId(1))));
    desk.close().await;
}

#[tokio::test]
async fn what_an_earlier_process_did_not_send_is_sent_from_where_it_stood() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let outbound = notice(&inbound, 1, &format!("{} {}", "one ".repeat(1000), "two ".repeat(900)));
    let told = desk.delivers(outbound.clone()).await;
    let before = desk.service.standing(7);

    // The first part is known to be out, the second was on its way.
    let states = [PartState::Sent(before[0].id.to_string()), PartState::Sending];
    let parts = kept(&told, |at| states[at].clone());
    let resumed = Outbound { id: DeliveryId(2), ..outbound };
    desk.tell(ToChannel::Resume { outbound: resumed.clone(), placeholder: None, parts });
    desk.plays_delivery(&resumed).await;

    let standing = desk.service.standing(7);
    assert_eq!(standing.len(), 3);
    assert_eq!(standing[2].text, format!("{}\n(may be a repeat)", before[1].text));
    desk.close().await;
}

#[tokio::test]
async fn an_answer_whose_placeholder_is_known_is_an_edit_after_a_restart_too() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "I think");
    let live = desk.service.hears("I think").await;
    let outbound = Desk::outcome(&inbound, turn, OutcomeKind::Answered, "Done.");
    let told = desk.delivers(outbound.clone()).await;

    // It was made, but that was not written down.
    let parts = kept(&told, |_| PartState::Sending);
    let resumed = Outbound { id: DeliveryId(7), ..outbound };
    let placeholder = Some(live.id.to_string());
    desk.tell(ToChannel::Resume { outbound: resumed.clone(), placeholder, parts });
    let told = desk.plays_delivery(&resumed).await;

    assert!(is_sent(&told), "{told:?}");
    assert_eq!(desk.service.standing(7).len(), 1);
    assert_eq!(desk.service.standing(7)[0].text, "Done.");
    desk.parent.finish().await;
}

#[tokio::test]
async fn an_answer_comes_anew_where_its_placeholder_was_taken_away() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "I think");
    let live = desk.service.hears("I think").await;
    // Its number is known.
    while !matches!(desk.receipts.next().await, Receipt::Placeholder { .. }) {}
    desk.service.takes_away(&live);

    let told = desk.answers(&inbound, turn, "Done.").await;

    assert!(is_sent(&told), "{told:?}");
    assert_eq!(desk.service.hears_anew("Done.", &live).await.text, "Done.");
    desk.parent.finish().await;
}

#[tokio::test]
async fn d05_what_cannot_be_parsed_goes_once_more_as_it_is_read() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let why = "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 9";
    desk.service.fail("sendMessage", Fault::Refuse(400, why));

    let told = desk.delivers(notice(&inbound, 1, "see **antique_identifier** & `open")).await;

    assert!(is_sent(&told), "{told:?}");
    let standing = desk.service.standing(7);
    assert_eq!(standing.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["see antique_identifier & `open"]);
    desk.close().await;
}

#[tokio::test]
async fn a_message_whose_arrival_was_not_learnt_is_sent_once_more_with_a_mark() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    desk.service.fail("sendMessage", Fault::LoseAnswer);

    let told = desk.delivers(notice(&inbound, 1, "Done.")).await;

    assert!(is_sent(&told), "{told:?}");
    let texts: Vec<_> = desk.service.standing(7).into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["Done.", "Done.\n(may be a repeat)"]);
    desk.close().await;
}

#[tokio::test]
async fn a_message_whose_arrival_was_not_learnt_twice_is_doubtful() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    desk.service.fail_times("sendMessage", 2, Fault::BadGateway);

    let told = desk.delivers(notice(&inbound, 1, "Done.")).await;

    assert!(matches!(told.last(), Some(Receipt::Doubtful { .. })), "{told:?}");
    assert_eq!(desk.service.calls("sendMessage").len(), 2);
    desk.close().await;
}

#[tokio::test]
async fn an_edit_whose_end_was_not_learnt_is_made_again_without_a_mark() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "I think");
    while !matches!(desk.receipts.next().await, Receipt::Placeholder { .. }) {}
    desk.service.fail_times("editMessageText", 2, Fault::LoseAnswer);

    let told = desk.answers(&inbound, turn, "Done.").await;

    assert!(is_sent(&told), "{told:?}");
    let texts: Vec<_> = desk.service.standing(7).into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["Done."]);
    desk.parent.finish().await;
}

#[tokio::test]
async fn d17_an_answer_waits_as_long_as_the_service_wants_and_is_sent_once() {
    let mut desk = Desk::open().await;
    let (ada, bo) = (desk.ada(), desk.service.person(8, "Bo"));
    desk.service.says(&ada, "hi");
    let from_ada = desk.takes().await;
    desk.service.says(&bo, "hi");
    let from_bo = desk.takes().await;
    desk.service.fail("sendMessage", Fault::Flood(1));

    let to_ada = notice(&from_ada, 1, "for Ada");
    desk.tell(ToChannel::Deliver(to_ada.clone()));
    let Receipt::Rendered { .. } = desk.receipts.next().await else { panic!("not rendered") };
    desk.tell(ToChannel::PartsStored { key: to_ada.key.clone(), delivery: to_ada.id });
    let Receipt::PartSending { .. } = desk.receipts.next().await else { panic!("not sending") };
    desk.tell(ToChannel::PartCleared { key: to_ada.key.clone(), delivery: to_ada.id, part: 0 });
    desk.service.called("sendMessage", 1).await;
    let told = desk.delivers(notice(&from_bo, 2, "for Bo")).await;
    assert!(is_sent(&told), "{told:?}");
    let told = desk.plays_delivery(&to_ada).await;

    assert!(is_sent(&told), "{told:?}");
    let calls = desk.service.calls("sendMessage");
    let chats: Vec<_> = calls.iter().map(|call| call.body["chat_id"].as_i64().unwrap()).collect();
    assert_eq!(chats, [7, 8, 7]);
    assert!(calls[2].at - calls[0].at >= Duration::from_secs(1));
    desk.close().await;
}

#[tokio::test]
async fn d27_who_blocked_the_bot_is_not_tried_again_and_delays_nobody() {
    let mut desk = Desk::open().await;
    let bo = desk.service.person(8, "Bo");
    desk.service.says(&desk.ada(), "hi");
    let from_ada = desk.takes().await;
    desk.service.says(&bo, "hi");
    let from_bo = desk.takes().await;
    desk.service.closes(7, 403, "Forbidden: bot was blocked by the user");

    let told = desk.delivers(notice(&from_ada, 1, "for Ada")).await;
    let Some(Receipt::Failed { reason, .. }) = told.last() else { panic!("{told:?}") };
    assert_eq!(reason, "Forbidden: bot was blocked by the user");
    assert!(is_sent(&desk.delivers(notice(&from_bo, 2, "for Bo")).await));
    assert_eq!(desk.service.calls("sendMessage").len(), 2);
    desk.parent.finish().await;
}

#[tokio::test]
async fn d27_rights_that_are_missing_may_come_back() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    desk.service.fail_times("sendMessage", 2, Fault::Refuse(403, "Forbidden: not enough rights to send text messages"));

    assert!(is_sent(&desk.delivers(notice(&inbound, 1, "Done.")).await));
    desk.close().await;
}

#[tokio::test]
async fn a_very_long_answer_is_sent_as_a_file() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let long = "word ".repeat(4000);

    let turn = desk.begin(&inbound);
    assert!(is_sent(&desk.answers(&inbound, turn, &long).await));

    let standing = desk.service.standing(7);
    assert!(standing[0].text.ends_with("The whole answer is in answer.md."), "{}", standing[0].text);
    assert_eq!(standing[1].file, Some(("answer.md".into(), long.into_bytes())));
    desk.close().await;
}

#[tokio::test]
async fn a_turn_that_ends_without_a_word_leaves_nothing_behind() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "Hm");
    desk.service.hears("Hm").await;

    let told = desk.delivers(Desk::outcome(&inbound, turn, OutcomeKind::Silent, "")).await;

    assert!(is_sent(&told), "{told:?}");
    desk.service.called("deleteMessage", 1).await;
    assert_eq!(desk.service.standing(7), []);
    desk.close().await;
}

#[tokio::test]
async fn a_question_has_its_buttons() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let button = |label: &str, data: &str| Button { label: label.into(), data: data.into() };
    let buttons = vec![vec![button("Yes", "approve:1"), button("No", "deny:1")]];

    let body = OutboundBody::Question { text: "May I?".into(), buttons };
    desk.delivers(Outbound { body, ..notice(&inbound, 1, "") }).await;

    assert_eq!(desk.service.hears("May I?").await.buttons, ["approve:1", "deny:1"]);
    desk.close().await;
}

#[tokio::test]
async fn deliveries_of_a_conversation_come_in_order() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let (one, two) = (notice(&inbound, 1, &"one ".repeat(1500)), notice(&inbound, 2, "two"));

    desk.tell(ToChannel::Deliver(one.clone()));
    desk.tell(ToChannel::Deliver(two.clone()));
    desk.plays_delivery(&one).await;
    desk.plays_delivery(&two).await;

    let texts: Vec<_> = desk.service.standing(7).into_iter().map(|it| it.text[..3].to_owned()).collect();
    assert_eq!(texts, ["one", "one", "two"]);
    desk.close().await;
}

#[tokio::test]
async fn a_message_that_joined_or_waits_has_a_sign() {
    let mut desk = Desk::open().await;
    let (one, two) = (desk.service.says(&desk.ada(), "one"), desk.service.says(&desk.ada(), "two"));
    let (first, second) = (desk.takes().await, desk.takes().await);

    let turn = desk.begin(&first);
    desk.tell(ToChannel::Noticed { key: first.key, id: first.id });
    desk.tell(ToChannel::Joined { key: second.key, id: second.id, turn });

    assert_eq!(
        (desk.service.reaction(7, one).await.as_str(), desk.service.reaction(7, two).await.as_str()),
        ("👀", "✍")
    );
    desk.close().await;
}

#[tokio::test]
async fn w7_what_nobody_asked_for_needs_no_more_than_its_conversation() {
    let mut desk = Desk::open().await;
    let _ada = desk.ada();
    let key = "telegram/123456/7//".parse().unwrap();

    let body = OutboundBody::Notice { text: "Time to go.".into() };
    let told = desk.delivers(Outbound { id: DeliveryId(1), key, reply_to: None, body }).await;

    assert!(is_sent(&told), "{told:?}");
    desk.service.hears("Time to go.").await;
    desk.close().await;
}

#[tokio::test]
async fn w8_an_answer_that_hangs_keeps_no_message_back() {
    let mut desk = Desk::open().await;
    let (ada, bo) = (desk.ada(), desk.service.person(8, "Bo"));
    desk.service.says(&ada, "/steer left");
    let steer = desk.takes().await;
    desk.service.fail("sendMessage", Fault::Wait);

    desk.tell(ToChannel::CommandAnswered { key: steer.key, id: steer.id, text: "steered".into() });
    desk.service.called("sendMessage", 1).await;
    desk.service.says(&ada, "/stop");
    desk.service.says(&bo, "hi");
    assert_eq!(desk.takes().await.text, "/stop");
    let from_bo = desk.takes().await;
    assert!(is_sent(&desk.delivers(notice(&from_bo, 1, "for Bo")).await));

    desk.service.release();
    desk.service.hears("steered").await;
    desk.close().await;
}

#[tokio::test]
async fn w23_a_stop_before_anything_ran_leaves_the_channel_as_it_was() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "/stop");
    let stop = desk.takes().await;

    desk.tell(ToChannel::CommandAnswered { key: stop.key.clone(), id: stop.id.clone(), text: "Nothing runs.".into() });
    desk.service.hears("Nothing runs.").await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    let turn = desk.begin(&inbound);

    assert!(is_sent(&desk.answers(&inbound, turn, "Hello.").await));
    desk.close().await;
}

#[tokio::test]
async fn the_live_message_of_a_group_answers_the_message_of_its_turn() {
    let mut desk = Desk::open().await;
    let (group, ada) = (desk.service.group(-1_005), desk.ada());
    let first = desk.service.says_in(&group, &ada, json!({ "text": "one" }));
    desk.service.says_in(&group, &ada, json!({ "text": "two" }));
    let (one, _) = (desk.takes().await, desk.takes().await);

    let turn = desk.begin(&one);
    desk.writes(&one.key, turn, "I think");

    assert_eq!(desk.service.hears("I think").await.reply_to, Some(first));
    desk.close().await;
}

#[tokio::test]
async fn many_conversations_at_once_are_each_answered_once_and_none_is_flooded() {
    let mut desk = Desk::open().await;
    let people: Vec<_> = (1..=30).map(|id| desk.service.person(id, "Somebody")).collect();
    people.iter().for_each(|person| _ = desk.service.says(person, &format!("from {}", person.id)));

    let mut outbounds = Vec::new();
    for _ in &people {
        let inbound = desk.takes().await;
        let turn = desk.begin(&inbound);
        desk.writes(&inbound.key, turn, "I think");
        outbounds.push(Desk::outcome(&inbound, turn, OutcomeKind::Answered, &format!("for {}", inbound.key.chat)));
    }
    let told = desk.delivers_all(&outbounds).await;

    assert_eq!(told.iter().filter(|receipt| matches!(receipt, Receipt::Sent(_))).count(), people.len());
    for person in &people {
        let texts: Vec<_> = desk.service.standing(person.id).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, [format!("for {}", person.id)]);
    }
    desk.close().await;
}
