//! File downloads, with limits on how many run concurrently and how long one waits for a client
//! that does not read.

use crate::auth::caller::Caller;
use crate::documents::store::DocumentStore;
use crate::http::concurrency_limit::{ConcurrencyLimit, Permit};
use aws_lc_rs::digest;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use poem::Body;
use shared::entity::document_files;
use shared::problem::Problem;
use std::io;
use std::ops::Range;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Concurrent downloads: each holds a file of the folder, or a connection to the bucket.
const DOWNLOADS_MAX: usize = 512;
const DOWNLOADS_PER_CALLER_MAX: usize = 64;
/// Maximum wait for the client to read what there is, and for the store to deliver more.
const STALL_MAX: Duration = Duration::from_secs(60);

/// Returns the concurrency limit of downloads.
pub fn concurrency_limit() -> ConcurrencyLimit {
    ConcurrencyLimit::new("downloads", DOWNLOADS_MAX, DOWNLOADS_PER_CALLER_MAX)
}

/// Returns the bytes of a file, or of a part of it, as a body.
pub async fn body(
    store: &DocumentStore,
    downloads: &ConcurrencyLimit,
    caller: &Caller,
    file: &document_files::Model,
    part: Option<Range<u64>>,
) -> Result<Body, Problem> {
    let permit = downloads.acquire(caller).await?;
    let size_bytes = file.size_bytes.unsigned_abs();
    let range = part.clone().unwrap_or(0..size_bytes);
    let length = range.end - range.start;
    let bytes = store.read(&file.object_key, size_bytes, range).await?;
    let bytes = match part {
        Some(_) => bytes.map(|read| read.map_err(interrupted)).boxed(),
        None => verified(bytes, file).boxed(),
    };
    Ok(Body::from_bytes_stream(read_ahead(bytes, length, permit)))
}

fn interrupted(error: object_store::Error) -> io::Error {
    tracing::warn!(%error, "a download ended early");
    io::Error::other(error)
}

/// Reads in a separate task, a little ahead of the client. A client that reads nothing for too
/// long, on a connection that is otherwise alive, loses its permit and the rest of the file.
fn read_ahead(
    mut bytes: BoxStream<'static, io::Result<Bytes>>,
    length: u64,
    permit: Permit,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let _permit = permit;
        while let Ok(Some(chunk)) = timeout(STALL_MAX, bytes.next()).await {
            if !matches!(timeout(STALL_MAX, sender.send(chunk)).await, Ok(Ok(()))) {
                return;
            }
        }
    });
    stream::unfold((receiver, length), |(mut receiver, left)| async move {
        match receiver.recv().await {
            Some(Ok(chunk)) => {
                let left = left.saturating_sub(chunk.len() as u64);
                Some((Ok(chunk), (receiver, left)))
            }
            Some(Err(error)) => Some((Err(error), (receiver, 0))),
            None if left == 0 => None,
            None => Some((Err(io::Error::other("the download stalled")), (receiver, 0))),
        }
    })
}

/// Streams a file's bytes, but sends the last ones only if the SHA-256 of all of them matches.
fn verified(
    bytes: BoxStream<'static, object_store::Result<Bytes>>,
    file: &document_files::Model,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    struct Pending {
        bytes: BoxStream<'static, object_store::Result<Bytes>>,
        context: digest::Context,
        held: Option<Bytes>,
        sha256: String,
        file_id: i64,
    }
    let context = digest::Context::new(&digest::SHA256);
    let (sha256, file_id) = (file.sha256.clone(), file.file_id);
    let pending = Pending { bytes, context, held: None, sha256, file_id };
    stream::unfold(Some(pending), |pending| async {
        let mut pending = pending?;
        loop {
            match pending.bytes.next().await {
                Some(Ok(chunk)) => {
                    pending.context.update(&chunk);
                    if let Some(held) = pending.held.replace(chunk) {
                        return Some((Ok(held), Some(pending)));
                    }
                }
                Some(Err(error)) => return Some((Err(interrupted(error)), None)),
                None if hex::encode(pending.context.finish()) == pending.sha256 => {
                    return Some((Ok(pending.held?), None));
                }
                None => {
                    let file_id = pending.file_id;
                    tracing::error!(file_id, "the object of a file has been damaged");
                    return Some((Err(io::Error::other("the file has been damaged")), None));
                }
            }
        }
    })
}
