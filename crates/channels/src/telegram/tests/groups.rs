//! Where others read and write too.

use chat::{Arrival, Place, ToChannel};
use serde_json::{Value, json};
use testkit::FakeTelegram;

use super::desk::{Desk, notice};

const GROUP: i64 = -1_001_234;

fn entity(kind: &str, offset: usize, length: usize) -> Value {
    json!({ "type": kind, "offset": offset, "length": length })
}

fn text(text: &str, entities: &[Value]) -> Value {
    json!({ "text": text, "entities": entities })
}

fn reply_to(from: Value, content: Value) -> Value {
    let chat = json!({ "id": GROUP, "type": "supergroup", "title": "some chat" });
    let replied = json!({ "message_id": 1, "date": 1, "chat": chat, "from": from, "text": "earlier" });
    let mut reply = content;
    reply["reply_to_message"] = replied;
    reply
}

fn bot() -> Value {
    json!({ "id": 123_456, "is_bot": true, "first_name": "Cowhand", "username": "cowhand_bot" })
}

fn is_addressed(place: Place) -> bool {
    place == Place::Group { addressed: true }
}

#[tokio::test]
async fn w10_only_its_own_name_and_a_reply_speak_to_the_bot() {
    let mut desk = Desk::open().await;
    let (group, ada) = (desk.service.group(GROUP), desk.ada());

    for (content, addressed, read) in [
        (text("see https://a.b", &[entity("url", 4, 11)]), false, "see https://a.b"),
        (text("😀 @Cowhand_Bot hi", &[entity("mention", 3, 12)]), true, "😀  hi"),
        (text("@cowhand_bot2 hi", &[entity("mention", 0, 13)]), false, "@cowhand_bot2 hi"),
        (text("mail me@cowhand_bot", &[]), false, "mail me@cowhand_bot"),
        (reply_to(bot(), text("why **here**?", &[entity("bold", 4, 4)])), true, "why **here**?"),
        (reply_to(ada.json(), text("why?", &[])), false, "why?"),
    ] {
        desk.service.says_in(&group, &ada, content);
        let inbound = desk.takes().await;
        assert_eq!((is_addressed(inbound.place), inbound.text.as_str()), (addressed, read));
    }
    desk.close().await;
}

#[tokio::test]
async fn d23_a_command_is_for_the_bot_that_it_names() {
    let mut desk = Desk::open().await;
    let (group, ada) = (desk.service.group(GROUP), desk.ada());
    let command = |text: &str| json!({ "text": text, "entities": [entity("bot_command", 0, text.len())] });

    desk.service.says_in(&group, &ada, command("/stop@other_bot"));
    desk.service.says_in(&group, &ada, command("/stop@COWHAND_bot"));
    desk.service.says_in(&group, &ada, command("/status"));

    let (stop, status) = (desk.takes().await, desk.takes().await);
    assert_eq!((stop.text.as_str(), is_addressed(stop.place)), ("/stop", true));
    assert_eq!((status.text.as_str(), is_addressed(status.place)), ("/status", true));
    desk.close().await;
}

#[tokio::test]
async fn d23_a_command_without_a_name_can_be_left_to_others() {
    let mut desk = Desk::open_with(FakeTelegram::start(), |settings, _| settings.bare_commands = false).await;
    let (group, ada) = (desk.service.group(GROUP), desk.ada());

    desk.service.says_in(&group, &ada, text("/stop", &[entity("bot_command", 0, 5)]));

    assert!(!is_addressed(desk.takes().await.place));
    desk.close().await;
}

#[tokio::test]
async fn d15_what_is_written_in_general_is_answered_there() {
    let mut desk = Desk::open().await;
    let (forum, ada) = (desk.service.forum(GROUP, &[42]), desk.ada());

    for thread in [1, 77] {
        desk.service.says_in(&forum, &ada, json!({ "text": "hi", "message_thread_id": thread }));
        let inbound = desk.takes().await;
        assert_eq!(inbound.key.thread, None);
        let answer = format!("answer {thread}");
        desk.delivers(notice(&inbound, thread, &answer)).await;
        let heard = desk.service.hears(&answer).await;
        assert_eq!((heard.chat, heard.thread), (GROUP, None));
    }
    desk.close().await;
}

#[tokio::test]
async fn a_topic_is_a_conversation_of_its_own_and_is_answered_there() {
    let mut desk = Desk::open().await;
    let (forum, ada) = (desk.service.forum(GROUP, &[42]), desk.ada());
    let made = json!({ "message_id": 42, "date": 1, "chat": forum.json(), "from": bot(), "forum_topic_created": { "name": "t", "icon_color": 7322096 }, "message_thread_id": 42, "is_topic_message": true });

    let content = json!({ "text": "hi", "message_thread_id": 42, "is_topic_message": true, "reply_to_message": made });
    desk.service.says_in(&forum, &ada, content);
    let inbound = desk.takes().await;

    assert_eq!(inbound.key.thread.as_deref(), Some("42"));
    // Every message there is a reply to the making of the topic.
    assert!(!is_addressed(inbound.place));
    assert_eq!(inbound.quoted, None);
    desk.delivers(notice(&inbound, 1, "answer")).await;
    assert_eq!(desk.service.hears("answer").await.thread, Some(42));
    desk.close().await;
}

#[tokio::test]
async fn d15_the_answer_to_a_topic_that_is_gone_stays_in_its_group() {
    let mut desk = Desk::open().await;
    let (forum, ada) = (desk.service.forum(GROUP, &[]), desk.ada());

    desk.service.says_in(&forum, &ada, json!({ "text": "hi", "message_thread_id": 42, "is_topic_message": true }));
    let inbound = desk.takes().await;
    desk.delivers(notice(&inbound, 1, "answer")).await;

    let heard = desk.service.hears("answer").await;
    assert_eq!((heard.chat, heard.thread), (GROUP, None));
    desk.parent.finish().await;
}

#[tokio::test]
async fn d25_an_anonymous_admin_is_nobody_unless_the_group_is_named() {
    let admin = json!({ "id": 1_087_968_824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot" });
    for allowed in [false, true] {
        let anonymous_admins = if allowed { vec![GROUP] } else { Vec::new() };
        let change = |settings: &mut crate::telegram::Settings| settings.anonymous_admins = anonymous_admins;
        let mut desk = Desk::open_with(FakeTelegram::start(), |settings, _| change(settings)).await;
        let (group, ada) = (desk.service.group(GROUP), desk.ada());

        desk.service.writes(group.json(), admin.clone(), json!({ "text": "obey", "sender_chat": group.json() }));
        desk.service.says(&ada, "hi");

        let first = desk.takes().await;
        let expected = if allowed { (GROUP.to_string(), "obey") } else { ("7".to_owned(), "hi") };
        assert_eq!((first.person.id, first.text.as_str()), expected);
        desk.parent.finish().await;
    }
}

#[tokio::test]
async fn a_post_of_a_channel_is_nobodys_message() {
    let mut desk = Desk::open().await;
    let channel = json!({ "id": -1_009, "type": "channel", "title": "news" });
    let (group, ada) = (desk.service.group(GROUP), desk.ada());

    desk.service.update(
        "channel_post",
        json!({ "message_id": 1, "date": 1, "chat": channel, "sender_chat": channel, "text": "x" }),
    );
    let forwarded = json!({ "text": "x", "sender_chat": channel, "is_automatic_forward": true });
    let service = json!({ "id": 777_000, "is_bot": false, "first_name": "Telegram" });
    desk.service.writes(group.json(), service, forwarded);
    desk.service.says(&ada, "hi");

    assert_eq!(desk.takes().await.text, "hi");
    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn d21_a_group_that_moved_is_answered_where_it_is_now_and_all_are_told() {
    let mut desk = Desk::open().await;
    let (group, ada) = (desk.service.group(-4001), desk.ada());
    desk.service.says_in(&group, &ada, json!({ "text": "hi" }));
    let inbound = desk.takes().await;
    desk.service.moves(-4001, -1_001_557);

    desk.delivers(notice(&inbound, 1, "answer")).await;
    desk.delivers(notice(&inbound, 2, "another")).await;

    assert_eq!(desk.service.hears("answer").await.chat, -1_001_557);
    assert_eq!(desk.service.hears("another").await.chat, -1_001_557);
    let Arrival::Moved { from, chat } = desk.arrival().await else { panic!("not a move") };
    assert_eq!((from, chat.as_str()), (inbound.key, "-1001557"));
    assert_eq!(desk.service.calls("sendMessage").len(), 3);
    desk.parent.finish().await;
}

#[tokio::test]
async fn d21_a_group_that_says_it_moved_is_believed() {
    let mut desk = Desk::open().await;
    let chat = json!({ "id": -4001, "type": "group", "title": "some chat" });

    let moved = json!({ "message_id": 1, "date": 1, "chat": chat, "from": desk.ada().json(), "migrate_to_chat_id": -1_001_557 });
    desk.service.update("message", moved);

    let Arrival::Moved { from, chat } = desk.arrival().await else { panic!("not a move") };
    assert_eq!((from.chat.as_str(), chat.as_str()), ("-4001", "-1001557"));
    desk.close().await;
}

#[tokio::test]
async fn f09_one_person_in_two_chats_has_two_conversations() {
    let mut desk = Desk::open().await;
    let (group, ada) = (desk.service.group(GROUP), desk.ada());

    desk.service.says_in(&group, &ada, json!({ "text": "the codeword is plum" }));
    desk.service.says(&ada, "which codeword?");

    assert_ne!(desk.takes().await.key, desk.takes().await.key);
    desk.close().await;
}

#[tokio::test]
async fn h01_a_person_is_known_by_number_and_not_by_name() {
    let mut desk = Desk::open().await;

    for (id, username) in [(1, "alice"), (2, "alice"), (1, "alice2")] {
        let person = desk.service.person(id, "Alice");
        let mut from = person.json();
        from["username"] = username.into();
        desk.service.writes(
            json!({ "id": id, "type": "private", "first_name": "Alice" }),
            from,
            json!({ "text": "hi" }),
        );
        assert_eq!(desk.takes().await.person.id, id.to_string());
    }
    desk.close().await;
}

#[tokio::test]
async fn people_who_do_not_share_a_group_have_conversations_of_their_own() {
    let mut desk = Desk::open_with(FakeTelegram::start(), |settings, _| settings.shared_groups = false).await;
    let (group, ada, bo) = (desk.service.group(GROUP), desk.ada(), desk.service.person(8, "Bo"));

    desk.service.says_in(&group, &ada, json!({ "text": "one" }));
    desk.service.says_in(&group, &bo, json!({ "text": "two" }));

    let (one, two) = (desk.takes().await, desk.takes().await);
    assert_eq!((one.key.person.as_deref(), two.key.person.as_deref()), (Some("7"), Some("8")));
    desk.close().await;
}

#[tokio::test]
async fn w12_a_command_in_a_topic_is_for_the_conversation_of_that_topic() {
    let mut desk = Desk::open().await;
    let (forum, ada) = (desk.service.forum(GROUP, &[42]), desk.ada());
    let there = |text: &str| {
        let entities = if text.starts_with('/') { vec![entity("bot_command", 0, 6)] } else { Vec::new() };
        json!({ "text": text, "entities": entities, "message_thread_id": 42, "is_topic_message": true })
    };

    desk.service.says_in(&forum, &ada, there("work"));
    let work = desk.takes().await;
    desk.service.says_in(&forum, &ada, there("/steer be brief"));
    let steer = desk.takes().await;
    desk.tell(ToChannel::CommandAnswered { key: steer.key.clone(), id: steer.id.clone(), text: "steered".into() });

    assert_eq!((steer.key, steer.text.as_str()), (work.key, "/steer be brief"));
    let heard = desk.service.hears("steered").await;
    assert_eq!((heard.thread, heard.reply_to.map(|id| id.to_string())), (Some(42), Some(steer.id.0)));
    desk.close().await;
}
