//! What a client still sends of a body that was refused before its end, or that nobody reads.
//!
//! A connection that is closed while its client is sending is reset, as is an HTTP/2 stream, and
//! many clients then lose the answer that tells them why. So the rest of a body is read and thrown
//! away before the answer is sent: as much as is sensible, and not where the client waits to be told
//! to send it.

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use poem::http::header::{CONTENT_LENGTH, EXPECT};
use poem::http::{Method, Version};
use poem::{Body, Request};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// What is read for nothing.
const UNREAD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long that may take.
const UNREAD_TIME_MAX: Duration = Duration::from_secs(30);

type Chunks = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// The body of a request, which the request reads as well.
#[derive(Clone)]
pub struct Unread(Arc<Mutex<Option<Chunks>>>);

/// True for a client that waits to be told to send its body.
pub fn client_waits(request: &Request) -> bool {
    request.headers().contains_key(EXPECT) && request.version() <= Version::HTTP_11
}

/// Keeps hold of a request's body, if it has one.
pub fn of(request: &mut Request) -> Option<Unread> {
    let length = request.headers().get(CONTENT_LENGTH);
    let none = match length {
        Some(length) => length == "0",
        // HTTP/2 announces no length where it sends as it goes.
        None => matches!(*request.method(), Method::GET | Method::HEAD | Method::DELETE),
    };
    if none || client_waits(request) {
        return None;
    }
    let chunks: Chunks = Box::pin(request.take_body().into_bytes_stream());
    let unread = Unread(Arc::new(Mutex::new(Some(chunks))));
    request.set_body(Body::from_bytes_stream(unread.clone()));
    Some(unread)
}

impl Unread {
    /// Reads what is left.
    pub async fn read_to_end(mut self) {
        let read = async {
            let mut total = 0;
            while let Some(Ok(chunk)) = self.next().await {
                total += chunk.len();
                if total > UNREAD_BYTES_MAX {
                    return;
                }
            }
        };
        // A client that is slower loses its connection.
        let _ = timeout(UNREAD_TIME_MAX, read).await;
    }
}

impl Stream for Unread {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut chunks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stream) = chunks.as_mut() else { return Poll::Ready(None) };
        let polled = stream.as_mut().poll_next(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            *chunks = None;
        }
        polled
    }
}
