//! Links between loans and the collateral that secures them.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `loan_collaterals`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "loan_collaterals")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub collateral_id: i64,
}

no_relations!();
