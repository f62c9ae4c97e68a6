//! Keys that sign ID tokens. Each signs from its date until the next one does.

use crate::secrecy::Secret;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A row of `signing_keys`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_keys")]
pub struct Model {
    /// The JWK thumbprint of the public key (RFC 7638).
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_id: String,
    /// Counts up; two replicas cannot both make the next one.
    pub generation: i32,
    /// `ES256`.
    pub algorithm: String,
    /// JWK.
    pub public_key: String,
    /// PKCS #8 under the master key, AES-256-GCM.
    pub sealed_private_key: Secret,
    pub created_date: Timestamp,
    pub signs_from_date: Timestamp,
    /// Withdrawn before its time.
    pub removed_date: Option<Timestamp>,
}

no_relations!();
