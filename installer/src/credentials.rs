//! The secrets of a quickstart: random, made once per folder, kept in a private file.

use crate::certificates::write_private;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use shared::telemetry::random_bytes;
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
}

impl Credentials {
    /// The secrets of this file, made where it is missing.
    pub fn load_or_create(path: &Path) -> Result<Self, String> {
        if path.exists() {
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
            let parsed = text
                .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
            return parsed.map_err(|error| format!("cannot read {}: {error}", path.display()));
        }
        let word = || URL_SAFE_NO_PAD.encode(random_bytes::<15>());
        let secret = || URL_SAFE_NO_PAD.encode(random_bytes::<32>());
        let credentials = Self {
            admin: word(),
            officer: word(),
            teller: word(),
            viewer: word(),
            web: word(),
            integration: secret(),
            api_server: secret(),
            token_key: hex::encode(random_bytes::<32>()),
        };
        let text = serde_json::to_string_pretty(&credentials).map_err(|error| error.to_string())?;
        write_private(path, &text)?;
        Ok(credentials)
    }
}
