//! Texts in the form that the service takes.

use chat::{Button, ConversationKey, DeliveryId, Language, Outbound, OutboundBody, Outcome, OutcomeKind, TurnId};
use proptest::prelude::*;
use testkit::fake_telegram::read_html;

use super::{Content, Dialect, Html, LONGEST_MESSAGE, Part, Target, delivery, marked, parts, plain};
use crate::markup;

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn outbound(body: OutboundBody) -> Outbound {
    let key = ConversationKey {
        channel: chat::ChannelName("telegram".into()),
        bot: "1".into(),
        chat: "7".into(),
        thread: None,
        person: None,
    };
    Outbound { id: DeliveryId(1), key, reply_to: None, body }
}

fn answer(kind: OutcomeKind, text: &str) -> Vec<Part> {
    let outcome = Outcome { kind, text: text.into(), steps: 1, usage: None, error: None, files: Vec::new() };
    let body = OutboundBody::TurnFinished { turn: TurnId(1), outcome };
    delivery(&outbound(body), Target { edit: Some(5), reply_to: Some(6) }, Language::English)
}

fn html(part: &Part) -> &str {
    let Content::Html(html) = &part.content else { panic!("not a text: {part:?}") };
    html
}

#[test]
fn d01_the_limit_is_counted_in_utf16() {
    let parts = parts(&"😀".repeat(2049));

    assert!(parts.len() > 1);
    assert!(parts.iter().all(|part| units(part) <= LONGEST_MESSAGE));
    assert_eq!(parts.concat(), "😀".repeat(2049));
}

#[test]
fn d03_what_escaping_adds_is_counted() {
    for text in ["!".repeat(4096), "<".repeat(4096), "a&b".repeat(2000)] {
        let parts = parts(&text);

        assert!(parts.iter().all(|part| units(part) <= LONGEST_MESSAGE));
        assert_eq!(parts.iter().map(|part| plain(part)).collect::<String>(), text);
    }
}

#[test]
fn d07_a_span_that_crosses_a_cut_is_closed_and_opened_anew() {
    let bold = parts(&format!("{} **bold {} cut** end", "x".repeat(3900), "text ".repeat(60)));
    assert!(bold[0].ends_with("</b>") && bold[1].starts_with("<b>"), "{bold:?}");

    let code = parts(&format!("```rust\n{}\n```", "let line = compute(i);\n".repeat(400)));
    assert!(code.len() > 1);
    for part in code {
        assert!(part.starts_with("<pre><code class=\"language-rust\">") && part.ends_with("</code></pre>"), "{part}");
    }
}

#[test]
fn every_mark_is_the_services_own() {
    let markdown = "**b** *i* ~~s~~ `c<` [l](https://a.b/?c=\"d\"&e)\n\n> q\n\n```c++\nx\n```";

    let shown = "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;</code> <a href=\"https://a.b/?c=&quot;d&quot;&amp;e\">l</a>\n\n\
                 <blockquote>q</blockquote>\n\n<pre><code class=\"language-c++\">x</code></pre>";
    assert_eq!(parts(markdown), [shown]);
}

#[test]
fn what_could_end_an_attribute_is_not_in_it() {
    assert_eq!(parts("```a\"><b>\nx\n```"), ["<pre><code class=\"language-ab\">x</code></pre>"]);
}

#[test]
fn an_answer_takes_the_place_of_the_message_that_showed_its_turn() {
    let parts = answer(OutcomeKind::Answered, &"word ".repeat(1500));

    let edits: Vec<_> = parts.iter().map(|part| (part.edit, part.reply_to)).collect();
    assert_eq!(edits, [(Some(5), Some(6)), (None, None)]);
}

#[test]
fn a_very_long_answer_is_a_beginning_and_a_file() {
    let long = "word ".repeat(4000);

    let parts = answer(OutcomeKind::Answered, &long);

    assert!(html(&parts[0]).ends_with("<i>The whole answer is in answer.md.</i>"), "{}", html(&parts[0]));
    assert!(units(html(&parts[0])) < 1200);
    assert_eq!(parts[1].content, Content::File { name: "answer.md".into(), text: long });
    assert_eq!(parts.len(), 2);
}

#[test]
fn a_turn_that_may_be_silent_says_nothing_and_a_stopped_one_says_so() {
    assert_eq!(answer(OutcomeKind::Silent, ""), []);
    assert_eq!(html(&answer(OutcomeKind::Stopped, "")[0]), "Stopped.");
    assert_eq!(html(&answer(OutcomeKind::Stopped, "so far")[0]), "so far");
}

#[test]
fn an_answer_of_marks_around_nothing_is_shown_as_it_was_written() {
    assert_eq!(html(&answer(OutcomeKind::Answered, "```<x>\n```")[0]), "```&lt;x&gt;\n```");
    assert_eq!(html(&answer(OutcomeKind::Answered, "[a]: https://b.c\n")[0]), "[a]: https://b.c");
    assert_eq!(answer(OutcomeKind::Answered, " \n"), []);
}

#[test]
fn buttons_stand_under_the_last_part() {
    let button = Button { label: "Yes".into(), data: "approve:1".into() };
    let buttons = vec![vec![button]];
    let body = OutboundBody::Question { text: "word ".repeat(1500), buttons: buttons.clone() };

    let parts = delivery(&outbound(body), Target::default(), Language::English);

    assert_eq!(parts.iter().map(|part| part.buttons.clone()).collect::<Vec<_>>(), [vec![], buttons]);
}

#[test]
fn a_part_comes_back_from_what_is_kept_of_it() {
    for part in answer(OutcomeKind::Answered, &"word ".repeat(4000)) {
        let kept = serde_json::to_string(&part).unwrap();

        assert_eq!(serde_json::from_str::<Part>(&kept).unwrap(), part);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_read_of_the_html_is_what_is_read_of_the_markdown(markdown in "([a-z<>&\"_*`~#|\\[\\]()\n -]|\\PC){0,600}") {
        let parts = parts(&markdown.repeat(12));

        for part in &parts {
            prop_assert_eq!(read_html(part), Ok(plain(part)));
        }
        let read: String = parts.iter().map(|part| plain(part)).collect();
        let wanted = markup::visible(&markup::read(&markdown.repeat(12)));
        prop_assert_eq!(read.split_whitespace().collect::<String>(), wanted.split_whitespace().collect::<String>());
        prop_assert!(parts.iter().all(|part| Html.units(&marked(part, Language::Chinese)) <= LONGEST_MESSAGE));
    }
}
