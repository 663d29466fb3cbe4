use futures_util::FutureExt;
use tokio::sync::oneshot;

use super::*;
use crate::{Format, Key, samples};

mod server;

use server::{Seen, Step, chunk, head, serve};

const HI: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
const STOP: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(50);

fn patient() -> Patience {
    Patience { connect: LONG, first_byte: LONG, idle: LONG, usage: LONG }
}

fn endpoint(base_url: &str) -> Endpoint {
    Endpoint { base_url: base_url.into(), key: Some(Key::new("open-sesame")), ..samples::endpoint(Format::OpenAi) }
}

fn model(base_url: &str, patience: Patience) -> HttpModel {
    HttpModel::new(endpoint(base_url), Client::with_patience(patience).expect("it can be set up"))
}

fn hi() -> ModelRequest {
    samples::request(vec![Message::user("hi")])
}

fn stream_head() -> Step {
    Step::Send(head("200 OK", "content-type: text/event-stream\r\n"))
}

fn send(text: &str) -> Step {
    Step::Send(text.to_owned())
}

/// Asks a server with this one script, and gives what came of it in the end.
async fn outcome(script: Vec<Step>, patience: Patience) -> ReplyEvent {
    let (url, _sees) = serve(vec![script]).await;
    let events: Vec<ReplyEvent> = model(&url, patience).ask(hi()).collect().await;
    events.into_iter().last().expect("a stream has a last event")
}

fn failure(event: ReplyEvent) -> (ErrorClass, String, ModelError) {
    let ReplyEvent::Failed { error, partial } = event else { panic!("it did not fail: {event:?}") };
    (error.class, partial, error)
}

#[tokio::test]
async fn text_is_told_as_it_comes() {
    let (go, signal) = oneshot::channel();
    let script = vec![stream_head(), send(HI), Step::Await(signal), send(STOP), Step::Close];
    let (url, _sees) = serve(vec![script]).await;
    let mut events = model(&url, patient()).ask(hi());

    assert_eq!(events.next().await, Some(ReplyEvent::Text("hi".into())));
    go.send(()).expect("the server waits");

    let Some(ReplyEvent::Finished(reply)) = events.next().await else { panic!("it is whole") };
    assert_eq!(reply.text, "hi");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_what_came_before() {
    let head = head("200 OK", "content-length: 9999\r\n");

    let (class, partial, _) = failure(outcome(vec![Step::Send(head), send(HI), Step::Close], patient()).await);

    assert_eq!((class, partial.as_str()), (ErrorClass::Network, "hi"));
}

#[tokio::test]
async fn a_stream_that_ends_without_a_finish_is_cut_off() {
    let (class, partial, _) = failure(outcome(vec![stream_head(), send(HI), Step::Close], patient()).await);

    assert_eq!((class, partial.as_str()), (ErrorClass::Truncated, "hi"));
}

#[tokio::test]
async fn a_connection_that_breaks_behind_the_finish_does_no_harm() {
    let head = head("200 OK", "content-length: 9999\r\n");

    let event = outcome(vec![Step::Send(head), send(HI), send(STOP), Step::Close], patient()).await;

    assert!(matches!(event, ReplyEvent::Finished(reply) if reply.text == "hi"));
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let patience = Patience { first_byte: SHORT, ..patient() };

    assert_eq!(failure(outcome(vec![Step::Hold], patience).await).0, ErrorClass::Timeout);
    assert_eq!(failure(outcome(vec![stream_head(), Step::Hold], patience).await).0, ErrorClass::Timeout);
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() {
    let patience = Patience { idle: SHORT, ..patient() };

    let (class, partial, _) = failure(outcome(vec![stream_head(), send(HI), Step::Hold], patience).await);

    assert_eq!((class, partial.as_str()), (ErrorClass::Timeout, "hi"));
}

#[tokio::test]
async fn a_whole_reply_does_not_wait_for_the_end_of_its_connection() {
    let patience = Patience { usage: SHORT, ..patient() };

    let event = outcome(vec![stream_head(), send(HI), send(STOP), Step::Hold], patience).await;

    assert!(matches!(event, ReplyEvent::Finished(reply) if reply.text == "hi"));
}

#[tokio::test]
async fn a_refused_key_is_told_without_it() {
    let body =
        r#"{"error":{"message":"Incorrect API key provided: open-sesame, not sk-1234567","code":"invalid_api_key"}}"#;

    let (class, _, error) =
        failure(outcome(vec![Step::Send(head("401 Unauthorized", "")), send(body), Step::Close], patient()).await);

    assert_eq!(class, ErrorClass::Auth);
    assert_eq!(error.message, "Incorrect API key provided: ***, not *** (HTTP 401, invalid_api_key)");
}

#[tokio::test]
async fn a_rate_limit_tells_how_long_it_lasts() {
    let head = head("429 Too Many Requests", "Retry-After: 7\r\n");

    let (class, _, error) = failure(outcome(vec![Step::Send(head), Step::Close], patient()).await);

    assert_eq!((class, error.retry_after_ms), (ErrorClass::RateLimited, Some(7_000)));
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let (url, mut sees) = serve(vec![vec![stream_head(), send(HI), Step::Hold]]).await;
    let mut events = model(&url, patient()).ask(hi());
    events.next().await;

    drop(events);

    assert_eq!(sees.recv().await, Some(Seen::Connection));
    assert!(matches!(sees.recv().await, Some(Seen::Request(_))));
    assert_eq!(sees.recv().await, Some(Seen::End));
}

#[tokio::test]
async fn the_connection_of_a_whole_reply_is_used_again() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let script =
        || vec![send(head), Step::Send(chunk(HI)), Step::Send(chunk("data: [DONE]\n\n")), Step::Send(chunk(""))];
    let (url, mut sees) = serve(vec![script(), script()]).await;
    let model = model(&url, patient());

    for _ in 0..2 {
        assert_eq!(model.ask(hi()).count().await, 2);
    }

    assert_eq!(sees.recv().await, Some(Seen::Connection));
    assert!(matches!(sees.recv().await, Some(Seen::Request(_))));
    assert!(matches!(sees.recv().await, Some(Seen::Request(_))));
}

#[tokio::test]
async fn a_key_is_not_taken_to_another_server() {
    let (other, mut other_sees) = serve(Vec::new()).await;
    let head = head("307 Temporary Redirect", &format!("location: {other}/v1/chat/completions\r\n"));

    let (class, ..) = failure(outcome(vec![Step::Send(head), Step::Close], patient()).await);

    assert_eq!(class, ErrorClass::BadRequest);
    assert_eq!(other_sees.recv().now_or_never(), None);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_the_query() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("loopback is there");
    let address = listener.local_addr().expect("it is bound");
    drop(listener);
    let events = model(&format!("http://{address}/v1?secret=abc"), patient()).ask(hi());

    let (class, _, error) = failure(events.collect::<Vec<_>>().await.remove(0));

    assert_eq!(class, ErrorClass::Network);
    assert!(error.message.starts_with(&format!("no connection to {address}: ")), "{}", error.message);
    assert!(!error.message.contains("abc"));
}

/// The lines of the request that a model sends.
async fn request_of(endpoint: impl FnOnce(&str) -> Endpoint) -> Vec<String> {
    let (url, mut sees) = serve(vec![vec![stream_head(), Step::Close]]).await;
    let model = HttpModel::new(endpoint(&url), Client::with_patience(patient()).expect("it can be set up"));
    model.ask(hi()).count().await;
    sees.recv().await;
    let Some(Seen::Request(request)) = sees.recv().await else { panic!("the server was asked") };
    request.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_request_asks_for_an_uncompressed_stream_and_shows_the_key() {
    let lines =
        request_of(|url| Endpoint { headers: vec![("x-title".into(), "Cowhand".into())], ..endpoint(url) }).await;

    assert_eq!(lines[0], "POST /chat/completions HTTP/1.1");
    for line in ["accept-encoding: identity", "authorization: Bearer open-sesame", "x-title: Cowhand"] {
        assert!(lines.iter().any(|given| given == line), "{line} is not in {lines:#?}");
    }
    assert!(lines.last().expect("there is a body").starts_with("{\"model\":\"m\""));
}

#[tokio::test]
async fn each_format_shows_the_key_in_its_own_way() {
    let anthropic = request_of(|url| Endpoint { format: Format::Anthropic, ..endpoint(url) }).await;
    let gemini = request_of(|url| Endpoint { format: Format::Gemini, ..endpoint(url) }).await;

    assert!(anthropic.contains(&"x-api-key: open-sesame".to_owned()));
    assert!(anthropic.contains(&"anthropic-version: 2023-06-01".to_owned()));
    assert!(gemini.contains(&"x-goog-api-key: open-sesame".to_owned()));
    assert_eq!(gemini[0], "POST /v1beta/models/m:streamGenerateContent?alt=sse HTTP/1.1");
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_an_auth_error() {
    let endpoint = Endpoint { key: Some(Key::new("two\nlines")), ..endpoint("http://127.0.0.1:9") };
    let model = HttpModel::new(endpoint, Client::with_patience(patient()).expect("it can be set up"));

    assert_eq!(failure(model.ask(hi()).collect::<Vec<_>>().await.remove(0)).0, ErrorClass::Auth);
}

#[tokio::test]
async fn a_check_passes_with_the_first_word_and_fails_as_a_request_would() {
    let (good, _sees) = serve(vec![vec![stream_head(), send(HI), Step::Hold]]).await;
    let (bad, _sees) = serve(vec![vec![Step::Send(head("403 Forbidden", "")), Step::Close]]).await;

    assert_eq!(model(&good, patient()).check().await, Ok(()));
    assert_eq!(model(&bad, patient()).check().await.map_err(|error| error.class), Err(ErrorClass::Auth));
}

#[test]
fn deadlines_are_read_from_settings() {
    let deadlines: Deadlines = serde_json::from_str(r#"{"idle_s":30}"#).unwrap();

    assert_eq!(deadlines, Deadlines { connect_s: 10, first_byte_s: 300, idle_s: 30 });
    assert!(serde_json::from_str::<Deadlines>(r#"{"idle":30}"#).is_err());
}
