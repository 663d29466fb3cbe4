use proptest::prelude::*;

use super::*;

const KEY: &str = "pass phrase with blanks";

fn secrets() -> Secrets {
    Secrets::new([KEY, "topsecret-1", "topsecret-1-longer", "short"].map(str::to_owned))
}

fn redacted(text: &str) -> String {
    secrets().redact(text).into_owned()
}

#[test]
fn a_known_value_is_taken_out_wherever_it_stands() {
    assert_eq!(redacted(&format!("<{KEY}>")), "<[redacted]>");
    assert_eq!(redacted("atopsecret-1-longerb topsecret-1"), "a[redacted]b [redacted]");
}

#[test]
fn a_short_value_is_left_alone() {
    assert_eq!(redacted("in short"), "in short");
}

#[test]
fn every_shape_of_a_token_is_taken_out() {
    let aws = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    let cases = [
        ("sk-test-abc123def".to_owned(), "[redacted]"),
        ("Incorrect API key provided: sk-proj-abcdefgh.".to_owned(), "Incorrect API key provided: [redacted]."),
        (
            "POST https://api.telegram.org/bot123456:AAFakeFakeFakeFakeFakeFake/sendMessage failed".to_owned(),
            "POST https://api.telegram.org/bot[redacted]/sendMessage failed",
        ),
        ("token ghp_0123456789abcdef".to_owned(), "token [redacted]"),
        ("xoxb-1234567890-abc".to_owned(), "[redacted]"),
        (format!("id {aws}."), "id [redacted]."),
        ("Authorization: Bearer abcdefgh12345".to_owned(), "Authorization: Bearer [redacted]"),
        ("\"authorization\": \"Bearer abcdefgh12345\"".to_owned(), "\"authorization\": \"Bearer [redacted]\""),
        ("api_key=abcdefgh1234&x=1".to_owned(), "api_key=[redacted]&x=1"),
        ("postgres://me:hunter2@db/x".to_owned(), "postgres://[redacted]@db/x"),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nAAAA\nBBBB\n-----END RSA PRIVATE KEY-----\nb".to_owned(),
            "a\n[redacted]\nb",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(redacted(&text), expected, "{text}");
    }
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in [
        "risk-based",
        "a task-list of 12:30",
        "http://host:8080/path?x=1",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "好的",
    ] {
        assert!(matches!(secrets().redact(text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn a_piece_is_held_back_only_while_it_can_become_a_secret() {
    let mut redactor = Redactor::new(secrets());

    assert_eq!(redactor.push("I am thin"), "I am thin");
    assert_eq!(redactor.push("king. 你好 s"), "king. 你好 ");
    assert_eq!(redactor.push("un, sk-abc"), "sun, ");
    assert_eq!(redactor.push("defghi"), "");
    assert_eq!(redactor.push(" topsecret"), "[redacted] ");
    assert_eq!(redactor.finish(), "topsecret");
}

#[test]
fn a_name_that_says_secret_is_one() {
    for name in ["OPENAI_API_KEY", "telegram_token", "DB_PASSWORD", "MY_SECRET"] {
        assert!(is_secret_name(name), "{name}");
    }
    assert!(!is_secret_name("PATH"));
}

#[test]
fn secrets_do_not_show_themselves() {
    assert_eq!(format!("{:?}", secrets()), "Secrets(3)");
}

fn texts() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "sk-",
        "sk-abcdefgh",
        "123456:AAFakeFakeFakeFakeFakeFake",
        "bot",
        " ",
        "\n",
        "topsecret-1",
        "-longer",
        "topsec",
        KEY,
        "pass phrase",
        "Authorization",
        ": ",
        "Bearer ",
        "api_key",
        "=",
        "abcdefgh12",
        "ghp_0123456789ab",
        "://",
        "a:b",
        "@",
        "é",
        "好",
        "x",
        ".",
        "-----BEGIN A PRIVATE KEY-----",
        "-----END A PRIVATE KEY-----",
        "xoxb-",
        "eyJhbGciOiJI",
    ]);
    prop::collection::vec(words, 0..14).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn whatever_the_cut_the_same_comes_out(text in texts(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|cut| text.is_char_boundary(*cut)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut redactor = Redactor::new(secrets());

        let mut shown: String = cuts.windows(2).map(|cut| redactor.push(&text[cut[0]..cut[1]])).collect();
        shown += &redactor.finish();

        prop_assert_eq!(shown, redacted(&text));
    }
}
