//! Object upload: an object is written while its bytes arrive.

use super::{RESPONSE_DELAY_MAX, bounded, in_one_line, path, unavailable};
use aws_lc_rs::digest;
use object_store::{Error, MultipartUpload, ObjectStore, ObjectStoreExt};
use shared::problem::Problem;
use shared::random::random_bytes;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// An object that is being written: it exists as a whole once it is finished, or not at all.
pub struct ObjectUpload {
    objects: Arc<dyn ObjectStore>,
    key: String,
    part_bytes: usize,
    buffer: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
    size_bytes: u64,
    context: digest::Context,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// Key of the object.
    pub key: String,
    pub size_bytes: u64,
    /// SHA-256 of the bytes, in lower-case hex.
    pub sha256: String,
}

/// Returns the key of a new object.
pub(super) fn random_key() -> String {
    hex::encode(random_bytes::<16>())
}

impl ObjectUpload {
    pub(super) fn new(objects: Arc<dyn ObjectStore>, part_bytes: usize) -> Self {
        Self {
            objects,
            key: random_key(),
            part_bytes,
            buffer: Vec::new(),
            parts: None,
            size_bytes: 0,
            context: digest::Context::new(&digest::SHA256),
        }
    }

    /// Writes more bytes. At most one part is held in memory.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), Problem> {
        self.context.update(bytes);
        self.size_bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = self.part_bytes - self.buffer.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.buffer.extend_from_slice(now);
            bytes = later;
            if self.buffer.len() == self.part_bytes {
                self.write_part().await?;
            }
        }
        Ok(())
    }

    async fn write_part(&mut self) -> Result<(), Problem> {
        let part = std::mem::replace(&mut self.buffer, Vec::with_capacity(self.part_bytes));
        let parts = match &mut self.parts {
            Some(parts) => parts,
            None => {
                let started = bounded(self.objects.put_multipart(&path(&self.key))).await;
                self.parts.insert(started.map_err(|error| unavailable(&error))?)
            }
        };
        bounded(parts.put_part(part.into())).await.map_err(|error| unavailable(&error))
    }

    /// Completes the object, or discards what was written.
    pub async fn finish(mut self) -> Result<StoredObject, Problem> {
        if let Err(problem) = self.complete().await {
            self.abort().await;
            return Err(problem);
        }
        self.parts = None;
        let sha256 = hex::encode(self.context.clone().finish());
        Ok(StoredObject { key: std::mem::take(&mut self.key), size_bytes: self.size_bytes, sha256 })
    }

    async fn complete(&mut self) -> Result<(), Problem> {
        if self.parts.is_some() && !self.buffer.is_empty() {
            self.write_part().await?;
        }
        let completed = match &mut self.parts {
            Some(parts) => bounded(parts.complete()).await,
            None => {
                let bytes = std::mem::take(&mut self.buffer);
                bounded(self.objects.put(&path(&self.key), bytes.into())).await
            }
        };
        completed.map(drop).map_err(|error| unavailable(&error))
    }

    /// Discards what was written. A response does not wait long for that.
    pub async fn abort(mut self) {
        if let Some(parts) = self.parts.take() {
            let _ = timeout(RESPONSE_DELAY_MAX, tokio::spawn(forget(parts))).await;
        }
    }
}

/// An upload that is dropped halfway leaves no parts behind either.
impl Drop for ObjectUpload {
    fn drop(&mut self) {
        if let (Some(parts), Ok(runtime)) = (self.parts.take(), Handle::try_current()) {
            runtime.spawn(forget(parts));
        }
    }
}

async fn forget(mut parts: Box<dyn MultipartUpload>) {
    match bounded(parts.abort()).await {
        Ok(()) | Err(Error::NotFound { .. }) => {}
        Err(error) => {
            let error = in_one_line(&error);
            tracing::warn!(error, "parts of an upload are left in the object store");
        }
    }
}
