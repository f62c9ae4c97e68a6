//! Authorization requests: stored on this server from the moment an application sends a browser
//! here until the code is exchanged, so that no later URL or form can change them.
//!
//! | by the database's clock | lifetime |
//! |---|---|
//! | a request waiting for a log-in | 10 minutes |
//! | a code | 60 seconds, works once; a second use ends the session the first one began |

use crate::http::browser;
use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::login;
use crate::store::Store;
use crate::store::clients;
use crate::store::lifetimes;
use crate::store::sessions::{self, NewSession};
use crate::store::tokens::{Code, SessionId, random_name};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use governor::Quota;
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult,
    QueryFilter, QuerySelect,
};
use serde_json::Value;
use shared::audit::EventKind;
use shared::database::{self, batch};
use shared::entity::authorization_requests::{Column, Entity, Model};
use shared::entity::{auth_sessions, browser_log_ins, oauth_clients};
use shared::introspection::UserKind;
use shared::time::Timestamp;
use std::num::NonZeroU32;

const PENDING_SECONDS: i64 = 10 * 60;
const CODE_SECONDS: i64 = 60;
/// How often a logged-in browser gets a code without a log-in page: a burst for many applications
/// at once, then one every five seconds.
pub const QUOTA: Quota =
    Quota::per_minute(NonZeroU32::new(12).unwrap()).allow_burst(NonZeroU32::new(60).unwrap());
/// Pending requests allowed per network.
const PENDING_MAX: i64 = 1000;
/// How long each of them is protected from newer ones: a network with too many can begin another
/// after this time at the latest.
pub const PROTECTED_SECONDS: i64 = 60;

/// A validated authorization request.
#[derive(Debug)]
pub struct NewRequest<'a> {
    pub client_id: &'a str,
    /// Redirect URI of the response.
    pub redirect_uri: &'a str,
    pub scope: &'a clients::Scope,
    /// Opaque value, returned unchanged.
    pub state: Option<&'a str>,
    /// For the ID token.
    pub nonce: Option<&'a str>,
    /// PKCE, S256.
    pub code_challenge: &'a str,
    /// User name that the client expects.
    pub login_hint: Option<&'a str>,
}

/// Stores a browser's request and returns its id; `None` if its network has too many requests
/// younger than a minute. Older ones make room, so a flood does not keep other browsers out for
/// long.
pub async fn create(
    store: &Store,
    new_request: &NewRequest<'_>,
    browser_secret: &str,
    source: &ClientAddress,
) -> Result<Option<String>, DbErr> {
    let network = source.network();
    let Some(_queue_permit) = store.login.anonymous_limits.queue.acquire(&network).await else {
        return Ok(None);
    };
    database::retry(|| try_create(store, new_request, browser_secret, &network)).await
}

async fn try_create(
    store: &Store,
    new_request: &NewRequest<'_>,
    browser_secret: &str,
    network: &str,
) -> Result<Option<String>, DbErr> {
    let pending = Query::select()
        .expr_as(Func::count(Expr::col(Column::RequestId)), "pending")
        .from(Entity)
        .and_where(Column::SourceNetwork.eq(network))
        .and_where(Column::CodeHash.is_null())
        .and_where(younger_than(Column::CreatedDate, &store.db, PENDING_SECONDS))
        .take();
    let row = store.db.query_one(&pending).await?;
    let count: i64 = row.map_or(Ok(0), |row| row.try_get("", "pending"))?;
    if count >= PENDING_MAX {
        let delete = Query::delete()
            .from_table(Entity)
            .and_where(Column::SourceNetwork.eq(network))
            .and_where(Column::CodeHash.is_null())
            .and_where(younger_than(Column::CreatedDate, &store.db, PROTECTED_SECONDS).not())
            .take();
        if store.db.execute(&delete).await?.rows_affected() == 0 {
            return Ok(None);
        }
    }
    let id = random_name();
    let insert = batch::insert_values(
        Entity,
        [
            (Column::RequestId, browser::hash(&id).into()),
            (Column::BrowserSecretHash, browser::hash(browser_secret).into()),
            (Column::ClientId, new_request.client_id.into()),
            (Column::RedirectUri, new_request.redirect_uri.into()),
            (Column::Scope, new_request.scope.text.as_str().into()),
            (Column::State, new_request.state.into()),
            (Column::Nonce, new_request.nonce.into()),
            (Column::CodeChallenge, new_request.code_challenge.into()),
            (Column::LoginHint, new_request.login_hint.into()),
            (Column::SourceNetwork, network.into()),
            (Column::CreatedDate, database::now(&store.db)),
            (Column::UserKind, new_request.scope.kind.as_str().into()),
        ],
    );
    store.db.execute(&insert).await?;
    Ok(Some(id))
}

/// Finds the request with this id that is waiting in this browser for a log-in.
#[expect(clippy::disallowed_methods, reason = "these are not rows of the resource API")]
pub async fn pending(
    db: &impl ConnectionTrait,
    id: &str,
    browser_secret: &str,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(browser::hash(id))
        .filter(Column::BrowserSecretHash.eq(browser::hash(browser_secret)))
        .filter(Column::UsedDate.is_null())
        .filter(younger_than(Column::CreatedDate, db, PENDING_SECONDS))
        .one(db)
        .await
}

#[derive(Debug, FromQueryResult)]
pub struct BrowserLogIn {
    /// SHA-256 of the cookie.
    pub browser_id: String,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// When the user authenticated.
    pub log_in_date: Timestamp,
}

/// Returns the user of this kind who is logged in with this cookie, if the log-in is not older than
/// `age_seconds_max`.
pub async fn logged_in(
    store: &Store,
    kind: UserKind,
    cookie: &str,
    age_seconds_max: Option<i64>,
) -> Result<Option<BrowserLogIn>, DbErr> {
    use browser_log_ins::Column as Browser;
    let (began, used) = (Browser::LogInDate.into_expr(), Browser::UsedDate.into_expr());
    let mut select = Query::select();
    select
        .columns([Browser::BrowserId, Browser::UserId, Browser::LogInDate])
        .from(browser_log_ins::Entity)
        .and_where(Browser::BrowserId.eq(browser::hash(cookie)))
        .and_where(Browser::UserKind.eq(kind.as_str()))
        .and_where(lifetimes::within_caps(store, kind, began.clone(), used))
        .and_where(login::may_log_in(kind, (browser_log_ins::Entity, Browser::UserId)));
    if let Some(seconds) = age_seconds_max {
        select.and_where(began.gt(database::seconds_ago(&store.db, Expr::value(seconds))));
    }
    let row = store.db.query_one(&select).await?;
    row.map(|row| BrowserLogIn::from_query_result(&row, "")).transpose()
}

/// Returns the log-in with this cookie, whether or not it can still be used.
#[expect(clippy::disallowed_methods, reason = "these are not rows of the resource API")]
pub async fn log_in_of(
    db: &impl ConnectionTrait,
    cookie: &str,
) -> Result<Option<browser_log_ins::Model>, DbErr> {
    browser_log_ins::Entity::find_by_id(browser::hash(cookie)).one(db).await
}

/// Records a new log-in under a new cookie. The same user's earlier sessions and requests in this
/// browser move to it; another user's are ended.
pub async fn remember_browser(
    tx: &DatabaseTransaction,
    kind: UserKind,
    user_id: i64,
    previous_cookie: Option<&str>,
) -> Result<(String, BrowserLogIn), DbErr> {
    use browser_log_ins::Column as Browser;
    let cookie = random_name();
    let browser_id = browser::hash(&cookie);
    if let Some(previous) = previous_cookie {
        replace_log_in(tx, kind, user_id, &browser::hash(previous), &browser_id).await?;
    }
    let now = database::now(tx);
    let insert = batch::insert_values(
        browser_log_ins::Entity,
        [
            (Browser::BrowserId, browser_id.as_str().into()),
            (Browser::UserKind, kind.as_str().into()),
            (Browser::UserId, user_id.into()),
            (Browser::LogInDate, now.clone()),
            (Browser::UsedDate, now),
        ],
    );
    tx.execute(&insert).await?;
    let log_in_date = database::time(tx).await?;
    Ok((cookie, BrowserLogIn { browser_id, user_id, log_in_date }))
}

/// Replaces an earlier log-in in the same browser.
#[expect(clippy::disallowed_methods, reason = "these are not rows of the resource API")]
async fn replace_log_in(
    tx: &DatabaseTransaction,
    kind: UserKind,
    user_id: i64,
    previous_id: &str,
    browser_id: &str,
) -> Result<(), DbErr> {
    let previous =
        browser_log_ins::Entity::find_by_id(previous_id).lock_exclusive().one(tx).await?;
    let Some(previous) = previous else { return Ok(()) };
    if (previous.user_kind, previous.user_id) != (kind, user_id) {
        return shared::sessions::log_out_browser(tx, previous.user_kind, previous_id).await;
    }
    browser_log_ins::Entity::delete_by_id(previous_id).exec(tx).await?;
    Entity::update_many()
        .col_expr(Column::BrowserId, browser_id.into())
        .filter(Column::BrowserId.eq(previous_id))
        .exec(tx)
        .await?;
    auth_sessions::Entity::update_many()
        .col_expr(auth_sessions::Column::BrowserId, browser_id.into())
        .filter(auth_sessions::Column::BrowserId.eq(previous_id))
        .exec(tx)
        .await?;
    Ok(())
}

/// Issues the code for a stored request, replacing a code that has not been used: after a double
/// click, or going back and logging in again, the last code works. `None` if a code was used, or if
/// the browser has been logged out in the meantime.
pub async fn grant_code(
    store: &Store,
    tx: &DatabaseTransaction,
    request_id: &str,
    log_in: &BrowserLogIn,
) -> Result<Option<Code>, DbErr> {
    let code = Code::random(&store.token_keys);
    let now = database::now(tx);
    let used = Query::update()
        .table(browser_log_ins::Entity)
        .value(browser_log_ins::Column::UsedDate, now.clone())
        .and_where(browser_log_ins::Column::BrowserId.eq(log_in.browser_id.as_str()))
        .take();
    if tx.execute(&used).await?.rows_affected() == 0 {
        return Ok(None);
    }
    let update = Query::update()
        .table(Entity)
        .value(Column::CodeHash, store.token_keys.hash(code.text()))
        .value(Column::CodeDate, now)
        .value(Column::UserId, log_in.user_id)
        .value(Column::LogInDate, log_in.log_in_date)
        .value(Column::BrowserId, log_in.browser_id.as_str())
        .value(Column::SessionId, SessionId::random().text())
        .and_where(Column::RequestId.eq(request_id))
        .and_where(Column::UsedDate.is_null())
        .take();
    let updated = tx.execute(&update).await?.rows_affected();
    Ok((updated == 1).then_some(code))
}

/// The parameters that a client sends with a code.
#[derive(Debug)]
pub struct Exchange<'a> {
    pub code: Code,
    /// Redirect URI that the code was sent to.
    pub redirect_uri: &'a str,
    /// PKCE.
    pub code_verifier: &'a str,
}

/// Exchanges a code for tokens (RFC 6749, 4.1.3).
pub async fn exchange(
    store: &Store,
    client: &oauth_clients::Model,
    exchange: &Exchange<'_>,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    let exchanged = database::write(&store.db, async |tx| {
        try_exchange(store, tx, client, exchange, source).await
    });
    exchanged.await?.ok_or_else(|| {
        tracing::warn!(client.client_id, "an authorization code was reused: session ended");
        invalid_code()
    })
}

fn invalid_code() -> OAuthError {
    OAuthError::invalid_grant("the code is not valid")
}

/// One attempt; `None` if the code was used before, which has ended its session.
async fn try_exchange(
    store: &Store,
    tx: &DatabaseTransaction,
    client: &oauth_clients::Model,
    exchange: &Exchange<'_>,
    source: &ClientAddress,
) -> Result<Option<Value>, OAuthError> {
    let request = lock_code(store, tx, &exchange.code).await?.ok_or_else(invalid_code)?;
    let (Some(user_id), Some(session)) = (request.user_id, &request.session_id) else {
        return Err(invalid_code());
    };
    if request.client_id != client.client_id {
        return Err(invalid_code());
    }
    if request.used_date.is_some() {
        shared::sessions::end_session(tx, request.user_kind, session).await?;
        let event = source.event(EventKind::ReuseDetected).client(&client.client_id);
        event.reason("code").user(request.user_kind, user_id).record(tx).await?;
        return Ok(None);
    }
    let challenge = digest(&SHA256, exchange.code_verifier.as_bytes());
    let challenge = URL_SAFE_NO_PAD.encode(challenge);
    if request.redirect_uri != exchange.redirect_uri || request.code_challenge != challenge {
        return Err(invalid_code());
    }
    if !is_redeemable(tx, &request).await? {
        return Err(invalid_code());
    }
    let used = Query::update()
        .table(Entity)
        .value(Column::UsedDate, database::now(tx))
        .and_where(Column::RequestId.eq(request.request_id.as_str()))
        .take();
    tx.execute(&used).await?;
    let new_session = NewSession {
        session: SessionId::parse(session).ok_or_else(invalid_code)?,
        kind: request.user_kind,
        user_id,
        client,
        scope: &request.scope,
        log_in_date: request.log_in_date,
        browser_id: request.browser_id.clone(),
        nonce: request.nonce.clone(),
    };
    sessions::begin(store, tx, new_session, source).await.map(Some)
}

#[expect(clippy::disallowed_methods, reason = "these are not rows of the resource API")]
async fn lock_code(
    store: &Store,
    tx: &DatabaseTransaction,
    code: &Code,
) -> Result<Option<Model>, DbErr> {
    let hashes: Vec<String> = store.token_keys.hashes(code.text()).collect();
    Entity::find().filter(Column::CodeHash.is_in(hashes)).lock_exclusive().one(tx).await
}

/// True if the code has not expired and its user may log in.
async fn is_redeemable(tx: &DatabaseTransaction, request: &Model) -> Result<bool, DbErr> {
    let select = Query::select()
        .column(Column::RequestId)
        .from(Entity)
        .and_where(Column::RequestId.eq(request.request_id.as_str()))
        .and_where(younger_than(Column::CodeDate, tx, CODE_SECONDS))
        .and_where(login::may_log_in(request.user_kind, (Entity, Column::UserId)))
        .take();
    Ok(tx.query_one(&select).await?.is_some())
}

fn younger_than(column: Column, db: &impl ConnectionTrait, seconds: i64) -> Expr {
    column.into_expr().gt(database::seconds_ago(db, Expr::value(seconds)))
}

/// Removes expired requests and codes, and browser log-ins past their caps without sessions.
pub async fn sweep(store: &Store) -> Result<u64, DbErr> {
    use browser_log_ins::Column as Browser;
    let last = Func::coalesce([Expr::col(Column::CodeDate), Expr::col(Column::CreatedDate)]);
    let requests = Query::delete()
        .from_table(Entity)
        .and_where(
            Expr::from(last).lte(database::seconds_ago(&store.db, Expr::value(PENDING_SECONDS))),
        )
        .take();
    let mut rows = store.db.execute(&requests).await?.rows_affected();
    let of_browser = auth_sessions::Column::BrowserId.into_expr();
    let has_sessions = Expr::exists(
        Query::select()
            .expr(Expr::value(1))
            .from(auth_sessions::Entity)
            .and_where(of_browser.equals((browser_log_ins::Entity, Browser::BrowserId)))
            .take(),
    );
    for kind in [UserKind::Core, UserKind::Web] {
        let (began, used) = (Browser::LogInDate.into_expr(), Browser::UsedDate.into_expr());
        let delete = Query::delete()
            .from_table(browser_log_ins::Entity)
            .and_where(Browser::UserKind.eq(kind.as_str()))
            .and_where(lifetimes::within_caps(store, kind, began, used).not())
            .and_where(has_sessions.clone().not())
            .take();
        rows += store.db.execute(&delete).await?.rows_affected();
    }
    Ok(rows)
}
