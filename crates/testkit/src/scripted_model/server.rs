//! The server's own thread, and what happens to a request in it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::serve::ListenerExt;
use serde_json::Value;
use tokio::sync::oneshot;

use super::format::{Call, Format};
use super::received::Received;
use super::response;
use super::rules::Rules;
use crate::script::Script;

/// What each request is handled with.
struct Server {
    rules: Rules,
    script: Script<Received>,
}

/// Starts a server on its port. It ends when the sender is dropped. Its thread is its own, so that it also serves tests that
/// block theirs or have paused time.
pub(crate) fn start(rules: Rules, script: Script<Received>) -> (SocketAddr, oneshot::Sender<()>) {
    let listener =
        std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, rules.port)).expect("the port on loopback is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    let (running, stopped) = oneshot::channel();
    std::thread::spawn(move || serve(listener, Server { rules, script }, stopped));
    (address, running)
}

fn serve(listener: std::net::TcpListener, server: Server, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        listener.set_nonblocking(true).expect("a socket can be non-blocking");
        let listener = tokio::net::TcpListener::from_std(listener).expect("the socket is non-blocking");
        let listener = listener.tap_io(|connection| {
            // Without it a small event waits for the acknowledgement of the one before.
            let _ = connection.set_nodelay(true);
        });
        let app = Router::new().fallback(handle).with_state(Arc::new(server));
        tokio::select! {
            served = axum::serve(listener, app) => served.expect("serving has no end of its own"),
            _ = stopped => {}
        }
    });
}

async fn handle(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or(head.uri.path(), |full| full.as_str()).to_owned();
    let format = Format::of(&path, &head.headers);
    let Ok(body) = to_bytes(body, server.rules.max_body_bytes).await else {
        server.script.complain(format!("a body is over {} bytes", server.rules.max_body_bytes));
        return response::plain(413, Body::empty());
    };
    let call = Call { method: &head.method, path: &path, headers: &head.headers, body: &body };
    if let Some(models) = format.models(&call, &server.rules) {
        return match models {
            Ok(list) => response::json(200, &list),
            Err(refusal) => server.refuse(&call, &refusal),
        };
    }
    match format.check(&call, &server.rules) {
        Ok(value) => server.answer(format, &call, value).await,
        Err(refusal) => server.refuse(&call, &refusal),
    }
}

impl Server {
    async fn answer(&self, format: Format, call: &Call<'_>, body: Value) -> Response {
        let headers = call.headers.iter();
        let headers =
            headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        let headers = headers.collect();
        let path = call.path.to_owned();
        let bytes = call.body.len();
        let (request, step) = self.script.answer(|number| Received { number, format, path, headers, body, bytes });
        response::of(step, &request, &self.script).await
    }

    fn refuse(&self, call: &Call<'_>, refusal: &super::refusal::Refusal) -> Response {
        let body = String::from_utf8_lossy(call.body);
        let shown: String = body.chars().take(2000).collect();
        self.script.complain(format!("{} {}: {}\n  {shown}", call.method, call.path, refusal.message));
        response::json(refusal.status, &refusal.body)
    }
}
