//! Names, and updates of every kind.

use chat::ChannelName;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::files::tidy_file_name;
use super::{Bot, Context, Decoded, decode, tidy_name};

fn context() -> Context {
    Context {
        bot: Bot { id: 1, username: "cowhand_bot".into() },
        channel: ChannelName("telegram".into()),
        language: None,
        shared_groups: true,
        bare_commands: true,
        anonymous_admins: Vec::new(),
    }
}

fn message(content: Value) -> Decoded {
    let mut message = json!({
        "message_id": 1, "date": 1,
        "chat": { "id": 7, "type": "private", "first_name": "Ada" },
        "from": { "id": 7, "is_bot": false, "first_name": "Ada" },
    });
    for (name, value) in content.as_object().unwrap() {
        message[name] = value.clone();
    }
    decode(&json!({ "update_id": 1, "message": message }), &context())
}

/// What is read of a message's content.
fn read(content: Value) -> String {
    match message(content) {
        Decoded::Message(piece) => {
            let files: Vec<_> = piece.files.iter().map(|file| format!("<{} {}>", file.name, file.media_type)).collect();
            piece.inbound.text + &files.concat()
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn what_is_not_text_is_told_in_words_or_as_a_file() {
    let file = json!({ "file_id": "f", "file_unique_id": "u", "file_size": 1, "duration": 1, "width": 1, "height": 1 });
    let with = |more: Value| {
        let mut file = file.clone();
        more.as_object().unwrap().iter().for_each(|(name, value)| file[name] = value.clone());
        file
    };
    let note = with(json!({ "length": 1 }));
    let sticker = with(json!({ "type": "regular", "is_animated": false, "is_video": false, "emoji": "😀" }));
    let song = with(json!({ "file_name": "a.mp3", "mime_type": "audio/mpeg" }));
    let poll = json!({ "id": "1", "question": "Tea?", "options": [{ "text": "yes", "voter_count": 0 }, { "text": "no", "voter_count": 0 }],
        "total_voter_count": 0, "is_closed": false, "is_anonymous": true, "type": "regular", "allows_multiple_answers": false });
    for (content, expected) in [
        (json!({ "sticker": sticker }), "😀"),
        (json!({ "location": { "longitude": 1.5, "latitude": 2.5 } }), "(location: 2.5, 1.5)"),
        (json!({ "contact": { "phone_number": "1", "first_name": "Bo" } }), "(contact: Bo, 1)"),
        (json!({ "poll": poll }), "(poll: Tea? yes / no)"),
        (json!({ "voice": with(json!({ "mime_type": "audio/ogg" })) }), "<voice.ogg audio/ogg>"),
        (json!({ "video": file, "caption": "see" }), "see<video.mp4 application/octet-stream>"),
        (json!({ "video_note": note }), "<video.mp4 video/mp4>"),
        (json!({ "audio": song }), "<a.mp3 audio/mpeg>"),
        (json!({ "voice": file }), "<voice.ogg application/octet-stream>"),
        (json!({ "document": file }), "<file application/octet-stream>"),
        (json!({ "text": "x", "something_new": { "a": [1] } }), "x"),
    ] {
        assert_eq!(read(content.clone()), expected, "{content}");
    }
}

#[test]
fn right_to_left_and_combining_text_is_kept_with_its_mentions_found() {
    let text = "שלום e\u{301}👨‍👩‍👧 @cowhand_bot עזרה";
    let offset = text[..text.find('@').unwrap()].encode_utf16().count();

    let entity = json!({ "type": "mention", "offset": offset, "length": 12 });
    assert_eq!(read(json!({ "text": text, "entities": [entity] })), "שלום e\u{301}👨‍👩‍👧  עזרה");
}

#[test]
fn a_person_named_like_a_command_is_just_a_person() {
    let from = json!({ "id": 7, "is_bot": false, "first_name": "/stop", "last_name": "@cowhand_bot" });

    let Decoded::Message(piece) = message(json!({ "from": from, "text": "hi" })) else { panic!("not a message") };

    assert_eq!((piece.inbound.person.name.as_str(), piece.inbound.text.as_str()), ("/stop @cowhand_bot", "hi"));
}

#[test]
fn a_name_is_one_line_without_tricks() {
    assert_eq!(tidy_name("  A\u{202e}da\n\u{0}  L\u{200f} "), "Ada L");
    assert_eq!(tidy_name("\u{202e}"), "?");
    assert_eq!(tidy_name(&"x".repeat(500)).len(), 64);
}

proptest! {
    #[test]
    fn the_name_of_a_file_never_leaves_its_folder(name in "(\\PC|[/\\\\.\u{0}\n\u{202e}]){0,300}") {
        let tidy = tidy_file_name(&name);

        prop_assert!(!tidy.is_empty() && tidy.len() <= 100 && !tidy.starts_with('.'), "{tidy:?}");
        prop_assert!(!tidy.contains(['/', '\\', '\0', '\n', '\u{202e}']), "{tidy:?}");
    }

    #[test]
    fn nothing_that_comes_breaks_decoding(
        kind in "message|edited_message|callback_query|my_chat_member|chat_boost|[a-z_]{1,12}",
        body in "[\\PC\"{}\\[\\]:,0-9]{0,80}",
        at in 0_i64..200, length in -5_i64..200,
    ) {
        let parsed = serde_json::from_str::<Value>(&body).unwrap_or(Value::String(body));
        let _ = decode(&json!({ "update_id": 1, kind: parsed }), &context());
        let entity = json!({ "type": "mention", "offset": at, "length": length });
        let _ = message(json!({ "text": "😀 @cowhand_bot é", "entities": [entity.clone(), entity] }));
    }
}
