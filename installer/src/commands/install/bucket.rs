//! The bucket for the files of documents, where they are in no folder.

use super::known::Settings as Present;
use crate::installation::files::read;
use crate::installation::{Refused, refuse};
use api_server::documents::document_store::{DocumentStore, Location};
use clap::Args;
use shared::settings::Settings;
use std::path::{Path, PathBuf};

const AUTHORITY: &str = "API_S3_CA";

/// How the api-server reaches it.
#[derive(Args, Clone, Debug, Default)]
pub struct BucketArguments {
    /// The URL of the service that has the bucket [default: Amazon's of the region]
    #[arg(long, value_name = "URL")]
    pub s3_endpoint: Option<String>,
    /// The bucket's region [default: us-east-1]
    #[arg(long, value_name = "REGION")]
    pub s3_region: Option<String>,
    /// The id of an access key for the bucket [default: the key of this machine's role]
    #[arg(long, value_name = "ID")]
    pub s3_access_key_id: Option<String>,
    /// Reads the secret of that access key from a file
    #[arg(long, value_name = "FILE")]
    pub s3_secret_file: Option<PathBuf>,
    /// The authorities that may have signed the service's certificate, PEM [default: the system's]
    #[arg(long, value_name = "FILE")]
    pub s3_authority: Option<PathBuf>,
    /// The secret, if it was typed.
    #[arg(skip)]
    pub s3_secret: Option<String>,
}

/// What was answered, as settings of the api-server: name and value.
pub type BucketSettings = Vec<(&'static str, String)>;

impl BucketArguments {
    /// The settings that change. Whatever the environment has of the api-server's counts, too.
    pub fn settings(&self, documents: &str) -> Result<BucketSettings, Refused> {
        let given = [
            ("API_S3_ENDPOINT", self.s3_endpoint.clone()),
            ("API_S3_REGION", self.s3_region.clone()),
            ("API_S3_ACCESS_KEY_ID", self.s3_access_key_id.clone()),
            ("API_S3_SECRET_ACCESS_KEY", self.secret()?),
            (AUTHORITY, self.authority()?),
        ];
        if documents.starts_with("s3://") {
            let or_set = |(name, given): (_, Option<String>)| {
                Some((name, given.or_else(|| std::env::var(name).ok())?))
            };
            return Ok(given.into_iter().filter_map(or_set).collect());
        }
        match given.iter().all(|(_, value)| value.is_none()) {
            true => Ok(Vec::new()),
            false => refuse(format!(
                "documents are in {documents}: give --documents s3://BUCKET, or none of --s3-…"
            )),
        }
    }

    fn secret(&self) -> Result<Option<String>, Refused> {
        let Some(file) = &self.s3_secret_file else { return Ok(self.s3_secret.clone()) };
        Ok(Some(read(file).map_err(Refused)?.trim().to_owned()))
    }

    fn authority(&self) -> Result<Option<String>, Refused> {
        let Some(file) = self.s3_authority.clone() else { return Ok(None) };
        super::answers::absolute(file).map(|path| Some(path.display().to_string()))
    }
}

/// The file of authorities that was answered.
pub fn authority(bucket: &BucketSettings) -> Option<PathBuf> {
    bucket.iter().find(|(name, _)| *name == AUTHORITY).map(|(_, path)| path.into())
}

/// Asks the bucket as the api-server will, with the answers over the present settings.
pub async fn try_out(
    place: &str,
    bucket: &BucketSettings,
    present: &Present,
) -> Result<(), String> {
    let location = location(place, bucket, &present.dir.join("api-server.env"))?;
    DocumentStore::open(&location)?.check().await
}

fn location(place: &str, bucket: &BucketSettings, present: &Path) -> Result<Location, String> {
    if !place.starts_with("s3://") {
        return Err("it must be a folder, s3://BUCKET or s3://BUCKET/PREFIX".to_owned());
    }
    let present = Some(present).filter(|file| file.exists());
    let mut settings = Settings::read(api_server::config::SETTINGS, present);
    settings.assume("API_DOCUMENTS", place);
    for (name, value) in bucket {
        settings.assume(name, value);
    }
    let location = api_server::config::documents(&mut settings);
    settings.finish(location)
}
