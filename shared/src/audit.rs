//! Audit trail of the auth server: events are written to `auth_events` in the transaction they
//! describe.

use crate::database;
use crate::entity::auth_events::{Column, Entity, Model};
use crate::introspection::UserKind;
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EnumIter, Iterable, ModelTrait};
use strum::IntoStaticStr;

/// Events that one statement removes, and statements per sweep.
const SWEEP_BATCH: u64 = 1000;
const SWEEP_BATCHES_MAX: usize = 20;

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
    /// A privilege was granted to a user or a group.
    PrivilegeGranted,
    /// A privilege was revoked from a user or a group.
    PrivilegeRevoked,
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
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// An event, to be completed with what is known.
#[derive(Clone, Debug)]
pub struct Event(Model);

/// Digits of a token's hash that are recorded: enough to tell tokens apart, too few to be the hash.
const HASH_DIGITS: usize = 12;

impl Event {
    /// Returns an event of this kind.
    pub fn new(kind: EventKind) -> Self {
        Self(Model { event: kind.as_str().to_owned(), ..Model::default() })
    }

    /// Sets why or how, in one word.
    #[must_use]
    pub fn reason(mut self, reason: &str) -> Self {
        self.0.reason = Some(reason.to_owned());
        self
    }

    /// Sets the command that caused it.
    #[must_use]
    pub fn actor(mut self, actor: &str) -> Self {
        self.0.actor = Some(actor.to_owned());
        self
    }

    /// Sets the user concerned: the core user, or the web user's contact.
    #[must_use]
    pub fn user(mut self, kind: UserKind, user_id: i64) -> Self {
        (self.0.user_kind, self.0.user_id) = (Some(kind), Some(user_id));
        self
    }

    /// Sets that user's name; never text typed by someone who is not a user.
    #[must_use]
    pub fn user_name(mut self, user_name: &str) -> Self {
        self.0.user_name = Some(user_name.to_owned());
        self
    }

    /// Sets the group concerned.
    #[must_use]
    pub fn group(mut self, name: &str) -> Self {
        self.0.group_name = Some(name.to_owned());
        self
    }

    /// Sets the privilege that was granted or revoked, by its name.
    #[must_use]
    pub fn privilege(mut self, name: &str) -> Self {
        self.0.privilege = Some(name.to_owned());
        self
    }

    /// Sets the requesting client.
    #[must_use]
    pub fn client(mut self, client_id: &str) -> Self {
        self.0.client_id = Some(client_id.to_owned());
        self
    }

    /// Sets the request's source address and id.
    #[must_use]
    pub fn request(mut self, source: String, request_id: &str) -> Self {
        self.0.source = Some(source);
        self.0.request_id = Some(request_id.to_owned());
        self
    }

    /// Sets the token, given its stored form (key id, colon, hash).
    #[must_use]
    pub fn token(mut self, stored: &str) -> Self {
        let (key_id, hash) = stored.split_once(':').unwrap_or_default();
        self.0.token_hash_prefix =
            Some(format!("{key_id}:{}", &hash[..HASH_DIGITS.min(hash.len())]));
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
    let oldest = database::seconds_ago(db, retention_seconds);
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
    let is_key = |column: &Column| matches!(column, Column::EventId);
    let columns: Vec<Column> = Column::iter().filter(|column| !is_key(column)).collect();
    let mut insert = Query::insert();
    insert.into_table(Entity).columns(columns.iter().copied());
    let now = database::now(tx);
    for Event(row) in events {
        insert.values_panic(columns.iter().map(|column| match column {
            Column::EventDate => now.clone(),
            column => Expr::value(row.get(*column)),
        }));
    }
    tx.execute(&insert).await.map(drop)
}
