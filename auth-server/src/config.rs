//! Settings of the auth server. The `help` of each setting is its documentation.

use crate::store::lifetimes::Lifetimes;
use crate::store::tokens::TokenKeys;
use shared::define_settings;
use shared::envelope_encryption::MasterKeys;
use shared::networks::Networks;
use shared::passwords::{Passwords, Peppers};
use shared::server::ServerLimits;
use shared::settings::{Setting, Settings};
use shared::tls::Identity;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
/// Upper limit of any session lifetime setting.
const SESSION_SECONDS_MAX: u64 = 7 * 24 * 60 * 60;
/// Upper limit of a core user's access token lifetime, whatever the settings say.
pub const CORE_TOKEN_LIFETIME_SECONDS_MAX: u64 = 12 * 60;

/// Every setting, with its default.
pub const SETTINGS: &[Setting] = define_settings! {
    /// Address and port.
    AUTH_LISTEN = "127.0.0.1:8443";

    /// The https URL at which clients reach this server, without a trailing slash.
    AUTH_ISSUER;

    /// sqlite://PATH, postgres://USER:PASSWORD@HOST/NAME or mysql://… (MariaDB too).
    AUTH_DATABASE_URL;

    /// Maximum number of database connections, 1 to 1000. On PostgreSQL and MariaDB, from 8 up, a
    /// third of them serve reads only.
    AUTH_DATABASE_CONNECTIONS = "16";

    /// PEM file with this server's certificate chain. The certificate and the key are reloaded on
    /// SIGHUP.
    AUTH_TLS_CERTIFICATE;

    /// PEM file with this server's private key.
    AUTH_TLS_KEY;

    /// Keys that sign and hash tokens, ID:HEX of 32 bytes each, separated by commas. The first
    /// signs, all verify. To rotate, append the new key on every replica, then move it to the
    /// front.
    AUTH_TOKEN_KEYS;

    /// Master keys that encrypt the ID token signing keys in the database, ID:HEX of 32 bytes each,
    /// separated by commas. The first encrypts, all decrypt.
    AUTH_MASTER_KEYS;

    /// Days for which a key signs ID tokens, 2 to 3650. Its successor is in the key set all that
    /// time.
    AUTH_SIGNING_KEY_DAYS = "90";

    /// Name of this installation, shown on the log-in page.
    AUTH_DISPLAY_NAME = "Loan Servicing";

    /// The https URL of the documentation page, /docs of the api-server: GET / redirects there.
    AUTH_DOCUMENTATION_URL = "";

    /// Access token lifetime of core users, 1 to 720 seconds. For web users it is the core system's
    /// Web Inactivity Timeout.
    AUTH_CORE_TOKEN_LIFETIME_SECONDS = "720";

    /// How long after log-in a core user's session can be refreshed, 720 to 604800 seconds. The
    /// default is a working day.
    AUTH_CORE_SESSION_SECONDS = "36000";

    /// How long a core user's session lasts without a refresh, 720 to 604800 seconds. For web users
    /// it is the Web Inactivity Timeout.
    AUTH_CORE_IDLE_SECONDS = "3600";

    /// How long after log-in a web user's session can be refreshed, 60 to 604800 seconds.
    AUTH_WEB_SESSION_SECONDS = "43200";

    /// Failed log-ins allowed per source network (/24, /64) and half hour, and as many failed client
    /// authentications, 1 to 1000000; beyond that the network gets 429. A client that passes
    /// passwords on is slowed down beyond that.
    AUTH_SOURCE_FAILURES_MAX = "1000";

    /// Retention of the audit trail (auth_events), 1 to 36500 days.
    AUTH_EVENTS_RETENTION_DAYS = "400";

    /// Addresses or networks of proxies, separated by commas. X-Forwarded-For is trusted from these
    /// only.
    AUTH_TRUSTED_PROXIES = "";

    /// Address and port of a second listener that requests client certificates (RFC 8705). Browsers
    /// are never sent there.
    AUTH_MTLS_LISTEN = "";

    /// The https URL at which clients reach that listener.
    AUTH_MTLS_URL = "";

    /// Password peppers, ID:HEX of 32 bytes each, separated by commas. New hashes use the first; a
    /// hash with another is replaced when its user logs in. To rotate, append the new pepper on
    /// every replica, then move it to the front.
    AUTH_PASSWORD_PEPPERS = "";

    /// Memory cost of a password hash (argon2id), 8 to 1048576 KiB.
    AUTH_PASSWORD_MEMORY_KIB = "19456";

    /// Iterations of a password hash, 1 to 100.
    AUTH_PASSWORD_ITERATIONS = "2";

    /// Maximum number of client connections, 1 to 100000.
    AUTH_CONNECTIONS_MAX = "4096";

    /// Maximum number of client connections per source network (/24, /64), 1 to 100000; further
    /// ones are closed. Trusted proxies and resource servers are exempt.
    AUTH_CONNECTIONS_PER_NETWORK = "1024";

    /// Seconds a client may take to receive 64 KiB of a response, or the rest of it, 1 to 3600;
    /// then its connection is closed.
    AUTH_STALLED_SECONDS = "60";

    /// Seconds a connection without a request in flight is kept, 1 to 3600: longer than a load
    /// balancer in front keeps it.
    AUTH_IDLE_SECONDS = "75";

    /// Seconds for which this server still accepts requests after SIGTERM while its readiness is
    /// 503, 0 to 300: the time load balancers need to notice. A second signal cuts it short.
    AUTH_DRAIN_DELAY_SECONDS = "5";

    /// Address and port of the metrics endpoint. It is plain HTTP: do not expose it.
    AUTH_METRICS_LISTEN = "";

    /// Log format: text or json.
    AUTH_LOG_FORMAT = "text";

    /// Log filter: LEVEL or MODULE=LEVEL, separated by commas.
    AUTH_LOG_FILTER = "info,sqlx=warn";
};

/// A complete and valid configuration.
pub struct Config {
    pub listen: SocketAddr,
    /// Public URL of this server.
    pub issuer: String,
    pub database_url: String,
    /// Maximum number of database connections.
    pub database_connections: u32,
    /// Certificate chain, PEM.
    pub tls_certificate: PathBuf,
    /// Private key, PEM.
    pub tls_key: PathBuf,
    /// Keys that sign and hash tokens.
    pub token_keys: TokenKeys,
    /// Master keys that seal signing keys.
    pub master_keys: MasterKeys,
    /// How long each key signs.
    pub key_rotation_seconds: i64,
    /// Display name of the installation.
    pub display_name: String,
    /// URL of the documentation, if configured.
    pub documentation_url: Option<String>,
    /// Lifetimes of tokens and sessions.
    pub lifetimes: Lifetimes,
    /// Failures allowed per network and half hour.
    pub source_failures_max: u32,
    /// Retention of audit events, in days.
    pub events_retention_days: i64,
    /// Proxies whose X-Forwarded-For is trusted.
    pub proxies: Networks,
    /// Listen address for client certificates, if any.
    pub mtls_listen: Option<SocketAddr>,
    /// Public URL of that listener.
    pub mtls_url: Option<String>,
    pub passwords: Option<Passwords>,
    /// Limits of the listener.
    pub limits: ServerLimits,
    /// How long to keep accepting requests after the stop signal.
    pub drain_delay: Duration,
    /// Listen address of the metrics, if any.
    pub metrics_listen: Option<SocketAddr>,
    /// `text` or `json`.
    pub log_format: String,
    pub log_filter: String,
}

impl Config {
    /// Returns the configuration, or everything that is wrong with it, one line each.
    pub fn read(env_file: Option<&Path>) -> Result<Self, String> {
        let mut settings = Settings::read(SETTINGS, env_file);
        let passwords = passwords(&mut settings);
        let issuer = settings.text("AUTH_ISSUER");
        https_url(&mut settings, "AUTH_ISSUER", &issuer);
        let mtls_url = settings.optional("AUTH_MTLS_URL");
        if let Some(url) = &mtls_url {
            https_url(&mut settings, "AUTH_MTLS_URL", url);
        }
        let mtls_listen =
            settings.optional("AUTH_MTLS_LISTEN").map(|_| settings.address("AUTH_MTLS_LISTEN"));
        if mtls_url.is_some() != mtls_listen.is_some() {
            settings.fault("AUTH_MTLS_LISTEN and AUTH_MTLS_URL must be set together".to_owned());
        }
        let proxies = match settings.optional("AUTH_TRUSTED_PROXIES") {
            Some(_) => settings.parsed("AUTH_TRUSTED_PROXIES"),
            None => Networks::default(),
        };
        let config = Self {
            listen: settings.address("AUTH_LISTEN"),
            issuer,
            database_url: settings.database_url("AUTH_DATABASE_URL"),
            database_connections: settings.within("AUTH_DATABASE_CONNECTIONS", 1..=1000) as u32,
            tls_certificate: settings.file("AUTH_TLS_CERTIFICATE"),
            tls_key: settings.file("AUTH_TLS_KEY"),
            token_keys: settings.parsed("AUTH_TOKEN_KEYS"),
            master_keys: settings.parsed("AUTH_MASTER_KEYS"),
            key_rotation_seconds: key_rotation_seconds(&mut settings),
            display_name: settings.text("AUTH_DISPLAY_NAME"),
            documentation_url: documentation_url(&mut settings),
            lifetimes: lifetimes(&mut settings),
            source_failures_max: settings.within("AUTH_SOURCE_FAILURES_MAX", 1..=1_000_000) as u32,
            events_retention_days: settings.within("AUTH_EVENTS_RETENTION_DAYS", 1..=36_500) as i64,
            proxies: proxies.clone(),
            mtls_listen,
            mtls_url,
            passwords,
            limits: ServerLimits {
                connections_max: settings.within("AUTH_CONNECTIONS_MAX", 1..=100_000) as u32,
                connections_per_network: settings
                    .within("AUTH_CONNECTIONS_PER_NETWORK", 1..=100_000)
                    as u32,
                proxies,
                progress: settings.seconds("AUTH_STALLED_SECONDS", 1..=3600),
                idle: settings.seconds("AUTH_IDLE_SECONDS", 1..=3600),
                ..ServerLimits::default()
            },
            drain_delay: settings.seconds("AUTH_DRAIN_DELAY_SECONDS", 0..=300),
            metrics_listen: settings
                .optional("AUTH_METRICS_LISTEN")
                .map(|_| settings.address("AUTH_METRICS_LISTEN")),
            log_format: settings.text("AUTH_LOG_FORMAT"),
            log_filter: settings.text("AUTH_LOG_FILTER"),
        };
        settings.finish(config)
    }

    /// Certificate and key that a listener presents.
    pub fn identity(&self, client_certificates: bool) -> Identity<'_> {
        let (certificate, key) = (&self.tls_certificate, &self.tls_key);
        Identity { certificate, key, client_certificates }
    }
}

/// Reads the lifetimes. A core session lasts at least as long as a token, because log-out and
/// revocation need the session's row to know what to end.
fn lifetimes(settings: &mut Settings) -> Lifetimes {
    let tokens = 1..=CORE_TOKEN_LIFETIME_SECONDS_MAX;
    let sessions = CORE_TOKEN_LIFETIME_SECONDS_MAX..=SESSION_SECONDS_MAX;
    Lifetimes {
        core_token_seconds: settings.within("AUTH_CORE_TOKEN_LIFETIME_SECONDS", tokens),
        core_idle_seconds: settings.within("AUTH_CORE_IDLE_SECONDS", sessions.clone()),
        core_session_seconds: settings.within("AUTH_CORE_SESSION_SECONDS", sessions),
        web_session_seconds: settings.within("AUTH_WEB_SESSION_SECONDS", 60..=SESSION_SECONDS_MAX),
    }
}

/// Reads the URL of the documentation: https, with any path.
fn documentation_url(settings: &mut Settings) -> Option<String> {
    let url = settings.optional("AUTH_DOCUMENTATION_URL")?;
    if !url.starts_with("https://") || Url::parse(&url).is_err() {
        settings.fault(format!("AUTH_DOCUMENTATION_URL={url}: must be https://…"));
    }
    Some(url)
}

/// Checks that a URL is an https origin as browsers write it: no path, no default port, no trailing
/// slash.
fn https_url(settings: &mut Settings, name: &str, url: &str) {
    let origin = Url::parse(url).map(|parsed| parsed.origin().ascii_serialization());
    if !url.is_empty() && (!url.starts_with("https://") || origin.as_deref() != Ok(url)) {
        settings.fault(format!("{name}={url}: must be https://HOST or https://HOST:PORT"));
    }
}

/// Reads how long a key signs ID tokens.
pub fn key_rotation_seconds(settings: &mut Settings) -> i64 {
    settings.within("AUTH_SIGNING_KEY_DAYS", 2..=3650) as i64 * SECONDS_PER_DAY
}

/// Reads the password hashing settings; `None` if they are invalid.
pub fn passwords(settings: &mut Settings) -> Option<Passwords> {
    let memory_kib = settings.within("AUTH_PASSWORD_MEMORY_KIB", 8..=1_048_576) as u32;
    let iterations = settings.within("AUTH_PASSWORD_ITERATIONS", 1..=100) as u32;
    let peppers = match settings.optional("AUTH_PASSWORD_PEPPERS") {
        Some(_) => settings.parsed("AUTH_PASSWORD_PEPPERS"),
        None => Peppers::default(),
    };
    let passwords = Passwords::new(memory_kib, iterations, peppers);
    if let Err(error) = &passwords {
        settings.fault(format!("AUTH_PASSWORD_MEMORY_KIB, AUTH_PASSWORD_ITERATIONS: {error}"));
    }
    passwords.ok()
}
