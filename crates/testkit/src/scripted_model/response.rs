//! From a step to an HTTP response.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::Value;

use super::received::Received;
use super::stream::{self, HangupWatch, Piece};
use crate::script::Script;
use crate::step::{Answer, Failure, Reply, Step};

/// The response to a request that was taken.
pub(crate) async fn of(step: Step, request: &Received, script: &Script<Received>) -> Response {
    let watch = HangupWatch::new(script, request.number);
    let mut response = match &step.answer {
        Answer::Reply(reply) => reply_response(reply, request, watch),
        Answer::Failure(failure) => failure_response(failure, request, watch),
        Answer::Raw { status, content_type, body } => {
            let pieces = body.iter().map(|bytes| Piece::Bytes(bytes.clone())).collect();
            typed(*status, content_type, Body::from_stream(stream::play(pieces, watch)))
        }
        Answer::Silence => return silence(watch).await,
        Answer::Disconnect | Answer::Panic(_) => disconnect(watch),
    };
    for (name, value) in &step.headers {
        let name = HeaderName::try_from(name).expect("the script's header names are legal");
        let value = HeaderValue::try_from(value).expect("the script's header values are legal");
        response.headers_mut().insert(name, value);
    }
    response
}

fn reply_response(reply: &Reply, request: &Received, mut watch: HangupWatch) -> Response {
    if request.format.is_streamed(request) {
        let pieces = stream::cut_into_writes(request.format.stream(reply, request), reply.bytes_per_write);
        typed(200, "text/event-stream; charset=utf-8", Body::from_stream(stream::play(pieces, watch)))
    } else {
        watch.done();
        json(200, &request.format.whole(reply, request))
    }
}

fn failure_response(failure: &Failure, request: &Received, mut watch: HangupWatch) -> Response {
    watch.done();
    let status = failure.status.unwrap_or_else(|| request.format.status(failure.class));
    let mut response = json(status, &request.format.error(failure));
    if let Some(seconds) = failure.retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

async fn silence(_watch: HangupWatch) -> Response {
    std::future::pending().await
}

/// Ends the connection's task without a word on standard error, which closes the connection.
fn disconnect(mut watch: HangupWatch) -> ! {
    watch.done();
    std::panic::resume_unwind(Box::new("closed by the script"))
}

/// A response of JSON.
pub(crate) fn json(status: u16, body: &Value) -> Response {
    typed(status, "application/json", Body::from(body.to_string()))
}

/// A response without a content type.
pub(crate) fn plain(status: u16, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("the script's statuses are legal");
    response
}

fn typed(status: u16, content_type: &str, body: Body) -> Response {
    let mut response = plain(status, body);
    let content_type = HeaderValue::try_from(content_type).expect("the script's content types are legal");
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}
