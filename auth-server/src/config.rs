//! The settings of the auth server. Each field's comment is its manual.

use crate::tokens::TokenKeys;
use shared::passwords::Passwords;
use shared::server::Limits;
use shared::settings::{Setting, Settings};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

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
        help: "PEM file with the certificate chain of this server.",
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
               The first one signs, all verify: put a new one in front to rotate.",
    },
    Setting {
        name: "AUTH_CORE_TOKEN_LIFETIME_SECONDS",
        default: Some("720"),
        help: "How long the token of a core-system user lives, 1 to 720. The lifetime of a web \
               user's token is the core system's Web Inactivity Timeout.",
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
        name: "AUTH_METRICS_LISTEN",
        default: Some(""),
        help: "Address and port of the metrics, plain HTTP: keep it inside.",
    },
    Setting { name: "AUTH_LOG_FORMAT", default: Some("text"), help: "text or json." },
    Setting {
        name: "AUTH_LOG_FILTER",
        default: Some("info,sqlx=warn,sea_orm_migration=warn"),
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
    /// Lifetime of a core-system user's token.
    pub core_token_lifetime_seconds: u64,
    /// How passwords are hashed.
    pub passwords: Option<Passwords>,
    /// What the listener may be made to hold.
    pub limits: Limits,
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
        let memory_kib = settings.within("AUTH_PASSWORD_MEMORY_KIB", 8..=1_048_576) as u32;
        let iterations = settings.within("AUTH_PASSWORD_ITERATIONS", 1..=100) as u32;
        let passwords = Passwords::new(memory_kib, iterations);
        if let Err(error) = &passwords {
            settings.fault(format!("AUTH_PASSWORD_MEMORY_KIB, AUTH_PASSWORD_ITERATIONS: {error}"));
        }
        let issuer = settings.text("AUTH_ISSUER");
        if !issuer.is_empty() && (!issuer.starts_with("https://") || issuer.ends_with('/')) {
            settings.fault(format!("AUTH_ISSUER={issuer}: must be https://… without a last slash"));
        }
        let lifetimes = 1..=CORE_TOKEN_LIFETIME_SECONDS_MAX;
        let config = Self {
            listen: settings.address("AUTH_LISTEN"),
            issuer,
            database_url: settings.text("AUTH_DATABASE_URL"),
            database_connections: settings.within("AUTH_DATABASE_CONNECTIONS", 1..=1000) as u32,
            tls_certificate: settings.file("AUTH_TLS_CERTIFICATE"),
            tls_key: settings.file("AUTH_TLS_KEY"),
            token_keys: settings.parsed("AUTH_TOKEN_KEYS"),
            core_token_lifetime_seconds: settings
                .within("AUTH_CORE_TOKEN_LIFETIME_SECONDS", lifetimes),
            passwords: passwords.ok(),
            limits: Limits {
                connections_max: settings.within("AUTH_CONNECTIONS_MAX", 1..=100_000) as u32,
                ..Limits::default()
            },
            metrics_listen: settings
                .optional("AUTH_METRICS_LISTEN")
                .map(|_| settings.address("AUTH_METRICS_LISTEN")),
            log_format: settings.text("AUTH_LOG_FORMAT"),
            log_filter: settings.text("AUTH_LOG_FILTER"),
        };
        settings.finish(config)
    }
}
