//! What happened at the auth server, append-only: who, by which client, from where. Never a token, a
//! password, or a name that is not a user's.

use crate::introspection::UserKind;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A row of `auth_events`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "auth_events")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub event_id: i64,
    /// By the database's clock.
    pub event_date: Timestamp,
    /// See [`crate::audit::Kind`].
    pub event: String,
    /// Why, as one word.
    pub reason: Option<String>,
    /// The command that did it, where it was no request.
    pub actor: Option<String>,
    pub user_kind: Option<UserKind>,
    /// The user, or the web user's contact.
    pub user_id: Option<i64>,
    pub user_name: Option<String>,
    pub client_id: Option<String>,
    /// The address the request came from.
    pub source: Option<String>,
    pub request_id: Option<String>,
    /// Key id, colon, the first twelve digits of the token's hash.
    pub token_hash_prefix: Option<String>,
}

no_relations!();
