//! The HTTP/1.1 side of the proxy that the api-server sees: persistent connections, and
//! deliberately broken answers.

use super::ProxyState;
use super::recorded_request::{RecordedRequest, Reply};
use futures_util::{StreamExt, stream};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use reqwest::Body;
use reqwest::header::CONTENT_LENGTH;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What is sent back.
pub(super) enum ReplyDelivery {
    Complete(Reply),
    Truncated(Reply),
    Dripping(Reply, Duration),
    Endless,
}

/// A listener port with its connections, all of which close when this is dropped.
pub(super) struct Listener {
    open: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Listener {
    pub(super) async fn start(port: u16, state: Arc<ProxyState>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port");
        let (open, mut closed) = watch::channel(());
        let accepting = tokio::spawn(async move {
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    _ = closed.changed() => return,
                };
                let Ok((stream, _)) = accepted else { return };
                tokio::spawn(serve(stream, Arc::clone(&state), closed.clone()));
            }
        });
        Self { open, accepting }
    }

    /// Closes the port and cuts all connections.
    pub(super) async fn stop(self) {
        drop(self.open);
        self.accepting.await.expect("it ends");
    }
}

async fn serve(stream: TcpStream, state: Arc<ProxyState>, mut closed: watch::Receiver<()>) {
    let service = service_fn(|request| handle(Arc::clone(&state), request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        _ = connection => {}
        _ = closed.changed() => {}
    }
}

/// Answers a request. An error closes the connection without an answer.
async fn handle(
    state: Arc<ProxyState>,
    incoming: hyper::Request<Incoming>,
) -> io::Result<hyper::Response<Body>> {
    let request = RecordedRequest::read(incoming).await.map_err(io::Error::other)?;
    // In a task of its own, because a request in flight arrives even if its sender has gone.
    let forwarded = tokio::spawn(async move { state.forward(request).await });
    let reply = forwarded.await.map_err(io::Error::other)?;
    reply.map(ReplyDelivery::into_response).ok_or_else(|| io::Error::other("lost"))
}

impl ReplyDelivery {
    fn into_response(self) -> hyper::Response<Body> {
        match self {
            Self::Complete(reply) => {
                let body = Body::from(reply.body.clone());
                respond(reply, body)
            }
            Self::Truncated(reply) => {
                let first_half = reply.body[..reply.body.len() / 2].to_vec();
                let end = stream::once(async {
                    // Lets the first half go out.
                    sleep(Duration::from_millis(50)).await;
                    Err(io::Error::other("cut"))
                });
                let body = stream::once(async { Ok(first_half) }).chain(end);
                respond_at_length(reply, Body::wrap_stream(body))
            }
            Self::Dripping(reply, pause) => {
                let bytes = stream::iter(reply.body.clone()).then(move |byte| async move {
                    sleep(pause).await;
                    Ok::<_, io::Error>(vec![byte])
                });
                respond_at_length(reply, Body::wrap_stream(bytes))
            }
            Self::Endless => {
                const START: &[u8] = b"{\"id\": \"pi_";
                const MORE: &[u8] = &[b'0'; 8192];
                let start = stream::once(async { Ok::<_, io::Error>(START) });
                let body = start.chain(stream::repeat_with(|| Ok(MORE)));
                respond(Reply::new(200, ""), Body::wrap_stream(body))
            }
        }
    }
}

/// Announces the length in advance, as Stripe does.
fn respond_at_length(reply: Reply, body: Body) -> hyper::Response<Body> {
    let length = reply.body.len();
    let mut response = respond(reply, body);
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    response
}

fn respond(reply: Reply, body: Body) -> hyper::Response<Body> {
    let mut response = hyper::Response::new(body);
    *response.status_mut() = hyper::StatusCode::from_u16(reply.status).expect("a status");
    *response.headers_mut() = reply.headers;
    response
}
