//! Sessions: how a log-in begins one for a client, how long it lasts, and how it ends. Refreshing
//! is in `refresh.rs`.
//!
//! Every access token is a new row in `active_users` or `cif_web_active_users` with the database's
//! time; earlier tokens stay valid until they expire.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::login;
use crate::store::Store;
use crate::store::active_tokens::{self, Issue};
use crate::store::clients;
use crate::store::keys;
use crate::store::lifetimes;
use crate::store::tokens::{AccessToken, RefreshToken, SessionId, random_name};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult,
};
use serde_json::{Value, json};
use shared::audit::EventKind;
use shared::bulk_insert;
use shared::db;
use shared::entity::auth_sessions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::introspection::UserKind;
use shared::time::Timestamp;

/// A session to be created.
#[derive(Debug)]
pub struct NewSession<'a> {
    /// Session id.
    pub session: SessionId,
    /// Kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// Client of the session.
    pub client: &'a oauth_clients::Model,
    /// Granted scope: `core` or `web`, and possibly standard scopes.
    pub scope: &'a str,
    /// When the user authenticated; `None` for now.
    pub log_in_date: Option<Timestamp>,
    /// Browser log-in it came from.
    pub browser_id: Option<String>,
    /// For the ID token.
    pub nonce: Option<String>,
}

/// Begins a session: writes its row, its first tokens and the audit event. Returns the token
/// response.
pub async fn begin(
    store: &Store,
    tx: &DatabaseTransaction,
    new: NewSession<'_>,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    let backend = tx.get_database_backend();
    clients::hold(tx, &new.client.client_id).await?;
    let refresh = clients::lists(&new.client.grants, "refresh_token")
        .then(|| RefreshToken::random(&store.token_keys, &new.session));
    let hash = refresh.as_ref().map(|token| store.token_keys.hash(token.text()));
    let public_id = random_name();
    let log_in_date = new.log_in_date.map_or_else(|| db::now(backend), Expr::from);
    let insert = bulk_insert::insert(
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
    let issued = active_tokens::issue(store, tx, &issue).await?;
    let event = source.event(EventKind::TokenIssued).client(issue.client_id);
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

/// Subject of an ID token.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// Client that the token is for.
    pub client_id: &'a str,
    /// Public session id (`sid`).
    pub public_id: &'a str,
    /// When the user authenticated.
    pub log_in_date: Timestamp,
    /// `nonce` of the authorization request.
    pub nonce: Option<&'a str>,
}

/// Returns the token response (RFC 6749, 5.1).
pub async fn answer(
    store: &Store,
    tx: &DatabaseTransaction,
    access: &AccessToken,
    refresh: Option<&RefreshToken>,
    scope: &str,
    issued: &active_tokens::Issued,
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

/// True while a session is within its idle and absolute caps.
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

/// Client and user of a session.
#[derive(Debug, FromQueryResult)]
pub struct Owner {
    /// Session id.
    pub session_id: String,
    /// Client that the session was begun for.
    pub client_id: String,
    /// Kind of user.
    pub user_kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
}

/// True if this is a session's current or previous refresh token.
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

/// Returns the owner of the session with this value in `column`: its id or its `sid`.
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

/// Logs out: ends the session, its browser log-in, and the other sessions of that browser.
pub async fn log_out(
    store: &Store,
    owner: &Owner,
    source: &ClientAddress,
    how: &str,
) -> Result<(), OAuthError> {
    db::write(&store.db, async |tx| {
        shared::sessions::log_out(tx, owner.user_kind, &owner.session_id).await?;
        let event = source.event(EventKind::LoggedOut).client(&owner.client_id).reason(how);
        event.user(owner.user_kind, owner.user_id).record(tx).await
    })
    .await?;
    tracing::info!(kind = owner.user_kind.as_str(), owner.user_id, how, "logged out");
    Ok(())
}

/// Removes sessions that can no longer be refreshed, once their last token row is gone: until then
/// a log-out must still find what to end.
pub async fn sweep(store: &Store) -> Result<u64, DbErr> {
    let backend = store.db.get_database_backend();
    let has_tokens = |kind: UserKind| {
        let table = active_tokens::of(kind).table;
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
