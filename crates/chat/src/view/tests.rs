//! Views of histories: what is sent fits, keeps pairs, and begins with a person.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::history::is_acceptable;
use crate::{Role, estimate};

/// A turn with so many parallel calls, whose results have this length.
fn turn(number: usize, calls: usize, length: usize) -> Vec<Arc<Message>> {
    let mut messages = vec![Message::user(format!("question {number}"))];
    if calls > 0 {
        let id = |call: usize| format!("call-{number}-{call}");
        let uses = (0..calls).map(|call| Block::ToolUse {
            id: id(call),
            name: "read".into(),
            input: json!({"path": "x".repeat(length / 10)}),
            provider: None,
        });
        let results = (0..calls).map(|call| Block::ToolResult {
            tool_use_id: id(call),
            content: "r".repeat(length),
            is_error: false,
        });
        messages.push(Message { role: Role::Assistant, blocks: uses.collect() });
        messages.push(Message { role: Role::User, blocks: results.collect() });
    }
    messages.push(Message::assistant(format!("answer {number}")));
    messages.into_iter().map(Arc::new).collect()
}

fn history(turns: usize, calls: usize, length: usize) -> History {
    let mut history = History::default();
    for number in 0..turns {
        history.extend(&turn(number, calls, length)).expect("a whole turn");
    }
    history
}

fn plain(messages: &[Arc<Message>]) -> Vec<Message> {
    messages.iter().map(|message| (**message).clone()).collect()
}

#[test]
fn what_fits_stays_as_it_is() {
    let history = history(10, 3, 100);
    let view = View::default();

    assert_eq!(view.fit(&history, Budget { tokens: 1_000_000, turns: 10 }), view);
}

#[test]
fn long_results_are_cut_before_turns_go() {
    let history = history(3, 1, 100_000);
    let budget = Budget { tokens: 40_000, turns: 100 };

    let view = View::default().fit(&history, budget);

    assert_eq!(view.first, Seq(0));
    assert!(view.tokens(&history) <= budget.tokens);
}

/// W21: upstream's token trim passes once and can leave the list over the budget.
#[test]
fn w21_what_is_left_fits_however_small_the_budget() {
    let history = history(40, 3, 5_000);

    for tokens in [0, 10, 1_000, 10_000, 100_000] {
        let view = View::default().fit(&history, Budget { tokens, turns: 100 });

        assert!(view.tokens(&history) <= tokens, "{tokens}");
    }
}

#[test]
fn a_fitted_view_leaves_room_for_turns_to_come() {
    let mut history = history(40, 1, 5_000);
    let budget = Budget { tokens: 20_000, turns: 100 };
    let view = View::default().fit(&history, budget);

    history.extend(&turn(41, 1, 5_000)).expect("a whole turn");

    assert_eq!(view.fit(&history, budget), view);
}

/// C15: upstream's kept tail can start or end inside a pair.
#[test]
fn c15_compaction_at_any_point_keeps_pairs_and_begins_with_a_person() {
    for turns in 0..40 {
        let history = history(turns, 3, 100);

        let view = View::default().compact(&history).unwrap_or_default();

        let sent = plain(&view.of(&history));
        assert!(is_acceptable(&sent), "{turns} turns");
        assert!(sent.len() <= 8);
    }
}

#[test]
fn a_digest_is_made_of_what_was_said_however_often_it_is_made() {
    let mut history = history(5, 0, 0);
    let once = View::default().compact(&history).expect("older turns");
    for number in 5..8 {
        history.extend(&turn(number, 0, 0)).expect("a whole turn");
    }

    let twice = once.compact(&history).expect("older turns");

    let text = twice.summary.expect("a digest").text;
    assert!(text.contains("user: question 0") && text.contains("assistant: answer 5"), "{text}");
    assert_eq!(text.matches("Earlier in this conversation").count(), 1);
}

#[test]
fn two_turns_are_nothing_to_compact() {
    assert_eq!(View::default().compact(&history(2, 1, 10)), None);
}

#[test]
fn a_hard_shrink_leaves_five_turns_and_short_texts() {
    let history = history(20, 2, 200_000);

    let view = View::default().shrink_hard(&history);

    assert_eq!(history.turn_starts(view.first).count(), 5);
    assert!(is_acceptable(&plain(&view.of(&history))));
    assert!(view.tokens(&history) < 5 * 2 * 6_000);
}

#[test]
fn a_view_comes_back_from_its_json() {
    let history = history(6, 2, 30_000);
    let view = View::default().compact(&history).expect("older turns").shrink_hard(&history);

    let text = serde_json::to_string(&view).expect("plain data");

    assert_eq!(serde_json::from_str::<View>(&text).expect("written above"), view);
}

proptest! {
    #[test]
    fn whatever_is_done_to_a_view_what_is_sent_is_valid(
        turns in 0..12_usize, calls in 0..4_usize, length in 0..3_000_usize,
        steps in prop::collection::vec((0..5_u8, 0..20_000_u64, 0..12_usize), 0..6),
    ) {
        let mut history = history(turns, calls, length);
        let mut view = View::default();

        for (number, (step, tokens, most)) in steps.into_iter().enumerate() {
            view = match step {
                0 => view.fit(&history, Budget { tokens, turns: most }),
                1 => view.shrink_hard(&history),
                2 => view.compact(&history).unwrap_or(view),
                3 => view.reset(&history),
                _ => {
                    history.extend(&turn(100 + number, calls, length)).expect("a whole turn");
                    view
                }
            };
            prop_assert!(is_acceptable(&plain(&view.of(&history))));
        }
    }

    #[test]
    fn a_cut_message_is_within_its_caps_and_never_flattened(length in 0..5_000_usize) {
        let caps = Caps { result: 100, argument: 50, text: 80 };

        for message in turn(0, 2, length) {
            let cut = caps.cut(&message);

            prop_assert_eq!(cut.blocks.len(), message.blocks.len());
            prop_assert!(estimate::message(&cut) <= 2 * (50 + 30 + 4 + 100));
            prop_assert_eq!(cut.tool_use_ids().count(), message.tool_use_ids().count());
        }
    }
}

#[test]
fn only_a_hard_cut_leaves_pictures_out() {
    let picture = Block::Image { media_type: "image/png".into(), data: "AA==".into() };
    let message = Arc::new(Message { role: Role::User, blocks: vec![Block::text("look"), picture] });

    let (earlier, hard) = (Caps::EARLIER.cut(&message), Caps::HARD.cut(&message));

    assert_eq!(earlier, message);
    assert!(
        matches!(&hard.blocks[..], [Block::Text { hidden: false, .. }, Block::Text { hidden: true, .. }]),
        "{hard:?}"
    );
}
