//! A quickstart's secrets: random, generated once per folder, kept in a private file.

use crate::installation::files::{read, write_private};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use shared::random::random_bytes;
use std::path::Path;

/// All secrets of one folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Credentials {
    /// The password of the admin account.
    pub admin: String,
    /// The password of the user `officer`.
    pub officer: String,
    /// The password of the user `teller`.
    pub teller: String,
    /// The password of the user `viewer`.
    pub viewer: String,
    /// The password of the web user.
    pub web: String,
    /// The secret of the client `integration`.
    pub integration: String,
    /// The secret of the client `api-server`.
    pub api_server: String,
    /// The key under which tokens are hashed, hexadecimal.
    pub token_key: String,
    /// The key under which signing keys are sealed, hexadecimal.
    pub master_key: String,
    /// The key under which cards' tokens are sealed, hexadecimal.
    pub card_key: String,
}

impl Credentials {
    /// Loads the secrets in this file, or generates it.
    pub fn load_or_create(path: &Path) -> Result<Self, String> {
        if path.exists() {
            return serde_json::from_str(&read(path)?)
                .map_err(|error| format!("cannot read {}: {error}", path.display()));
        }
        let credentials = Self {
            admin: random_password(),
            officer: random_password(),
            teller: random_password(),
            viewer: random_password(),
            web: random_password(),
            integration: random_secret(),
            api_server: random_secret(),
            token_key: random_key(),
            master_key: random_key(),
            card_key: random_key(),
        };
        credentials.save(path)?;
        Ok(credentials)
    }

    fn save(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        write_private(path, &text)
    }
}

/// A key of 256 random bits, hexadecimal.
pub fn random_key() -> String {
    hex::encode(random_bytes::<32>())
}

/// A password of 120 random bits, 20 characters.
pub fn random_password() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<15>())
}

/// A client secret of 256 random bits, 43 characters.
pub fn random_secret() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<32>())
}
