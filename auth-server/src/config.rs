//! The settings of the auth server. Each field's comment is its manual.

use crate::store::lifetimes::Lifetimes;
use crate::store::tokens::TokenKeys;
use shared::master_keys::MasterKeys;
use shared::networks::Networks;
use shared::passwords::{Passwords, Peppers};
use shared::server::Limits;
use shared::settings::{Setting, Settings};
use shared::tls::Identity;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
/// The longest a session may last.
const SESSION_SECONDS_MAX: u64 = 7 * 24 * 60 * 60;
/// The longest a core-system user's token may live, whatever the settings say.
pub const CORE_TOKEN_LIFETIME_SECONDS_MAX: u64 = 12 * 60;

/// Every setting with its default.
pub const SETTINGS: &[Setting] = &[
    Setting { name: "AUTH_LISTEN", default: Some("127.0.0.1:8443"), help: "Address and port." },
    Setting {
        name: "AUTH_ISSUER",
        default: None,
        help: "The https URL under which clients reach this server, without a slash at its end.",
    },
    Setting {
        name: "AUTH_DATABASE_URL",
        default: None,
        help: "sqlite://PATH, postgres://USER:PASSWORD@HOST/NAME or mysql://… (MariaDB too).",
    },
    Setting {
        name: "AUTH_DATABASE_CONNECTIONS",
        default: Some("16"),
        help: "Most connections to the database at once, 1 to 1000.",
    },
    Setting {
        name: "AUTH_TLS_CERTIFICATE",
        default: None,
        help: "PEM file with the certificate chain of this server. It and the key are read again on \
               SIGHUP.",
    },
    Setting {
        name: "AUTH_TLS_KEY",
        default: None,
        help: "PEM file with the private key of this server.",
    },
    Setting {
        name: "AUTH_TOKEN_KEYS",
        default: None,
        help: "Keys under which tokens are hashed, ID:HEX of 32 bytes each, separated by commas. \
               The first one signs, all verify. To rotate, give every replica the new one at the \
               end, then move it to the front.",
    },
    Setting {
        name: "AUTH_MASTER_KEYS",
        default: None,
        help: "Keys under which the keys that sign ID tokens are kept in the database, ID:HEX of \
               32 bytes each, separated by commas. The first one seals, all unseal.",
    },
    Setting {
        name: "AUTH_SIGNING_KEY_DAYS",
        default: Some("90"),
        help: "How long a key signs ID tokens, 2 to 3650. The next one is announced all that time.",
    },
    Setting {
        name: "AUTH_DISPLAY_NAME",
        default: Some("Loan Servicing"),
        help: "The name people know this installation by, on the log-in page.",
    },
    Setting {
        name: "AUTH_DOCUMENTATION_URL",
        default: Some(""),
        help: "The https URL of the documentation page, /docs of the api-server: GET / leads there.",
    },
    Setting {
        name: "AUTH_CORE_TOKEN_LIFETIME_SECONDS",
        default: Some("720"),
        help: "How long the token of a core-system user lives, 1 to 720. The lifetime of a web \
               user's token is the core system's Web Inactivity Timeout.",
    },
    Setting {
        name: "AUTH_CORE_SESSION_SECONDS",
        default: Some("36000"),
        help: "How long a core-system user's tokens can be refreshed after a log-in, 720 to \
               604800: a working day.",
    },
    Setting {
        name: "AUTH_CORE_IDLE_SECONDS",
        default: Some("3600"),
        help: "How long a core-system user's session lasts without a refresh, 720 to 604800. For \
               web users it is the Web Inactivity Timeout.",
    },
    Setting {
        name: "AUTH_WEB_SESSION_SECONDS",
        default: Some("43200"),
        help: "How long a web user's tokens can be refreshed after a log-in, 60 to 604800.",
    },
    Setting {
        name: "AUTH_SOURCE_FAILURES_MAX",
        default: Some("1000"),
        help: "Failed log-ins and client authentications of one network (/24, /64) per half hour, \
               1 to 1000000; beyond it gets 429.",
    },
    Setting {
        name: "AUTH_EVENTS_RETENTION_DAYS",
        default: Some("400"),
        help: "How long the audit (auth_events) is kept, 1 to 36500.",
    },
    Setting {
        name: "AUTH_TRUSTED_PROXIES",
        default: Some(""),
        help: "Addresses or networks of proxies, separated by commas: their X-Forwarded-For is \
               believed, nobody else's.",
    },
    Setting {
        name: "AUTH_MTLS_LISTEN",
        default: Some(""),
        help: "Address and port of a second listener that asks clients for their certificate \
               (RFC 8705). Browsers are not sent there.",
    },
    Setting {
        name: "AUTH_MTLS_URL",
        default: Some(""),
        help: "The https URL under which clients reach that listener.",
    },
    Setting {
        name: "AUTH_PASSWORD_PEPPERS",
        default: Some(""),
        help: "Keys that passwords are mixed with, ID:HEX of 32 bytes each, separated by commas. \
               The first one is for new hashes; others are replaced when their owner logs in. To \
               rotate, give every replica the new one at the end, then move it to the front.",
    },
    Setting {
        name: "AUTH_PASSWORD_MEMORY_KIB",
        default: Some("19456"),
        help: "Memory of one password hash (argon2id), 8 to 1048576.",
    },
    Setting {
        name: "AUTH_PASSWORD_ITERATIONS",
        default: Some("2"),
        help: "Iterations of one password hash, 1 to 100.",
    },
    Setting {
        name: "AUTH_CONNECTIONS_MAX",
        default: Some("4096"),
        help: "Most client connections at once, 1 to 100000.",
    },
    Setting {
        name: "AUTH_CONNECTIONS_PER_NETWORK",
        default: Some("1024"),
        help: "Most client connections at once from one source network (/24, /64), 1 to 100000: \
               further ones are closed. Trusted proxies and resource servers do not count.",
    },
    Setting {
        name: "AUTH_STALLED_SECONDS",
        default: Some("60"),
        help: "How long a client may take to receive 64 KiB of a response, or the rest of it, 1 to \
               3600: then its connection is closed.",
    },
    Setting {
        name: "AUTH_DRAIN_DELAY_SECONDS",
        default: Some("5"),
        help: "How long this server still takes requests after SIGTERM while its readiness is 503, \
               0 to 300: what load balancers need to notice. Another signal cuts it short.",
    },
    Setting {
        name: "AUTH_METRICS_LISTEN",
        default: Some(""),
        help: "Address and port of the metrics, plain HTTP: keep it inside.",
    },
    Setting { name: "AUTH_LOG_FORMAT", default: Some("text"), help: "text or json." },
    Setting {
        name: "AUTH_LOG_FILTER",
        default: Some("info,sqlx=warn"),
        help: "What is logged: LEVEL or MODULE=LEVEL, separated by commas.",
    },
];

/// A complete and valid configuration.
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The public URL of this server.
    pub issuer: String,
    /// Which database.
    pub database_url: String,
    /// Most database connections.
    pub database_connections: u32,
    /// Certificate chain, PEM.
    pub tls_certificate: PathBuf,
    /// Private key, PEM.
    pub tls_key: PathBuf,
    /// Keys under which tokens are hashed.
    pub token_keys: TokenKeys,
    /// Keys under which signing keys are sealed.
    pub master_keys: MasterKeys,
    /// How long a key signs.
    pub key_rotation_seconds: i64,
    /// The name of the installation.
    pub display_name: String,
    /// Where the documentation is, if that is known.
    pub documentation_url: Option<String>,
    /// How long tokens and sessions live.
    pub lifetimes: Lifetimes,
    /// Failures of one network per half hour.
    pub source_failures_max: i32,
    /// How long events are kept.
    pub events_kept_days: i64,
    /// Whose X-Forwarded-For is believed.
    pub proxies: Networks,
    /// Where clients show their certificates, if at all.
    pub mtls_listen: Option<SocketAddr>,
    /// The public URL of that.
    pub mtls_url: Option<String>,
    /// How passwords are hashed.
    pub passwords: Option<Passwords>,
    /// What the listener may be made to hold.
    pub limits: Limits,
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
            settings.fault("AUTH_MTLS_LISTEN and AUTH_MTLS_URL go together".to_owned());
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
            source_failures_max: settings.within("AUTH_SOURCE_FAILURES_MAX", 1..=1_000_000) as i32,
            events_kept_days: settings.within("AUTH_EVENTS_RETENTION_DAYS", 1..=36_500) as i64,
            proxies: proxies.clone(),
            mtls_listen,
            mtls_url,
            passwords,
            limits: Limits {
                connections_max: settings.within("AUTH_CONNECTIONS_MAX", 1..=100_000) as u32,
                connections_per_network: settings
                    .within("AUTH_CONNECTIONS_PER_NETWORK", 1..=100_000)
                    as u32,
                proxies,
                progress: settings.seconds("AUTH_STALLED_SECONDS", 1..=3600),
                ..Limits::default()
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

    /// What a listener presents.
    pub fn identity(&self, client_certificates: bool) -> Identity<'_> {
        let (certificate, key) = (&self.tls_certificate, &self.tls_key);
        Identity { certificate, key, client_certificates }
    }
}

/// A session lasts at least as long as a token: its row says which session to end.
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

/// Where the documentation is: an https URL, with whatever path.
fn documentation_url(settings: &mut Settings) -> Option<String> {
    let url = settings.optional("AUTH_DOCUMENTATION_URL")?;
    if !url.starts_with("https://") || Url::parse(&url).is_err() {
        settings.fault(format!("AUTH_DOCUMENTATION_URL={url}: must be https://…"));
    }
    Some(url)
}

/// An https URL as browsers write an origin: no path, no standard port, no slash at the end.
fn https_url(settings: &mut Settings, name: &str, url: &str) {
    let origin = Url::parse(url).map(|parsed| parsed.origin().ascii_serialization());
    if !url.is_empty() && (!url.starts_with("https://") || origin.as_deref() != Ok(url)) {
        settings.fault(format!("{name}={url}: must be https://HOST or https://HOST:PORT"));
    }
}

/// How long a key signs ID tokens.
pub fn key_rotation_seconds(settings: &mut Settings) -> i64 {
    settings.within("AUTH_SIGNING_KEY_DAYS", 2..=3650) as i64 * SECONDS_PER_DAY
}

/// How passwords are hashed; none where the settings allow none.
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
