//! Sessions: how a log-in begins one for a client, how long it lasts, and how it ends. Refreshing
//! is in `refresh.rs`.
//!
//! Every access token is a new row in `active_users` or `cif_web_active_users` with the database's
//! time; earlier tokens stay valid until they expire.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::login;
use crate::store::Store;
use crate::store::active_tokens;
use crate::store::clients;
use crate::store::grants::{Grant, issue_tokens};
use crate::store::lifetimes;
use crate::store::tokens::{AccessToken, RefreshToken, SessionId, random_name};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, FromQueryResult};
use serde_json::Value;
use shared::audit::EventKind;
use shared::database::{self, batch};
use shared::entity::auth_sessions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::introspection::UserKind;
use shared::time::Timestamp;

/// A session to be created.
#[derive(Debug)]
pub struct NewSession<'a> {
    pub session: SessionId,
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
    new_session: NewSession<'_>,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    clients::lock(tx, &new_session.client.client_id).await?;
    let refresh_token = clients::contains_word(&new_session.client.grants, "refresh_token")
        .then(|| RefreshToken::random(&store.token_keys, &new_session.session));
    let refresh_hash = refresh_token.as_ref().map(|token| store.token_keys.hash(token.text()));
    let public_id = random_name();
    let log_in_date = new_session.log_in_date.map_or_else(|| database::now(tx), Expr::from);
    let insert = batch::insert_values(
        Entity,
        [
            (Column::SessionId, new_session.session.text().into()),
            (Column::PublicId, public_id.as_str().into()),
            (Column::UserKind, new_session.kind.as_str().into()),
            (Column::UserId, new_session.user_id.into()),
            (Column::ClientId, new_session.client.client_id.as_str().into()),
            (Column::Scope, new_session.scope.into()),
            (Column::LogInDate, log_in_date),
            (Column::BrowserId, new_session.browser_id.clone().into()),
            (Column::RefreshHash, refresh_hash.into()),
            (Column::ContestedFlag, false.into()),
            (Column::RefreshedDate, database::now(tx)),
        ],
    );
    tx.execute(&insert).await?;
    let NewSession { kind, user_id, ref session, .. } = new_session;
    let grant = Grant {
        access_token: AccessToken::random(&store.token_keys, kind, session),
        refresh_token,
        user_id,
        client_id: &new_session.client.client_id,
        public_id: &public_id,
        scope: new_session.scope,
        log_in_date: new_session.log_in_date,
        nonce: new_session.nonce.as_deref(),
    };
    let event = source.event(EventKind::TokenIssued).client(grant.client_id);
    let event = event.user(kind, user_id);
    event.token(&store.token_keys.hash(grant.access_token.text())).record(tx).await?;
    issue_tokens(store, tx, &grant).await
}

/// True while a session is within its idle and absolute caps.
pub fn alive(store: &Store) -> Expr {
    let within_caps = |kind: UserKind| {
        lifetimes::within_caps(
            store,
            kind,
            Column::LogInDate.into_expr(),
            Column::RefreshedDate.into_expr(),
        )
    };
    let is_kind = |kind: UserKind| Column::UserKind.into_expr().eq(kind.as_str());
    is_kind(UserKind::Core)
        .and(within_caps(UserKind::Core))
        .or(is_kind(UserKind::Web).and(within_caps(UserKind::Web)))
}

/// True if the user of a session may log in.
pub fn enabled() -> Expr {
    let of_kind = |kind: UserKind| {
        let may_log_in = login::may_log_in(kind, (Entity, Column::UserId));
        Column::UserKind.into_expr().eq(kind.as_str()).and(may_log_in)
    };
    of_kind(UserKind::Core).or(of_kind(UserKind::Web))
}

/// Client and user of a session.
#[derive(Debug, FromQueryResult)]
pub struct Owner {
    pub session_id: String,
    /// Client that the session was begun for.
    pub client_id: String,
    pub user_kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
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
    reason: &str,
) -> Result<(), OAuthError> {
    database::write(&store.db, async |tx| {
        shared::sessions::log_out(tx, owner.user_kind, &owner.session_id).await?;
        let event = source.event(EventKind::LoggedOut).client(&owner.client_id).reason(reason);
        event.user(owner.user_kind, owner.user_id).record(tx).await
    })
    .await?;
    tracing::info!(kind = owner.user_kind.as_str(), owner.user_id, how = reason, "logged out");
    Ok(())
}

/// Removes sessions that can no longer be refreshed, once their last token row is gone: until then
/// a log-out must still find what to end.
pub async fn sweep(store: &Store) -> Result<u64, DbErr> {
    let has_tokens = |kind: UserKind| {
        let table = active_tokens::table_of(kind).table;
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
        .and_where(alive(store).not())
        .and_where(has_tokens(UserKind::Core).not())
        .and_where(has_tokens(UserKind::Web).not())
        .take();
    Ok(store.db.execute(&delete).await?.rows_affected())
}
