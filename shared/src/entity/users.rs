//! Core-system users.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A user of the core system.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "users")]
#[oai(rename = "UserRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "User_ID")]
    pub user_id: i64,
    #[oai(rename = "User_Name")]
    pub user_name: String,
    #[oai(rename = "Full_Name")]
    pub full_name: String,
    #[oai(rename = "Email")]
    pub email: Option<String>,
    #[oai(rename = "Status")]
    pub status: UserStatus,
    /// The admin account.
    #[oai(rename = "Admin_Flag")]
    pub admin_flag: bool,
    /// Views setup and batch processing.
    #[oai(rename = "DBA_Flag")]
    pub dba_flag: bool,
    #[oai(rename = "Loan_Officer_Flag")]
    pub loan_officer_flag: bool,
    #[oai(rename = "Collection_Officer_Flag")]
    pub collection_officer_flag: bool,
    #[oai(rename = "Contact_Officer_Flag")]
    pub contact_officer_flag: bool,
    #[oai(rename = "Created_Date")]
    pub created_date: Timestamp,
}

no_relations!();

text_enum! {
    /// Whether a core-system user may log in.
    pub enum UserStatus {
        /// May log in.
        Active,
        /// May not log in; the tokens are dead.
        Disabled,
    }
}
