//! Measurement of an object: its size and SHA-256, found by reading all of it.

use super::{DocumentStore, in_time, path};
use aws_lc_rs::digest;
use futures_util::TryStreamExt;
use object_store::{Error, ObjectStoreExt};

/// Result of reading an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measured {
    Whole {
        size_bytes: u64,
        /// SHA-256 of the bytes, in lower-case hex.
        sha256: String,
    },
    /// The object is missing.
    Missing,
    /// The store responds, but this object cannot be read, for this reason.
    Unreadable(String),
}

impl DocumentStore {
    /// Reads an object to its end. It is an error if the store no longer responds.
    pub async fn measure(&self, key: &str) -> Result<Measured, Error> {
        match self.read_whole(key).await {
            Ok((size_bytes, sha256)) => Ok(Measured::Whole { size_bytes, sha256 }),
            Err(Error::NotFound { .. }) => Ok(Measured::Missing),
            Err(error) => {
                self.owner().await?;
                Ok(Measured::Unreadable(error.to_string()))
            }
        }
    }

    async fn read_whole(&self, key: &str) -> Result<(u64, String), Error> {
        let mut bytes = in_time(self.objects.get(&path(key))).await??.into_stream();
        let mut context = digest::Context::new(&digest::SHA256);
        let mut size_bytes = 0;
        while let Some(bytes) = in_time(bytes.try_next()).await?? {
            size_bytes += bytes.len() as u64;
            context.update(&bytes);
        }
        Ok((size_bytes, hex::encode(context.finish())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Location;
    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn an_object_is_measured_missing_or_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let store = DocumentStore::open(&Location::Folder(folder.path().into())).unwrap();
        let (existing, looping) = ("0".repeat(32), "1".repeat(32));
        store.put(&existing, "abc".into()).await.unwrap();
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        let whole = Measured::Whole { size_bytes: 3, sha256 };
        assert_eq!(store.measure(&existing).await.unwrap(), whole);
        assert_eq!(store.measure(&looping).await.unwrap(), Measured::Missing);
        store.put(&existing, "".into()).await.unwrap();
        let empty = store.measure(&existing).await.unwrap();
        assert!(matches!(empty, Measured::Whole { size_bytes: 0, .. }), "{empty:?}");
        let object_path = folder.path().join("11").join(&looping);
        std::fs::create_dir(object_path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&object_path, &object_path).unwrap();
        let found = store.measure(&looping).await.unwrap();
        assert!(matches!(found, Measured::Unreadable(_)), "{found:?}");
    }
}
