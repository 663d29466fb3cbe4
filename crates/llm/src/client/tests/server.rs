//! A server that says what it is told to, byte by byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

/// What the server does once it has read a request.
pub(super) enum Step {
    Send(String),
    /// Waits for the test.
    Await(oneshot::Receiver<()>),
    /// Closes the connection.
    Close,
    /// Says nothing more until the client closes the connection.
    Hold,
}

/// What the server saw.
#[derive(Debug, PartialEq)]
pub(super) enum Seen {
    Connection,
    /// Head and body of a request.
    Request(String),
    /// The client closed the connection.
    End,
}

/// Head of an answer whose body ends with the connection.
pub(super) fn head(status: &str, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n")
}

/// One chunk of a body, as HTTP frames it; an empty one ends the body.
pub(super) fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// Starts a server that answers one request after the other with these scripts. Its address and what it sees come back.
pub(super) async fn serve(scripts: Vec<Vec<Step>>) -> (String, mpsc::UnboundedReceiver<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback is there");
    let address = listener.local_addr().expect("it is bound");
    let (seen, sees) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut scripts = scripts.into_iter();
        while let Ok((mut connection, _)) = listener.accept().await {
            let _ = seen.send(Seen::Connection);
            while let Some(request) = read_request(&mut connection).await {
                let _ = seen.send(Seen::Request(request));
                let Some(script) = scripts.next() else { break };
                if !play(script, &mut connection).await {
                    break;
                }
            }
            let _ = seen.send(Seen::End);
        }
    });
    (format!("http://{address}"), sees)
}

/// Plays a script, and says whether the connection lives on.
async fn play(script: Vec<Step>, connection: &mut TcpStream) -> bool {
    for step in script {
        match step {
            Step::Send(text) if connection.write_all(text.as_bytes()).await.is_err() => return false,
            Step::Send(_) => {}
            Step::Await(signal) => signal.await.expect("the test gives the signal"),
            Step::Close => return false,
            Step::Hold => {
                let mut rest = [0; 1];
                let _ = connection.read(&mut rest).await;
                return false;
            }
        }
    }
    true
}

/// Reads one request; `None` when the client closes the connection.
async fn read_request(connection: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text.into_owned());
            }
        }
        let read = connection.read(&mut bytes).await.ok().filter(|read| *read > 0)?;
        request.extend_from_slice(&bytes[..read]);
    }
}
