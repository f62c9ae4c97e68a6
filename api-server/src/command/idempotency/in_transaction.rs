//! Keys of effects within the database: looked up once the rows that the effect writes are locked,
//! and stored with the effect, in its transaction.

use super::{
    Column, Entity, IdempotencyScope, KeyError, LEASE_SECONDS, StoredKey, StoredResponse, given_up,
    of_request, replay,
};
use poem::http::StatusCode;
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::db::{self, Fault};
use shared::random::random_bytes;

/// Looks up the stored responses of these requests, in their order. `None`: the request is new.
pub async fn find(
    tx: &DatabaseTransaction,
    scopes: &[&IdempotencyScope],
) -> Result<Vec<Result<Option<StoredResponse>, KeyError>>, KeyError> {
    let mut responses = Vec::with_capacity(scopes.len());
    if scopes.is_empty() {
        return Ok(responses);
    }
    let found = super::find(tx, scopes).await?;
    for scope in scopes {
        responses.push(replayable(tx, scope, of_request(&found, scope)).await);
    }
    Ok(responses)
}

/// Returns the response stored for a request; removes lapsed claims and expired responses.
async fn replayable(
    tx: &DatabaseTransaction,
    scope: &IdempotencyScope,
    rows: impl Iterator<Item = &StoredKey>,
) -> Result<Option<StoredResponse>, KeyError> {
    for stored in rows {
        if let Some(response) = replay(tx, scope, stored).await? {
            return Ok(Some(response));
        }
        remove(tx, stored).await?;
    }
    Ok(None)
}

/// Finds the stored response of a request outside a transaction, which may be too early: whether
/// the request is new is decided by [`find`].
pub async fn peek(
    db: &impl ConnectionTrait,
    scope: &IdempotencyScope,
) -> Result<Option<StoredResponse>, KeyError> {
    let found = super::find(db, &[scope]).await?;
    match of_request(&found, scope).next() {
        Some(stored) => replay(db, scope, stored).await,
        None => Ok(None),
    }
}

/// Removes a claim whose lease has lapsed, or an expired response. The condition is repeated: a
/// request that outlived its lease may have stored its response since the row was read.
async fn remove(tx: &DatabaseTransaction, stored: &StoredKey) -> Result<(), KeyError> {
    let deleted = Entity::delete_many()
        .filter(Column::ScopeHash.eq(stored.scope_hash.as_str()))
        .filter(Column::ClaimToken.eq(stored.claim_token.as_str()))
        .filter(given_up(tx.get_database_backend()))
        .exec(tx)
        .await?;
    match deleted.rows_affected {
        1 => Ok(()),
        _ => Err(KeyError::Taken),
    }
}

/// A response to be stored under the key of its request.
pub struct NewResponse<'a> {
    /// The request.
    pub scope: &'a IdempotencyScope,
    /// Status of the response.
    pub status: StatusCode,
    /// Its body.
    pub body: &'a str,
}

/// Stores responses. Fails if another request has taken one of the keys in the meantime: then the
/// transaction must be rolled back.
///
/// The rows are sorted, so that two transactions with the same keys do not wait for each other.
pub async fn store(
    tx: &DatabaseTransaction,
    mut responses: Vec<NewResponse<'_>>,
) -> Result<(), KeyError> {
    if responses.is_empty() {
        return Ok(());
    }
    responses.sort_by_cached_key(|response| response.scope.key_hash());
    let backend = tx.get_database_backend();
    let mut insert = Query::insert();
    insert.into_table(Entity).columns([
        Column::ScopeHash,
        Column::KeyHash,
        Column::Fingerprint,
        Column::ClaimToken,
        Column::LeaseUntil,
        Column::CreatedDate,
        Column::Status,
        Column::Body,
    ]);
    for NewResponse { scope, status, body } in responses {
        insert.values_panic([
            scope.hash().into(),
            scope.key_hash().into(),
            scope.fingerprint.as_str().into(),
            hex::encode(random_bytes::<16>()).into(),
            db::seconds_from_now(backend, LEASE_SECONDS),
            db::now(backend),
            i32::from(status.as_u16()).into(),
            body.into(),
        ]);
    }
    match tx.execute(&insert).await {
        Ok(_) => Ok(()),
        Err(error) => Err(match db::fault(&error) {
            Fault::Conflict => KeyError::Taken,
            Fault::LockTimeout => KeyError::InProgress,
            _ => error.into(),
        }),
    }
}
