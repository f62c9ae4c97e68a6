//! Object reader: streams an object in chunks large enough to be worth a disk access.

use super::{DocumentStore, RESPONSE_DELAY_MAX, bounded, path, unavailable};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use object_store::{Error, GetOptions, GetRange, GetResult, GetResultPayload, ObjectStoreExt};
use shared::problem::Problem;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use tokio::time::timeout;

/// Bytes read from a file of the folder at a time.
const CHUNK_BYTES: u64 = 256 * 1024;

impl DocumentStore {
    /// Streams a range of an object that must exist and be `size_bytes` long.
    pub async fn read(
        &self,
        key: &str,
        size_bytes: u64,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, object_store::Result<Bytes>>, Problem> {
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let path = path(key);
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..Default::default() };
        let found = bounded(self.objects.get_opts(&path, options)).await;
        let found_bytes = match &found {
            Ok(found) => found.meta.size,
            // A range beyond the end of the object fails like anything else.
            Err(_) => match timeout(RESPONSE_DELAY_MAX, self.objects.head(&path)).await {
                Ok(Ok(object)) => object.size,
                _ => size_bytes,
            },
        };
        if found_bytes != size_bytes {
            let lengths = format!("{found_bytes} bytes instead of {size_bytes}");
            return Err(Problem::internal(format!("object {key} has been damaged: {lengths}")));
        }
        match found {
            Ok(found) => Ok(chunks(found)),
            Err(missing @ Error::NotFound { .. }) => {
                Err(Problem::internal(format!("a file has no object: {missing}")))
            }
            Err(error) => Err(unavailable(&error)),
        }
    }
}

/// Streams the bytes of an object. A file is read in larger chunks than the library uses.
fn chunks(found: GetResult) -> BoxStream<'static, object_store::Result<Bytes>> {
    let Range { start, end } = found.range;
    let file = match found.payload {
        GetResultPayload::Stream(bytes) => return bytes,
        GetResultPayload::File(file, _) => file,
    };
    let chunks = stream::try_unfold((file, start), move |(file, from)| async move {
        let length = CHUNK_BYTES.min(end - from);
        if length == 0 {
            return Ok(None);
        }
        let read = tokio::task::spawn_blocking(move || read_at(file, from, length)).await?;
        let (file, chunk) =
            read.map_err(|error| Error::Generic { store: "folder", source: Box::new(error) })?;
        Ok(Some((chunk, (file, from + length))))
    });
    chunks.boxed()
}

fn read_at(mut file: File, from: u64, length: u64) -> io::Result<(File, Bytes)> {
    let mut chunk = Vec::with_capacity(length as usize);
    file.seek(SeekFrom::Start(from))?;
    file.by_ref().take(length).read_to_end(&mut chunk)?;
    match chunk.len() as u64 == length {
        true => Ok((file, chunk.into())),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
