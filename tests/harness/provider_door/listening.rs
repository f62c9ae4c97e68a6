//! The HTTP/1.1 side of the door that the api-server sees: persistent connections, and deliberately
//! broken answers.

use super::Room;
use super::asked::{Asked, Reply};
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
pub(super) enum Answer {
    Whole(Reply),
    Cut(Reply),
    Dripping(Reply, Duration),
    Endless,
}

/// A listening port with its connections, all of which close when this is dropped.
pub(super) struct Listening {
    open: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Listening {
    pub(super) async fn start(port: u16, room: Arc<Room>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port");
        let (open, mut closed) = watch::channel(());
        let accepting = tokio::spawn(async move {
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    _ = closed.changed() => return,
                };
                let Ok((stream, _)) = accepted else { return };
                tokio::spawn(serve(stream, Arc::clone(&room), closed.clone()));
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

async fn serve(stream: TcpStream, room: Arc<Room>, mut closed: watch::Receiver<()>) {
    let service = service_fn(|request| answer(Arc::clone(&room), request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        _ = connection => {}
        _ = closed.changed() => {}
    }
}

/// Answers a request. An error closes the connection without an answer.
async fn answer(
    room: Arc<Room>,
    request: hyper::Request<Incoming>,
) -> io::Result<hyper::Response<Body>> {
    let asked = Asked::read(request).await.map_err(io::Error::other)?;
    // In a task of its own, because a request in flight arrives even if its sender has gone.
    let passed = tokio::spawn(async move { room.pass(asked).await });
    let answer = passed.await.map_err(io::Error::other)?;
    answer.map(Answer::into_response).ok_or_else(|| io::Error::other("lost"))
}

impl Answer {
    fn into_response(self) -> hyper::Response<Body> {
        match self {
            Self::Whole(reply) => {
                let body = Body::from(reply.body.clone());
                respond(reply, body)
            }
            Self::Cut(reply) => {
                let half = reply.body[..reply.body.len() / 2].to_vec();
                let end = stream::once(async {
                    // Lets the first half go out.
                    sleep(Duration::from_millis(50)).await;
                    Err(io::Error::other("cut"))
                });
                let body = stream::once(async { Ok(half) }).chain(end);
                respond_at_length(reply, Body::wrap_stream(body))
            }
            Self::Dripping(reply, pause) => {
                let drops = stream::iter(reply.body.clone()).then(move |byte| async move {
                    sleep(pause).await;
                    Ok::<_, io::Error>(vec![byte])
                });
                respond_at_length(reply, Body::wrap_stream(drops))
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
