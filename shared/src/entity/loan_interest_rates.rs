//! Interest rates of loans, each in effect from its date.

use crate::amounts::Rate;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `loan_interest_rates`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "loan_interest_rates")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub effective_date: Date,
    pub interest_rate: Rate,
}

no_relations!();
