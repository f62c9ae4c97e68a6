//! State shared by all endpoints.

use crate::config::Config;
use crate::http::oauth_error::OAuthError;
use crate::login::password_login::Authenticator;
use crate::store::token_lookups::TokenLookups;
use crate::store::{Store, authorization_requests, keys, lifetimes, refresh};
use bytes::Bytes;
use sea_orm::{DatabaseConnection, DbErr};
use shared::certificate_expiry::CertificateExpiry;
use shared::database::coalesced::Coalesced;
use shared::database::gate::DatabaseGate;
use shared::database::reads::ReadPool;
use shared::passwords::Passwords;
use shared::rate_limit::KeyedRateLimiter;
use shared::shutdown::Shutdown;
use shared::tasks::Tasks;
use std::sync::Arc;

/// State shared by all endpoints.
pub struct State {
    /// The settings.
    pub config: Config,
    /// The core database, and everything needed to read and write it.
    pub store: Store,
    /// The server metadata document, built once.
    pub metadata: Bytes,
    /// Rate limit on codes issued without a log-in page, per logged-in browser.
    pub code_rate_limit: KeyedRateLimiter,
    pub tasks: Tasks,
    /// Closed while the database must not be used.
    pub database_gate: DatabaseGate,
    /// Expiry of this server's certificate.
    pub certificate_expiry: CertificateExpiry,
    /// Look-ups of tokens for resource servers.
    pub token_lookups: TokenLookups,
    /// The key set: concurrent requests share one query.
    pub key_sets: Coalesced<(), Result<Bytes, OAuthError>>,
    /// The lifetime of web users' tokens: concurrent requests share one query.
    pub web_lifetimes: Coalesced<(), Result<Option<i64>, DbErr>>,
    /// Set once shutdown has begun.
    pub stopping: Shutdown,
}

impl State {
    /// Returns the state over a connected database. `metadata` is the server metadata document.
    pub fn new(
        config: Config,
        db: DatabaseConnection,
        reads: ReadPool,
        passwords: Passwords,
        metadata: Bytes,
        database_gate: DatabaseGate,
        tasks: Tasks,
    ) -> Arc<Self> {
        Arc::new(Self {
            database_gate,
            certificate_expiry: CertificateExpiry::default(),
            token_lookups: TokenLookups::new(reads, config.lifetimes),
            key_sets: keys::key_sets(db.clone()),
            web_lifetimes: lifetimes::web_lifetimes(db.clone()),
            store: Store {
                issuer: config.issuer.clone(),
                login: Authenticator::new(db.clone(), passwords, config.source_failures_max),
                token_keys: config.token_keys.clone(),
                master_keys: config.master_keys.clone(),
                lifetimes: config.lifetimes,
                refresh_rate_limit: KeyedRateLimiter::new(refresh::QUOTA),
                db,
            },
            config,
            metadata,
            code_rate_limit: KeyedRateLimiter::new(authorization_requests::QUOTA),
            tasks,
            stopping: Shutdown::default(),
        })
    }

    /// Scheme, host and port of this server, as browsers send them in `Origin`.
    pub fn origin(&self) -> &str {
        let issuer = &self.store.issuer;
        let host = issuer.find("://").map_or(0, |index| index + 3);
        let path = issuer[host..].find('/').map(|index| host + index);
        &issuer[..path.unwrap_or(issuer.len())]
    }
}
