//! Looks for model servers on this machine.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use serde::Deserialize;
use tokio::time::timeout;

use super::{Choice, Reason};
use crate::ModelName;

/// How long all servers together have to answer.
const PATIENCE: Duration = Duration::from_millis(200);

/// A list of models is not longer.
const MOST_BYTES: usize = 1024 * 1024;

/// A server that may run on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// Its vendor in the vendor table.
    pub vendor: String,
    /// Where it listens.
    pub port: u16,
}

impl LocalServer {
    /// The usual ones, in the order in which they are preferred.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        let usual = [("ollama", 11434), ("llama-cpp", 8080), ("lmstudio", 1234)];
        usual.map(|(vendor, port)| Self { vendor: vendor.into(), port }).into()
    }
}

#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// Asks these servers, all at once, and takes the first in order that has a model.
pub async fn probe(servers: &[LocalServer]) -> Option<Choice> {
    // A proxy is not asked for what is on this machine.
    let client = reqwest::Client::builder().no_proxy().build().ok()?;
    let asked = servers.iter().map(|server| timeout(PATIENCE, ask(&client, server)));
    join_all(asked).await.into_iter().find_map(|answer| answer.ok().flatten())
}

async fn ask(client: &reqwest::Client, server: &LocalServer) -> Option<Choice> {
    let url = format!("http://127.0.0.1:{}/v1", server.port);
    let response = client.get(format!("{url}/models")).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.ok()?);
        if body.len() > MOST_BYTES {
            return None;
        }
    }
    let models: Models = serde_json::from_slice(&body).ok()?;
    let model = models.data.into_iter().map(|model| model.id).find(|id| can_talk(id))?;
    let model = ModelName { vendor: server.vendor.clone(), model };
    Some(Choice { model, reason: Reason::Server(url) })
}

/// Models that make vectors are listed among those that make text.
fn can_talk(id: &str) -> bool {
    let id = id.to_lowercase();
    !id.is_empty() && !["embed", "rerank"].iter().any(|kind| id.contains(kind))
}
