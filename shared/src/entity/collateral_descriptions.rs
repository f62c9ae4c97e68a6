//! Descriptions of collateral.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// Description of a collateral item.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collateral_descriptions")]
#[oai(rename = "CollateralDescription", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub collateral_id: i64,
    pub description: String,
    pub modified_by_user_id: i64,
    pub modified_date: Timestamp,
}

no_relations!();
