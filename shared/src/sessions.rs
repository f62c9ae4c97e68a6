//! Ending sessions and log-ins: the only code that knows which rows to delete.
//!
//! A browser's log-in leads to codes, a code to a session, a session to access tokens. Lock order:
//! rows are always locked in this order (`browser_log_ins`, `authorization_requests`,
//! `auth_sessions`, `active_users` or `cif_web_active_users`), and each step holds its parent row
//! until it commits. So ending something either waits for what is being issued from it, and ends
//! that too, or leaves nothing to issue from.

use crate::database::galera::{self, GuardMode};
use crate::entity::{
    active_users, auth_sessions, authorization_requests, browser_log_ins, cif_web_active_users,
    user_credentials, web_credentials,
};
use crate::introspection::UserKind;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

/// Locks a user's credentials in order to change them or to end what they led to: a log-in in
/// progress either commits first, or sees what this transaction leaves.
#[expect(clippy::disallowed_methods, reason = "credentials are not rows of the resource API")]
pub async fn hold_credentials(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    user_id: i64,
) -> Result<(), DbErr> {
    match kind {
        UserKind::Core => {
            user_credentials::Entity::find_by_id(user_id)
                .lock_exclusive()
                .one(tx)
                .await
                .map(drop)?;
        }
        UserKind::Web => {
            web_credentials::Entity::find_by_id(user_id)
                .lock_exclusive()
                .one(tx)
                .await
                .map(drop)?;
        }
    }
    guard_credentials(tx, kind, user_id, GuardMode::Exclusive).await
}

/// Takes the guard of locked credentials. Log-ins hold it together with other log-ins.
pub async fn guard_credentials(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    user_id: i64,
    mode: GuardMode,
) -> Result<(), DbErr> {
    let table = match kind {
        UserKind::Core => "user_credentials",
        UserKind::Web => "web_credentials",
    };
    galera::guard(tx, table, &user_id.to_string(), mode).await
}

/// Takes the guard of a client. Issuing to it holds it together with others; removing it excludes
/// them.
pub async fn guard_client(
    tx: &impl ConnectionTrait,
    client_id: &str,
    mode: GuardMode,
) -> Result<(), DbErr> {
    galera::guard(tx, "oauth_clients", client_id, mode).await
}

/// Ends a session: deletes its refresh tokens and access tokens. True if there were any.
pub async fn end_session(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    session_id: &str,
) -> Result<bool, DbErr> {
    let session = auth_sessions::Column::SessionId.eq(session_id);
    let sessions = delete(tx, auth_sessions::Entity, session).await?;
    let tokens = delete_tokens(tx, kind, &[session_id.to_owned()]).await?;
    Ok(sessions + tokens > 0)
}

/// Logs out: ends a session, the browser log-in it came from, and every other session from that
/// log-in.
#[expect(clippy::disallowed_methods, reason = "sessions are not rows of the resource API")]
pub async fn log_out(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    session_id: &str,
) -> Result<bool, DbErr> {
    let browser_id: Option<Option<String>> = auth_sessions::Entity::find_by_id(session_id)
        .select_only()
        .column(auth_sessions::Column::BrowserId)
        .into_tuple()
        .one(tx)
        .await?;
    if let Some(browser_id) = browser_id.flatten() {
        log_out_browser(tx, kind, &browser_id).await?;
    }
    end_session(tx, kind, session_id).await
}

/// Ends a browser's log-in and every session that came from it.
#[expect(clippy::disallowed_methods, reason = "sessions are not rows of the resource API")]
pub async fn log_out_browser(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    browser_id: &str,
) -> Result<(), DbErr> {
    browser_log_ins::Entity::delete_by_id(browser_id).exec(tx).await?;
    let asked_by_browser = authorization_requests::Column::BrowserId.eq(browser_id);
    delete(tx, authorization_requests::Entity, asked_by_browser).await?;
    let of_browser = auth_sessions::Column::BrowserId.eq(browser_id);
    let sessions: Vec<String> = auth_sessions::Entity::find()
        .select_only()
        .column(auth_sessions::Column::SessionId)
        .filter(of_browser.clone())
        .lock_exclusive()
        .into_tuple()
        .all(tx)
        .await?;
    delete(tx, auth_sessions::Entity, of_browser).await?;
    delete_tokens(tx, kind, &sessions).await.map(drop)
}

/// Logs a user out everywhere: deletes all their tokens, sessions, browser log-ins and codes.
/// Returns how many tokens there were, live or expired.
pub async fn end_all(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    user_id: i64,
) -> Result<u64, DbErr> {
    use auth_sessions::Column as Session;
    use authorization_requests::Column as Request;
    use browser_log_ins::Column as Browser;
    let browsers = Browser::UserKind.eq(kind).and(Browser::UserId.eq(user_id));
    delete(tx, browser_log_ins::Entity, browsers).await?;
    let requests = Request::UserKind.eq(kind).and(Request::UserId.eq(user_id));
    delete(tx, authorization_requests::Entity, requests).await?;
    let sessions = Session::UserKind.eq(kind).and(Session::UserId.eq(user_id));
    delete(tx, auth_sessions::Entity, sessions).await?;
    match kind {
        UserKind::Core => {
            delete(tx, active_users::Entity, active_users::Column::UserId.eq(user_id)).await
        }
        UserKind::Web => {
            let of_contact = cif_web_active_users::Column::ContactId.eq(user_id);
            delete(tx, cif_web_active_users::Entity, of_contact).await
        }
    }
}

/// Logs everyone out, core users and web users, and returns how many tokens there were.
/// Authorization requests without a log-in are kept.
pub async fn end_everything(tx: &impl ConnectionTrait) -> Result<u64, DbErr> {
    browser_log_ins::Entity::delete_many().exec(tx).await?;
    let granted = authorization_requests::Column::UserId.is_not_null();
    delete(tx, authorization_requests::Entity, granted).await?;
    auth_sessions::Entity::delete_many().exec(tx).await?;
    let core = active_users::Entity::delete_many().exec(tx).await?;
    let web = cif_web_active_users::Entity::delete_many().exec(tx).await?;
    Ok(core.rows_affected + web.rows_affected)
}

/// Ends every session of a client and deletes its pending requests; returns how many tokens there
/// were. Browsers stay logged in, because other clients use them too.
pub async fn end_of_client(tx: &impl ConnectionTrait, client_id: &str) -> Result<u64, DbErr> {
    end_requests_of_client(tx, client_id).await?;
    let sessions = auth_sessions::Column::ClientId.eq(client_id);
    delete(tx, auth_sessions::Entity, sessions).await?;
    let core = active_users::Column::ClientId.eq(client_id);
    let core = delete(tx, active_users::Entity, core).await?;
    let web = cif_web_active_users::Column::ClientId.eq(client_id);
    Ok(core + delete(tx, cif_web_active_users::Entity, web).await?)
}

/// Deletes a client's pending requests: log-ins that have begun, and codes that were not redeemed.
pub async fn end_requests_of_client(
    tx: &impl ConnectionTrait,
    client_id: &str,
) -> Result<(), DbErr> {
    let requests = authorization_requests::Column::ClientId.eq(client_id);
    delete(tx, authorization_requests::Entity, requests).await.map(drop)
}

async fn delete_tokens(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    sessions: &[String],
) -> Result<u64, DbErr> {
    let of_sessions = Expr::col("session_id").is_in(sessions);
    match kind {
        UserKind::Core => delete(tx, active_users::Entity, of_sessions).await,
        UserKind::Web => delete(tx, cif_web_active_users::Entity, of_sessions).await,
    }
}

/// Deletes the rows of a table that match; returns how many.
async fn delete<E: EntityTrait>(
    tx: &impl ConnectionTrait,
    _table: E,
    condition: Expr,
) -> Result<u64, DbErr> {
    Ok(E::delete_many().filter(condition).exec(tx).await?.rows_affected)
}
