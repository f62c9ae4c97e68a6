//! Audit trail of the auth server: events are written to `auth_events` in the transaction they
//! describe.

use crate::db;
use crate::entity::auth_events::Column;
use crate::entity::auth_events::Entity;
use crate::introspection::UserKind;
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EnumIter};

/// Events that one statement removes, and statements per sweep.
const SWEEP_BATCH: u64 = 1000;
const SWEEP_BATCHES_MAX: usize = 20;

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
pub enum EventKind {
    /// A user logged in.
    LogIn,
    /// A log-in failed; the reason tells how.
    LogInFailed,
    /// An account was locked for a while after too many failures.
    Locked,
    /// An administrator unlocked an account.
    Unlocked,
    /// A session began with its first tokens.
    TokenIssued,
    /// A refresh token was exchanged.
    TokenRefreshed,
    /// A refresh token or code was presented again after it was used: the session was ended.
    ReuseDetected,
    /// A client revoked a token, and the session ended.
    Revoked,
    /// A user logged out; the reason tells how.
    LoggedOut,
    /// A client failed to authenticate.
    ClientFailed,
    /// A user was disabled.
    UserDisabled,
    /// A user was enabled again.
    UserEnabled,
    /// A user was added.
    UserAdded,
    /// A password was set.
    PasswordChanged,
    /// A client was added, removed, or got another secret; the reason tells which.
    ClientChanged,
    /// Another key started to sign ID tokens.
    KeyRotated,
    /// A setting of the core system was changed; the reason tells which.
    SettingChanged,
}

impl EventKind {
    /// Name of the event in the table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LogIn => "log_in",
            Self::LogInFailed => "log_in_failed",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
            Self::TokenIssued => "token_issued",
            Self::TokenRefreshed => "token_refreshed",
            Self::ReuseDetected => "reuse_detected",
            Self::Revoked => "revoked",
            Self::LoggedOut => "logged_out",
            Self::ClientFailed => "client_failed",
            Self::UserDisabled => "user_disabled",
            Self::UserEnabled => "user_enabled",
            Self::UserAdded => "user_added",
            Self::PasswordChanged => "password_changed",
            Self::ClientChanged => "client_changed",
            Self::KeyRotated => "key_rotated",
            Self::SettingChanged => "setting_changed",
        }
    }
}

/// An event, to be completed with what is known.
#[derive(Clone, Debug)]
pub struct Event {
    kind: EventKind,
    reason: Option<String>,
    actor: Option<String>,
    user: Option<(UserKind, i64)>,
    user_name: Option<String>,
    client_id: Option<String>,
    source: Option<String>,
    request_id: Option<String>,
    token_hash_prefix: Option<String>,
}

/// Digits of a token's hash that are recorded: enough to tell tokens apart, too few to be the hash.
const HASH_DIGITS: usize = 12;

impl Event {
    /// Returns an event of this kind.
    pub fn new(kind: EventKind) -> Self {
        Self {
            kind,
            reason: None,
            actor: None,
            user: None,
            user_name: None,
            client_id: None,
            source: None,
            request_id: None,
            token_hash_prefix: None,
        }
    }

    /// Sets why or how, in one word.
    #[must_use]
    pub fn reason(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }

    /// Sets the command that caused it.
    #[must_use]
    pub fn actor(mut self, actor: &str) -> Self {
        self.actor = Some(actor.to_owned());
        self
    }

    /// Sets the user concerned: the core user, or the web user's contact.
    #[must_use]
    pub fn user(mut self, kind: UserKind, user_id: i64) -> Self {
        self.user = Some((kind, user_id));
        self
    }

    /// Sets that user's name; never text typed by someone who is not a user.
    #[must_use]
    pub fn user_name(mut self, user_name: &str) -> Self {
        self.user_name = Some(user_name.to_owned());
        self
    }

    /// Sets the requesting client.
    #[must_use]
    pub fn client(mut self, client_id: &str) -> Self {
        self.client_id = Some(client_id.to_owned());
        self
    }

    /// Sets the request's source address and id.
    #[must_use]
    pub fn request(mut self, source: String, request_id: &str) -> Self {
        self.source = Some(source);
        self.request_id = Some(request_id.to_owned());
        self
    }

    /// Sets the token, given its stored form (key id, colon, hash).
    #[must_use]
    pub fn token(mut self, stored: &str) -> Self {
        let (key_id, hash) = stored.split_once(':').unwrap_or_default();
        self.token_hash_prefix = Some(format!("{key_id}:{}", &hash[..HASH_DIGITS.min(hash.len())]));
        self
    }

    /// Writes the event, with the database's time.
    pub async fn record(self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        record(tx, [self]).await
    }
}

/// Removes events older than `retention_days`, in batches: a table that was never swept is large.
pub async fn sweep(db: &impl ConnectionTrait, retention_days: i64) -> Result<u64, DbErr> {
    let retention_seconds = Expr::value(retention_days * 24 * 60 * 60);
    let oldest = db::seconds_ago(db.get_database_backend(), retention_seconds);
    let old = Query::select()
        .column(Column::EventId)
        .from(Entity)
        .and_where(Column::EventDate.into_expr().lt(oldest))
        .order_by(Column::EventDate, Order::Asc)
        .limit(SWEEP_BATCH)
        .take();
    // MariaDB does not support LIMIT in an IN subquery, only in a derived table.
    let old = Query::select().column(Column::EventId).from_subquery(old, "old").take();
    let delete =
        Query::delete().from_table(Entity).and_where(Column::EventId.in_subquery(old)).take();
    let mut swept = 0;
    for _ in 0..SWEEP_BATCHES_MAX {
        let removed = db.execute(&delete).await?.rows_affected();
        swept += removed;
        if removed < SWEEP_BATCH {
            break;
        }
    }
    Ok(swept)
}

/// Writes events in one statement.
pub async fn record(
    tx: &impl ConnectionTrait,
    events: impl IntoIterator<Item = Event>,
) -> Result<(), DbErr> {
    let columns = [
        Column::EventDate,
        Column::Event,
        Column::Reason,
        Column::Actor,
        Column::UserKind,
        Column::UserId,
        Column::UserName,
        Column::ClientId,
        Column::Source,
        Column::RequestId,
        Column::TokenHashPrefix,
    ];
    let mut insert = Query::insert();
    insert.into_table(Entity).columns(columns);
    let now = db::now(tx.get_database_backend());
    for event in events {
        let (kind, user_id) = event.user.unzip();
        let values: [Expr; 11] = [
            now.clone(),
            event.kind.as_str().into(),
            event.reason.into(),
            event.actor.into(),
            kind.map(UserKind::as_str).map(str::to_owned).into(),
            user_id.into(),
            event.user_name.into(),
            event.client_id.into(),
            event.source.into(),
            event.request_id.into(),
            event.token_hash_prefix.into(),
        ];
        insert.values_panic(values);
    }
    tx.execute(&insert).await.map(drop)
}
