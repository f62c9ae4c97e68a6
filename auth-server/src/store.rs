//! What the auth server keeps in the database: clients, authorization requests, sessions, their tokens,
//! and the keys that sign ID tokens.

pub mod authorizations;
pub mod client_assertions;
pub mod clients;
pub mod keys;
pub mod lifetimes;
pub mod refresh;
pub mod sessions;
pub mod token_table;
pub mod tokens;

use self::lifetimes::Lifetimes;
use self::tokens::TokenKeys;
use crate::login::log_in::Authenticator;
use sea_orm::DatabaseConnection;
use shared::master_keys::MasterKeys;
use shared::rates::Rates;

/// The database, and what reading and writing it takes.
pub struct Store {
    /// The core database.
    pub db: DatabaseConnection,
    /// The public URL of this server.
    pub issuer: String,
    /// Checks names and passwords.
    pub login: Authenticator,
    /// Keys under which tokens are hashed.
    pub token_keys: TokenKeys,
    /// Keys under which signing keys are sealed.
    pub master_keys: MasterKeys,
    /// How long tokens and sessions live.
    pub lifetimes: Lifetimes,
    /// How often sessions are refreshed.
    pub refreshes: Rates,
}
