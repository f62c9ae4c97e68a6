//! Core-system users.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A user of the core system.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "users")]
#[oai(rename = "UserRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub user_id: i64,
    pub user_name: String,
    pub full_name: String,
    pub email: Option<String>,
    pub status: UserStatus,
    /// True for the admin account.
    pub admin_flag: bool,
    /// True if the user may view setup and batch processing.
    pub dba_flag: bool,
    pub loan_officer_flag: bool,
    pub collection_officer_flag: bool,
    pub contact_officer_flag: bool,
    pub created_date: Timestamp,
}

no_relations!();

text_enum! {
    /// Whether a core-system user may log in.
    pub enum UserStatus {
        /// May log in.
        Active,
        /// May not log in; existing tokens are invalid.
        Disabled,
    }
}
