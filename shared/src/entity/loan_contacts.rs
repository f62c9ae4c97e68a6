//! Contacts linked to loans besides the borrower.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `loan_contacts`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "loan_contacts")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub contact_id: i64,
    pub relationship_code: String,
    /// True if the contact may see the loan as a web user.
    pub web_access_flag: bool,
}

no_relations!();
