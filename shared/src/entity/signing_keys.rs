//! Keys that sign ID tokens. Each signs from its date until that of the next key.

use crate::secrets::Secret;
use crate::time::Timestamp;

#[shared_macros::table("signing_keys")]
pub struct Model {
    /// JWK thumbprint of the public key (RFC 7638).
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_id: String,
    /// Increasing number; two replicas cannot both create the next one.
    pub generation: i32,
    /// Always `ES256`.
    pub algorithm: String,
    /// Public key, as a JWK.
    pub public_key: String,
    /// PKCS #8 private key, encrypted with AES-256-GCM under the master key.
    pub sealed_private_key: Secret,
    pub created_date: Timestamp,
    pub signs_from_date: Timestamp,
    /// Time at which the key was withdrawn early.
    pub removed_date: Option<Timestamp>,
}
