//! Calls to the Bot API. Nothing that leaves this module has the token in it.
//!
//! teloxide gives the types of what is sent and comes; its own requests are not used: they sleep ten seconds on every error of the
//! server, lose the status of what is not JSON, and their `Debug` form has the token.

mod trouble;

use std::path::{Path, PathBuf};

use futures_util::StreamExt;
use reqwest::multipart::{Form, Part};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::{Duration, timeout};

use trouble::Answer;
pub(super) use trouble::Trouble;

/// How long a call may take that does not wait for anything.
const DEADLINE: Duration = Duration::from_secs(30);

/// How long a file may take, up or down.
const FILE_DEADLINE: Duration = Duration::from_secs(120);

/// The kinds of updates that are asked for; a bot gets no reactions unless it names them.
const WANTED: [&str; 6] =
    ["message", "edited_message", "channel_post", "callback_query", "message_reaction", "my_chat_member"];

/// A bot's token. It is shown to nobody but the service.
#[derive(Clone)]
pub(super) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(token)")
    }
}

impl Token {
    pub(super) fn new(token: &str) -> Self {
        Self(token.trim().to_owned())
    }

    /// The text without the token, its secret half included.
    pub(super) fn mask(&self, text: &str) -> String {
        let secret = self.0.split_once(':').map_or(self.0.as_str(), |(_, secret)| secret);
        let masked = if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "(token)") };
        if secret.is_empty() { masked } else { masked.replace(secret, "(token)") }
    }
}

/// A connection to the Bot API.
#[derive(Clone, Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    base: String,
    token: Token,
}

/// A message that is sent, by its number; all else about it is known.
#[derive(Debug, serde::Deserialize)]
struct Sent {
    message_id: i32,
}

impl Client {
    /// A client for the service at this address, which may have a path.
    pub(super) fn new(http: reqwest::Client, api_url: &str, token: Token) -> Self {
        Self { http, base: api_url.trim_end_matches('/').to_owned(), token }
    }

    /// The text without the token.
    pub(super) fn mask(&self, text: &str) -> String {
        self.token.mask(text)
    }

    /// Makes a call that gives this back.
    pub(super) async fn call<T: DeserializeOwned>(&self, method: &str, body: &impl Serialize) -> Result<T, Trouble> {
        let request = self.http.post(self.url(method)).json(body);
        self.answer(request, DEADLINE).await
    }

    /// Asks for updates, waiting so many seconds for one. The service's word is not trusted: a little later it is over.
    pub(super) async fn updates(&self, offset: i64, wait: u32, margin: Duration) -> Result<Vec<Value>, Trouble> {
        let body = json!({ "offset": offset, "timeout": wait, "limit": 100, "allowed_updates": WANTED });
        let request = self.http.post(self.url("getUpdates")).json(&body);
        self.answer(request, Duration::from_secs(wait.into()) + margin).await
    }

    /// Sends a file.
    pub(super) async fn upload(
        &self,
        chat: i64,
        file: (&str, Vec<u8>),
        more: Vec<(&'static str, String)>,
    ) -> Result<i32, Trouble> {
        let part = Part::bytes(file.1).file_name(file.0.to_owned());
        let form = Form::new().text("chat_id", chat.to_string()).part("document", part);
        let form = more.into_iter().fold(form, |form, (name, value)| form.text(name, value));
        let request = self.http.post(self.url("sendDocument")).multipart(form);
        Ok(self.answer::<Sent>(request, FILE_DEADLINE).await?.message_id)
    }

    /// Fetches a file of at most so many bytes into a folder, under a name that begins with this.
    pub(super) async fn fetch(&self, id: &str, folder: &Path, name: &str, most: u64) -> Result<PathBuf, Trouble> {
        let fetching = self.fetch_unbounded(id, folder, name, most);
        timeout(FILE_DEADLINE, fetching).await.unwrap_or_else(|_| Err(Trouble::Unknown("it took too long".into())))
    }

    async fn fetch_unbounded(&self, id: &str, folder: &Path, name: &str, most: u64) -> Result<PathBuf, Trouble> {
        let file: Value = self.call("getFile", &json!({ "file_id": id })).await?;
        let path = file["file_path"].as_str().ok_or_else(|| Trouble::Refused("the service names no path".into()))?;
        let url = format!("{}/file/bot{}/{path}", self.base, self.token.0);
        let response = self.http.get(url).send().await.map_err(|error| self.failed(error))?;
        if !response.status().is_success() {
            return Err(Trouble::Refused(format!("the service answered {}", response.status())));
        }
        let target = folder.join(name);
        tokio::fs::create_dir_all(folder).await.map_err(Trouble::of_disk)?;
        let written = self.write(response, &target, most).await;
        if written.is_err() {
            // What is half there is worth nothing; that it cannot be removed changes nothing.
            let _ = tokio::fs::remove_file(&target).await;
        }
        written.map(|()| target)
    }

    async fn write(&self, response: reqwest::Response, target: &Path, most: u64) -> Result<(), Trouble> {
        let mut file = tokio::fs::File::create(target).await.map_err(Trouble::of_disk)?;
        let mut stream = response.bytes_stream();
        let mut written = 0;
        while let Some(bytes) = stream.next().await {
            let bytes = bytes.map_err(|error| self.failed(error))?;
            written += bytes.len() as u64;
            if written > most {
                return Err(Trouble::TooLarge);
            }
            file.write_all(&bytes).await.map_err(Trouble::of_disk)?;
        }
        file.flush().await.map_err(Trouble::of_disk)
    }

    async fn answer<T: DeserializeOwned>(
        &self,
        request: reqwest::RequestBuilder,
        deadline: Duration,
    ) -> Result<T, Trouble> {
        let answering = async {
            let response = request.send().await.map_err(|error| self.failed(error))?;
            let status = response.status().as_u16();
            let body = response.bytes().await.map_err(|error| self.failed(error))?;
            Answer::read(status, &body).map_err(|trouble| trouble.map(|text| self.mask(&text)))
        };
        match timeout(deadline, answering).await {
            Ok(answer) => answer,
            Err(_) => Err(Trouble::Unknown(format!("no answer within {} s", deadline.as_secs()))),
        }
    }

    fn failed(&self, error: reqwest::Error) -> Trouble {
        let never_went = error.is_connect() || error.is_builder();
        let mut text = error.without_url().to_string();
        text = self.mask(&text);
        if never_went { Trouble::Unreached(text) } else { Trouble::Unknown(text) }
    }

    fn url(&self, method: &str) -> String {
        format!("{}/bot{}/{method}", self.base, self.token.0)
    }
}
