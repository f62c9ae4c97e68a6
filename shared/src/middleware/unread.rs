//! Unread request bodies: the rest of a body that was refused early or is not read.
//!
//! Closing a connection (or an HTTP/2 stream) while its client is sending resets it, and many
//! clients then lose the response that tells them why. So the rest of a body is read and discarded, up
//! to a limit, unless the client sent `Expect: 100-continue`. On HTTP/1.1, it is read before the
//! response is sent, because many clients read the response only then; on HTTP/2, at the same time.

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

const UNREAD_BYTES_MAX: usize = 64 * 1024 * 1024;
const UNREAD_TIME_MAX: Duration = Duration::from_secs(30);

type Chunks = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A request's body, shared with the request itself.
#[derive(Clone)]
pub(super) struct Unread(Arc<Mutex<Option<Chunks>>>);

/// True if the client waits to be told to send its body.
pub(super) fn client_waits(request: &Request) -> bool {
    request.headers().contains_key(EXPECT) && request.version() <= Version::HTTP_11
}

/// Takes a shared handle on a request's body, if it has one.
pub(super) fn take(request: &mut Request) -> Option<Unread> {
    let length = request.headers().get(CONTENT_LENGTH);
    let has_no_body = match length {
        Some(length) => length == "0",
        // HTTP/2 sends no length when a body is streamed.
        None => matches!(*request.method(), Method::GET | Method::HEAD | Method::DELETE),
    };
    if has_no_body || client_waits(request) {
        return None;
    }
    let chunks: Chunks = Box::pin(request.take_body().into_bytes_stream());
    let unread = Unread(Arc::new(Mutex::new(Some(chunks))));
    request.set_body(Body::from_bytes_stream(unread.clone()));
    Some(unread)
}

impl Unread {
    /// True unless it was read to its end.
    pub(super) fn is_unfinished(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Reads and discards the rest.
    pub(super) async fn read_to_end(mut self) {
        let discard = async {
            let mut total = 0;
            while let Some(Ok(chunk)) = self.next().await {
                total += chunk.len();
                if total > UNREAD_BYTES_MAX {
                    return;
                }
            }
        };
        // A slower client loses its connection.
        let _ = timeout(UNREAD_TIME_MAX, discard).await;
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
