use super::*;

fn plain() -> Shown {
    Shown::to_pipe(Output::Plain)
}

#[test]
fn standard_output_gets_nothing_but_answers() {
    let shown = plain()
        .started()
        .says(1, "I look around.")
        .runs("1", "ls")
        .ran("1", 1250)
        .step(2)
        .says(2, "There is **one** file.")
        .answers("There is **one** file.");

    assert_eq!(shown.written.out, "There is **one** file.\n");
    assert_eq!(shown.written.err, "I look around.\n⚙ bash ls\n✓ bash ls 1.2 s\n");
}

#[test]
fn what_was_taken_back_is_not_shown() {
    let shown = plain().started().says(1, "wrong").resets(1).says(1, "right").answers("right");

    assert_eq!((shown.written.out.as_str(), shown.written.err.as_str()), ("right\n", ""));
}

#[test]
fn a_failed_turn_names_its_cause_where_its_answer_would_be() {
    let shown = plain().started().says(1, "half an ans").ends(OutcomeKind::Failed, "The key is wrong.");

    assert_eq!(shown.written.out, "The key is wrong.\n");
    assert_eq!(shown.written.err, "half an ans\n");
}

#[test]
fn what_a_command_answers_was_asked_for_and_a_notice_was_not() {
    let shown = plain().event(&Event::Answer("idle".into())).event(&Event::Notice("refused\n".into()));

    assert_eq!((shown.written.out.as_str(), shown.written.err.as_str()), ("idle\n", "refused\n"));
}

#[test]
fn an_answer_in_a_pipe_is_left_as_it_is_and_on_a_terminal_does_no_harm() {
    let on_terminal = Shown::with(|manner| manner.output = Output::Plain);

    assert_eq!(plain().started().answers("a\x1b[2Jb\r\n").written.out, "a\x1b[2Jb\r\n");
    assert_eq!(on_terminal.started().answers("a\x1b[2Jb\r\n").written.out, "a␛[2Jb\n");
}

#[test]
fn silence_is_nothing() {
    let shown = plain().started().ends(OutcomeKind::Silent, "");

    assert_eq!(shown.written, Written::default());
}

#[test]
fn a_file_is_told_behind_the_answer_it_came_with() {
    let shown = plain().started().answers_with_file("Here it is.");
    let earlier = plain().answers_with_file("");

    let line = "[file: re␛port.pdf (1.5 KB), /data/blobs/1.pdf] as you wished\n";
    assert_eq!(shown.written.out, format!("Here it is.\n{line}"));
    assert_eq!(earlier.written.out, line);
}
