//! What cards are at the gateway: read by the service alone.

use crate::secrecy::Secret;
use sea_orm::entity::prelude::*;
use serde::Serialize;

/// A row of `payment_gateway_secrets`. A card that was forgotten, and whose row is still there, has
/// yet to be taken from the gateway.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[sea_orm(table_name = "payment_gateway_secrets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub payment_gateway_token_id: i64,
    /// Sealed under a master key.
    pub gateway_token: Secret,
}

no_relations!();
