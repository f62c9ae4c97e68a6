//! Document store: the bytes of documents, in a local folder or an S3-compatible bucket.
//!
//! Objects have random names and never change. A file's object is written before its row, and its
//! row is deleted before its object. So an interrupted operation may leave an orphan, an object
//! without a row, which [`gc`] removes, but never a row without its object.

pub mod gc;
pub mod gc_report;
mod identity;
mod lease;
mod measure;
mod orphans;
mod read;
mod upload;

pub use self::identity::OwnStore;
pub use self::measure::Measured;
pub use self::orphans::{Orphan, Unfinished};
pub use self::upload::{ObjectUpload, StoredObject};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, Certificate, ClientOptions, Error, ObjectStore, ObjectStoreExt, RetryConfig,
};
use shared::problem::{Problem, ProblemType};
use std::error::Error as _;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Time limit of one step. Without it, a network folder that does not respond would hold a request
/// forever.
const STEP_TIME_MAX: Duration = Duration::from_secs(30);
/// Bytes written to a folder at a time.
const FOLDER_PART_BYTES: usize = 256 * 1024;
/// Bytes written to a bucket at a time: S3 accepts no smaller parts, and at most 10,000 of them.
const BUCKET_PART_BYTES: usize = 5 * 1024 * 1024;
const CONCURRENT_REMOVALS_MAX: usize = 8;
/// Maximum time that a response waits for work that does not decide it: a removal, which continues
/// in the background, or finding out why something failed.
const RESPONSE_DELAY_MAX: Duration = Duration::from_secs(2);

/// Location of the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A folder on this machine.
    Folder(PathBuf),
    Bucket(Bucket),
}

/// An S3-compatible bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Name of the bucket.
    pub name: String,
    /// Prefix of all object names, if any.
    pub prefix: String,
    /// Endpoint of the service; if absent, Amazon's of the region.
    pub endpoint: Option<String>,
    pub region: String,
    /// Access key id and secret; if absent, those of the machine's role.
    pub credentials: Option<(String, String)>,
    /// PEM file with the certificate authorities to trust; if absent, the system's are trusted.
    pub authority: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub struct DocumentStore {
    objects: Arc<dyn ObjectStore>,
    /// The folder, if the store is one.
    folder: Option<PathBuf>,
    part_bytes: usize,
}

impl DocumentStore {
    /// Opens the store at this location. A missing folder is created, for this user only; a bucket
    /// is not contacted yet.
    pub fn open(location: &Location) -> Result<Self, String> {
        match location {
            Location::Folder(folder) => Self::in_folder(folder.clone(), true),
            Location::Bucket(bucket) => Self::in_bucket(bucket),
        }
    }

    /// Opens the store at this location, which must already exist.
    pub fn open_existing(location: &Location) -> Result<Self, String> {
        match location {
            Location::Folder(folder) if !folder.is_dir() => {
                Err(format!("{}: the folder does not exist", folder.display()))
            }
            Location::Folder(_) | Location::Bucket(_) => Self::open(location),
        }
    }

    /// Opens the store in a folder to write a great many objects that can be recreated: they reach
    /// the disk when the system writes them.
    pub fn open_for_bulk(folder: PathBuf) -> Result<Self, String> {
        Self::in_folder(folder, false)
    }

    fn in_folder(folder: PathBuf, synced: bool) -> Result<Self, String> {
        let with_path = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
        create_folder(&folder).map_err(|error| with_path(&error))?;
        let objects =
            LocalFileSystem::new_with_prefix(&folder).map_err(|error| with_path(&error))?;
        // What is acknowledged must be on disk.
        let objects = Arc::new(objects.with_fsync(synced));
        Ok(Self { objects, folder: Some(folder), part_bytes: FOLDER_PART_BYTES })
    }

    fn in_bucket(bucket: &Bucket) -> Result<Self, String> {
        let mut client = ClientOptions::new()
            .with_connect_timeout(Duration::from_secs(3))
            .with_read_timeout(Duration::from_secs(20))
            // A whole file may take longer than any time limit of a request.
            .with_timeout_disabled();
        if let Some(path) = &bucket.authority {
            let with_path = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let pem = std::fs::read(path).map_err(|error| with_path(&error))?;
            for authority in
                Certificate::from_pem_bundle(&pem).map_err(|error| with_path(&error))?
            {
                client = client.with_root_certificate(authority);
            }
        }
        let retries = RetryConfig {
            backoff: BackoffConfig { max_backoff: Duration::from_secs(1), ..Default::default() },
            max_retries: 2,
            retry_timeout: Duration::from_secs(10),
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&bucket.name)
            .with_region(&bucket.region)
            .with_retry(retries);
        if let Some(endpoint) = &bucket.endpoint {
            let plain = endpoint.starts_with("http://");
            client = client.with_allow_http(plain);
            builder = builder.with_endpoint(endpoint).with_allow_http(plain);
        }
        if let Some((id, secret)) = &bucket.credentials {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        }
        let objects = builder.with_client_options(client).build();
        let objects = objects.map_err(|error| error.to_string())?;
        let objects: Arc<dyn ObjectStore> = match bucket.prefix.as_str() {
            "" => Arc::new(objects),
            prefix => Arc::new(PrefixStore::new(objects, prefix)),
        };
        Ok(Self { objects, folder: None, part_bytes: BUCKET_PART_BYTES })
    }

    /// Checks that objects can be written and removed, by writing and removing one.
    pub async fn check(&self) -> Result<(), String> {
        let path = Path::from(format!("check-{}", upload::random_key()));
        let written = bounded(async {
            self.objects.put(&path, Bytes::from_static(b"check").into()).await?;
            self.objects.delete(&path).await
        });
        written.await.map_err(|error| in_one_line(&error))
    }

    /// Writes an object under a given name.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<(), String> {
        let put = bounded(self.objects.put(&path(key), bytes.into())).await;
        put.map(drop).map_err(|error| in_one_line(&error))
    }

    /// Begins a new object.
    pub fn upload(&self) -> ObjectUpload {
        ObjectUpload::new(Arc::clone(&self.objects), self.part_bytes)
    }

    /// Removes objects whose rows are deleted. Objects that cannot be removed now are left for the
    /// sweep. Returns their number.
    pub async fn remove(&self, keys: Vec<String>) -> u64 {
        let removals = keys.into_iter().map(|key| async move {
            match bounded(self.objects.delete(&path(&key))).await {
                Ok(()) | Err(Error::NotFound { .. }) => return 0,
                Err(error) => {
                    let error = in_one_line(&error);
                    tracing::warn!(error, "an object is left for the sweep");
                }
            }
            1
        });
        let removals = stream::iter(removals).buffer_unordered(CONCURRENT_REMOVALS_MAX);
        removals.fold(0, async |left, one| left + one).await
    }

    /// Returns the path of an object in the store.
    pub fn place(key: &str) -> String {
        path(key).to_string()
    }

    /// Removes objects like [`Self::remove`], for a request: its response does not wait long, and
    /// the removal continues in the background.
    pub async fn forget(&self, keys: Vec<String>) {
        let store = self.clone();
        let removal = tokio::spawn(async move { store.remove(keys).await });
        let _ = timeout(RESPONSE_DELAY_MAX, removal).await;
    }
}

/// Returns the path of an object: in one of 256 folders, so that none gets too large.
fn path(key: &str) -> Path {
    Path::from_iter([key.get(..2).unwrap_or_default(), key])
}

/// Returns the key of the object at a path; `None` if it is not the path of an object.
fn key(path: &Path) -> Option<&str> {
    let (folder, key) = path.as_ref().split_once('/')?;
    (key.len() >= 32 && key.get(..2) == Some(folder) && !key.contains('/')).then_some(key)
}

/// Returns the result of a step, or an error if it takes too long.
async fn in_time<T>(step: impl Future<Output = T>) -> object_store::Result<T> {
    let no_response = |_| Error::Generic { store: "object store", source: "no response".into() };
    timeout(STEP_TIME_MAX, step).await.map_err(no_response)
}

/// Executes a step. If it takes too long, it has failed like any other.
async fn bounded<T>(
    step: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    in_time(step).await?
}

fn unavailable(error: &Error) -> Problem {
    let error = in_one_line(error);
    tracing::warn!(error, "the object store is unavailable");
    Problem::new(ProblemType::ObjectStoreUnavailable)
}

/// Returns what failed and why, in one line. The error's own text does not say whether a service
/// refused or did not respond, and contains the whole response, which may be a page of XML.
fn in_one_line(error: &Error) -> String {
    let mut text = error.to_string();
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    if let Some(cause) = causes.last().map(ToString::to_string)
        && !text.contains(&cause)
    {
        text = format!("{text}: {cause}");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(unix)]
fn create_folder(folder: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_folder(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    #[test]
    fn an_object_is_found_only_by_its_key() {
        let name = "00112233445566778899aabbccddeeff";
        assert_eq!(path(name).as_ref(), format!("00/{name}"));
        assert_eq!(key(&path(name)), Some(name));
        for other in ["owner", "00/short", "01/00112233445566778899aabbccddeeff", "a/b/c"] {
            assert_eq!(key(&Path::from(other)), None, "{other}");
        }
    }

    #[tokio::test]
    async fn a_folder_stores_parts_in_order_and_deletes_objects() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().join("documents"));
        let store = DocumentStore::open(&location).unwrap();
        store.check().await.unwrap();
        let bytes: Vec<u8> = (0..700_001_u32).map(|n| (n % 251) as u8).collect();
        let mut upload = store.upload();
        for chunk in bytes.chunks(70_000) {
            upload.write(chunk).await.unwrap();
        }
        let stored = upload.finish().await.unwrap();
        assert_eq!(stored.size_bytes, bytes.len() as u64);
        let read = async |range: Range<u64>| {
            let chunks: Vec<_> =
                store.read(&stored.key, 700_001, range).await.unwrap().collect().await;
            chunks.into_iter().flat_map(|chunk| chunk.unwrap()).collect::<Vec<u8>>()
        };
        assert_eq!(read(0..700_001).await, bytes);
        assert_eq!(read(262_143..262_145).await, bytes[262_143..262_145]);
        assert!(read(0..0).await.is_empty());
        store.remove(vec![stored.key.clone()]).await;
        assert!(store.read(&stored.key, 700_001, 0..1).await.is_err());
    }
}
