//! Settings of the api-server. Each setting's `help` is its manual.

use crate::cards::stripe::{self, Account};
use crate::cards::{GatewayChoice, GatewaySettings};
use crate::documents::multipart::file_types::AllowedTypes;
use crate::documents::store::{Bucket, Location};
use governor::Quota;
use reqwest::Url;
use shared::define_settings;
use shared::networks::Networks;
use shared::server::ServerLimits;
use shared::settings::{Setting, Settings};
use shared::tls::Identity;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every setting with its default and its manual.
pub const SETTINGS: &[Setting] = define_settings! {
    /// Address and port to listen on.
    API_LISTEN = "127.0.0.1:9443";

    /// URL of the core database: sqlite://PATH, postgres://USER:PASSWORD@HOST/NAME or mysql://…
    /// (also MariaDB).
    API_DATABASE_URL;

    /// Maximum number of database connections, 1 to 1000. On PostgreSQL and MariaDB, from 8 up, a
    /// third of them serve reads only.
    API_DATABASE_CONNECTIONS = "16";

    /// PEM file with this server's certificate chain. It and the key are reloaded on SIGHUP.
    API_TLS_CERTIFICATE;

    /// PEM file with this server's private key.
    API_TLS_KEY;

    /// The https URL of the auth server, without a trailing slash.
    API_AUTH_URL;

    /// PEM file with the certificate authorities trusted for the auth server; for a certificate
    /// from a public authority, the system's, such as /etc/ssl/certs/ca-certificates.crt.
    API_AUTH_CA;

    /// Client id of this server at the auth server: a client marked as resource server.
    API_AUTH_CLIENT_ID = "api-server";

    /// Secret of that client.
    API_AUTH_CLIENT_SECRET;

    /// The https URL at which browsers reach the auth server, for logging in on the documentation
    /// page; default: API_AUTH_URL.
    API_AUTH_PUBLIC_URL = "";

    /// Client id of the documentation page at the auth server: a public client with the
    /// authorization code flow, the redirect URI /docs/oauth-receiver.html of this server, and its
    /// origin.
    API_DOCS_CLIENT_ID = "browser";

    /// Directory for files while they are being imported; default: the system's temporary
    /// directory.
    API_SPOOL_DIRECTORY = "";

    /// Where document files are stored: a folder, s3://BUCKET or s3://BUCKET/PREFIX. Back it up
    /// after the database.
    API_DOCUMENTS = "documents";

    /// URL of an S3-compatible service; default: Amazon's endpoint for the region. http:// only to
    /// this machine.
    API_S3_ENDPOINT = "";

    /// Region of the bucket.
    API_S3_REGION = "us-east-1";

    /// Access key for the bucket; default: the key of this machine's role.
    API_S3_ACCESS_KEY_ID = "";

    /// Secret of the access key.
    API_S3_SECRET_ACCESS_KEY = "";

    /// PEM file with the certificate authorities trusted for the S3 service; default: the system's.
    API_S3_CA = "";

    /// Maximum size of an uploaded file in bytes: 1 byte to 40 GiB.
    API_UPLOAD_BYTES_MAX = "26214400";

    /// File types accepted, detected from the content: a comma-separated subset of the default.
    API_UPLOAD_TYPES = "pdf,png,jpeg,tiff,txt,csv,docx,xlsx";

    /// Keys that encrypt the gateway tokens of cards, comma-separated: ID:HEX of 32 bytes each. The
    /// first key encrypts; tokens under other keys are re-encrypted within a few minutes, after
    /// which those keys may be removed.
    API_MASTER_KEYS;

    /// The https URL at which browsers reach this server, for the pages on which cards are added
    /// and for the documentation; default: https://localhost with the port of API_LISTEN.
    API_PUBLIC_URL = "";

    /// Payment gateway: sandbox (built in, test cards, no real money) or stripe.
    API_GATEWAY = "sandbox";

    /// Interval at which stuck card payments are recovered, 1 to 3600 seconds. A payment counts as
    /// stuck after twice as long.
    API_GATEWAY_RECOVERY_SECONDS = "30";

    /// Base URL of Stripe's API, without a trailing slash. http:// only to this machine.
    API_STRIPE_URL = "https://api.stripe.com";

    /// Secret key of the Stripe account: sk_… or rk_….
    API_STRIPE_KEY = "";

    /// Currency of all amounts, as Stripe spells it.
    API_STRIPE_CURRENCY = "usd";

    /// Secret with which Stripe signs its webhooks to /gateway/stripe/webhook: whsec_…; default:
    /// webhooks are not accepted.
    API_STRIPE_WEBHOOK_SECRET = "";

    /// PEM file with the certificate authorities trusted for Stripe; default: the system's.
    API_STRIPE_CA = "";

    /// Addresses or networks of proxies, comma-separated, that are exempt from the connection limit
    /// per network.
    API_TRUSTED_PROXIES = "";

    /// Maximum number of client connections, 1 to 100000.
    API_CONNECTIONS_MAX = "4096";

    /// Maximum number of client connections from one source network (/24, /64), 1 to 100000;
    /// further ones are closed. Trusted proxies are exempt.
    API_CONNECTIONS_PER_NETWORK = "1024";

    /// Time a client may take to receive 64 KiB of a response, or the rest of it, 1 to 3600 seconds;
    /// then its connection is closed.
    API_STALLED_SECONDS = "60";

    /// Time a connection without a request in flight is kept, 1 to 3600 seconds; longer than a load
    /// balancer in front keeps it.
    API_IDLE_SECONDS = "75";

    /// Time this server keeps accepting requests after SIGTERM while its readiness is 503, 0 to 300
    /// seconds, so that load balancers notice. Another signal cuts it short.
    API_DRAIN_DELAY_SECONDS = "5";

    /// Operations and query parameters beyond the interface: on; or off: only the operations of
    /// /openapi-interface.json.
    API_EXTENSIONS = "on";

    /// What to do with unknown query parameters: refuse (400), or ignore, for clients of earlier
    /// releases; ignored parameters are counted in the metric unknown_parameters_total.
    API_UNKNOWN_PARAMETERS = "refuse";

    /// Requests per second allowed for each caller, with bursts of twice as many; 0: no limit. Each
    /// api-server counts separately.
    API_REQUESTS_PER_SECOND = "0";

    /// Address and port for metrics over plain HTTP; keep it internal. Default: no metrics.
    API_METRICS_LISTEN = "";

    /// Log format: text or json.
    API_LOG_FORMAT = "text";

    /// Log levels: LEVEL or MODULE=LEVEL, comma-separated.
    API_LOG_FILTER = "info,sqlx=warn";
};

/// Below the limit of a bucket upload: 10,000 parts of 5 MiB.
const UPLOAD_BYTES_LIMIT: u64 = 40 * 1024 * 1024 * 1024;

/// A complete and valid configuration.
pub struct Config {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// URL of the core database.
    pub database_url: String,
    /// Maximum number of database connections.
    pub database_connections: u32,
    /// Certificate chain, PEM.
    pub tls_certificate: PathBuf,
    /// Private key, PEM.
    pub tls_key: PathBuf,
    /// URL of the auth server.
    pub auth_url: String,
    /// Certificate authorities trusted for the auth server, PEM.
    pub auth_ca: PathBuf,
    /// Client id of this server at the auth server.
    pub auth_client_id: String,
    pub auth_client_secret: String,
    /// URL of the auth server as browsers reach it.
    pub auth_public_url: String,
    /// Client id of the documentation page at the auth server.
    pub docs_client_id: String,
    /// Directory in which imports are spooled.
    pub spool_directory: PathBuf,
    /// Where document files are stored.
    pub documents: Location,
    /// Maximum bytes of an uploaded file.
    pub upload_bytes_max: u64,
    /// File types accepted for upload.
    pub upload_types: AllowedTypes,
    pub gateway: GatewaySettings,
    /// Connection limits of the listener.
    pub limits: ServerLimits,
    /// True if the operations and query parameters beyond the interface are served.
    pub extensions: bool,
    /// True if unknown query parameters are ignored rather than refused.
    pub unknown_parameters_ignored: bool,
    /// Rate limit per caller; `None`: no limit.
    pub requests_quota: Option<Quota>,
    /// Time the server keeps accepting requests once it is told to stop.
    pub drain_delay: Duration,
    /// Address and port for metrics, if they are served.
    pub metrics_listen: Option<SocketAddr>,
    /// Log format: `text` or `json`.
    pub log_format: String,
    pub log_filter: String,
}

impl Config {
    /// Reads the configuration, or returns everything that is wrong with it, one line per fault.
    pub fn read(env_file: Option<&Path>) -> Result<Self, String> {
        Self::from_settings(Settings::read(SETTINGS, env_file))
    }

    /// Parses and checks the settings.
    pub fn from_settings(mut settings: Settings) -> Result<Self, String> {
        let auth_url = settings.text("API_AUTH_URL");
        require_https(&mut settings, "API_AUTH_URL", &auth_url);
        let auth_public_url = settings.optional("API_AUTH_PUBLIC_URL");
        require_https(
            &mut settings,
            "API_AUTH_PUBLIC_URL",
            auth_public_url.as_deref().unwrap_or(""),
        );
        let config = Self {
            listen: settings.address("API_LISTEN"),
            database_url: settings.database_url("API_DATABASE_URL"),
            database_connections: settings.within("API_DATABASE_CONNECTIONS", 1..=1000) as u32,
            tls_certificate: settings.file("API_TLS_CERTIFICATE"),
            tls_key: settings.file("API_TLS_KEY"),
            auth_public_url: auth_public_url.unwrap_or_else(|| auth_url.clone()),
            auth_url,
            auth_ca: settings.file("API_AUTH_CA"),
            auth_client_id: settings.text("API_AUTH_CLIENT_ID"),
            auth_client_secret: settings.text("API_AUTH_CLIENT_SECRET"),
            docs_client_id: settings.text("API_DOCS_CLIENT_ID"),
            spool_directory: spool_directory(&settings),
            documents: documents(&mut settings),
            gateway: gateway(&mut settings),
            upload_bytes_max: settings.within("API_UPLOAD_BYTES_MAX", 1..=UPLOAD_BYTES_LIMIT),
            upload_types: settings.parsed("API_UPLOAD_TYPES"),
            limits: ServerLimits {
                connections_max: settings.within("API_CONNECTIONS_MAX", 1..=100_000) as u32,
                connections_per_network: settings.within("API_CONNECTIONS_PER_NETWORK", 1..=100_000)
                    as u32,
                proxies: match settings.optional("API_TRUSTED_PROXIES") {
                    Some(_) => settings.parsed("API_TRUSTED_PROXIES"),
                    None => Networks::default(),
                },
                progress: settings.seconds("API_STALLED_SECONDS", 1..=3600),
                idle: settings.seconds("API_IDLE_SECONDS", 1..=3600),
                ..ServerLimits::default()
            },
            extensions: has_extensions(&mut settings),
            unknown_parameters_ignored: ignores_unknown_parameters(&mut settings),
            requests_quota: requests_quota(&mut settings),
            drain_delay: settings.seconds("API_DRAIN_DELAY_SECONDS", 0..=300),
            metrics_listen: settings
                .optional("API_METRICS_LISTEN")
                .map(|_| settings.address("API_METRICS_LISTEN")),
            log_format: settings.text("API_LOG_FORMAT"),
            log_filter: settings.text("API_LOG_FILTER"),
        };
        settings.finish(config)
    }

    /// TLS identity that the listener presents.
    /// Returns the folders that this server fills, by name.
    pub fn folders(&self) -> Vec<(&'static str, PathBuf)> {
        let spool = [("spool", self.spool_directory.clone())];
        let documents = match &self.documents {
            Location::Folder(folder) => Some(("documents", folder.clone())),
            Location::Bucket(_) => None,
        };
        spool.into_iter().chain(documents).collect()
    }

    /// Returns the identity that this server listens with.
    pub fn identity(&self) -> Identity<'_> {
        let (certificate, key) = (&self.tls_certificate, &self.tls_key);
        Identity { certificate, key, client_certificates: false }
    }
}

/// Returns the directory in which imports are spooled.
pub fn spool_directory(settings: &Settings) -> PathBuf {
    settings.optional("API_SPOOL_DIRECTORY").map_or_else(std::env::temp_dir, PathBuf::from)
}

/// Returns the place where document files are stored.
pub fn documents(settings: &mut Settings) -> Location {
    let location = settings.text("API_DOCUMENTS");
    let Some(bucket) = location.strip_prefix("s3://") else {
        if location.contains("://") {
            let message = "must be a folder, s3://BUCKET or s3://BUCKET/PREFIX";
            settings.fault(format!("API_DOCUMENTS={location}: {message}"));
        }
        return Location::Folder(location.into());
    };
    let (name, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
    if name.is_empty() {
        settings.fault(format!("API_DOCUMENTS={location}: names no bucket"));
    }
    let endpoint = settings.optional("API_S3_ENDPOINT");
    if let Some(url) = &endpoint {
        require_https_or_local(settings, "API_S3_ENDPOINT", url);
    }
    let id = settings.optional("API_S3_ACCESS_KEY_ID");
    let secret = settings.optional("API_S3_SECRET_ACCESS_KEY");
    if id.is_some() != secret.is_some() {
        let message = "one is set and the other is not: set both, or neither";
        settings.fault(format!("API_S3_ACCESS_KEY_ID, API_S3_SECRET_ACCESS_KEY: {message}"));
    }
    let credentials = id.zip(secret);
    let authority = settings.optional("API_S3_CA").map(|_| settings.file("API_S3_CA"));
    Location::Bucket(Bucket {
        name: name.to_owned(),
        prefix: prefix.trim_matches('/').to_owned(),
        endpoint,
        region: settings.text("API_S3_REGION"),
        credentials,
        authority,
    })
}

/// Returns the payment gateway settings.
pub fn gateway(settings: &mut Settings) -> GatewaySettings {
    let public_url = settings.optional("API_PUBLIC_URL");
    require_https(settings, "API_PUBLIC_URL", public_url.as_deref().unwrap_or(""));
    // Never taken from the Host header, which any client can set.
    let local_url = || {
        let listen = settings.text("API_LISTEN");
        format!("https://localhost:{}", listen.rsplit(':').next().unwrap_or_default())
    };
    let public_url = public_url.unwrap_or_else(local_url);
    let choice = match settings.text("API_GATEWAY").as_str() {
        "stripe" => GatewayChoice::Stripe(stripe_account(settings)),
        "sandbox" => GatewayChoice::Sandbox,
        other => {
            settings.fault(format!("API_GATEWAY={other}: must be sandbox or stripe"));
            GatewayChoice::Sandbox
        }
    };
    let seconds = settings.within("API_GATEWAY_RECOVERY_SECONDS", 1..=3600);
    GatewaySettings {
        choice,
        master_keys: settings.parsed("API_MASTER_KEYS"),
        public_url,
        recovery_interval: Duration::from_secs(seconds),
    }
}

fn stripe_account(settings: &mut Settings) -> Account {
    let url = settings.text("API_STRIPE_URL");
    require_https_or_local(settings, "API_STRIPE_URL", &url);
    if url.ends_with('/') || url.contains(['?', '#']) {
        settings.fault("API_STRIPE_URL: must have no trailing slash, query or fragment".to_owned());
    }
    let key = settings.optional("API_STRIPE_KEY").unwrap_or_default();
    if !["sk_", "rk_"].iter().any(|prefix| key.starts_with(prefix)) || key.len() < 8 {
        settings.fault("API_STRIPE_KEY: must be the account's secret key, sk_… or rk_…".to_owned());
    }
    let currency = settings.text("API_STRIPE_CURRENCY");
    if !stripe::is_supported(&currency) {
        let message = "must be the lower-case code of a currency with hundredths, like usd";
        settings.fault(format!("API_STRIPE_CURRENCY={currency}: {message}"));
    }
    Account {
        url,
        key,
        currency,
        webhook_secret: settings.optional("API_STRIPE_WEBHOOK_SECRET"),
        authority: settings.optional("API_STRIPE_CA").map(|_| settings.file("API_STRIPE_CA")),
    }
}

fn has_extensions(settings: &mut Settings) -> bool {
    is_first_word(settings, "API_EXTENSIONS", "on", "off")
}

fn ignores_unknown_parameters(settings: &mut Settings) -> bool {
    !is_first_word(settings, "API_UNKNOWN_PARAMETERS", "refuse", "ignore")
}

/// True if the setting is the first of the two words that it may be.
fn is_first_word(settings: &mut Settings, name: &'static str, first: &str, second: &str) -> bool {
    let word = settings.text(name);
    if word != first && word != second {
        settings.fault(format!("{name}={word}: must be {first} or {second}"));
    }
    word == first
}

/// Returns the rate limit per caller, with bursts of twice as many requests; `None` for 0.
fn requests_quota(settings: &mut Settings) -> Option<Quota> {
    let rate = settings.within("API_REQUESTS_PER_SECOND", 0..=1_000_000) as u32;
    let rate = NonZeroU32::new(rate)?;
    Some(Quota::per_second(rate).allow_burst(rate.saturating_add(rate.get())))
}

/// Requires https for the URL of another service, unless it is on this machine.
fn require_https_or_local(settings: &mut Settings, name: &str, url: &str) {
    let local = |url: &Url| {
        url.scheme() == "http"
            && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    };
    let url = Url::parse(url).ok().filter(|url| url.scheme() == "https" || local(url));
    if url.is_none() {
        settings.fault(format!("{name}: must be https://…, or http:// to this machine"));
    }
}

fn require_https(settings: &mut Settings, name: &str, url: &str) {
    let absent = url.is_empty();
    let complete = url.starts_with("https://") && !url.ends_with('/') && Url::parse(url).is_ok();
    if !absent && !complete {
        settings.fault(format!("{name}={url}: must be https://… without a trailing slash"));
    }
}
