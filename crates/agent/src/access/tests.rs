use chat::MessageId;
use serde_json::json;

use super::*;

fn channel() -> ChannelName {
    ChannelName("probe".into())
}

fn inbound(person: &str, name: &str, place: Place, text: &str) -> Inbound {
    let chat = if place == Place::Private { person } else { "-100" };
    let key = ConversationKey { channel: channel(), bot: "bot".into(), chat: chat.into(), thread: None, person: None };
    let person =
        Person { id: person.into(), name: name.into(), role: PersonRole::Stranger, language: Language::English };
    Inbound { place, ..Inbound::new(key, MessageId("1".into()), person, text) }
}

fn private(person: &str, text: &str) -> Inbound {
    inbound(person, "somebody", Place::Private, text)
}

fn group(person: &str, addressed: bool) -> Inbound {
    inbound(person, "somebody", Place::Group { addressed }, "hello")
}

fn with(settings: serde_json::Value) -> Access {
    let settings = serde_json::from_value(settings).unwrap();
    let mut access = Access::default();
    access.configure([(channel(), settings)].into());
    access
}

#[test]
fn who_sends_the_code_is_the_owner_and_the_code_is_used_up() {
    let mut access = Access::default();
    let code = access.owner_code(&channel()).unwrap();

    assert_eq!(access.admit(&private("1", "hello"), 0), Admission::Ignored);
    assert_eq!(access.admit(&private("1", "/start"), 0), Admission::Ignored);
    let claimed = access.admit(&private("2", &format!("/start {}", code.to_lowercase())), 0);

    let Admission::Claimed(grant) = claimed else { panic!("{claimed:?}") };
    access.note(&AccessChange::Grant(grant));
    assert_eq!(access.role_of(&channel(), "2"), PersonRole::Owner);
    assert_eq!(access.owner_code(&channel()), None);
    assert!(!matches!(access.admit(&private("3", &code), 0), Admission::Claimed(_)));
}

#[test]
fn a_code_that_is_sent_in_a_group_makes_nobody_an_owner() {
    let mut access = Access::default();
    let code = access.owner_code(&channel()).unwrap();

    let message = Inbound { text: code, ..group("2", true) };

    assert!(!matches!(access.admit(&message, 0), Admission::Claimed(_)));
}

#[test]
fn a_stranger_is_given_one_code_an_hour_and_only_twenty_are() {
    let mut access = with(json!({ "owners": [1] }));

    assert!(matches!(access.admit(&private("100", "hi"), 0), Admission::Invited(_)));
    assert_eq!(access.admit(&private("100", "hi?"), 1), Admission::Ignored);
    for person in 101..120 {
        assert!(matches!(access.admit(&private(&person.to_string(), "hi"), 2), Admission::Invited(_)));
    }
    assert_eq!(access.admit(&private("120", "hi"), 3), Admission::Ignored);
    assert!(matches!(access.admit(&private("100", "hi!"), CODE_LIFE + 3), Admission::Invited(_)));
}

#[test]
fn a_code_is_redeemed_once_and_not_after_its_hour() {
    let mut access = with(json!({ "owners": [1] }));
    let Admission::Invited(first) = access.admit(&private("5", "hi"), 0) else { panic!("no code") };
    let Admission::Invited(second) = access.admit(&private("6", "hi"), 0) else { panic!("no code") };

    assert_eq!(access.redeem(&first.code.to_lowercase(), 1), Some(first.clone()));
    assert_eq!(access.redeem(&first.code, 1), None);
    assert_eq!(access.redeem(&second.code, CODE_LIFE), None);
}

#[test]
fn in_a_group_nobody_is_given_a_code() {
    let mut access = with(json!({ "owners": [1] }));

    assert_eq!(access.admit(&group("5", true), 0), Admission::Ignored, "nobody knows where the owner is");
    access.admit(&private("1", "hello"), 0);
    assert_eq!(access.admit(&group("5", true), 0), Admission::OffAndAsk);
    assert_eq!(access.admit(&group("6", true), 0), Admission::Ignored);
    assert_eq!(access.invitations.len(), 0);
}

#[test]
fn the_role_of_a_turn_is_the_lower_of_the_persons_and_the_groups() {
    use PersonRole::{Guest, Owner, Trusted};
    let mut access = with(json!({ "owners": [1], "trusted": [2], "guests": [3] }));
    let expected = [
        (Guest, [Guest, Guest, Guest, Guest]),
        (Trusted, [Trusted, Trusted, Guest, Guest]),
        (Owner, [Owner, Trusted, Guest, Guest]),
    ];

    for (cap, roles) in expected {
        access.note(&AccessChange::Chat(ChatAccess { enabled: true, cap, ..access.chat(&channel(), "-100") }));
        for (person, role) in ["1", "2", "3", "4"].into_iter().zip(roles) {
            assert_eq!(access.admit(&group(person, true), 0), Admission::In(role), "{person} below {cap:?}");
        }
    }
    assert_eq!(access.admit(&group("1", false), 0), Admission::Overheard);
}

#[test]
fn h01_a_name_gives_nobody_access_and_only_numbers_are_taken_from_settings() {
    let refused = serde_json::from_value::<ChannelAccess>(json!({ "trusted": ["@alice"] })).unwrap_err().to_string();
    assert!(refused.contains("@alice") && refused.contains("number"), "{refused}");

    let mut access = with(json!({ "owners": [9], "trusted": [1] }));
    let role = |access: &mut Access, id, name| access.admit(&inbound(id, name, Place::Private, "hi"), 0);
    assert_eq!(role(&mut access, "1", "alice"), Admission::In(PersonRole::Trusted));
    assert_eq!(role(&mut access, "1", "alice2"), Admission::In(PersonRole::Trusted));
    assert!(matches!(role(&mut access, "2", "alice"), Admission::Invited(_)));
}

#[test]
fn an_open_bot_takes_strangers_as_guests_once_it_has_an_owner() {
    let mut access = with(json!({ "open": true }));
    assert_eq!(access.admit(&private("5", "hi"), 0), Admission::Ignored);

    let mut access = with(json!({ "open": true, "owners": ["1"] }));
    assert_eq!(access.admit(&private("5", "hi"), 0), Admission::In(PersonRole::Guest));
}

#[test]
fn a_name_that_is_shown_has_no_controls_and_an_end() {
    assert_eq!(shown("a\u{202e}b\nc"), "abc");
    assert_eq!(shown(&"x".repeat(500)).len(), 64);
}

#[test]
fn a_group_that_moved_keeps_what_was_decided_on_it() {
    let mut access = with(json!({ "owners": [1] }));
    let chat = ChatAccess { enabled: true, cap: PersonRole::Trusted, ..access.chat(&channel(), "-100") };
    access.note(&AccessChange::Chat(chat.clone()));

    access.chat_moved(&group("1", true).key, "-1005");

    assert_eq!(access.chat(&channel(), "-1005"), ChatAccess { chat: "-1005".into(), ..chat });
    assert!(!access.is_on(&group("1", true).key));
}
