use super::screen::seen;
use super::*;

fn rich() -> Shown {
    Shown::with(|_| {})
}

fn rows(shown: &Shown) -> Vec<String> {
    seen(&shown.written.out)
}

#[test]
fn an_answer_is_shown_as_what_its_marks_mean() {
    let styled = Shown::with(|manner| manner.look.styled = true);

    let shown = styled.started().says(1, "It is **so").says(1, "** now.").answers("It is **so** now.");

    assert_eq!(shown.written.out, "It is \x1b[0;1mso\x1b[0m now.\n\n");
}

#[test]
fn a_terminal_without_looks_is_given_the_marks() {
    let shown = rich().started().says(1, "It is **so** now.\n").answers("It is **so** now.\n");

    assert_eq!(shown.written.out, "It is **so** now.\n\n");
}

#[test]
fn text_cannot_command_the_terminal() {
    let shown = rich()
        .started()
        .says(1, "\x1b[2J")
        .thinks("\x1b[3J")
        .runs("1", "\x1b]0;x\x07")
        .puts_out("1", "\x1b[5J")
        .after(1000)
        .ran_showing("1", 1, Some("\x1b[6J"))
        .event(&Event::Notice("\x1b[7J".into()))
        .answers("\x1b[8J");

    for sequence in ["\x1b[2J", "\x1b[3J", "\x1b]", "\x1b[5J", "\x1b[6J", "\x1b[7J", "\x1b[8J", "\x07"] {
        assert!(!shown.written.out.contains(sequence), "{sequence:?}");
    }
}

#[test]
fn a_running_tool_has_one_row_with_its_time() {
    let shown = rich().started().says(1, "I look.").runs("1", "ls -la");
    assert_eq!(rows(&shown), ["I look.", "⚙ bash ls -la 0.0 s"]);

    let shown = shown.after(1000).puts_out("1", "total 8\nfile.txt\n\n").after(1000);
    assert_eq!(rows(&shown), ["I look.", "⚙ bash ls -la 2.0 s  file.txt"]);

    let shown = shown.ran("1", 2345);
    assert_eq!(rows(&shown), ["I look.", "✓ bash ls -la 2.3 s"]);
}

#[test]
fn tools_that_run_together_have_a_row_each() {
    let shown = rich().started().runs("1", "a").runs("2", "b").after(1000).ran("2", 900);
    assert_eq!(rows(&shown), ["✓ bash b 0.9 s", "⚙ bash a 1.0 s"]);

    let shown = shown.ran("1", 1900).step(2).says(2, "done").answers("done");
    assert_eq!(rows(&shown), ["✓ bash b 0.9 s", "✓ bash a 1.9 s", "done"]);
}

#[test]
fn a_long_command_does_not_break_its_row() {
    let shown = rich().started().runs("1", &"x".repeat(100)).after(1000);
    assert_eq!(rows(&shown), [format!("⚙ bash {}… 1.0 s", "x".repeat(25))]);

    let shown = shown.ran("1", 1000);
    assert_eq!(rows(&shown).len(), 1);
}

#[test]
fn a_model_that_says_nothing_for_long_is_seen_to_think() {
    let shown = rich().started().after(500);
    assert!(rows(&shown).is_empty());

    let shown = shown.after(500);
    assert_eq!(rows(&shown), ["⋯ thinking 1.0 s"]);

    let shown = shown.says(1, "yes ");
    assert_eq!(rows(&shown), ["yes"]);
}

#[test]
fn what_is_typed_is_not_written_over_by_time_passing() {
    let mut shown = rich().started().runs("1", "ls");
    shown.written.out.push_str("half typ");

    let shown = shown.after(1000);

    assert_eq!(rows(&shown), ["⚙ bash ls 1.0 s", "half typ"]);
    assert!(shown.written.out.ends_with("\x1b8"), "the cursor is back behind what was typed");
}

#[test]
fn a_line_that_was_typed_moves_above_what_is_running() {
    let shown = rich().started().runs("1", "ls").typed("be quick").after(1000);

    assert_eq!(rows(&shown), ["> be quick", "⚙ bash ls 1.0 s"]);
}

#[test]
fn a_line_typed_into_an_answer_does_not_break_its_rows() {
    let styled = Shown::with(|manner| manner.look.styled = true);

    let shown = styled.started().says(1, "one two three ").typed("!").says(1, "four ").answers("one two three four");

    assert_eq!(rows(&shown), ["one two three!", "four"]);
}

#[test]
fn a_notice_stands_between_two_rows_of_an_answer() {
    let shown =
        rich().started().says(1, "one ").event(&Event::Notice("(added)".into())).says(1, "two").answers("one two");

    assert_eq!(rows(&shown), ["one", "(added)", "two"]);
}

#[test]
fn what_a_command_answers_is_shown_as_what_its_marks_mean() {
    let styled = Shown::with(|manner| manner.look.styled = true);

    assert_eq!(rows(&styled.event(&Event::Answer("- `/stop`: ends it".into()))), ["• /stop: ends it"]);
}

#[test]
fn starting_over_is_said() {
    let shown = rich().started().says(1, "wrong").resets(1).says(1, "right").answers("right");

    assert_eq!(rows(&shown), ["wrong", "(starting over)", "right"]);
}

#[test]
fn thoughts_are_short() {
    let shown = rich().started().thinks("first,\n").thinks(&"x".repeat(500)).says(1, "so").answers("so");

    let thought = shown.written.out.lines().next().unwrap_or_default();
    assert!(thought.starts_with("first, xxx") && thought.ends_with('…'));
    assert_eq!(thought.chars().count(), 161);
    assert_eq!(shown.written.out.lines().nth(1), Some("so"));
}

#[test]
fn an_answer_that_was_not_streamed_is_shown() {
    assert_eq!(rows(&rich().started().answers("late")), ["late"]);
    assert_eq!(rows(&rich().started().says(1, "ea").answers("early")), ["early"]);
    assert_eq!(rows(&rich().started().says(1, "abc").answers("xyz")), ["abc", "(starting over)", "xyz"]);
}

#[test]
fn how_a_turn_ended_is_told_behind_what_it_said() {
    use OutcomeKind::{Failed, Silent, Stopped};

    assert_eq!(rows(&rich().started().says(1, "ab").ends(Stopped, "Stopped.")), ["ab", "Stopped."]);
    assert_eq!(rows(&rich().started().says(1, "ab").ends(Failed, "No key.")), ["ab", "✗ No key."]);
    assert_eq!(rows(&rich().started().ends(Silent, "")), [""; 0]);
}

#[test]
fn what_a_tool_shows_is_shown_in_part() {
    let display: Vec<String> = (0..23).map(|line| format!("line {line}")).collect();

    let shown = rich().started().runs("1", "diff").ran_showing("1", 10, Some(&display.join("\n")));

    let rows = rows(&shown);
    assert_eq!((rows[1].as_str(), rows[20].as_str()), ("line 0", "line 19"));
    assert_eq!(rows[21..], ["… 3 more lines"]);
}

#[test]
fn what_is_answered_is_shown_where_it_was_not_typed() {
    let piped = Shown::with(|manner| manner.is_typed = false);
    assert_eq!(rows(&piped.started().answers("yes")), ["> hi", "yes"]);

    let once = Shown::with(|manner| (manner.is_typed, manner.is_once) = (false, true));
    assert_eq!(once.started().answers("yes").written.out, "yes\n");
}

#[test]
fn at_the_prompt_nothing_is_drawn_that_has_to_be_taken_off_again() {
    let mut shown = rich();
    shown.renderer.set_at_prompt(true);

    let shown = shown.started().after(1000).runs("1", "ls").after(1000).ran("1", 1000).says(1, "a").answers("a");

    assert_eq!(shown.written.out, "> hi\n✓ bash ls 1.0 s\na\n\n");
}

#[test]
fn a_terminal_whose_cursor_does_not_move_gets_a_line_for_each_event() {
    let dumb = Shown::with(|manner| manner.look = Look::default());

    let shown = dumb.started().after(1000).runs("1", "ls").after(1000).ran("1", 1000).says(1, "a").answers("a");

    assert_eq!(shown.written.out, "⚙ bash ls\n✓ bash ls 1.0 s\na\n\n");
}

#[test]
fn the_bots_own_words_are_in_the_persons_language() {
    let chinese = Shown::with(|manner| manner.language = Language::Chinese);

    let shown = chinese.started().says(1, "错").resets(1).answers("对");

    assert_eq!(rows(&shown)[1], "（重新回答）");
}

#[test]
fn a_file_is_told_behind_the_answer_it_came_with() {
    let shown = Shown::with(|_| ()).started().says(1, "Here.").answers_with_file("Here.");

    let text = &shown.written.out;
    assert!(text.contains("Here.\n[file: re␛port.pdf (1.5 KB), /data/blobs/1.pdf] as you wished\n"), "{text:?}");
}
