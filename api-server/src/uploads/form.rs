//! A multipart form as a stream of parts, whose parser never holds more than a little of it.

use super::malformed;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use multer::{Field, Multipart};
use poem::Body;
use shared::problem::Problem;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// The longest pause while a form is being sent.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// What the parser may take in before it gives something out: the headers of a part are shorter.
const AHEAD_BYTES_MAX: usize = 64 * 1024;

/// A form on its way in.
pub struct Form {
    parts: Multipart<'static>,
    ahead: Ahead,
}

/// What the parser may still take in.
#[derive(Clone)]
struct Ahead(Arc<AtomicUsize>);

impl Ahead {
    fn refill(&self) {
        self.0.store(AHEAD_BYTES_MAX, Ordering::Relaxed);
    }

    fn take(&self, bytes: usize) {
        let left = self.0.load(Ordering::Relaxed).saturating_sub(bytes);
        self.0.store(left, Ordering::Relaxed);
    }

    fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

impl Form {
    pub fn new(body: Body, boundary: String) -> Self {
        let ahead = Ahead(Arc::new(AtomicUsize::new(AHEAD_BYTES_MAX)));
        Self { parts: Multipart::new(paced(body, ahead.clone()), boundary), ahead }
    }

    /// The next part.
    pub async fn next_field(&mut self) -> Result<Option<Field<'static>>, Problem> {
        self.ahead.refill();
        self.parts.next_field().await.map_err(refused)
    }

    /// The next bytes of a part.
    pub async fn chunk(&self, field: &mut Field<'static>) -> Result<Option<Bytes>, Problem> {
        self.ahead.refill();
        field.chunk().await.map_err(refused)
    }
}

/// The body as the parser may have it. It takes whatever is ready before it looks at what it has;
/// so after each piece it is told to wait once.
fn paced(body: Body, ahead: Ahead) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let body = Box::pin(body.into_bytes_stream());
    stream::unfold((body, ahead), |(mut body, ahead)| async {
        if ahead.is_empty() {
            tokio::task::yield_now().await;
            if ahead.is_empty() {
                let error = io::Error::other("the headers of a part are too long");
                return Some((Err(error), (body, ahead)));
            }
        }
        let chunk = match timeout(PAUSE_MAX, body.next()).await {
            Ok(chunk) => chunk?,
            Err(_) => Err(io::Error::other("the body paused for more than 30 seconds")),
        };
        if let Ok(chunk) = &chunk {
            ahead.take(chunk.len());
        }
        Some((chunk, (body, ahead)))
    })
}

fn refused(error: multer::Error) -> Problem {
    use multer::Error as E;
    match error {
        E::IncompleteFieldData { .. } | E::IncompleteHeaders | E::IncompleteStream => {
            malformed().detail("the form is cut off, or its boundary is not the announced one")
        }
        E::StreamReadFailed(error) => malformed().detail(error.to_string()),
        other => malformed().detail(other.to_string()),
    }
}
