//! Refresh token rotation (RFC 6749, 6; RFC 9700, 4.14).
//!
//! The refresh tokens of a session form a family, stored in the session's row: the current token
//! and the previous one.
//!
//! | token presented | meaning | result |
//! |---|---|---|
//! | the current one | an honest refresh | its successor is issued |
//! | the previous one, within a minute, while the current one is unused | the response was lost, or two refreshes ran concurrently | the same successor again, with a new access token |
//! | the previous one, later; any older one | a copy was used | the session ends |
//! | the previous one, if its successor cannot be derived | its key is gone | refused; the session survives |
//!
//! Which request was first does not depend on a clock: a successor is derived from its predecessor
//! under the token key that the row names, so every request with the same token gets the same
//! successor. Presenting the current token uses it: it becomes the previous one. The row lock
//! serializes replicas; between nodes of a cluster, where row locks do not apply, the conditional
//! update does.
//!
//! Refreshes are rate-limited per session ([`QUOTA`]): each one writes a row and an audit event.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::store::Store;
use crate::store::clients;
use crate::store::grants::{Grant, issue_tokens};
use crate::store::sessions::{alive, enabled};
use crate::store::tokens::{AccessToken, RefreshToken, TokenKeys};
use governor::Quota;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult,
    QuerySelect,
};
use serde_json::Value;
use shared::audit::EventKind;
use shared::database;
use shared::entity::auth_sessions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::introspection::UserKind;
use shared::time::Timestamp;
use std::num::NonZeroU32;

/// Rate limit of refreshes per session: a burst for many tabs, then one every five seconds.
pub const QUOTA: Quota =
    Quota::per_minute(NonZeroU32::new(12).unwrap()).allow_burst(NonZeroU32::new(60).unwrap());
/// How long a lost response can be fetched again, by the database's clock.
const REISSUE_SECONDS: i64 = 60;
/// Attempts per exchange: another is needed if the row changed in spite of the lock.
const ATTEMPTS_MAX: usize = 4;

/// Exchanges a refresh token (RFC 6749, 6).
pub async fn refresh(
    store: &Store,
    client: &oauth_clients::Model,
    token: &RefreshToken,
    scope: Option<&str>,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    let refused = |seconds| OAuthError::too_many("too many refreshes of this session", seconds);
    store.refresh_rate_limit.check(&token.session().text()).map_err(refused)?;
    for _ in 0..ATTEMPTS_MAX {
        let exchanged = database::write(&store.db, async |tx| {
            exchange(store, tx, client, token, scope, source).await
        });
        match exchanged.await? {
            Exchanged::Tokens(response) => return Ok(response),
            Exchanged::Reused => {
                tracing::warn!(client.client_id, "a refresh token was reused: session ended");
                return Err(invalid_token());
            }
            Exchanged::Overtaken => {}
        }
    }
    Err(OAuthError::unavailable("the session is being refreshed elsewhere"))
}

fn invalid_token() -> OAuthError {
    OAuthError::invalid_grant("the refresh token is not valid")
}

/// Result of one attempt.
enum Exchanged {
    Tokens(Value),
    /// The token was used before, which has ended its session.
    Reused,
    /// Another request changed the row first.
    Overtaken,
}

async fn exchange(
    store: &Store,
    tx: &DatabaseTransaction,
    client: &oauth_clients::Model,
    token: &RefreshToken,
    scope: Option<&str>,
    source: &ClientAddress,
) -> Result<Exchanged, OAuthError> {
    let session_id = token.session().text();
    lock(tx, &session_id).await?;
    let family = read_family(store, tx, &session_id).await?.ok_or_else(invalid_token)?;
    if family.client_id != client.client_id || family.alive != Some(true) || !family.enabled {
        return Err(invalid_token());
    }
    let event = |kind: EventKind| {
        let event = source.event(kind).client(&family.client_id);
        event.user(family.user_kind, family.user_id).token(&store.token_keys.hash(token.text()))
    };
    let (next, is_rotation) = match family.outcome(token, &store.token_keys) {
        RefreshOutcome::Current(next) => (next, true),
        RefreshOutcome::Repeated(next) => (next, false),
        RefreshOutcome::Invalid => return Err(invalid_token()),
        RefreshOutcome::UnknownKey => {
            tracing::error!("a session was stored under a key that is not in AUTH_TOKEN_KEYS");
            return Err(invalid_token());
        }
        RefreshOutcome::Reused => {
            shared::sessions::end_session(tx, family.user_kind, &session_id).await?;
            event(EventKind::ReuseDetected).reason("refresh_token").record(tx).await?;
            return Ok(Exchanged::Reused);
        }
    };
    if !scope.is_none_or(|scope| clients::is_within(scope, &family.scope)) {
        let description = format!(
            "the scope must be within the granted scope ({}) and include core or web",
            family.scope
        );
        return Err(OAuthError::invalid_scope(description));
    }
    let updated = match is_rotation {
        true => rotate(store, tx, &session_id, &family, token, &next).await?,
        false => mark_reissued(tx, &session_id).await?,
    };
    if !updated {
        return Ok(Exchanged::Overtaken);
    }
    event(EventKind::TokenRefreshed).record(tx).await?;
    let grant = Grant {
        access_token: AccessToken::random(&store.token_keys, family.user_kind, token.session()),
        refresh_token: Some(next),
        user_id: family.user_id,
        client_id: &family.client_id,
        public_id: &family.public_id,
        scope: &family.scope,
        log_in_date: Some(family.log_in_date),
        nonce: None,
    };
    issue_tokens(store, tx, &grant).await.map(Exchanged::Tokens)
}

/// A session's row, as a refresh reads it.
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
    /// The session is within both caps.
    alive: Option<bool>,
    /// The user may still log in.
    enabled: bool,
    /// The last rotation was less than a minute ago.
    recent: bool,
}

/// The standing of a refresh token in its family.
#[derive(Debug, PartialEq, Eq)]
enum RefreshOutcome {
    /// The current token, with its successor.
    Current(RefreshToken),
    /// The previous token, with the successor that was issued for it.
    Repeated(RefreshToken),
    /// The family was stored under a key that this server does not have.
    UnknownKey,
    /// Not valid, but no proof of theft.
    Invalid,
    /// A used token.
    Reused,
}

impl Family {
    fn outcome(&self, token: &RefreshToken, keys: &TokenKeys) -> RefreshOutcome {
        let token_hashes: Vec<String> = keys.hashes(token.text()).collect();
        let matches =
            |hash: &Option<String>| hash.as_ref().is_some_and(|hash| token_hashes.contains(hash));
        if matches(&self.refresh_hash) {
            let next = token.successor(keys, keys.first_id());
            return next.map_or(RefreshOutcome::Invalid, RefreshOutcome::Current);
        }
        if matches(&self.previous_refresh_hash) {
            return match self.reissue_for(token, keys) {
                Some(next) if self.recent => RefreshOutcome::Repeated(next),
                Some(_) => RefreshOutcome::Reused,
                None => RefreshOutcome::Invalid,
            };
        }
        let family_hashes = [&self.refresh_hash, &self.previous_refresh_hash];
        if family_hashes.into_iter().flatten().any(|hash| !keys.knows_key_of(hash)) {
            return RefreshOutcome::UnknownKey;
        }
        RefreshOutcome::Reused
    }

    /// Returns the current token if it was derived from this one.
    fn reissue_for(&self, token: &RefreshToken, keys: &TokenKeys) -> Option<RefreshToken> {
        let current = self.refresh_hash.as_deref()?;
        let (key_id, _) = current.split_once(':')?;
        let next = token.successor(keys, key_id)?;
        (keys.hash_under(key_id, next.text())? == current).then_some(next)
    }
}

/// Locks the session's row, as log-out and revocation do.
#[expect(clippy::disallowed_methods, reason = "sessions are not rows of the resource API")]
async fn lock(tx: &DatabaseTransaction, session_id: &str) -> Result<(), DbErr> {
    let row = Entity::find_by_id(session_id).select_only().column(Column::SessionId);
    row.lock_exclusive().into_tuple::<String>().one(tx).await.map(drop)
}

async fn read_family(
    store: &Store,
    tx: &DatabaseTransaction,
    session_id: &str,
) -> Result<Option<Family>, DbErr> {
    let a_minute_ago = database::seconds_ago(tx, Expr::value(REISSUE_SECONDS));
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
        ])
        .expr_as(alive(store), "alive")
        .expr_as(enabled(), "enabled")
        .expr_as(Column::RefreshedDate.into_expr().gt(a_minute_ago), "recent")
        .from(Entity)
        .and_where(Column::SessionId.eq(session_id))
        .take();
    let row = tx.query_one(&select).await?;
    row.map(|row| Family::from_query_result(&row, "")).transpose()
}

/// Replaces the used token by its successor; false if another request was first.
async fn rotate(
    store: &Store,
    tx: &DatabaseTransaction,
    session_id: &str,
    family: &Family,
    used: &RefreshToken,
    next: &RefreshToken,
) -> Result<bool, DbErr> {
    let update = Query::update()
        .table(Entity)
        .value(Column::RefreshHash, store.token_keys.hash(next.text()))
        .value(Column::PreviousRefreshHash, store.token_keys.hash(used.text()))
        .value(Column::RefreshedDate, database::now(tx))
        .and_where(Column::SessionId.eq(session_id))
        .and_where(Column::RefreshHash.eq(family.refresh_hash.as_deref().unwrap_or_default()))
        .take();
    Ok(tx.execute(&update).await?.rows_affected() == 1)
}

/// Writes the row of a session whose successor is issued again: between nodes of a cluster a
/// concurrent log-out is detected by the row both write, not by its lock.
async fn mark_reissued(tx: &DatabaseTransaction, session_id: &str) -> Result<bool, DbErr> {
    let update = Query::update()
        .table(Entity)
        .value(Column::ContestedFlag, Column::ContestedFlag.into_expr().not())
        .and_where(Column::SessionId.eq(session_id))
        .take();
    Ok(tx.execute(&update).await?.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tokens::SessionId;

    fn family(current: String, previous: Option<String>, recent: bool) -> Family {
        Family {
            public_id: String::new(),
            user_kind: UserKind::Core,
            user_id: 1,
            client_id: String::new(),
            scope: String::new(),
            log_in_date: Timestamp::default(),
            refresh_hash: Some(current),
            previous_refresh_hash: previous,
            alive: Some(true),
            enabled: true,
            recent,
        }
    }

    fn keys(ids: &str) -> TokenKeys {
        let key = |id: &str| format!("{id}:{}", hex::encode([id.as_bytes()[1]; 32]));
        ids.split(' ').map(key).collect::<Vec<_>>().join(",").parse().unwrap()
    }

    #[test]
    fn a_token_family_recognizes_its_current_and_previous_token() {
        let (old, both) = (keys("k1"), keys("k2 k1"));
        let first = RefreshToken::random(&old, &SessionId::random());
        let second = first.successor(&old, "k1").unwrap();
        let third = second.successor(&both, "k2").unwrap();
        let fresh = family(old.hash(first.text()), None, false);
        let next = first.successor(&both, "k2").unwrap();
        assert_eq!(fresh.outcome(&first, &both), RefreshOutcome::Current(next));
        assert_eq!(fresh.outcome(&second, &both), RefreshOutcome::Reused);
        let row = |recent| family(old.hash(second.text()), Some(old.hash(first.text())), recent);
        assert_eq!(row(true).outcome(&first, &both), RefreshOutcome::Repeated(second.clone()));
        assert_eq!(row(false).outcome(&first, &both), RefreshOutcome::Reused, "after a minute");
        assert_eq!(row(true).outcome(&second, &both), RefreshOutcome::Current(third.clone()));
        let last = family(both.hash(third.text()), Some(both.hash(second.text())), true);
        assert_eq!(last.outcome(&first, &both), RefreshOutcome::Reused, "an older one");
        assert_eq!(last.outcome(&second, &both), RefreshOutcome::Repeated(third));
    }

    #[test]
    fn a_session_survives_key_removal() {
        let (old, new) = (keys("k1"), keys("k2"));
        let session = SessionId::random();
        let (first, other) =
            (RefreshToken::random(&new, &session), RefreshToken::random(&new, &session));
        let at_random = family(new.hash(other.text()), Some(new.hash(first.text())), true);
        assert_eq!(at_random.outcome(&first, &new), RefreshOutcome::Invalid);
        let under_old = family(old.hash(other.text()), Some(new.hash(first.text())), true);
        assert_eq!(under_old.outcome(&first, &new), RefreshOutcome::Invalid);
        let stranger = RefreshToken::random(&new, &session);
        assert_eq!(under_old.outcome(&stranger, &new), RefreshOutcome::UnknownKey);
    }
}
