//! The bucket for document files, if they are not in a folder.

use super::values::absolute;
use crate::installation::files::read;
use crate::installation::{CliError, refuse};
use api_server::documents::store::DocumentStore;
use clap::Args;
use shared::settings::Settings;
use std::path::{Path, PathBuf};

const AUTHORITY: &str = "API_S3_CA";

/// How the api-server reaches the bucket.
#[derive(Args, Clone, Debug, Default)]
pub struct BucketArguments {
    /// URL of the S3 service [default: Amazon's for the region]
    #[arg(long, value_name = "URL")]
    pub s3_endpoint: Option<String>,
    /// Region of the bucket [default: us-east-1]
    #[arg(long, value_name = "REGION")]
    pub s3_region: Option<String>,
    /// Access key ID for the bucket [default: the credentials of this machine's role]
    #[arg(long, value_name = "ID")]
    pub s3_access_key_id: Option<String>,
    /// Read the secret of that access key from a file
    #[arg(long, value_name = "FILE")]
    pub s3_secret_file: Option<PathBuf>,
    /// Authorities for the service's certificate, PEM [default: the system's]
    #[arg(long, value_name = "FILE")]
    pub s3_authority: Option<PathBuf>,
    /// The secret, if typed in.
    #[arg(skip)]
    pub s3_secret: Option<String>,
}

/// The answers as settings of the api-server: name and value.
pub(super) type BucketSettings = Vec<(&'static str, String)>;

impl BucketArguments {
    /// The settings to change. Settings of the api-server in the environment count as well.
    pub fn settings(&self, documents: &str) -> Result<BucketSettings, CliError> {
        let given = [
            ("API_S3_ENDPOINT", self.s3_endpoint.clone()),
            ("API_S3_REGION", self.s3_region.clone()),
            ("API_S3_ACCESS_KEY_ID", self.s3_access_key_id.clone()),
            ("API_S3_SECRET_ACCESS_KEY", self.secret()?),
            (AUTHORITY, self.authority()?),
        ];
        if documents.starts_with("s3://") {
            let or_from_env = |(name, given): (_, Option<String>)| {
                Some((name, given.or_else(|| std::env::var(name).ok())?))
            };
            return Ok(given.into_iter().filter_map(or_from_env).collect());
        }
        match given.iter().all(|(_, value)| value.is_none()) {
            true => Ok(Vec::new()),
            false => refuse(format!(
                "documents are in {documents}: pass --documents s3://BUCKET, or none of the --s3-… \
                 options"
            )),
        }
    }

    fn secret(&self) -> Result<Option<String>, CliError> {
        let Some(file) = &self.s3_secret_file else { return Ok(self.s3_secret.clone()) };
        Ok(Some(read(file).map_err(CliError)?.trim().to_owned()))
    }

    fn authority(&self) -> Result<Option<String>, CliError> {
        let Some(file) = self.s3_authority.clone() else { return Ok(None) };
        absolute(file).map(|path| Some(path.display().to_string()))
    }
}

/// The authorities file in the answers.
pub(super) fn authority(bucket: &BucketSettings) -> Option<PathBuf> {
    bucket.iter().find(|(name, _)| *name == AUTHORITY).map(|(_, path)| path.into())
}

/// Tests the bucket as the api-server will use it, with the answers on top of the settings in
/// this folder.
pub(super) async fn try_out(url: &str, bucket: &BucketSettings, dir: &Path) -> Result<(), String> {
    if !url.starts_with("s3://") {
        return Err("it must be a folder, s3://BUCKET or s3://BUCKET/PREFIX".to_owned());
    }
    let file = Some(dir.join("api-server.env")).filter(|file| file.exists());
    let mut settings = Settings::read(api_server::config::SETTINGS, file.as_deref());
    settings.set("API_DOCUMENTS", url);
    for (name, value) in bucket {
        settings.set(name, value);
    }
    let location = api_server::config::documents(&mut settings);
    DocumentStore::open(&settings.finish(location)?)?.check().await
}
