//! One request and its answer, driven by who reads the events.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chat::{ErrorClass, ModelError};
use futures_util::FutureExt;
use reqwest::{Request, Response};
use tokio::time::{Instant, timeout_at};

use super::Patience;
use crate::body::BodyReader;
use crate::{Endpoint, ReplyEvent, error};

/// A request on its way. To drop it ends the request.
pub(super) struct Exchange {
    phase: Phase,
    reader: BodyReader,
    endpoint: Arc<Endpoint>,
    patience: Patience,
    /// When the server has to say something.
    deadline: Instant,
    /// It said something.
    is_answering: bool,
}

enum Phase {
    Refused(ModelError),
    Start(reqwest::Client, Box<Request>),
    Reading(Response),
    Over,
}

/// How much of an error's body is read, and for how long.
const ERROR_LIMIT: usize = 64 << 10;
const ERROR_PATIENCE: Duration = Duration::from_secs(10);

impl Exchange {
    pub(super) fn new(
        request: Result<(reqwest::Client, Request), ModelError>,
        tools: Vec<String>,
        endpoint: Arc<Endpoint>,
        patience: Patience,
    ) -> Self {
        let phase = match request {
            Ok((client, request)) => Phase::Start(client, Box::new(request)),
            Err(error) => Phase::Refused(error),
        };
        let reader = BodyReader::new(endpoint.format, endpoint.name.clone(), tools);
        Self { phase, reader, endpoint, patience, deadline: Instant::now(), is_answering: false }
    }

    /// Waits for the next event of the reply.
    pub(super) async fn next(&mut self) -> Option<ReplyEvent> {
        loop {
            if let Some(event) = self.reader.next_event() {
                return Some(self.without_key(event));
            }
            match std::mem::replace(&mut self.phase, Phase::Over) {
                Phase::Refused(error) => self.reader.fail(error),
                Phase::Start(client, request) => self.start(&client, *request).await,
                Phase::Reading(response) => self.read(response).await,
                Phase::Over => return None,
            }
        }
    }

    async fn start(&mut self, client: &reqwest::Client, request: Request) {
        let server = server_of(request.url());
        self.deadline = Instant::now() + self.patience.first_byte;
        match timeout_at(self.deadline, client.execute(request)).await {
            Err(_) => self.reader.fail(silence(self.patience.first_byte, "before its answer")),
            Ok(Err(error)) => self.reader.fail(no_connection(&error, &server, self.patience.connect)),
            Ok(Ok(response)) if response.status().is_success() => self.phase = Phase::Reading(response),
            Ok(Ok(response)) => {
                let error = refusal(response).await;
                self.reader.fail(error);
            }
        }
    }

    async fn read(&mut self, mut response: Response) {
        match timeout_at(self.deadline, response.chunk()).await {
            Ok(Ok(Some(bytes))) => self.take(&bytes, response),
            Ok(Ok(None)) => self.reader.finish(),
            Ok(Err(error)) => {
                let message = format!("the connection broke: {}", root_cause(&error));
                self.reader.break_off(ModelError::new(ErrorClass::Network, error::one_line(&message)));
            }
            Err(_) if self.is_answering => self.reader.break_off(silence(self.patience.idle, "within its answer")),
            Err(_) => self.reader.break_off(silence(self.patience.first_byte, "before its answer")),
        }
    }

    fn take(&mut self, bytes: &Bytes, response: Response) {
        self.is_answering |= !bytes.is_empty();
        self.reader.push(bytes);
        if self.reader.is_closed() {
            return drain(response);
        }
        if self.is_answering {
            let wait = if self.reader.is_whole() { self.patience.usage } else { self.patience.idle };
            self.deadline = Instant::now() + wait;
        }
        self.phase = Phase::Reading(response);
    }

    /// Takes the endpoint's own key out of what a server or a library says.
    fn without_key(&self, event: ReplyEvent) -> ReplyEvent {
        match event {
            ReplyEvent::Failed { mut error, partial } => {
                let key = self.endpoint.key.as_ref().map_or("", |key| key.expose());
                error.message = error::mask(&error.message, &[key]);
                ReplyEvent::Failed { error, partial }
            }
            event => event,
        }
    }
}

/// Reads what little may follow the end of a reply, so that the connection can be used again.
fn drain(mut response: Response) {
    if let Some(Ok(None) | Err(_)) = response.chunk().now_or_never() {
        return;
    }
    tokio::spawn(tokio::time::timeout(Duration::from_secs(1), async move {
        while let Ok(Some(_)) = response.chunk().await {}
    }));
}

/// Reads an answer whose status is no success.
pub(super) async fn refusal(mut response: Response) -> ModelError {
    let status = response.status();
    if status.is_redirection() {
        let message =
            format!("the server redirects to another address, which is not followed (HTTP {})", status.as_u16());
        return ModelError::new(ErrorClass::BadRequest, message);
    }
    let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    let headers: Vec<(String, String)> = headers.collect();
    let deadline = Instant::now() + ERROR_PATIENCE;
    let mut body = Vec::new();
    while let Ok(Ok(Some(bytes))) = timeout_at(deadline, response.chunk()).await {
        body.extend_from_slice(&bytes);
        if body.len() > ERROR_LIMIT {
            break;
        }
    }
    error::from_response(status.as_u16(), &headers, &body)
}

fn silence(patience: Duration, place: &str) -> ModelError {
    ModelError::new(ErrorClass::Timeout, format!("the server was silent for {} s {place}", patience.as_secs()))
}

pub(super) fn no_connection(error: &reqwest::Error, server: &str, patience: Duration) -> ModelError {
    if error.is_builder() {
        return ModelError::new(ErrorClass::BadRequest, "the base URL of the model is not valid");
    }
    if error.is_timeout() {
        let message = format!("{server} took no connection within {} s", patience.as_secs());
        return ModelError::new(ErrorClass::Timeout, message);
    }
    let what = if error.is_connect() { "no connection to" } else { "no answer from" };
    let message = format!("{what} {server}: {}", root_cause(error));
    ModelError::new(ErrorClass::Network, error::one_line(&message))
}

/// What lies at the bottom of a chain of errors; those above it may quote the address with its query.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

pub(super) fn server_of(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or("the server");
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
