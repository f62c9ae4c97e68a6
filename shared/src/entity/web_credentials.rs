//! Credentials with which contacts log in as web users.

use crate::secrets::Secret;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `web_credentials`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "web_credentials")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub contact_id: i64,
    pub web_user_name: String,
    pub web_access_flag: bool,
    pub password_hash: Secret,
    pub created_date: Timestamp,
}

no_relations!();
