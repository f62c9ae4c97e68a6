//! Refresh tokens (RFC 6749, 6; RFC 9700, 4.14): how a session is kept going.
//!
//! The refresh tokens of a session are a family, kept in the session's one row: the one that may be
//! used next, and the one before it.
//!
//! | what comes back | what it means | what happens |
//! |---|---|---|
//! | the current one | an honest refresh | the next one is issued |
//! | the one before, and the current one was never used | the answer was lost on its way | the next one is issued, the lost one is dead |
//! | the same, but sent before the rotation happened | two were sent at once: the first one's answer stands | refused, now and later |
//! | any other of the family | somebody kept a copy | the session ends |
//!
//! The row's lock decides between replicas: two cannot rotate the same token.

use crate::app::App;
use crate::oauth_error::OAuthError;
use crate::sessions::{Subject, alive, answer, enabled};
use crate::source::Source;
use crate::token_table::{self, Issue};
use crate::tokens::{AccessToken, RefreshToken, TokenKeys};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult,
    QuerySelect,
};
use serde_json::Value;
use shared::audit::Kind;
use shared::db;
use shared::entity::auth_sessions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::introspection::UserKind;
use shared::time::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// Exchanges a refresh token (RFC 6749, 6) that arrived at this instant.
pub async fn refresh(
    app: &App,
    client: &oauth_clients::Model,
    token: &RefreshToken,
    scope: Option<&str>,
    source: &Source,
    arrived: Instant,
) -> Result<Value, OAuthError> {
    let wrong = || OAuthError::invalid_grant("the refresh token is not valid");
    let tx = db::begin_write(&app.db).await?;
    let session_id = token.session().text();
    lock(&tx, &session_id).await?;
    // Measured with the lock in hand: what happened while it was waited for, happened meanwhile.
    let Some(family) = read_family(app, &tx, &session_id, arrived.elapsed()).await? else {
        return Err(wrong());
    };
    if family.client_id != client.client_id || family.alive != Some(true) || !family.enabled {
        return Err(wrong());
    }
    if !scope.is_none_or(|scope| narrower(scope, &family.scope)) {
        return Err(OAuthError::invalid_scope());
    }
    let hashes: Vec<String> = app.token_keys.hashes(token.text()).collect();
    let event = |kind: Kind| {
        let event = source.event(kind).client(&family.client_id);
        event.user(family.user_kind, family.user_id).token(&app.token_keys.hash(token.text()))
    };
    match family.standing(&hashes, &app.token_keys) {
        Standing::Foreign => {
            tracing::error!("a session was written under a key that is not in AUTH_TOKEN_KEYS");
            return Err(wrong());
        }
        Standing::SentTwice => {
            // Whoever comes later with it is one of those, not somebody who lost an answer.
            contest(&tx, &session_id).await?;
            tx.commit().await?;
            return Err(wrong());
        }
        Standing::Reused => {
            shared::sessions::end_session(&tx, family.user_kind, &session_id).await?;
            event(Kind::ReuseDetected).reason("refresh_token").record(&tx).await?;
            tx.commit().await?;
            tracing::warn!(client.client_id, "a used refresh token came again: session ended");
            return Err(wrong());
        }
        Standing::Current | Standing::AnswerLost => {}
    }
    let next = RefreshToken::random(token.session());
    let issue = Issue {
        token: AccessToken::random(family.user_kind, token.session()),
        user_id: family.user_id,
        client_id: &family.client_id,
    };
    let issued = token_table::issue(app, &tx, &issue).await?;
    event(Kind::TokenRefreshed).record(&tx).await?;
    let subject = Subject {
        kind: family.user_kind,
        user_id: family.user_id,
        client_id: &family.client_id,
        public_id: &family.public_id,
        log_in_date: family.log_in_date,
        nonce: None,
    };
    let answer =
        answer(app, &tx, &issue.token, Some(&next), &family.scope, &issued, &subject).await?;
    // Last, so that the time it notes is that of the answer: what arrived before was sent at once.
    rotate(app, &tx, &session_id, &family, token, &next).await?;
    tx.commit().await?;
    Ok(answer)
}

/// The row of a session, as a refresh finds it.
#[derive(FromQueryResult)]
struct Family {
    public_id: String,
    user_kind: UserKind,
    user_id: i64,
    client_id: String,
    scope: String,
    log_in_date: Timestamp,
    refresh_hash: Option<String>,
    previous_refresh_hash: Option<String>,
    contested_flag: bool,
    /// Neither cap has passed.
    alive: Option<bool>,
    /// The user may still log in.
    enabled: bool,
    /// The last rotation happened after this request arrived.
    overtaken: bool,
}

/// What a refresh token is to its family.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Current,
    /// The family was written under a key that this server does not have.
    Foreign,
    AnswerLost,
    SentTwice,
    Reused,
}

impl Family {
    fn standing(&self, hashes: &[String], keys: &TokenKeys) -> Standing {
        let families = [&self.refresh_hash, &self.previous_refresh_hash];
        let foreign = families.into_iter().flatten().any(|hash| !keys.know(hash));
        let is = |hash: &Option<String>| hash.as_ref().is_some_and(|hash| hashes.contains(hash));
        match (is(&self.refresh_hash), is(&self.previous_refresh_hash)) {
            (true, _) => Standing::Current,
            (false, true) if self.overtaken || self.contested_flag => Standing::SentTwice,
            (false, true) => Standing::AnswerLost,
            (false, false) if foreign => Standing::Foreign,
            (false, false) => Standing::Reused,
        }
    }
}

/// A refresh may ask for what was granted; which kind of user cannot be left out.
fn narrower(scope: &str, granted: &str) -> bool {
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (asked, granted) = (words(scope), words(granted));
    asked.iter().all(|word| granted.contains(word))
        && asked.iter().any(|word| word == "core" || word == "web")
}

/// Takes the session's row, which log-out and revocation take too.
#[expect(clippy::disallowed_methods, reason = "sessions are no rows of the resource API")]
async fn lock(tx: &DatabaseTransaction, session_id: &str) -> Result<(), DbErr> {
    let row = Entity::find_by_id(session_id).select_only().column(Column::SessionId);
    row.lock_exclusive().into_tuple::<String>().one(tx).await.map(drop)
}

async fn read_family(
    app: &App,
    tx: &DatabaseTransaction,
    session_id: &str,
    since_arrival: Duration,
) -> Result<Option<Family>, DbErr> {
    let backend = tx.get_database_backend();
    // In whole milliseconds, rounded up: in doubt, two were sent at once.
    let seconds = (since_arrival.as_millis() + 1) as f64 / 1000.0;
    let arrived = db::seconds_ago(backend, Expr::value(seconds));
    let select = Query::select()
        .columns([
            Column::PublicId,
            Column::UserKind,
            Column::UserId,
            Column::ClientId,
            Column::Scope,
            Column::LogInDate,
            Column::RefreshHash,
            Column::PreviousRefreshHash,
            Column::ContestedFlag,
        ])
        .expr_as(alive(app, backend), "alive")
        .expr_as(enabled(), "enabled")
        .expr_as(Column::RefreshedDate.into_expr().gte(arrived), "overtaken")
        .from(Entity)
        .and_where(Column::SessionId.eq(session_id))
        .take();
    let row = tx.query_one(&select).await?;
    row.map(|row| Family::from_query_result(&row, "")).transpose()
}

async fn rotate(
    app: &App,
    tx: &DatabaseTransaction,
    session_id: &str,
    family: &Family,
    used: &RefreshToken,
    next: &RefreshToken,
) -> Result<(), OAuthError> {
    let update = Query::update()
        .table(Entity)
        .value(Column::RefreshHash, app.token_keys.hash(next.text()))
        .value(Column::PreviousRefreshHash, app.token_keys.hash(used.text()))
        .value(Column::ContestedFlag, false)
        .value(Column::RefreshedDate, db::now(tx.get_database_backend()))
        .and_where(Column::SessionId.eq(session_id))
        // Holds even where a database's row lock does not, as between nodes of a cluster.
        .and_where(Column::RefreshHash.eq(family.refresh_hash.as_deref().unwrap_or_default()))
        .take();
    match tx.execute(&update).await?.rows_affected() {
        1 => Ok(()),
        _ => Err(OAuthError::invalid_grant("the refresh token is not valid")),
    }
}

/// Notes that the refresh token before the current one was sent twice at once.
async fn contest(tx: &DatabaseTransaction, session_id: &str) -> Result<(), DbErr> {
    let update = Query::update()
        .table(Entity)
        .value(Column::ContestedFlag, true)
        .and_where(Column::SessionId.eq(session_id))
        .and_where(Column::ContestedFlag.eq(false))
        .take();
    tx.execute(&update).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(current: &str, previous: Option<&str>, overtaken: bool) -> Family {
        Family {
            public_id: String::new(),
            user_kind: UserKind::Core,
            user_id: 1,
            client_id: String::new(),
            scope: String::new(),
            log_in_date: Timestamp::default(),
            refresh_hash: Some(current.to_owned()),
            previous_refresh_hash: previous.map(str::to_owned),
            contested_flag: false,
            alive: Some(true),
            enabled: true,
            overtaken,
        }
    }

    #[test]
    fn a_family_knows_its_next_token_and_the_one_before() {
        let keys = |text: &str| {
            let key = |id: &str| format!("{id}:{}", "00".repeat(32));
            text.split(' ').map(key).collect::<Vec<_>>().join(",").parse::<TokenKeys>().unwrap()
        };
        let both = keys("k2 k1");
        let hashes = |hash: &str| vec![format!("k2:{hash}"), format!("k1:{hash}")];
        let fresh = family("k1:a", None, false);
        assert_eq!(fresh.standing(&hashes("a"), &both), Standing::Current);
        assert_eq!(fresh.standing(&hashes("b"), &both), Standing::Reused);
        let rotated = family("k2:b", Some("k1:a"), false);
        assert_eq!(rotated.standing(&hashes("a"), &both), Standing::AnswerLost);
        assert_eq!(
            family("k2:b", Some("k1:a"), true).standing(&hashes("a"), &both),
            Standing::SentTwice
        );
        let contested = Family { contested_flag: true, ..family("k2:b", Some("k1:a"), false) };
        assert_eq!(contested.standing(&hashes("a"), &both), Standing::SentTwice);
        assert_eq!(contested.standing(&hashes("b"), &both), Standing::Current);
        let ahead = family("k3:b", Some("k1:a"), false);
        assert_eq!(ahead.standing(&hashes("c"), &both), Standing::Foreign, "another key's");
        assert_eq!(
            family("k2:c", Some("k2:b"), false).standing(&hashes("a"), &both),
            Standing::Reused
        );
    }

    #[test]
    fn a_refresh_cannot_widen_its_scope_or_leave_the_kind_of_user_out() {
        assert!(narrower("core", "openid core"));
        assert!(narrower("core openid", "openid core"));
        assert!(!narrower("openid", "openid core"));
        assert!(!narrower("web", "openid core"));
        assert!(!narrower("core openid", "core"));
    }
}
