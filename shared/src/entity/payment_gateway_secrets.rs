//! Gateway tokens of cards, read only by the service.

use crate::secrets::Secret;
use serde::Serialize;

/// A row of `payment_gateway_secrets`. A row that still exists for a forgotten card means that the
/// card has yet to be removed at the gateway.
#[shared_macros::table("payment_gateway_secrets")]
#[derive(Serialize)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub payment_gateway_token_id: i64,
    /// Gateway token, encrypted under a master key.
    pub gateway_token: Secret,
}
