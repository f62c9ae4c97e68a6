//! Pages of a gateway on which a card is added, each for one use.

use super::payment_gateway_tokens::Gateway;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A row of `payment_method_sessions`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_method_sessions")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub session_id: i64,
    /// The loan the card is added on.
    pub loan_id: i64,
    /// Whose card it will be.
    pub contact_id: i64,
    /// Who asked for the page.
    pub user_id: i64,
    /// SHA-256 of what the page's address ends with.
    pub state_hash: String,
    pub gateway: Gateway,
    /// The gateway's own name of the session.
    pub gateway_reference: Option<String>,
    pub state: SessionState,
    pub created_date: Timestamp,
    pub expires_at: Timestamp,
}

no_relations!();

/// What became of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
pub enum SessionState {
    /// A card can be added.
    Open,
    /// A card was added.
    Used,
    /// Its time is over.
    Expired,
}
