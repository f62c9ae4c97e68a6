//! Where the servers of a world listen, and their settings files.

use crate::databases::{PASSWORD_ITERATIONS, PASSWORD_MEMORY_KIB};
use crate::servers::free_port;
use api_server::documents::store::Location;
use installer::installation::certificates::TlsFiles;
use installer::installation::credentials::Credentials;
use std::path::Path;

/// The addresses at which the servers of a world listen.
pub struct ServerPorts {
    auth: u16,
    api: u16,
    /// Port of the auth server's metrics.
    pub auth_metrics: u16,
    /// Port of the api-server's metrics.
    pub api_metrics: u16,
}

impl ServerPorts {
    /// Returns ports that are free.
    pub fn free() -> Self {
        let [auth, api, auth_metrics, api_metrics] = std::array::from_fn(|_| free_port());
        Self { auth, api, auth_metrics, api_metrics }
    }

    /// The auth server's URL.
    pub fn auth_url(&self) -> String {
        format!("https://localhost:{}", self.auth)
    }

    pub fn api_url(&self) -> String {
        format!("https://localhost:{}", self.api)
    }

    /// Writes the settings files of both servers.
    pub fn write_settings(
        &self,
        folder: &Path,
        database_url: &str,
        tls: &TlsFiles,
        credentials: &Credentials,
        more_api_settings: &str,
    ) {
        let certificate = tls.certificate.display();
        let (key, ca) = (tls.key.display(), tls.authority.display());
        let auth = format!(
            "AUTH_LISTEN=127.0.0.1:{}\nAUTH_ISSUER={}\nAUTH_DATABASE_URL={database_url}\n\
             AUTH_TLS_CERTIFICATE={certificate}\nAUTH_TLS_KEY={key}\nAUTH_TOKEN_KEYS=k1:{}\n\
             AUTH_MASTER_KEYS=k1:{}\n\
             AUTH_METRICS_LISTEN=127.0.0.1:{}\nAUTH_DATABASE_CONNECTIONS=3\n\
             AUTH_DRAIN_DELAY_SECONDS=0\nAUTH_PASSWORD_MEMORY_KIB={PASSWORD_MEMORY_KIB}\n\
             AUTH_PASSWORD_ITERATIONS={PASSWORD_ITERATIONS}\n",
            self.auth,
            self.auth_url(),
            credentials.token_key,
            credentials.master_key,
            self.auth_metrics,
        );
        let api = format!(
            "API_LISTEN=127.0.0.1:{}\nAPI_DATABASE_URL={database_url}\n\
             API_TLS_CERTIFICATE={certificate}\nAPI_TLS_KEY={key}\nAPI_AUTH_URL={}\n\
             API_AUTH_CA={ca}\nAPI_AUTH_CLIENT_SECRET={}\nAPI_METRICS_LISTEN=127.0.0.1:{}\n\
             API_MASTER_KEYS=k1:{}\nAPI_DATABASE_CONNECTIONS=4\n\
             API_DRAIN_DELAY_SECONDS=0\n{more_api_settings}",
            self.api,
            self.auth_url(),
            credentials.api_server,
            self.api_metrics,
            credentials.card_key,
        );
        std::fs::write(folder.join("auth-server.env"), auth).expect("settings");
        std::fs::write(folder.join("api-server.env"), api).expect("settings");
    }
}

/// The settings of an api-server that keeps its documents there.
pub fn document_settings(documents: &Location) -> String {
    match documents {
        Location::Folder(folder) => format!("API_DOCUMENTS={}\n", folder.display()),
        Location::Bucket(bucket) => {
            let (id, secret) = bucket.credentials.clone().unwrap_or_default();
            format!(
                "API_DOCUMENTS=s3://{}/{}\nAPI_S3_ENDPOINT={}\nAPI_S3_REGION={}\n\
                 API_S3_ACCESS_KEY_ID={id}\nAPI_S3_SECRET_ACCESS_KEY={secret}\n",
                bucket.name,
                bucket.prefix,
                bucket.endpoint.as_deref().unwrap_or_default(),
                bucket.region,
            )
        }
    }
}
