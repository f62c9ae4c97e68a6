//! The two tables of live tokens, `active_users` and `cif_web_active_users`, which differ only in
//! the names of two columns. One row per token; the rows of a session are removed together.

use crate::http::oauth_error::OAuthError;
use crate::login;
use crate::store::Store;
use crate::store::lifetimes::{self, Lifetimes, seconds_of};
use crate::store::tokens::AccessToken;
use sea_orm::sea_query::{DynIden, Expr, ExprTrait, IntoIden, Query, SelectStatement};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr, Value};
use shared::database;
use shared::entity::{active_users, cif_web_active_users};
use shared::introspection::UserKind;
use shared::time::Timestamp;

/// A table of live tokens.
pub struct ActiveTokenTable {
    pub table: DynIden,
    /// Column with the user or the contact.
    pub user: DynIden,
    /// Column with the creation time.
    pub created: DynIden,
}

/// Returns the table of this kind of user.
pub fn table_of(kind: UserKind) -> ActiveTokenTable {
    match kind {
        UserKind::Core => ActiveTokenTable {
            table: active_users::Entity.into_iden(),
            user: active_users::Column::UserId.into_iden(),
            created: active_users::Column::ActiveDate.into_iden(),
        },
        UserKind::Web => ActiveTokenTable {
            table: cif_web_active_users::Entity.into_iden(),
            user: cif_web_active_users::Column::ContactId.into_iden(),
            created: cif_web_active_users::Column::TokenDatestamp.into_iden(),
        },
    }
}

/// Lifetime of tokens of this kind in seconds, as an SQL expression.
pub fn lifetime(lifetimes: &Lifetimes, kind: UserKind, db: &impl ConnectionTrait) -> Expr {
    match kind {
        UserKind::Core => Expr::value(lifetimes.core_token_seconds as i64),
        UserKind::Web => lifetimes::web_lifetime_seconds(db),
    }
}

/// Creation time and lifetime of a token, as the database reports them.
#[derive(Clone, Copy, Debug)]
pub struct Issued {
    pub created: Timestamp,
    pub lifetime_seconds: i64,
}

/// Stores a new token of this user and client, created at the database's current time.
pub async fn issue(
    store: &Store,
    tx: &DatabaseTransaction,
    token: &AccessToken,
    user_id: i64,
    client_id: &str,
) -> Result<Issued, OAuthError> {
    let kind = token.kind();
    let hash = store.token_keys.hash(token.text());
    let ActiveTokenTable { table, user, created } = table_of(kind);
    let columns =
        [user, created.clone(), "session_id".into(), "client_id".into(), "token_hash".into()];
    let insert = Query::insert()
        .into_table(table.clone())
        .columns(columns)
        .values_panic([
            user_id.into(),
            database::now(tx),
            token.session().text().into(),
            client_id.into(),
            hash.as_str().into(),
        ])
        .take();
    tx.execute(&insert).await?;
    let select = Query::select()
        .expr_as(Expr::col(created), "created")
        .expr_as(lifetime(&store.lifetimes, kind, tx), "lifetime_seconds")
        .from(table)
        .and_where(Expr::col("token_hash").eq(hash))
        .take();
    let row = tx.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotInserted)?;
    let lifetime_seconds = seconds_of(&row, "lifetime_seconds")?.ok_or_else(|| {
        tracing::error!("the setting web_inactivity_timeout is missing or not 1 to 10080 minutes");
        OAuthError::unavailable("web log-in is not configured")
    })?;
    Ok(Issued { created: row.try_get("", "created")?, lifetime_seconds })
}

/// Selects the live rows of the tokens with these hashes together with their users; no row of a
/// token that is unknown, expired or logged out, or whose user may no longer log in. One statement,
/// evaluated at that statement's own time.
pub fn live_tokens(
    lifetimes: &Lifetimes,
    db: &impl ConnectionTrait,
    kind: UserKind,
    hashes: impl IntoIterator<Item = impl Into<Value>>,
) -> SelectStatement {
    let ActiveTokenTable { table, user, created } = table_of(kind);
    let seconds = lifetime(lifetimes, kind, db);
    let hash = Expr::col((table.clone(), "token_hash"));
    Query::select()
        .expr_as(hash.clone(), "token_hash")
        .expr_as(Expr::col(("subject", "subject_id")), "subject_id")
        .expr_as(Expr::col(("subject", "username")), "username")
        .expr_as(Expr::col(("subject", "admin")), "admin")
        .expr_as(Expr::col(("subject", "dba")), "dba")
        .expr_as(Expr::col((table.clone(), "client_id")), "token_client_id")
        .expr_as(Expr::col((table.clone(), created.clone())), "created")
        .expr_as(seconds.clone(), "lifetime_seconds")
        .from(table.clone())
        .join_subquery(
            sea_orm::JoinType::InnerJoin,
            login::subjects(kind),
            "subject",
            Expr::col(("subject", "subject_id")).equals((table.clone(), user)),
        )
        .and_where(hash.is_in(hashes.into_iter().map(|hash| Expr::value(hash))))
        .and_where(lifetimes::alive(db, Expr::col((table, created)), seconds))
        .take()
}

/// Removes expired rows of this kind; returns how many.
pub async fn sweep(store: &Store, kind: UserKind) -> Result<u64, DbErr> {
    let ActiveTokenTable { table, created, .. } = table_of(kind);
    let seconds = lifetime(&store.lifetimes, kind, &store.db);
    let delete = Query::delete()
        .from_table(table)
        .and_where(lifetimes::expired(&store.db, Expr::col(created), seconds))
        .take();
    Ok(store.db.execute(&delete).await?.rows_affected())
}
