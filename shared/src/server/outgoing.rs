//! Responses on their way out: what a connection and all together hold unsent, and whether the client
//! takes it.
//!
//! A client that shuts its HTTP/2 windows, or stops reading, leaves bodies with the server. The engine
//! asks a body for more only once there is room for it, so a body that has data and is not asked
//! for a minute is one that the client does not take: PINGs and other frames are no progress.

use crate::places::Place;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use ipnet::IpNet;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// What a client must take of a body in a minute, unless it takes the rest of it.
const PROGRESS_BYTES: u64 = 64 * 1024;
/// Bodies are handed to the engine in pieces: it buffers what it has taken.
const PIECE_BYTES: usize = 16 * 1024;
/// What a connection may hold unsent before its next requests wait.
const CONNECTION_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// What all connections may.
const ALL_BYTES_MAX: u64 = 128 * 1024 * 1024;

/// A response's data where its body is bytes that all responses share, and so costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct SharedBody;

/// What all connections of a listener hold unsent.
#[derive(Debug, Default)]
pub struct Held {
    bytes: AtomicU64,
    freed: Notify,
}

/// The responses of one connection.
#[derive(Debug)]
pub struct Outgoing {
    all: Arc<Held>,
    bytes: AtomicU64,
    bodies: Mutex<Vec<Tracked>>,
}

/// A body, and how far it had come when it last made progress.
#[derive(Debug)]
struct Tracked {
    body: Weak<Taken>,
    taken: u64,
    since: Instant,
}

/// How much of a body the engine has taken.
#[derive(Debug, Default)]
struct Taken {
    bytes: AtomicU64,
    /// The last answer to the engine was that there is nothing yet.
    waits_for_server: AtomicBool,
}

impl Outgoing {
    /// Those of a new connection.
    pub fn new(all: Arc<Held>) -> Arc<Self> {
        Arc::new(Self { all, bytes: AtomicU64::new(0), bodies: Mutex::default() })
    }

    /// Ready once another response may be made.
    pub async fn room(&self) {
        loop {
            let freed = self.all.freed.notified();
            if self.bytes.load(Ordering::Relaxed) < CONNECTION_BYTES_MAX
                && self.all.bytes.load(Ordering::Relaxed) < ALL_BYTES_MAX
            {
                return;
            }
            freed.await;
        }
    }

    /// The body of a response of this connection.
    pub fn track<B: Body<Data = Bytes>>(
        self: &Arc<Self>,
        inner: B,
        shared: bool,
        place: Option<Place<IpNet>>,
    ) -> OutgoingBody<B> {
        let taken = Arc::new(Taken::default());
        let held = if shared { 0 } else { inner.size_hint().exact().unwrap_or_default() };
        self.bytes.fetch_add(held, Ordering::Relaxed);
        self.all.bytes.fetch_add(held, Ordering::Relaxed);
        if !inner.is_end_stream() {
            let tracked = Tracked { body: Arc::downgrade(&taken), taken: 0, since: Instant::now() };
            let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
            // A busy connection makes many between two looks: the list grows with live ones alone.
            if bodies.len() == bodies.capacity() {
                bodies.retain(|tracked| tracked.body.strong_count() > 0);
            }
            bodies.push(tracked);
        }
        OutgoingBody {
            inner,
            rest: Bytes::new(),
            held,
            taken,
            connection: Arc::clone(self),
            _place: place,
        }
    }

    /// Ready once the client has not taken enough of a body for this long.
    pub async fn stalled(&self, limit: Duration) {
        while !self.judge(limit).0 {
            sleep(limit / 6).await;
        }
    }

    /// The same, or once every body was taken that long ago: what the engine still holds is not.
    pub async fn stalled_or_done(&self, limit: Duration) {
        let mut done_since = None;
        loop {
            let (stalled, unfinished) = self.judge(limit);
            let since = *done_since.get_or_insert_with(Instant::now);
            if stalled || (!unfinished && since.elapsed() >= limit) {
                return;
            }
            if unfinished {
                done_since = None;
            }
            sleep(limit / 6).await;
        }
    }

    /// Whether a body is stalled, and whether there is an unfinished one at all.
    fn judge(&self, limit: Duration) -> (bool, bool) {
        let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let mut stalled = false;
        bodies.retain_mut(|tracked| {
            let Some(body) = tracked.body.upgrade() else { return false };
            let taken = body.bytes.load(Ordering::Relaxed);
            let progressed = taken - tracked.taken >= PROGRESS_BYTES;
            if progressed || body.waits_for_server.load(Ordering::Relaxed) {
                (tracked.taken, tracked.since) = (taken, now);
            }
            stalled |= now - tracked.since >= limit;
            true
        });
        (stalled, !bodies.is_empty())
    }

    fn free(&self, bytes: u64) {
        if bytes > 0 {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.all.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.all.freed.notify_waiters();
        }
    }
}

/// A body that says how far it is taken.
#[derive(Debug)]
pub struct OutgoingBody<B> {
    inner: B,
    /// Of the last frame, what was not asked for yet.
    rest: Bytes,
    /// Bytes that count as unsent.
    held: u64,
    taken: Arc<Taken>,
    connection: Arc<Outgoing>,
    /// The request's, until it is answered to its end.
    _place: Option<Place<IpNet>>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for OutgoingBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if self.rest.is_empty() {
            let polled = Pin::new(&mut self.inner).poll_frame(context);
            self.taken.waits_for_server.store(polled.is_pending(), Ordering::Relaxed);
            match ready!(polled).map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        let length = self.rest.len().min(PIECE_BYTES);
        let piece = self.rest.split_to(length);
        self.taken.bytes.fetch_add(length as u64, Ordering::Relaxed);
        let freed = self.held.min(length as u64);
        self.held -= freed;
        self.connection.free(freed);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let inner = self.inner.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl<B> Drop for OutgoingBody<B> {
    fn drop(&mut self) {
        self.connection.free(self.held);
    }
}
