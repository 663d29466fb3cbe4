use proptest::prelude::*;

use super::*;

/// The events of a stream that comes in the given pieces, as (name, data).
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
    let mut events = Vec::new();
    let mut keep = |event: Event<'_>| events.push((event.name.into_owned(), event.data.into_owned()));
    let mut decoder = Decoder::default();
    for piece in pieces {
        decoder.push(piece, &mut keep).expect("the test's events are small");
    }
    decoder.finish(&mut keep);
    events
}

fn data_of(stream: &[u8]) -> Vec<String> {
    decode([stream]).into_iter().map(|(_, data)| data).collect()
}

fn ending_of(stream: &[u8]) -> Ending {
    let mut decoder = Decoder::default();
    decoder.push(stream, &mut |_| {}).expect("the test's events are small");
    decoder.finish(&mut |_| {})
}

#[test]
fn lf_crlf_and_cr_end_a_line() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = ["event: a", "data: 1", "", "data: 2", ""].join(end);

        assert_eq!(decode([stream.as_bytes()]), [("a".into(), "1".into()), (String::new(), "2".into())], "{end:?}");
    }
}

#[test]
fn crlf_may_be_cut_between_reads() {
    let pieces: [&[u8]; 4] = [b"data: 1\r", b"\n\r", b"\ndata: 2\r", b"\n\r\n"];

    assert_eq!(decode(pieces), [(String::new(), "1".into()), (String::new(), "2".into())]);
}

#[test]
fn the_space_after_the_colon_is_optional_and_only_one_is_taken() {
    assert_eq!(data_of(b"data:a\n\ndata:  b\n\n"), ["a", " b"]);
}

#[test]
fn lines_of_data_are_joined_by_newlines() {
    assert_eq!(data_of(b"data: a\ndata\ndata: b\n\n"), ["a\n\nb"]);
}

#[test]
fn an_event_without_data_is_none() {
    assert_eq!(data_of(b": ping\n\nevent: keepalive\n\nevent: ping\ndata:\n\nid: 2\ndata: x\n\n"), ["x"]);
}

#[test]
fn the_name_of_an_event_without_data_does_not_stick_to_the_next() {
    assert_eq!(decode([b"event: error\n\ndata: x\n\n".as_slice()]), [(String::new(), "x".into())]);
}

#[test]
fn the_last_event_needs_neither_blank_line_nor_newline() {
    assert_eq!(data_of(b"data: a\n\ndata: b\n"), ["a", "b"]);
    assert_eq!(data_of(b"data: a\n\ndata: b"), ["a", "b"]);
}

#[test]
fn a_byte_order_mark_is_skipped_also_when_cut() {
    assert_eq!(data_of(b"\xEF\xBB\xBFdata: a\n\n"), ["a"]);
    let pieces: [&[u8]; 3] = [b"\xEF", b"\xBB", b"\xBFdata: a\n\n"];
    assert_eq!(decode(pieces), [(String::new(), "a".into())]);
}

#[test]
fn an_invalid_byte_becomes_a_replacement_character() {
    assert_eq!(data_of(b"data: a\xFFb\n\n"), ["a\u{FFFD}b"]);
}

#[test]
fn text_without_a_line_of_an_event_stream_is_not_one() {
    assert_eq!(ending_of(b"upstream connect error"), Ending::NotAStream);
    assert_eq!(ending_of(b"no: such field\n"), Ending::NotAStream);
}

#[test]
fn a_cut_or_empty_stream_is_still_one() {
    for stream in ["", "dat", ": ping\n", "event: x\n", "data: {\"a\"", "upstream\ndata: x"] {
        assert_eq!(ending_of(stream.as_bytes()), Ending::Stream, "{stream:?}");
    }
}

#[test]
fn an_event_over_the_limit_is_refused_in_one_line_or_many() {
    let long = vec![b'x'; LIMIT + 1];
    assert_eq!(Decoder::default().push(&long, &mut |_| {}), Err(TooLarge));

    let mut decoder = Decoder::default();
    let line = [b"data: ".as_slice(), &[b'x'; 1 << 20], b"\n"].concat();
    let results: Vec<_> = (0..9).map(|_| decoder.push(&line, &mut |_| {})).collect();
    assert!(results[..7].iter().all(Result::is_ok) && results[8].is_err());
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_events(
        lines in prop::collection::vec("(data: ?|event: |: |id: |)[a-c\u{e9}\u{1f600}]{0,4}(\n|\r\n|\r)", 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let stream = lines.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();

        let whole = decode([stream.as_slice()]);

        prop_assert_eq!(&decode(cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]])), &whole);
        prop_assert_eq!(&decode(stream.chunks(1)), &whole);
    }
}
