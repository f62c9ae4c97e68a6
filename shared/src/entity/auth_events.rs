//! Audit trail of the auth server, append-only: who did what, with which client, from where. It
//! never holds a token, a password, or a name that is not a user's.

use crate::introspection::UserKind;
use crate::time::Timestamp;
use serde::Serialize;

#[shared_macros::table("auth_events")]
#[derive(Default, Serialize)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub event_id: i64,
    /// Time of the event, by the database's clock.
    pub event_date: Timestamp,
    /// Kind of event: see [`crate::audit::EventKind`].
    pub event: String,
    /// Reason, as one word.
    pub reason: Option<String>,
    /// Command that caused the event, if it was not a request.
    pub actor: Option<String>,
    pub user_kind: Option<UserKind>,
    /// Id of the user, or of the web user's contact.
    pub user_id: Option<i64>,
    pub user_name: Option<String>,
    pub client_id: Option<String>,
    /// Client address of the request.
    pub source: Option<String>,
    pub request_id: Option<String>,
    /// Key id, colon, the first twelve digits of the token's hash.
    pub token_hash_prefix: Option<String>,
    /// Privilege that was granted or revoked, such as `Loan > Payments > Add`.
    pub privilege: Option<String>,
    /// Group to which it was granted, unless it was granted to a user.
    pub group_name: Option<String>,
}
