//! Stored responses for requests repeated with the same `Idempotency-Key`.

use crate::time::Timestamp;

#[shared_macros::table("idempotency_records")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub record_id: i64,
    /// SHA-256 of caller, method, path and key.
    pub scope_hash: String,
    /// SHA-256 of caller and key; absent in rows of earlier releases.
    pub key_hash: Option<String>,
    /// SHA-256 of query and body as sent.
    pub fingerprint: String,
    /// Token of the request that holds the claim.
    pub claim_token: String,
    /// Time at which the claim expires, by the database's clock.
    pub lease_until: Timestamp,
    /// Status of the stored response; absent while the request runs.
    pub status: Option<i32>,
    pub body: Option<String>,
    pub created_date: Timestamp,
}
