//! A multipart form as a stream of parts, whose parser never holds more than a little of it.

use super::malformed;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use multer::{Field, Multipart};
use poem::Body;
use shared::problem::Problem;
use std::fmt::Display;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The longest pause while a form is being sent.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// What the parser may take in before it gives something out: the headers of a part are shorter.
const AHEAD_BYTES_MAX: usize = 64 * 1024;

/// What may stand behind the end of a form (RFC 2046, 5.1.1: the epilogue).
const EPILOGUE_BYTES_MAX: usize = 64 * 1024;

/// A form on its way in.
pub struct Form {
    /// `None` behind the last part.
    parts: Option<Multipart<'static>>,
    source: Source,
}

type Chunks = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// The body, which the parser and what follows it read in turns.
#[derive(Clone)]
struct Source {
    body: Arc<Mutex<Chunks>>,
    /// What the parser may still take in.
    ahead: Arc<AtomicUsize>,
}

impl Form {
    pub fn new(body: Body, boundary: String) -> Self {
        let body: Chunks = Box::pin(body.into_bytes_stream());
        let source = Source {
            body: Arc::new(Mutex::new(body)),
            ahead: Arc::new(AtomicUsize::new(AHEAD_BYTES_MAX)),
        };
        Self { parts: Some(Multipart::new(source.clone().paced(), boundary)), source }
    }

    /// The next part. Behind the last one the body must end as announced.
    pub async fn next_field(&mut self) -> Result<Option<Field<'static>>, Problem> {
        let Some(parts) = &mut self.parts else { return Ok(None) };
        self.source.refill();
        let field = parts.next_field().await.map_err(refused)?;
        if field.is_none() {
            // The parser may be waiting for more, and nobody else gets it as long as it does.
            self.parts = None;
            self.source.read_epilogue().await.map_err(cut)?;
        }
        Ok(field)
    }

    /// The next bytes of a part.
    pub async fn chunk(&self, field: &mut Field<'static>) -> Result<Option<Bytes>, Problem> {
        self.source.refill();
        field.chunk().await.map_err(refused)
    }
}

impl Source {
    fn refill(&self) {
        self.ahead.store(AHEAD_BYTES_MAX, Ordering::Relaxed);
    }

    fn is_exhausted(&self) -> bool {
        self.ahead.load(Ordering::Relaxed) == 0
    }

    async fn next(&self) -> Option<io::Result<Bytes>> {
        match timeout(PAUSE_MAX, self.body.lock().await.next()).await {
            Ok(chunk) => chunk,
            Err(_) => Some(Err(io::Error::other("the body paused for more than 30 seconds"))),
        }
    }

    /// The body as the parser may have it. It takes whatever is ready before it looks at what it
    /// has; so when it has taken enough it is told to wait once.
    fn paced(self) -> impl Stream<Item = io::Result<Bytes>> + Send {
        stream::unfold(self, |source| async {
            if source.is_exhausted() {
                tokio::task::yield_now().await;
                if source.is_exhausted() {
                    let error = io::Error::other("the headers of a part are too long");
                    return Some((Err(error), source));
                }
            }
            let chunk = source.next().await?;
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
                return Err(io::Error::other("there is too much behind the end of the form"));
            }
        }
        Ok(())
    }
}

fn cut(error: impl Display) -> Problem {
    malformed().detail(format!("the body is not as announced: {error}"))
}

fn refused(error: multer::Error) -> Problem {
    use multer::Error as E;
    match error {
        E::IncompleteFieldData { .. } | E::IncompleteHeaders | E::IncompleteStream => {
            malformed().detail("the form is cut off, or its boundary is not the announced one")
        }
        E::ReadHeaderFailed(_) | E::DecodeHeaderName { .. } | E::DecodeHeaderValue { .. } => {
            malformed().detail("the headers of a part cannot be read")
        }
        E::StreamReadFailed(error) => cut(error),
        other => malformed().detail(other.to_string()),
    }
}
