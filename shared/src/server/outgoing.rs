//! Outgoing responses: how much unsent data a connection and all connections together hold, and
//! whether the client is reading.
//!
//! A client that closes its HTTP/2 windows, or stops reading, makes the server hold its response
//! bodies. Hyper polls a body only when there is room to send, so a body that has data and is not
//! polled for a minute belongs to a client that has stopped reading, even if it still sends PINGs or
//! other frames.

use crate::keyed_permits::KeyedPermit;
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

/// Bytes of a body that a client must read per minute, unless it reads the rest of it.
const PROGRESS_BYTES: u64 = 64 * 1024;
/// Bodies are passed to hyper in pieces of this size, because it buffers what it has taken.
const PIECE_BYTES: usize = 16 * 1024;
/// Unsent bytes of a connection above which its next requests wait.
const CONNECTION_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Unsent bytes of all connections above which requests wait.
const ALL_BYTES_MAX: u64 = 128 * 1024 * 1024;

/// Response data that marks a body shared by all responses, which costs no memory.
#[derive(Clone, Copy, Debug)]
pub struct SharedBody;

/// Unsent bytes of all connections of a listener.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: AtomicU64,
    freed: Notify,
}

/// Responses of one connection.
#[derive(Debug)]
pub(super) struct Outgoing {
    all: Arc<Held>,
    bytes: AtomicU64,
    bodies: Mutex<Vec<Tracked>>,
}

/// A body, and its state when it last made progress.
#[derive(Debug)]
struct Tracked {
    body: Weak<BodyProgress>,
    taken: u64,
    since: Instant,
}

/// How much of a body hyper has taken.
#[derive(Debug, Default)]
struct BodyProgress {
    bytes: AtomicU64,
    /// The last poll found no data yet.
    waits_for_server: AtomicBool,
}

impl Outgoing {
    /// Returns the state of a new connection.
    pub(super) fn new(all: Arc<Held>) -> Arc<Self> {
        Arc::new(Self { all, bytes: AtomicU64::new(0), bodies: Mutex::default() })
    }

    /// Resolves once another response may be produced.
    pub(super) async fn wait_for_room(&self) {
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

    /// Wraps the body of a response of this connection.
    pub(super) fn track<B: Body<Data = Bytes>>(
        self: &Arc<Self>,
        inner: B,
        shared: bool,
        permit: Option<KeyedPermit<IpNet>>,
    ) -> OutgoingBody<B> {
        let progress = Arc::new(BodyProgress::default());
        let held = if shared { 0 } else { inner.size_hint().exact().unwrap_or_default() };
        self.bytes.fetch_add(held, Ordering::Relaxed);
        self.all.bytes.fetch_add(held, Ordering::Relaxed);
        if !inner.is_end_stream() {
            let tracked =
                Tracked { body: Arc::downgrade(&progress), taken: 0, since: Instant::now() };
            let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
            // A busy connection makes many between two checks: the list grows with live ones only.
            if bodies.len() == bodies.capacity() {
                bodies.retain(|tracked| tracked.body.strong_count() > 0);
            }
            bodies.push(tracked);
        }
        OutgoingBody {
            inner,
            rest: Bytes::new(),
            held,
            progress,
            connection: Arc::clone(self),
            _permit: permit,
        }
    }

    /// Resolves once the client has not read enough of a body for this long.
    pub(super) async fn stalled(&self, limit: Duration) {
        while !self.check_progress(limit).0 {
            sleep(limit / 6).await;
        }
    }

    /// Resolves once the client has stalled, or once every body was taken that long ago: data that
    /// hyper still holds is not tracked.
    pub(super) async fn stalled_or_done(&self, limit: Duration) {
        let mut done_since = None;
        loop {
            let (stalled, unfinished) = self.check_progress(limit);
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

    /// Returns whether a body is stalled, and whether any is unfinished.
    fn check_progress(&self, limit: Duration) -> (bool, bool) {
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

/// A response body that tracks how much of it has been taken.
#[derive(Debug)]
pub(super) struct OutgoingBody<B> {
    inner: B,
    /// Rest of the last frame, not yet taken.
    rest: Bytes,
    /// Bytes that count as unsent.
    held: u64,
    progress: Arc<BodyProgress>,
    connection: Arc<Outgoing>,
    /// The request's permit, held until its response is complete.
    _permit: Option<KeyedPermit<IpNet>>,
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
            self.progress.waits_for_server.store(polled.is_pending(), Ordering::Relaxed);
            match ready!(polled).map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        let length = self.rest.len().min(PIECE_BYTES);
        let piece = self.rest.split_to(length);
        self.progress.bytes.fetch_add(length as u64, Ordering::Relaxed);
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
