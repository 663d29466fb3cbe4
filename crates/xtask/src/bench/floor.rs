//! The bare client: the same requests, and one synced commit of the same bytes per turn.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use rusqlite::Connection;

/// What it asks and where it writes.
#[derive(Args)]
pub(crate) struct Options {
    #[arg(long)]
    url: String,
    #[arg(long)]
    key: String,
    /// The bodies of the requests, a line each
    #[arg(long)]
    bodies: PathBuf,
    #[arg(long)]
    database: PathBuf,
    /// Requests in a turn
    #[arg(long)]
    requests: u32,
}

/// Answers each line of standard input by its requests and one commit.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(options))
}

async fn serve(options: &Options) -> anyhow::Result<()> {
    let database = open(options)?;
    let client = reqwest::Client::new();
    let url = format!("{}/chat/completions", options.url);
    let mut bodies = BufReader::new(File::open(&options.bodies).context("the recorded bodies")?).lines();
    for line in std::io::stdin().lines() {
        let message = line?;
        let mut answer = message.into_bytes();
        for _ in 0..options.requests {
            let body = bodies.next().context("a recorded body for each request")??;
            let request = client.post(&url).bearer_auth(&options.key).header("content-type", "application/json");
            let mut response = request.body(body).send().await?;
            if !response.status().is_success() {
                bail!("the model answered {}", response.status());
            }
            while let Some(chunk) = response.chunk().await? {
                answer.extend_from_slice(&chunk);
            }
        }
        database.execute("INSERT INTO turns (content) VALUES (?1)", [&answer])?;
        println!(r#"{{"type":"turn_finished","outcome":"answered"}}"#);
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// A database that is as safe as the ledger.
fn open(options: &Options) -> anyhow::Result<Connection> {
    let database = Connection::open(&options.database).context("the floor's database")?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "FULL")?;
    database.execute_batch("CREATE TABLE turns (id INTEGER PRIMARY KEY, content BLOB NOT NULL)")?;
    Ok(database)
}
