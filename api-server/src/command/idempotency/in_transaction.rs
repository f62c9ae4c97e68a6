//! Keys of effects within the database: looked up once the rows that the effect writes are locked,
//! and stored with the effect, in its transaction.

use super::{
    Column, Entity, IdempotencyScope, KeyError, LEASE_SECONDS, StoredKey, StoredResponse, given_up,
    replay,
};
use chrono::TimeDelta;
use poem::http::StatusCode;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::database::batch::WriteBatch;
use shared::database::{self, Fault};
use shared::entity::idempotency_records;
use shared::random::random_bytes;
use shared::time::Timestamp;
use std::collections::HashMap;

/// Looks up the stored responses of these requests, in their order, on connections for reads.
/// `None`: the request is new.
pub async fn find(
    tx: &DatabaseTransaction,
    reads: &impl ConnectionTrait,
    scopes: &[&IdempotencyScope],
) -> Result<Vec<Result<Option<StoredResponse>, KeyError>>, KeyError> {
    let mut responses = Vec::with_capacity(scopes.len());
    if scopes.is_empty() {
        return Ok(responses);
    }
    let stored = super::find(reads, scopes).await?;
    let stored: HashMap<&str, &StoredKey> =
        stored.iter().map(|row| (row.key_hash.as_str(), row)).collect();
    for scope in scopes {
        let stored = stored.get(scope.key_hash.as_str());
        responses.push(match stored {
            Some(stored) => replayable(tx, scope, stored).await,
            None => Ok(None),
        });
    }
    Ok(responses)
}

/// Returns the response stored for a request; removes a lapsed claim or an expired response.
async fn replayable(
    tx: &DatabaseTransaction,
    scope: &IdempotencyScope,
    stored: &StoredKey,
) -> Result<Option<StoredResponse>, KeyError> {
    let response = replay(scope, stored)?;
    if response.is_none() {
        remove(tx, stored).await?;
    }
    Ok(response)
}

/// Finds the stored response of a request outside a transaction, which may be too early: whether
/// the request is new is decided by [`find`].
pub async fn peek(
    db: &impl ConnectionTrait,
    scope: &IdempotencyScope,
) -> Result<Option<StoredResponse>, KeyError> {
    match super::find(db, &[scope]).await?.pop() {
        Some(stored) => replay(scope, &stored),
        None => Ok(None),
    }
}

/// Removes a claim whose lease has lapsed, or an expired response. The condition is repeated: a
/// request that outlived its lease may have stored its response since the row was read.
async fn remove(tx: &DatabaseTransaction, stored: &StoredKey) -> Result<(), KeyError> {
    let deleted = Entity::delete_many()
        .filter(Column::KeyHash.eq(stored.key_hash.as_str()))
        .filter(Column::ClaimToken.eq(stored.claim_token.as_str()))
        .filter(given_up(tx))
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
    pub body: &'a str,
}

/// Stores responses at this time. Fails if another request has taken one of the keys in the
/// meantime: then the transaction must be rolled back.
pub async fn store(
    tx: &DatabaseTransaction,
    now: Timestamp,
    responses: Vec<NewResponse<'_>>,
) -> Result<(), KeyError> {
    let mut writes = WriteBatch::new(tx);
    queue(&mut writes, now, responses)?;
    writes.execute(tx).await.map_err(|error| match database::fault(&error) {
        Fault::Conflict => KeyError::Taken,
        Fault::LockTimeout => KeyError::InProgress,
        _ => error.into(),
    })
}

/// Adds responses stored at this time to these writes, which fail if another request takes one of
/// the keys in the meantime.
///
/// The rows are sorted, so that two transactions with the same keys do not wait for each other.
pub fn queue(
    writes: &mut WriteBatch,
    now: Timestamp,
    mut responses: Vec<NewResponse<'_>>,
) -> Result<(), DbErr> {
    responses.sort_by(|one, other| one.scope.key_hash.cmp(&other.scope.key_hash));
    let row = |NewResponse { scope, status, body }: NewResponse<'_>| idempotency_records::Model {
        record_id: 0,
        key_hash: scope.key_hash.clone(),
        fingerprint: scope.fingerprint.clone(),
        claim_token: hex::encode(random_bytes::<16>()),
        lease_until: Timestamp(now.0 + TimeDelta::seconds(LEASE_SECONDS)),
        begun_flag: false,
        status: Some(status.as_u16().into()),
        body: Some(body.to_owned()),
        created_date: now,
    };
    writes.insert(responses.into_iter().map(row).collect())
}
