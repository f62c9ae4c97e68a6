//! One-time sessions of gateway pages on which a card is added.

use super::payment_gateway_tokens::Gateway;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

#[shared_macros::table("payment_method_sessions")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub session_id: i64,
    /// Loan on which the card is added.
    pub loan_id: i64,
    /// Contact that will own the card.
    pub contact_id: i64,
    /// User who requested the page.
    pub user_id: i64,
    /// SHA-256 of the secret at the end of the page's URL.
    pub state_hash: String,
    pub gateway: Gateway,
    /// The gateway's own id of the session.
    pub gateway_reference: Option<String>,
    pub state: SessionState,
    pub created_date: Timestamp,
    pub expires_at: Timestamp,
}

/// State of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
pub enum SessionState {
    /// A card can be added.
    Open,
    /// A card has been added.
    Used,
    /// The session has expired.
    Expired,
}
