//! The two tables of live tokens, `active_users` and `cif_web_active_users`: alike but for the
//! names of two columns. A row is a token; rows of one session end together.

use crate::app::App;
use crate::tokens::{AccessToken, random_session_id};
use crate::{core_users, lifetimes, web_users};
use sea_orm::sea_query::{DynIden, Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult};
use shared::db;
use shared::introspection::UserKind;

/// A table of live tokens.
pub struct TokenTable {
    /// Its name.
    pub table: DynIden,
    /// The column that names the user or the contact.
    pub user: DynIden,
    /// The column that holds the creation time.
    pub created: DynIden,
}

/// The table of this kind of user.
pub fn of(kind: UserKind) -> TokenTable {
    match kind {
        UserKind::Core => core_users::token_table(),
        UserKind::Web => web_users::token_table(),
    }
}

/// How long tokens of this kind live, as an expression in seconds.
pub fn lifetime(app: &App, kind: UserKind, backend: DbBackend) -> Expr {
    match kind {
        UserKind::Core => Expr::value(app.core_token_lifetime_seconds as i64),
        UserKind::Web => lifetimes::web_lifetime_seconds(backend),
    }
}

/// Records a new token in a new session, created at the database's now.
pub async fn insert(
    app: &App,
    token: &AccessToken,
    user_id: i64,
    client_id: &str,
) -> Result<(), DbErr> {
    let TokenTable { table, user, created } = of(token.kind());
    let columns = [user, created, "session_id".into(), "client_id".into(), "token_hash".into()];
    let insert = Query::insert()
        .into_table(table)
        .columns(columns)
        .values_panic([
            user_id.into(),
            db::now(app.db.get_database_backend()),
            random_session_id().into(),
            client_id.into(),
            app.token_keys.hash(token).into(),
        ])
        .take();
    app.db.execute(&insert).await.map(drop)
}

/// The lifetime in seconds that a token created now gets; `None` where the setting is unreadable.
pub async fn lifetime_seconds(app: &App, kind: UserKind) -> Result<Option<i64>, DbErr> {
    if kind == UserKind::Core {
        return Ok(Some(app.core_token_lifetime_seconds as i64));
    }
    let seconds = lifetime(app, kind, app.db.get_database_backend());
    let select = Query::select().expr_as(seconds, "seconds").take();
    let row = app.db.query_one(&select).await?;
    Ok(row.map(|row| seconds_of(&row, "seconds")).transpose()?.flatten())
}

/// A count of seconds, whatever width the database gives it.
pub fn seconds_of(row: &QueryResult, column: &str) -> Result<Option<i64>, DbErr> {
    row.try_get::<Option<i64>>("", column)
        .or_else(|_| Ok(row.try_get::<Option<i32>>("", column)?.map(i64::from)))
}

/// The live row of a token with whoever it speaks for: none if it is unknown, expired, logged
/// out, or if its user may no longer log in. One statement, judged at that statement's own time.
pub fn live_token(app: &App, token: &AccessToken) -> SelectStatement {
    let backend = app.db.get_database_backend();
    let TokenTable { table, user, created } = of(token.kind());
    let subjects = match token.kind() {
        UserKind::Core => core_users::subjects(),
        UserKind::Web => web_users::subjects(),
    };
    let seconds = lifetime(app, token.kind(), backend);
    Query::select()
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
            subjects,
            "subject",
            Expr::col(("subject", "subject_id")).equals((table.clone(), user)),
        )
        .and_where(Expr::col((table.clone(), "token_hash")).is_in(app.token_keys.hashes(token)))
        .and_where(lifetimes::alive(backend, Expr::col((table, created)), seconds))
        .take()
}

/// The session of a token, dead or alive, and the client it was issued to.
pub async fn session_of(app: &App, token: &AccessToken) -> Result<Option<(String, String)>, DbErr> {
    let select = Query::select()
        .columns(["session_id", "client_id"])
        .from(of(token.kind()).table)
        .and_where(Expr::col("token_hash").is_in(app.token_keys.hashes(token)))
        .take();
    let row = app.db.query_one(&select).await?;
    row.map(|row| Ok((row.try_get("", "session_id")?, row.try_get("", "client_id")?))).transpose()
}

/// Ends a session: every row of it goes.
pub async fn end_session(app: &App, kind: UserKind, session_id: &str) -> Result<(), DbErr> {
    let delete = Query::delete()
        .from_table(of(kind).table)
        .and_where(Expr::col("session_id").eq(session_id))
        .take();
    app.db.execute(&delete).await.map(drop)
}

/// Removes expired rows of this kind and tells how many there were.
pub async fn sweep(app: &App, kind: UserKind) -> Result<u64, DbErr> {
    let backend = app.db.get_database_backend();
    let TokenTable { table, created, .. } = of(kind);
    let seconds = lifetime(app, kind, backend);
    let delete = Query::delete()
        .from_table(table)
        .and_where(lifetimes::expired(backend, Expr::col(created), seconds))
        .take();
    Ok(app.db.execute(&delete).await?.rows_affected())
}
