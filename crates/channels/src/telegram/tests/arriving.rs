//! Messages in.

use chat::{Arrival, AttachmentContent, ChannelNews, Language, MessageId, PersonRole, Place, RefusalReason, ToChannel};
use serde_json::{Value, json};
use testkit::FakeTelegram;

use super::desk::{Desk, ENGLISH};

fn photo(id: &str, album: &str, caption: Option<&str>) -> Value {
    let sizes = [("small", 90), ("large", 1280)].map(|(size, width)| {
        json!({ "file_id": format!("{id}-{size}"), "file_unique_id": format!("u{id}{size}"), "file_size": 4, "width": width, "height": width })
    });
    let mut content = json!({ "photo": sizes, "media_group_id": album });
    if let Some(caption) = caption {
        content["caption"] = caption.into();
    }
    content
}

fn document(id: &str, name: &str, size: u64) -> Value {
    json!({ "document": { "file_id": id, "file_unique_id": format!("u{id}"), "file_name": name, "file_size": size, "mime_type": "text/plain" } })
}

#[tokio::test]
async fn a_bot_tells_who_it_is_and_what_it_can_do() {
    let mut desk = Desk::open().await;

    let news = desk.news(|news| matches!(news, ChannelNews::Ready { .. })).await;

    assert_eq!(news, ChannelNews::Ready { bot: ("123456".into(), "cowhand_bot".into()) });
    let commands = desk.service.called("setMyCommands", 1).await.body["commands"].as_array().unwrap().len();
    assert_eq!(commands, chat::command::COMMANDS.len());
    desk.close().await;
}

#[tokio::test]
async fn a_message_comes_with_who_wrote_it_where() {
    let mut desk = Desk::open().await;
    let mut ada = desk.service.person(7, "Ada\u{202e}\nL");
    ada.language = "zh-hans";

    let id = desk.service.says(&ada, " hi ");
    let inbound = desk.takes().await;

    assert_eq!(inbound.key.to_string(), "telegram/123456/7//");
    assert_eq!((inbound.id.0, inbound.text.as_str(), inbound.place), (id.to_string(), "hi", Place::Private));
    assert_eq!((inbound.person.id.as_str(), inbound.person.name.as_str()), ("7", "AdaL"));
    assert_eq!((inbound.person.role, inbound.person.language), (PersonRole::Stranger, Language::Chinese));
    desk.close().await;
}

#[tokio::test]
async fn w30_an_update_is_confirmed_only_when_its_message_is_safe() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();

    desk.service.says(&ada, "one");
    desk.service.says(&ada, "two");
    let (one, two) = (desk.message().await, desk.message().await);
    desk.accept(&two);
    // It asks again, and what comes again is not handed in again.
    let polls = desk.service.calls("getUpdates").len();
    desk.service.called("getUpdates", polls + 2).await;
    assert_eq!(desk.service.unread(), 2);

    desk.accept(&one);
    desk.service.is_read().await;
    desk.service.says(&ada, "three");
    assert_eq!(desk.message().await.text, "three");
    desk.close().await;
}

#[tokio::test]
async fn w30_what_was_written_before_the_start_is_not_dropped() {
    let service = FakeTelegram::start();
    let ada = service.person(7, "Ada");
    service.says(&ada, "while you were away");

    let mut desk = Desk::open_with(service, |_, _| {}).await;

    assert_eq!(desk.takes().await.text, "while you were away");
    desk.close().await;
}

#[tokio::test]
async fn a_refused_message_is_confirmed_and_its_writer_is_told() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");

    let inbound = desk.message().await;
    let reason = RefusalReason::QueueFull;
    desk.tell(ToChannel::Refused { key: inbound.key, id: inbound.id, reason, text: "Too much **waits**.".into() });

    assert_eq!(desk.service.hears("Too much waits.").await.markup, "Too much <b>waits</b>.");
    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn a_thousand_updates_come_in_order() {
    let service = FakeTelegram::start();
    let ada = service.person(7, "Ada");
    (0..1000).for_each(|number| _ = service.says(&ada, &number.to_string()));

    let mut desk = Desk::open_with(service, |_, _| {}).await;
    for number in 0..1000 {
        assert_eq!(desk.takes().await.text, number.to_string());
    }

    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn d13_an_album_is_one_message_with_all_pictures_and_the_caption() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();
    ["a", "b", "c"].iter().for_each(|id| desk.service.has_file(&format!("{id}-large"), b"jpeg"));

    desk.service.brings(&ada, photo("a", "g1", None));
    desk.service.brings(&ada, photo("b", "g1", Some("what is this?")));
    // The last one comes with an answer of its own.
    let polls = desk.service.calls("getUpdates").len();
    desk.service.called("getUpdates", polls + 1).await;
    desk.service.brings(&ada, photo("c", "g1", None));
    let inbound = desk.takes().await;

    assert_eq!(inbound.text, "what is this?");
    assert_eq!(inbound.attachments.len(), 3);
    for attachment in &inbound.attachments {
        let AttachmentContent::Stored(path) = &attachment.content else { panic!("{attachment:?}") };
        assert_eq!(std::fs::read(path).unwrap(), b"jpeg");
        assert_eq!((attachment.name.as_str(), attachment.media_type.as_str()), ("photo.jpg", "image/jpeg"));
    }
    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn a_long_paste_that_was_cut_is_one_message() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();
    let (first, rest) = ("x".repeat(4096), "and the rest");

    desk.service.says(&ada, &first);
    desk.service.says(&ada, rest);

    assert_eq!(desk.takes().await.text, format!("{first}\n{rest}"));
    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn a_command_does_not_wait_for_a_file_and_a_message_does() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();
    desk.service.has_file("f", b"text");
    desk.service.fail("getFile", testkit::fake_telegram::Fault::Wait);

    desk.service.brings(&ada, document("f", "a.txt", 4));
    desk.service.says(&ada, "read it");
    desk.service.says(&ada, "/stop");
    assert_eq!(desk.takes().await.text, "/stop");
    desk.service.called("getFile", 1).await;
    desk.service.release();

    assert_eq!(desk.takes().await.attachments.len(), 1);
    assert_eq!(desk.takes().await.text, "read it");
    desk.close().await;
}

#[tokio::test]
async fn a_file_is_stored_below_its_folder_whatever_it_is_called() {
    let mut desk = Desk::open().await;
    desk.service.has_file("f", b"text");

    desk.service.brings(&desk.ada(), document("f", "../../etc/.pass\u{202e}\nwd", 4));
    let attachment = desk.takes().await.attachments.remove(0);

    assert_eq!(attachment.name, "passwd");
    let stored = desk.files().join("uf-passwd");
    assert_eq!(attachment.content, AttachmentContent::Stored(stored));
    desk.close().await;
}

#[tokio::test]
async fn a_file_that_is_too_large_or_gone_is_missing_with_a_reason() {
    let mut desk = Desk::open_with(FakeTelegram::start(), |settings, _| settings.max_file_mib = 1).await;
    let ada = desk.ada();
    desk.service.has_file_that_lies("liar", &vec![0; 2 << 20]);

    for (id, size, reason) in [
        ("large", 2 << 20, "it is larger than 1 MiB"),
        ("liar", 1, "it is larger than 1 MiB"),
        ("gone", 1, "it could not be fetched: Bad Request: wrong file_id or the file is temporarily unavailable"),
    ] {
        desk.service.brings(&ada, document(id, "a.txt", size));
        let content = desk.takes().await.attachments.remove(0).content;
        assert_eq!(content, AttachmentContent::Missing(reason.into()), "{id}");
    }
    assert_eq!(std::fs::read_dir(desk.files()).unwrap().count(), 0);
    desk.parent.finish().await;
}

#[tokio::test]
async fn an_edit_has_the_number_of_its_message_and_a_stamp() {
    let mut desk = Desk::open().await;
    let chat = json!({ "id": 7, "type": "private", "first_name": "Ada" });
    let from = desk.ada().json();

    let edit = json!({ "message_id": 3, "date": 1, "edit_date": 5, "chat": chat, "from": from, "text": "better" });
    desk.service.update("edited_message", edit);

    let Arrival::Edited(inbound) = desk.arrival().await else { panic!("not an edit") };
    assert_eq!((inbound.id, inbound.edit, inbound.text.as_str()), (MessageId("3".into()), Some(5), "better"));
    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn a_press_is_handed_in_and_answered() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();
    desk.service.says(&ada, "hi");
    let inbound = desk.takes().await;
    let turn = desk.begin(&inbound);
    desk.writes(&inbound.key, turn, "I think");

    let live = desk.service.hears("I think").await;
    assert_eq!(live.buttons, ["stop:1"]);
    let id = desk.service.presses(&ada, &live, "stop:1");

    let Arrival::Pressed(press) = desk.arrival().await else { panic!("not a press") };
    assert_eq!((press.key.clone(), press.data.as_str(), press.place), (inbound.key, "stop:1", Place::Private));
    assert_eq!((&press.id.0, press.person.language), (&id, ENGLISH));
    desk.tell(ToChannel::PressAnswered { key: press.key, id: press.id, text: Some("stopping".into()) });
    assert_eq!(desk.service.called("answerCallbackQuery", 1).await.body["text"], "stopping");
    desk.close().await;
}

#[tokio::test]
async fn an_update_that_cannot_be_read_or_used_stands_in_nobodys_way() {
    let mut desk = Desk::open().await;

    desk.service.update("galactic_message", json!({ "planet": 3 }));
    desk.service.update("message", json!({ "chat": "what?" }));
    desk.service.update("poll", json!({ "id": "1" }));
    desk.service.update("message_reaction_count", json!({ "chat": { "id": 7, "type": "private" } }));
    let from = json!({ "id": 8, "is_bot": true, "first_name": "Bot" });
    desk.service.writes(json!({ "id": 8, "type": "private", "first_name": "Bot" }), from, json!({ "text": "beep" }));
    desk.service.says(&desk.ada(), "hi");

    assert_eq!(desk.takes().await.text, "hi");
    desk.service.is_read().await;
    desk.close().await;
}

#[tokio::test]
async fn w9_a_voice_note_is_in_the_same_conversation_as_text() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();
    desk.service.has_file("v", b"ogg");

    desk.service.says(&ada, "hi");
    let text = desk.takes().await;
    let voice = json!({ "voice": { "file_id": "v", "file_unique_id": "uv", "duration": 1, "file_size": 3, "mime_type": "audio/ogg" } });
    desk.service.brings(&ada, voice);
    let voice = desk.takes().await;

    assert_eq!(voice.key, text.key);
    assert_eq!(voice.attachments[0].media_type, "audio/ogg");
    desk.close().await;
}
