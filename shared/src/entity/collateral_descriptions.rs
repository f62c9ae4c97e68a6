//! Collateral in words.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A collateral in words.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collateral_descriptions")]
#[oai(rename = "CollateralDescription", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: i64,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Modified_By_User_ID")]
    pub modified_by_user_id: i64,
    #[oai(rename = "Modified_Date")]
    pub modified_date: Timestamp,
}

no_relations!();
