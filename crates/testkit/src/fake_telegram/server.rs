//! The socket.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, Multipart, Request, State as Shared};
use axum::response::Response;
use axum::serve::ListenerExt;
use serde_json::{Map, Value, json};
use tokio::sync::{oneshot, watch};
use tokio::time::{Duration, timeout};

use super::fault::{Fault, refusal};
use super::methods::{self, Answer, File};
use super::state::{Call, State};

type Server = Arc<watch::Sender<State>>;

/// The largest body that it reads: the service's limit for files of bots.
const LARGEST_BODY: usize = 51 << 20;

/// Starts it on its own thread. It ends when the sender is dropped.
pub(super) fn start(port: u16, state: Server) -> (SocketAddr, oneshot::Sender<()>) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("the port on loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let (running, stopped) = oneshot::channel();
    std::thread::spawn(move || serve(listener, state, stopped));
    (address, running)
}

fn serve(listener: std::net::TcpListener, state: Server, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        listener.set_nonblocking(true).expect("a socket can be non-blocking");
        let listener = tokio::net::TcpListener::from_std(listener).expect("the socket is non-blocking");
        let listener = listener.tap_io(|connection| {
            let _ = connection.set_nodelay(true);
        });
        let app = Router::new().fallback(handle).with_state(state);
        tokio::select! {
            served = axum::serve(listener, app) => served.expect("serving has no end of its own"),
            _ = stopped => {}
        }
    });
    // Connections that are open break with their tasks.
    runtime.shutdown_background();
}

async fn handle(Shared(server): Shared<Server>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let token = server.borrow().token;
    if let Some((_, path)) = path.split_once(&format!("/file/bot{token}/")) {
        return download(&server, path);
    }
    // A server of one's own may be below a path.
    let Some((_, rest)) = path.split_once("/bot") else { return json_answer(&refusal(404, "Not Found")) };
    let (given, method) = rest.split_once('/').unwrap_or((rest, ""));
    if given != token {
        return json_answer(&refusal(401, "Unauthorized"));
    }
    let method = method.to_owned();
    let Some((body, file)) = read(request).await else {
        return json_answer(&refusal(400, "Bad Request: the body cannot be read"));
    };
    let fault = note(&server, &method, &body);
    answer(&server, &method, body, file, fault).await
}

/// Writes a call down, and gives what is to go wrong with it.
fn note(server: &Server, method: &str, body: &Value) -> Option<Fault> {
    let mut fault = None;
    server.send_modify(|state| {
        let (method, body, at) = (method.to_owned(), body.clone(), state.started.elapsed());
        fault = state.take_fault(&method);
        state.calls.push(Call { method, body, at });
    });
    fault
}

async fn answer(server: &Server, method: &str, body: Value, file: File, fault: Option<Fault>) -> Response {
    match fault {
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::BadGateway) => plain(502, "<html><h1>502 Bad Gateway</h1></html>"),
        Some(Fault::Garbage) => plain(200, "{\"ok\": tru"),
        Some(Fault::LoseAnswer) => {
            perform(server, method, &body, file).await;
            broken()
        }
        Some(Fault::Wait) => {
            let releases = server.borrow().releases;
            let mut changes = server.subscribe();
            let _ = changes.wait_for(|state| state.releases > releases).await.map(drop);
            json_answer(&perform(server, method, &body, file).await)
        }
        fault => match fault.and_then(|fault| fault.answer()) {
            Some(answer) => json_answer(&answer),
            None => json_answer(&perform(server, method, &body, file).await),
        },
    }
}

async fn perform(server: &Server, method: &str, body: &Value, file: File) -> Answer {
    if method.eq_ignore_ascii_case("getUpdates") {
        return updates(server, body).await;
    }
    let mut answer = None;
    server.send_modify(|state| {
        let given = methods::call(state, method, body, file);
        if given.0 != 200 {
            state.refusals.push(format!("{method}: {}", given.1["description"].as_str().unwrap_or_default()));
        }
        answer = Some(given);
    });
    answer.unwrap_or_else(|| refusal(500, "Internal Server Error"))
}

/// Long polling: a later poll ends an earlier one, and what is before the offset is gone for good.
async fn updates(server: &Server, body: &Value) -> Answer {
    let offset = body["offset"].as_i64().unwrap_or_default();
    let limit = body["limit"].as_u64().unwrap_or(100).clamp(1, 100);
    let wait = Duration::from_secs(body["timeout"].as_u64().unwrap_or_default().min(50));
    let (mut mine, mut has_webhook) = (0, false);
    server.send_modify(|state| {
        has_webhook = state.webhook.is_some();
        if has_webhook {
            return;
        }
        state.polls += 1;
        mine = state.polls;
        if offset > 0 {
            state.updates.retain(|(id, _)| *id >= offset);
        }
    });
    if has_webhook {
        let text = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        return refusal(409, text);
    }
    let mut changes = server.subscribe();
    let news = changes.wait_for(|state| state.polls != mine || !state.updates.is_empty());
    // No news within the time is an empty answer.
    let _ = timeout(wait, news).await.map(drop);
    let state = server.borrow();
    if state.polls != mine {
        let text = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
        return refusal(409, text);
    }
    let limit = usize::try_from(limit).unwrap_or(100);
    let updates: Vec<Value> = state.updates.iter().take(limit).map(|(_, update)| update.clone()).collect();
    (200, json!({ "ok": true, "result": updates }))
}

/// The parameters of a call, in whichever of the forms they come, and its file.
async fn read(request: Request) -> Option<(Value, File)> {
    let kind = request.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/form-data") {
        let mut form = Multipart::from_request(request, &()).await.ok()?;
        let (mut body, mut file) = (Map::new(), None);
        while let Some(field) = form.next_field().await.ok()? {
            let name = field.name()?.to_owned();
            match field.file_name().map(str::to_owned) {
                Some(file_name) => file = Some((file_name, field.bytes().await.ok()?.to_vec())),
                None => _ = body.insert(name, field.text().await.ok()?.into()),
            }
        }
        return Some((Value::Object(body), file));
    }
    let bytes = to_bytes(request.into_body(), LARGEST_BODY).await.ok()?;
    if bytes.is_empty() {
        return Some((json!({}), None));
    }
    Some((serde_json::from_slice(&bytes).ok()?, None))
}

fn download(server: &Server, path: &str) -> Response {
    let state = server.borrow();
    let file = state.files.values().find(|(own, ..)| own == path);
    match file {
        Some((_, bytes, _)) => response(200, "application/octet-stream", Body::from(bytes.clone())),
        None => json_answer(&refusal(404, "Not Found")),
    }
}

fn json_answer((status, body): &Answer) -> Response {
    response(*status, "application/json", Body::from(body.to_string()))
}

fn plain(status: u16, body: &'static str) -> Response {
    response(status, "text/html", Body::from(body))
}

/// An answer whose connection breaks before it is whole.
fn broken() -> Response {
    let pieces = [Ok(Bytes::from_static(b"{\"ok\":")), Err(std::io::Error::other("the connection broke"))];
    response(200, "application/json", Body::from_stream(futures_util::stream::iter(pieces)))
}

fn response(status: u16, kind: &str, body: Body) -> Response {
    let built = Response::builder().status(status).header("content-type", kind).body(body);
    built.expect("the status and the header are valid")
}
