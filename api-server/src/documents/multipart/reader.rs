//! Multipart reader: a form as a stream of parts. The parser never holds more than a little of it.

use super::malformed;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use multer::{Field, Multipart};
use poem::Body;
use shared::problem::Problem;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// Maximum pause while a form is being sent.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Time after which the client's average rate counts.
const SLOW_START: Duration = Duration::from_secs(60);
/// Minimum average rate from then on: a slower client would hold a place that others wait for.
const BYTES_PER_SECOND_MIN: u64 = 8 * 1024;
/// Bytes that the parser may read before it returns something: the headers of a part are shorter.
const AHEAD_BYTES_MAX: usize = 64 * 1024;

/// Maximum size of what follows the end of a form (the epilogue, RFC 2046, 5.1.1), in bytes.
const EPILOGUE_BYTES_MAX: usize = 64 * 1024;

/// A form that is being received.
pub(super) struct MultipartReader {
    /// `None` after the last part.
    parts: Option<Multipart<'static>>,
    source: Arc<BodySource>,
    /// Time at which something was last returned.
    last_returned: Instant,
}

/// The body, which the parser reads, and then the code that reads the epilogue.
struct BodySource {
    body: Mutex<BoxStream<'static, io::Result<Bytes>>>,
    /// Bytes that the parser may still read.
    ahead: AtomicUsize,
    pace: Pace,
}

/// Rate at which the body arrives. Time in which no more of it is requested does not count against
/// the client.
struct Pace {
    begun: Instant,
    bytes: AtomicU64,
    idle_micros: AtomicU64,
}

impl MultipartReader {
    pub(super) fn new(body: Body, boundary: String) -> Self {
        let source = Arc::new(BodySource {
            body: Mutex::new(body.into_bytes_stream().boxed()),
            ahead: AtomicUsize::new(AHEAD_BYTES_MAX),
            pace: Pace::begin(),
        });
        let parts = Multipart::new(Arc::clone(&source).paced(), boundary);
        Self { parts: Some(parts), source, last_returned: Instant::now() }
    }

    /// Returns the next part. After the last one the body must end as announced.
    pub(super) async fn next_field(&mut self) -> Result<Option<Field<'static>>, Problem> {
        let Some(parts) = &mut self.parts else { return Ok(None) };
        self.source.resume(self.last_returned);
        let field = parts.next_field().await.map_err(refused)?;
        if field.is_none() {
            // The parser may be waiting for more and holds the body while it does, so it is dropped
            // first.
            self.parts = None;
            self.source.read_epilogue().await.map_err(|error| cut(&error))?;
        }
        self.last_returned = Instant::now();
        Ok(field)
    }

    /// Returns the next bytes of a part.
    pub(super) async fn chunk(
        &mut self,
        field: &mut Field<'static>,
    ) -> Result<Option<Bytes>, Problem> {
        self.source.resume(self.last_returned);
        let chunk = field.chunk().await.map_err(refused);
        self.last_returned = Instant::now();
        chunk
    }
}

impl Pace {
    fn begin() -> Self {
        let (bytes, idle_micros) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { begun: Instant::now(), bytes, idle_micros }
    }

    fn pause(&self, idle: Duration) {
        let micros = u64::try_from(idle.as_micros()).unwrap_or(u64::MAX);
        self.idle_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Counts the bytes that arrived until now. True if they are too few.
    fn is_too_slow_with(&self, bytes: usize, now: Instant) -> bool {
        let before = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let idle = Duration::from_micros(self.idle_micros.load(Ordering::Relaxed));
        let waited = now.saturating_duration_since(self.begun).saturating_sub(idle);
        let least = waited.as_secs().saturating_mul(BYTES_PER_SECOND_MIN);
        waited > SLOW_START && before + (bytes as u64) < least
    }
}

impl BodySource {
    /// Lets the parser read on. Nothing was requested since `last_returned`, so that time does not
    /// count.
    fn resume(&self, last_returned: Instant) {
        self.ahead.store(AHEAD_BYTES_MAX, Ordering::Relaxed);
        self.pace.pause(last_returned.elapsed());
    }

    fn is_exhausted(&self) -> bool {
        self.ahead.load(Ordering::Relaxed) == 0
    }

    async fn next(&self) -> Option<io::Result<Bytes>> {
        match timeout(PAUSE_MAX, self.body.lock().await.next()).await {
            Ok(Some(Ok(chunk))) if self.pace.is_too_slow_with(chunk.len(), Instant::now()) => {
                Some(Err(too_late("the body arrives too slowly")))
            }
            Ok(chunk) => chunk,
            Err(_) => Some(Err(too_late("the body paused for more than 30 seconds"))),
        }
    }

    /// Returns the body as the parser may read it. The parser reads whatever is ready before it
    /// looks at what it has, so once it has read enough it is made to wait once.
    fn paced(self: Arc<Self>) -> impl Stream<Item = io::Result<Bytes>> + Send {
        stream::unfold(self, |source| async {
            if source.is_exhausted() {
                tokio::task::yield_now().await;
                if source.is_exhausted() {
                    let error = io::Error::other("the headers of a part are too long");
                    return Some((Err(error), source));
                }
            }
            let Some(chunk) = source.next().await else {
                // While the parser looks for the first boundary, it does not find a form whose
                // bytes arrive together with the end of the body, so the end is reported one poll
                // later.
                tokio::task::yield_now().await;
                return None;
            };
            if let Ok(chunk) = &chunk {
                let left = source.ahead.load(Ordering::Relaxed).saturating_sub(chunk.len());
                source.ahead.store(left, Ordering::Relaxed);
            }
            Some((chunk, source))
        })
    }

    async fn read_epilogue(&self) -> io::Result<()> {
        let mut total = 0;
        while let Some(chunk) = self.next().await {
            total += chunk?.len();
            if total > EPILOGUE_BYTES_MAX {
                return Err(io::Error::other("there is too much data after the end of the form"));
            }
        }
        Ok(())
    }
}

fn too_late(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, message)
}

fn cut(error: &(dyn Error + 'static)) -> Problem {
    let ours = error.downcast_ref::<io::Error>();
    malformed().detail(match ours.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut) {
        true => error.to_string(),
        false => format!("the body could not be read: {error}"),
    })
}

fn refused(error: multer::Error) -> Problem {
    use multer::Error as E;
    match error {
        E::IncompleteFieldData { .. } | E::IncompleteHeaders | E::IncompleteStream => malformed()
            .detail("the form is cut off, or its boundary is not the one in the Content-Type"),
        E::ReadHeaderFailed(_) | E::DecodeHeaderName { .. } | E::DecodeHeaderValue { .. } => {
            malformed().detail("the headers of a part cannot be read")
        }
        E::StreamReadFailed(error) => cut(error.as_ref()),
        other => malformed().detail(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Poll;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_slow_client_gets_only_the_timeout_problem() {
        let late = multer::Error::StreamReadFailed(Box::new(too_late("too slow")));
        assert_eq!(refused(late), malformed().detail("too slow"));
        let other = cut(&io::Error::other("reset"));
        assert_eq!(other, malformed().detail("the body could not be read: reset"));
    }

    #[test]
    fn a_body_may_be_slow_for_a_minute_and_then_needs_a_minimum_rate() {
        let pace = Pace::begin();
        let at = |seconds: u32| pace.begun + SECOND * seconds;
        assert!(!pace.is_too_slow_with(1, at(0)));
        assert!(!pace.is_too_slow_with(1, at(60)), "the first minute is free");
        assert!(pace.is_too_slow_with(1, at(61)));
        assert!(!pace.is_too_slow_with(8192 * 70, at(62)), "the average counts");
        assert!(!pace.is_too_slow_with(0, at(70)));
        assert!(pace.is_too_slow_with(0, at(71)));
        assert!(pace.is_too_slow_with(8192 * 3000, at(3600)), "to the end");
    }

    #[tokio::test]
    async fn a_form_that_arrives_at_once_during_parsing_is_read() {
        let form = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nOne\r\n--b--\r\n";
        let mut polls = 0;
        let body = stream::poll_fn(move |context| {
            polls += 1;
            match polls {
                // Between this poll and the next one the whole body arrives.
                1 => {
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                2 => Poll::Ready(Some(Ok::<_, io::Error>(Bytes::from_static(form.as_bytes())))),
                _ => Poll::Ready(None),
            }
        });
        let mut form = MultipartReader::new(Body::from_bytes_stream(body), "b".to_owned());
        let mut field = form.next_field().await.unwrap().unwrap();
        assert_eq!(form.chunk(&mut field).await.unwrap().unwrap(), "One");
        drop(field);
        assert!(form.next_field().await.unwrap().is_none());
    }

    #[test]
    fn time_without_a_pending_read_does_not_count() {
        let pace = Pace::begin();
        pace.pause(SECOND * 30);
        assert!(!pace.is_too_slow_with(1, pace.begun + SECOND * 90));
        assert!(pace.is_too_slow_with(1, pace.begun + SECOND * 91));
        pace.pause(SECOND * 1000);
        assert!(!pace.is_too_slow_with(1, pace.begun + SECOND * 500));
    }
}
