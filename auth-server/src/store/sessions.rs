//! Sessions: what a log-in gives to a client, how long it lasts, and how it ends. `refresh.rs` keeps
//! it going.
//!
//! Every issue of an access token is a new row of `active_users` or `cif_web_active_users` with the
//! database's time; earlier ones live out their own time.

use crate::http::oauth_error::OAuthError;
use crate::http::source::Source;
use crate::login;
use crate::store::Store;
use crate::store::clients;
use crate::store::keys;
use crate::store::lifetimes;
use crate::store::token_table::{self, Issue};
use crate::store::tokens::{AccessToken, RefreshToken, SessionId, random_name};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult,
};
use serde_json::{Value, json};
use shared::audit::{self, Kind};
use shared::db;
use shared::entity::auth_sessions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::introspection::UserKind;
use shared::rows;
use shared::time::Timestamp;

/// A session about to begin.
#[derive(Debug)]
pub struct NewSession<'a> {
    /// Its name.
    pub session: SessionId,
    /// Which kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// The client it is for.
    pub client: &'a oauth_clients::Model,
    /// What was granted: `core` or `web`, and perhaps `openid`.
    pub scope: &'a str,
    /// When the user proved who he is; `None`: now.
    pub log_in_date: Option<Timestamp>,
    /// The browser it came from.
    pub browser_id: Option<String>,
    /// For the ID token.
    pub nonce: Option<String>,
}

/// Begins a session: its row, its first tokens, the audit. The answer is for the client.
pub async fn begin(
    store: &Store,
    tx: &DatabaseTransaction,
    new: NewSession<'_>,
    source: &Source,
) -> Result<Value, OAuthError> {
    let backend = tx.get_database_backend();
    clients::hold(tx, &new.client.client_id).await?;
    let refresh = clients::lists(&new.client.grants, "refresh_token")
        .then(|| RefreshToken::random(&store.token_keys, &new.session));
    let hash = refresh.as_ref().map(|token| store.token_keys.hash(token.text()));
    let public_id = random_name();
    let log_in_date = new.log_in_date.map_or_else(|| db::now(backend), Expr::from);
    let insert = rows::insert(
        Entity,
        [
            (Column::SessionId, new.session.text().into()),
            (Column::PublicId, public_id.as_str().into()),
            (Column::UserKind, new.kind.as_str().into()),
            (Column::UserId, new.user_id.into()),
            (Column::ClientId, new.client.client_id.as_str().into()),
            (Column::Scope, new.scope.into()),
            (Column::LogInDate, log_in_date),
            (Column::BrowserId, new.browser_id.clone().into()),
            (Column::RefreshHash, hash.into()),
            (Column::ContestedFlag, false.into()),
            (Column::RefreshedDate, db::now(backend)),
        ],
    );
    tx.execute(&insert).await?;
    let issue = Issue {
        token: AccessToken::random(&store.token_keys, new.kind, &new.session),
        user_id: new.user_id,
        client_id: &new.client.client_id,
    };
    let issued = token_table::issue(store, tx, &issue).await?;
    let event = source.event(Kind::TokenIssued).client(issue.client_id);
    let event = event.user(new.kind, new.user_id).token(&store.token_keys.hash(issue.token.text()));
    event.record(tx).await?;
    let subject = Subject {
        kind: new.kind,
        user_id: new.user_id,
        client_id: issue.client_id,
        public_id: &public_id,
        log_in_date: new.log_in_date.unwrap_or(issued.created),
        nonce: new.nonce.as_deref(),
    };
    answer(store, tx, &issue.token, refresh.as_ref(), new.scope, &issued, &subject).await
}

/// Whom an ID token is about.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Which kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// For whom it is.
    pub client_id: &'a str,
    /// The session, as clients know it.
    pub public_id: &'a str,
    /// When the user proved who he is.
    pub log_in_date: Timestamp,
    /// As the authorization request had it.
    pub nonce: Option<&'a str>,
}

/// What the token endpoint answers (RFC 6749, 5.1).
pub async fn answer(
    store: &Store,
    tx: &DatabaseTransaction,
    access: &AccessToken,
    refresh: Option<&RefreshToken>,
    scope: &str,
    issued: &token_table::Issued,
    subject: &Subject<'_>,
) -> Result<Value, OAuthError> {
    let mut answer = json!({
        "access_token": access.text(),
        "token_type": "Bearer",
        "expires_in": issued.lifetime_seconds,
        "scope": scope,
    });
    if let Some(refresh) = refresh {
        answer["refresh_token"] = json!(refresh.text());
    }
    if clients::lists(scope, "openid") {
        answer["id_token"] = json!(keys::id_token(store, tx, access, issued, subject).await?);
    }
    Ok(answer)
}

/// True while neither the idle nor the absolute cap of a session has passed.
pub fn alive(store: &Store, backend: DbBackend) -> Expr {
    let within = |kind: UserKind| {
        lifetimes::within_caps(
            store,
            backend,
            kind,
            Column::LogInDate.into_expr(),
            Column::RefreshedDate.into_expr(),
        )
    };
    let of = |kind: UserKind| Column::UserKind.into_expr().eq(kind.as_str());
    of(UserKind::Core).and(within(UserKind::Core)).or(of(UserKind::Web).and(within(UserKind::Web)))
}

/// True if the user of a session may log in.
pub fn enabled() -> Expr {
    let known = |kind: UserKind| {
        let may_log_in = login::may_log_in(kind, (Entity, Column::UserId));
        Column::UserKind.into_expr().eq(kind.as_str()).and(may_log_in)
    };
    known(UserKind::Core).or(known(UserKind::Web))
}

/// Whose session it is: the client and the user.
#[derive(Debug, FromQueryResult)]
pub struct Owner {
    /// The session.
    pub session_id: String,
    /// The client it was begun for.
    pub client_id: String,
    /// Which kind of user.
    pub user_kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
}

/// True if a session has this refresh token, or had it before the current one.
pub async fn knows(store: &Store, token: &RefreshToken) -> Result<bool, DbErr> {
    let hashes: Vec<String> = store.token_keys.hashes(token.text()).collect();
    let is = |column: Column| column.into_expr().is_in(hashes.clone());
    let row = Query::select()
        .expr(Expr::value(1))
        .from(Entity)
        .and_where(Column::SessionId.eq(token.session().text()))
        .and_where(is(Column::RefreshHash).or(is(Column::PreviousRefreshHash)))
        .take();
    Ok(store.db.query_one(&row).await?.is_some())
}

/// The owner of the session of this name, or of this `sid`.
pub async fn owner(
    db: &impl ConnectionTrait,
    column: Column,
    value: &str,
) -> Result<Option<Owner>, DbErr> {
    let select = Query::select()
        .columns([Column::SessionId, Column::ClientId, Column::UserKind, Column::UserId])
        .from(Entity)
        .and_where(column.eq(value))
        .take();
    let row = db.query_one(&select).await?;
    row.map(|row| Owner::from_query_result(&row, "")).transpose()
}

/// Logs out: the session, its browser, and what else came from that browser.
pub async fn log_out(
    store: &Store,
    owner: &Owner,
    source: &Source,
    how: &str,
) -> Result<(), OAuthError> {
    db::again(async || {
        let tx = db::begin_write(&store.db).await?;
        shared::sessions::log_out(&tx, owner.user_kind, &owner.session_id).await?;
        let event = source.event(Kind::LoggedOut).client(&owner.client_id).reason(how);
        audit::record(&tx, [event.user(owner.user_kind, owner.user_id)]).await?;
        tx.commit().await
    })
    .await?;
    tracing::info!(kind = owner.user_kind.as_str(), owner.user_id, how, "logged out");
    Ok(())
}

/// Removes sessions that can no longer be refreshed, once their last token is gone: as long as one
/// may live, its log-out must find what to end.
pub async fn sweep(store: &Store) -> Result<u64, DbErr> {
    let backend = store.db.get_database_backend();
    let has_tokens = |kind: UserKind| {
        let table = token_table::of(kind).table;
        let of_session = Expr::col((table.clone(), "session_id"));
        Expr::exists(
            Query::select()
                .expr(Expr::value(1))
                .from(table)
                .and_where(of_session.equals((Entity, Column::SessionId)))
                .take(),
        )
    };
    let delete = Query::delete()
        .from_table(Entity)
        .and_where(alive(store, backend).not())
        .and_where(has_tokens(UserKind::Core).not())
        .and_where(has_tokens(UserKind::Web).not())
        .take();
    Ok(store.db.execute(&delete).await?.rows_affected())
}
