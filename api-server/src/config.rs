//! The settings of the api-server. Each field's comment is its manual.

use crate::cards::stripe::{self, Account};
use crate::cards::{Choice, GatewaySettings};
use crate::documents::document_store::{Bucket, Location};
use crate::documents::uploads::file_types::Taken;
use governor::Quota;
use reqwest::Url;
use shared::networks::Networks;
use shared::server::Limits;
use shared::settings::{Setting, Settings};
use shared::tls::Identity;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every setting with its default.
pub const SETTINGS: &[Setting] = &[
    Setting { name: "API_LISTEN", default: Some("127.0.0.1:9443"), help: "Address and port." },
    Setting {
        name: "API_DATABASE_URL",
        default: None,
        help: "sqlite://PATH, postgres://USER:PASSWORD@HOST/NAME or mysql://… (MariaDB too).",
    },
    Setting {
        name: "API_DATABASE_CONNECTIONS",
        default: Some("16"),
        help: "Most connections to the database at once, 1 to 1000.",
    },
    Setting {
        name: "API_TLS_CERTIFICATE",
        default: None,
        help: "PEM file with the certificate chain of this server. It and the key are read again on \
               SIGHUP.",
    },
    Setting {
        name: "API_TLS_KEY",
        default: None,
        help: "PEM file with the private key of this server.",
    },
    Setting {
        name: "API_AUTH_URL",
        default: None,
        help: "The https URL of the auth server, without a slash at its end.",
    },
    Setting {
        name: "API_AUTH_CA",
        default: None,
        help: "PEM file with the authorities that may have signed the auth server's certificate.",
    },
    Setting {
        name: "API_AUTH_CLIENT_ID",
        default: Some("api-server"),
        help: "Who this server is to the auth server: a client marked as resource server.",
    },
    Setting { name: "API_AUTH_CLIENT_SECRET", default: None, help: "The secret of that client." },
    Setting {
        name: "API_AUTH_PUBLIC_URL",
        default: Some(""),
        help: "The https URL under which browsers reach the auth server, for the log-in of the \
               documentation page; default: API_AUTH_URL.",
    },
    Setting {
        name: "API_DOCS_CLIENT_ID",
        default: Some("browser"),
        help: "Who the documentation page is to the auth server: a public client with the code \
               flow, the redirect URI /docs/oauth-receiver.html of this server, and its origin.",
    },
    Setting {
        name: "API_SPOOL_DIRECTORY",
        default: Some(""),
        help: "Where files being imported are kept while they are worked on; default: the \
               system's folder for temporary files.",
    },
    Setting {
        name: "API_DOCUMENTS",
        default: Some("documents"),
        help: "Where the files of documents are kept: a folder, or s3://BUCKET or \
               s3://BUCKET/PREFIX. Back it up together with the database.",
    },
    Setting {
        name: "API_S3_ENDPOINT",
        default: Some(""),
        help: "The URL of an S3-compatible service; default: Amazon's of the region. http:// only \
               to this machine.",
    },
    Setting { name: "API_S3_REGION", default: Some("us-east-1"), help: "The bucket's region." },
    Setting {
        name: "API_S3_ACCESS_KEY_ID",
        default: Some(""),
        help: "The access key for the bucket; default: the one of this machine's role.",
    },
    Setting { name: "API_S3_SECRET_ACCESS_KEY", default: Some(""), help: "Its secret." },
    Setting {
        name: "API_S3_CA",
        default: Some(""),
        help: "PEM file with the authorities that may have signed the service's certificate; \
               default: the system's.",
    },
    Setting {
        name: "API_UPLOAD_BYTES_MAX",
        default: Some("26214400"),
        help: "Most bytes of an uploaded file, 1 to 40 GiB.",
    },
    Setting {
        name: "API_UPLOAD_TYPES",
        default: Some("pdf,png,jpeg,tiff,txt,csv,docx,xlsx"),
        help: "Types of files that are taken, told from their content: some of the default's, \
               separated by commas.",
    },
    Setting {
        name: "API_MASTER_KEYS",
        default: None,
        help: "Keys that seal what cards are at the payment gateway: ID:HEX of 32 bytes, separated by \
               commas. The first one seals; what the others sealed is sealed anew within some \
               minutes, and then they may go.",
    },
    Setting {
        name: "API_PUBLIC_URL",
        default: Some(""),
        help: "The https URL under which browsers reach this server, for pages on which cards are \
               added and the documentation; default: https://localhost with the port of API_LISTEN.",
    },
    Setting {
        name: "API_GATEWAY",
        default: Some("sandbox"),
        help: "The payment gateway: sandbox (built in, test cards, no money) or stripe.",
    },
    Setting {
        name: "API_GATEWAY_RECOVERY_SECONDS",
        default: Some("30"),
        help: "How often card payments that got stuck are looked after, 1 to 3600. One counts as \
               stuck after twice as long.",
    },
    Setting {
        name: "API_STRIPE_URL",
        default: Some("https://api.stripe.com"),
        help: "The base address of Stripe's API, without a slash at its end. http:// only to this \
               machine.",
    },
    Setting {
        name: "API_STRIPE_KEY",
        default: Some(""),
        help: "The secret key of the Stripe account: sk_… or rk_….",
    },
    Setting {
        name: "API_STRIPE_CURRENCY",
        default: Some("usd"),
        help: "The currency of all amounts, as Stripe writes it.",
    },
    Setting {
        name: "API_STRIPE_WEBHOOK_SECRET",
        default: Some(""),
        help: "What Stripe signs its webhooks to /gateway/stripe/webhook with: whsec_…; default: \
               none are taken.",
    },
    Setting {
        name: "API_STRIPE_CA",
        default: Some(""),
        help: "PEM file with the authorities that may have signed Stripe's certificate; default: \
               the system's.",
    },
    Setting {
        name: "API_TRUSTED_PROXIES",
        default: Some(""),
        help: "Addresses or networks of proxies, separated by commas: the limit of connections per \
               network does not hold for them.",
    },
    Setting {
        name: "API_CONNECTIONS_MAX",
        default: Some("4096"),
        help: "Most client connections at once, 1 to 100000.",
    },
    Setting {
        name: "API_CONNECTIONS_PER_NETWORK",
        default: Some("1024"),
        help: "Most client connections at once from one source network (/24, /64), 1 to 100000: \
               further ones are closed. Trusted proxies do not count.",
    },
    Setting {
        name: "API_STALLED_SECONDS",
        default: Some("60"),
        help: "How long a client may take to receive 64 KiB of a response, or the rest of it, 1 to \
               3600: then its connection is closed.",
    },
    Setting {
        name: "API_DRAIN_DELAY_SECONDS",
        default: Some("5"),
        help: "How long this server still takes requests after SIGTERM while its readiness is 503, \
               0 to 300: what load balancers need to notice. Another signal cuts it short.",
    },
    Setting {
        name: "API_UNKNOWN_PARAMETERS",
        default: Some("refuse"),
        help: "What happens to a request with a parameter in its query that its operation does not \
               know: refuse (400), or ignore, for clients of earlier releases; those are \
               counted in the metric unknown_parameters.",
    },
    Setting {
        name: "API_REQUESTS_PER_SECOND",
        default: Some("0"),
        help: "Requests that one caller may send each second, twice as many at once; 0: no limit. \
               Each api-server counts for itself.",
    },
    Setting {
        name: "API_METRICS_LISTEN",
        default: Some(""),
        help: "Address and port of the metrics, plain HTTP: keep it inside.",
    },
    Setting { name: "API_LOG_FORMAT", default: Some("text"), help: "text or json." },
    Setting {
        name: "API_LOG_FILTER",
        default: Some("info,sqlx=warn"),
        help: "What is logged: LEVEL or MODULE=LEVEL, separated by commas.",
    },
];

/// A bucket takes files of 10,000 parts of 5 MiB.
const UPLOAD_BYTES_LIMIT: u64 = 40 * 1024 * 1024 * 1024;

/// A complete and valid configuration.
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Which database.
    pub database_url: String,
    /// Most database connections.
    pub database_connections: u32,
    /// Certificate chain, PEM.
    pub tls_certificate: PathBuf,
    /// Private key, PEM.
    pub tls_key: PathBuf,
    /// The auth server.
    pub auth_url: String,
    /// Who may have signed its certificate, PEM.
    pub auth_ca: PathBuf,
    /// Who this server is to the auth server.
    pub auth_client_id: String,
    /// Its secret.
    pub auth_client_secret: String,
    /// The auth server as browsers reach it.
    pub auth_public_url: String,
    /// Who the documentation page is to it.
    pub docs_client_id: String,
    /// Where imports are spooled.
    pub spool_directory: PathBuf,
    /// Where documents are kept.
    pub documents: Location,
    /// Bytes of an uploaded file.
    pub upload_bytes_max: u64,
    /// Types of uploaded files.
    pub upload_types: Taken,
    /// The payment gateway.
    pub gateway: GatewaySettings,
    /// What the listener may be made to hold.
    pub limits: Limits,
    /// Whether parameters that an operation does not know are ignored, not refused.
    pub unknown_parameters_ignored: bool,
    /// Requests of one caller each second; 0: no limit.
    pub requests_quota: Option<Quota>,
    /// How long it still takes requests once it is told to stop.
    pub drain_delay: Duration,
    /// Where metrics are served, if at all.
    pub metrics_listen: Option<SocketAddr>,
    /// `text` or `json`.
    pub log_format: String,
    /// What is logged.
    pub log_filter: String,
}

impl Config {
    /// The configuration, or everything that is wrong with it, a line each.
    pub fn read(env_file: Option<&Path>) -> Result<Self, String> {
        let mut settings = Settings::read(SETTINGS, env_file);
        let auth_url = settings.text("API_AUTH_URL");
        https_url(&mut settings, "API_AUTH_URL", &auth_url);
        let auth_public_url = settings.optional("API_AUTH_PUBLIC_URL");
        https_url(&mut settings, "API_AUTH_PUBLIC_URL", auth_public_url.as_deref().unwrap_or(""));
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
            limits: Limits {
                connections_max: settings.within("API_CONNECTIONS_MAX", 1..=100_000) as u32,
                connections_per_network: settings.within("API_CONNECTIONS_PER_NETWORK", 1..=100_000)
                    as u32,
                proxies: match settings.optional("API_TRUSTED_PROXIES") {
                    Some(_) => settings.parsed("API_TRUSTED_PROXIES"),
                    None => Networks::default(),
                },
                progress: settings.seconds("API_STALLED_SECONDS", 1..=3600),
                ..Limits::default()
            },
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

    /// What the listener presents.
    pub fn identity(&self) -> Identity<'_> {
        let (certificate, key) = (&self.tls_certificate, &self.tls_key);
        Identity { certificate, key, client_certificates: false }
    }
}

/// Where imports are spooled.
pub fn spool_directory(settings: &Settings) -> PathBuf {
    settings.optional("API_SPOOL_DIRECTORY").map_or_else(std::env::temp_dir, PathBuf::from)
}

/// Where documents are kept.
pub fn documents(settings: &mut Settings) -> Location {
    let place = settings.text("API_DOCUMENTS");
    let Some(bucket) = place.strip_prefix("s3://") else {
        if place.contains("://") {
            let message = "must be a folder, s3://BUCKET or s3://BUCKET/PREFIX";
            settings.fault(format!("API_DOCUMENTS={place}: {message}"));
        }
        return Location::Folder(place.into());
    };
    let (name, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
    if name.is_empty() {
        settings.fault(format!("API_DOCUMENTS={place}: names no bucket"));
    }
    let endpoint = settings.optional("API_S3_ENDPOINT");
    if let Some(url) = &endpoint {
        secret_or_local(settings, "API_S3_ENDPOINT", url);
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

/// The payment gateway.
pub fn gateway(settings: &mut Settings) -> GatewaySettings {
    let public_url = settings.optional("API_PUBLIC_URL");
    https_url(settings, "API_PUBLIC_URL", public_url.as_deref().unwrap_or(""));
    // Never what a stranger's Host header says.
    let here = || {
        let listen = settings.text("API_LISTEN");
        format!("https://localhost:{}", listen.rsplit(':').next().unwrap_or_default())
    };
    let public_url = public_url.unwrap_or_else(here);
    let choice = match settings.text("API_GATEWAY").as_str() {
        "stripe" => Choice::Stripe(stripe_account(settings)),
        "sandbox" => Choice::Sandbox,
        other => {
            settings.fault(format!("API_GATEWAY={other}: must be sandbox or stripe"));
            Choice::Sandbox
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
    secret_or_local(settings, "API_STRIPE_URL", &url);
    if url.ends_with('/') || url.contains(['?', '#']) {
        settings
            .fault("API_STRIPE_URL: must have no slash, query or fragment at its end".to_owned());
    }
    let key = settings.optional("API_STRIPE_KEY").unwrap_or_default();
    if !["sk_", "rk_"].iter().any(|kind| key.starts_with(kind)) || key.len() < 8 {
        settings.fault("API_STRIPE_KEY: must be the account's secret key, sk_… or rk_…".to_owned());
    }
    let currency = settings.text("API_STRIPE_CURRENCY");
    if !stripe::is_taken(&currency) {
        let message = "must be three small letters of a currency with hundredths";
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

fn ignores_unknown_parameters(settings: &mut Settings) -> bool {
    match settings.text("API_UNKNOWN_PARAMETERS").as_str() {
        "refuse" => false,
        "ignore" => true,
        other => {
            let fault = format!("API_UNKNOWN_PARAMETERS={other}: must be refuse or ignore");
            settings.fault(fault);
            false
        }
    }
}

/// So many requests a second from each caller, and twice as many at once; none for 0.
fn requests_quota(settings: &mut Settings) -> Option<Quota> {
    let rate = settings.within("API_REQUESTS_PER_SECOND", 0..=1_000_000) as u32;
    let rate = NonZeroU32::new(rate)?;
    Some(Quota::per_second(rate).allow_burst(rate.saturating_add(rate.get())))
}

/// A URL of another service: https, or a program on this machine.
fn secret_or_local(settings: &mut Settings, name: &str, url: &str) {
    let local = |url: &Url| {
        url.scheme() == "http"
            && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    };
    let url = Url::parse(url).ok().filter(|url| url.scheme() == "https" || local(url));
    if url.is_none() {
        settings.fault(format!("{name}: must be https://…, or http:// to this machine"));
    }
}

fn https_url(settings: &mut Settings, name: &str, url: &str) {
    let absent = url.is_empty();
    let complete = url.starts_with("https://") && !url.ends_with('/') && Url::parse(url).is_ok();
    if !absent && !complete {
        settings.fault(format!("{name}={url}: must be https://… without a last slash"));
    }
}
