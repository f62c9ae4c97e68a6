//! The auth server's data: clients, authorization requests, sessions, tokens, and the keys that
//! sign ID tokens.

pub mod active_tokens;
pub mod authorization_requests;
pub mod client_assertions;
pub mod clients;
pub mod grants;
pub mod keys;
pub mod lifetimes;
pub mod refresh;
pub mod server_keys;
pub mod sessions;
pub mod token_lookups;
pub mod tokens;

use self::lifetimes::Lifetimes;
use self::tokens::TokenKeys;
use crate::login::password_login::Authenticator;
use sea_orm::DatabaseConnection;
use shared::envelope_encryption::MasterKeys;
use shared::rate_limit::KeyedRateLimiter;

/// The database, and everything needed to read and write it.
pub struct Store {
    pub db: DatabaseConnection,
    /// Public URL of this server.
    pub issuer: String,
    /// Verifies user names and passwords.
    pub login: Authenticator,
    /// Keys that sign and hash tokens.
    pub token_keys: TokenKeys,
    /// Master keys that seal signing keys.
    pub master_keys: MasterKeys,
    /// Lifetimes of tokens and sessions.
    pub lifetimes: Lifetimes,
    /// Rate limit on refreshes, per session.
    pub refresh_rate_limit: KeyedRateLimiter,
}
