//! Core-system users.

use crate::time::Timestamp;

/// A user of the core system.
#[shared_macros::table("users", object = "UserRecord")]
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

text_enum! {
    /// Whether a core-system user may log in.
    pub enum UserStatus {
        /// May log in.
        Active,
        /// May not log in; existing tokens are invalid.
        Disabled,
    }
}
