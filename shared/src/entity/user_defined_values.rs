//! Values of user-defined fields.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `user_defined_values`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "user_defined_values")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub field_id: i64,
    /// Id of the loan or contact.
    pub record_id: i64,
    pub value: String,
}

no_relations!();
