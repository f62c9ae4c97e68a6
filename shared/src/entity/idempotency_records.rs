//! Stored responses for requests repeated with the same `Idempotency-Key`.

use crate::time::Timestamp;

#[shared_macros::table("idempotency_records")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub record_id: i64,
    /// SHA-256 of caller and key.
    pub key_hash: String,
    /// SHA-256 of method, path, and query and body as sent.
    pub fingerprint: String,
    /// Token of the request that holds the claim.
    pub claim_token: String,
    /// Time at which the claim expires, by the database's clock.
    pub lease_until: Timestamp,
    /// True once the request has done part of its work, outside the transaction that ends it.
    pub begun_flag: bool,
    /// Status of the stored response; absent while the request runs.
    pub status: Option<i32>,
    pub body: Option<String>,
    pub created_date: Timestamp,
}
