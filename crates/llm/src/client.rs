//! A model that is asked over the network.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use chat::{ErrorClass, Message, ModelError};
use futures_util::{StreamExt, stream};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use serde::{Deserialize, Deserializer, Serialize};

use crate::request::request_bytes;
use crate::{Auth, ChatModel, Endpoint, ModelName, ModelRequest, ReplyEvent, ReplyStream, format};

mod exchange;
mod reach;
#[cfg(test)]
mod tests;

use exchange::Exchange;
pub use reach::Reached;

/// How long a server may keep silent. There is no limit on a whole reply: a long one is no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Deadlines {
    /// Until it takes the connection, in seconds.
    #[serde(deserialize_with = "positive")]
    pub connect_s: u32,
    /// Until the first byte of its answer, in seconds: a large model on a small machine reads the prompt for minutes.
    #[serde(deserialize_with = "positive")]
    pub first_byte_s: u32,
    /// Between two bytes of its answer, in seconds.
    #[serde(deserialize_with = "positive")]
    pub idle_s: u32,
}

/// A deadline of nothing is always over.
fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    NonZeroU32::deserialize(deserializer).map(NonZeroU32::get)
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { connect_s: 10, first_byte_s: 300, idle_s: 120 }
    }
}

/// The deadlines as they are kept.
#[derive(Clone, Copy, Debug)]
struct Patience {
    connect: Duration,
    first_byte: Duration,
    idle: Duration,
    /// How long the number of tokens is waited for when the reply itself is whole.
    usage: Duration,
}

impl From<&Deadlines> for Patience {
    fn from(deadlines: &Deadlines) -> Self {
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        Self {
            connect: seconds(deadlines.connect_s),
            first_byte: seconds(deadlines.first_byte_s),
            idle: seconds(deadlines.idle_s),
            usage: Duration::from_secs(2),
        }
    }
}

/// The connections to all model servers, shared by all models.
#[derive(Clone, Debug)]
pub struct Client {
    remote: reqwest::Client,
    /// For servers on this machine, which no proxy is asked for.
    local: reqwest::Client,
    patience: Patience,
}

/// Why there can be no connections at all.
#[derive(Debug, thiserror::Error)]
#[error("the network client cannot be set up")]
pub struct ClientError(#[source] reqwest::Error);

impl Client {
    /// Sets the connections up. A proxy is taken from the usual variables (`HTTPS_PROXY`, `NO_PROXY`).
    ///
    /// # Errors
    ///
    /// When the system's proxy or TLS settings cannot be used.
    pub fn new(deadlines: &Deadlines) -> Result<Self, ClientError> {
        Self::with_patience(Patience::from(deadlines))
    }

    fn with_patience(patience: Patience) -> Result<Self, ClientError> {
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("cowhand/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(patience.connect)
                .tcp_keepalive(Duration::from_secs(60))
                .pool_idle_timeout(Duration::from_secs(90))
                .http2_keep_alive_interval(Duration::from_secs(30))
                .http2_adaptive_window(true)
                .redirect(Policy::custom(stay_at_the_origin))
                .referer(false)
        };
        let remote = builder().build().map_err(ClientError)?;
        let local = builder().no_proxy().build().map_err(ClientError)?;
        Ok(Self { remote, local, patience })
    }

    fn towards(&self, url: &reqwest::Url) -> &reqwest::Client {
        let is_local = match url.host_str().unwrap_or_default() {
            "localhost" | "[::1]" => true,
            host => host.starts_with("127."),
        };
        if is_local { &self.local } else { &self.remote }
    }
}

/// Follows a redirect only where the key is meant for: to the same scheme, host and port.
fn stay_at_the_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let stays = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if stays && attempt.previous().len() <= 3 { attempt.follow() } else { attempt.stop() }
}

/// A model behind an HTTP interface.
#[derive(Clone, Debug)]
pub struct HttpModel {
    endpoint: Arc<Endpoint>,
    client: Client,
}

impl HttpModel {
    /// Makes the model at an endpoint.
    #[must_use]
    pub fn new(endpoint: Endpoint, client: Client) -> Self {
        Self { endpoint: Arc::new(endpoint), client }
    }

    /// Where it is asked, and how.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks for a word, to see that server, key and model are there; the reply is not waited for beyond its begin.
    ///
    /// # Errors
    ///
    /// What a real request would fail with.
    pub async fn check(&self) -> Result<(), ModelError> {
        let request = ModelRequest {
            system: "".into(),
            messages: vec![Arc::new(Message::user("Answer with the word OK."))],
            tools: Arc::new([]),
            nudge: None,
        };
        match self.ask(request).next().await {
            Some(ReplyEvent::Failed { error, .. }) => Err(error),
            _ => Ok(()),
        }
    }

    fn request(&self, body: Vec<u8>) -> Result<(reqwest::Client, reqwest::Request), ModelError> {
        let refused = |what: &str| ModelError::new(ErrorClass::BadRequest, what);
        let url = format::url(&self.endpoint).parse().map_err(|_| refused("the base URL of the model is not valid"))?;
        let mut request = reqwest::Request::new(reqwest::Method::POST, url);
        *request.headers_mut() = self.headers()?;
        *request.body_mut() = Some(body.into());
        Ok((self.client.towards(request.url()).clone(), request))
    }

    fn headers(&self) -> Result<HeaderMap, ModelError> {
        let invalid = |_| ModelError::new(ErrorClass::BadRequest, "a header that was set for the model is not valid");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        // A compressed stream is held back until there is enough of it to compress.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        for (name, value) in format::headers(self.endpoint.format) {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        for (name, value) in &self.endpoint.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| ()).map_err(invalid)?;
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| ()).map_err(invalid)?);
        }
        if let Some((name, value)) = self.key_header()? {
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn key_header(&self) -> Result<Option<(HeaderName, HeaderValue)>, ModelError> {
        let Some(key) = self.endpoint.key.as_ref().map(|key| key.expose()).filter(|key| !key.is_empty()) else {
            return Ok(None);
        };
        let (name, value) = match self.endpoint.quirks.auth.unwrap_or(format::auth(self.endpoint.format)) {
            Auth::Bearer => (AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {key}"))),
            Auth::ApiKey => (HeaderName::from_static("x-api-key"), HeaderValue::from_str(key)),
            Auth::GoogleApiKey => (HeaderName::from_static("x-goog-api-key"), HeaderValue::from_str(key)),
        };
        let invalid = |_| ModelError::new(ErrorClass::Auth, "the key holds characters that no key has");
        let mut value = value.map_err(invalid)?;
        value.set_sensitive(true);
        Ok(Some((name, value)))
    }
}

impl ChatModel for HttpModel {
    fn name(&self) -> &ModelName {
        &self.endpoint.name
    }

    fn window(&self) -> Option<u64> {
        self.endpoint.window.map(u64::from)
    }

    fn ask(&self, request: ModelRequest) -> ReplyStream {
        let body = request_bytes(&self.endpoint, &request);
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let exchange = Exchange::new(self.request(body), tools, Arc::clone(&self.endpoint), self.client.patience);
        stream::unfold(exchange, async |mut exchange| exchange.next().await.map(|event| (event, exchange))).boxed()
    }
}
