use chat::ErrorClass;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::{CapturedReply, read_body, samples};

fn capture(body: &[u8]) -> CapturedReply {
    read_body(Format::OpenAi, 200, &[], body, &[])
}

fn class(body: &[u8]) -> Option<ErrorClass> {
    capture(body).error.map(|error| error.class)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

const HI: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n";

#[test]
fn a_body_that_is_neither_stream_nor_json_is_of_no_protocol() {
    for body in
        ["<html><body>502</body></html>", "upstream connect error", "{\"choices\": oops}", "{\"a\":1}", "[]", "[1]"]
    {
        assert_eq!(class(body.as_bytes()), Some(ErrorClass::Protocol), "{body}");
    }
}

#[test]
fn a_body_without_a_terminal_signal_is_cut_off() {
    let bodies = [
        "",
        "\n",
        "\u{FEFF}",
        "\u{1f}",
        "da",
        ": ping\n\n",
        "{",
        "{\"choices\":[{\"mess",
        "data: {\"choices\":[{\"del",
    ];
    for body in bodies {
        assert_eq!(class(body.as_bytes()), Some(ErrorClass::Truncated), "{body:?}");
    }
}

#[test]
fn a_document_with_an_error_has_its_class() {
    let bodies = [
        ("{\"error\":{\"message\":\"m\",\"code\":\"invalid_api_key\"}}", ErrorClass::Auth),
        ("\u{FEFF}\n[{\"error\":{\"code\":503}}]", ErrorClass::Overloaded),
        ("{\"message\":\"Internal server error\"}", ErrorClass::Server),
        ("{\"detail\":\"Not Found\"}", ErrorClass::Server),
    ];
    for (body, expected) in bodies {
        assert_eq!(class(body.as_bytes()), Some(expected), "{body:?}");
    }
}

#[test]
fn an_event_named_error_is_one_whatever_its_data() {
    assert_eq!(class(b"event: error\ndata: Internal error\n\n"), Some(ErrorClass::Server));
}

#[test]
fn a_compressed_body_is_unpacked() {
    assert_eq!(capture(&gzip(HI.as_bytes())).text, "hi");
    assert_eq!(capture(&gzip(b"{\"choices\":[{\"message\":{\"content\":\"hi\"}}]}")).text, "hi");
}

#[test]
fn a_compressed_body_that_is_cut_is_cut_off_and_a_damaged_one_of_no_protocol() {
    let packed = gzip(HI.as_bytes());
    assert_eq!(class(&packed[..packed.len() - 20]), Some(ErrorClass::Truncated));

    let mut damaged = packed;
    damaged[2] = 0xFF;
    assert_eq!(class(&damaged), Some(ErrorClass::Protocol));
}

#[test]
fn a_body_that_unpacks_to_far_too_much_is_refused_early() {
    let bomb = gzip(&[b"data: ".as_slice(), &vec![b'x'; 32 << 20]].concat());

    assert_eq!(class(&bomb), Some(ErrorClass::Protocol));
}

#[test]
fn what_follows_the_end_does_not_matter() {
    let body = format!("{HI}data: [DONE]\n\ndata: {{\"error\":{{}}}}\n\n");

    assert_eq!((capture(body.as_bytes()).text.as_str(), class(body.as_bytes())), ("hi", None));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_and_any_cut_gives_the_same(body in prop::collection::vec(any::<u8>(), 0..200), cut in 1..9_usize) {
        let read = |pieces: std::slice::Chunks<'_, u8>| {
            let mut reader = BodyReader::new(Format::OpenAi, samples::name(), Vec::new());
            pieces.for_each(|piece| reader.push(piece));
            reader.finish();
            std::iter::from_fn(|| reader.next_event()).collect::<Vec<_>>()
        };

        prop_assert_eq!(read(body.chunks(cut)), read(body.chunks(usize::MAX)));
    }
}
