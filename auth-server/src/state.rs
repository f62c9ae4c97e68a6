//! What the endpoints share.

use crate::config::Config;
use crate::http::oauth_error::OAuthError;
use crate::login::log_in::{Authenticator, Strangers};
use crate::store::{Store, authorizations, refresh};
use bytes::Bytes;
use sea_orm::{DatabaseConnection, EntityName};
use shared::coalesced::Coalesced;
use shared::entity::auth_sessions;
use shared::networks::Networks;
use shared::passwords::Passwords;
use shared::rates::Rates;
use shared::readiness::Readiness;
use shared::stopping::Stopping;
use shared::tasks::Tasks;
use std::sync::Arc;

/// What every endpoint works with.
pub struct State {
    /// The core database, and what reading and writing it takes.
    pub store: Store,
    /// The name of this installation.
    pub display_name: String,
    /// How long a key signs.
    pub key_rotation_seconds: i64,
    /// Where the documentation is, if that is known.
    pub documentation_url: Option<String>,
    /// Whose X-Forwarded-For is believed.
    pub proxies: Networks,
    /// What this server can do, made once.
    pub metadata: Bytes,
    /// How long events are kept.
    pub events_kept_days: i64,
    /// How often browsers that are logged in are given codes.
    pub codes: Rates,
    /// What this server does on its own.
    pub tasks: Tasks,
    /// Whether the database can serve.
    pub readiness: Readiness,
    /// The key set, asked for once for all who want it.
    pub key_sets: Coalesced<(), Result<Bytes, OAuthError>>,
    /// Whether this server is about to stop.
    pub stopping: Stopping,
}

impl State {
    /// The state over a connected database. `metadata`: what this server can do.
    pub fn new(
        config: &Config,
        db: DatabaseConnection,
        passwords: Passwords,
        metadata: Bytes,
        tasks: Tasks,
    ) -> Arc<Self> {
        Arc::new(Self {
            readiness: Readiness::new(db.clone(), auth_sessions::Entity.table_name()),
            store: Store {
                issuer: config.issuer.clone(),
                login: Authenticator {
                    db: db.clone(),
                    passwords,
                    source_failures_max: config.source_failures_max,
                    strangers: Strangers::default(),
                },
                token_keys: config.token_keys.clone(),
                master_keys: config.master_keys.clone(),
                lifetimes: config.lifetimes,
                refreshes: Rates::new(refresh::QUOTA),
                db,
            },
            display_name: config.display_name.clone(),
            key_rotation_seconds: config.key_rotation_seconds,
            documentation_url: config.documentation_url.clone(),
            proxies: config.proxies.clone(),
            metadata,
            events_kept_days: config.events_kept_days,
            codes: Rates::new(authorizations::QUOTA),
            tasks,
            key_sets: Coalesced::default(),
            stopping: Stopping::default(),
        })
    }

    /// Scheme, host and port of this server, as browsers name it.
    pub fn origin(&self) -> &str {
        let issuer = &self.store.issuer;
        let host = issuer.find("://").map_or(0, |at| at + 3);
        let path = issuer[host..].find('/').map(|at| host + at);
        &issuer[..path.unwrap_or(issuer.len())]
    }
}
