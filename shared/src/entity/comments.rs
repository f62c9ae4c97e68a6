//! Comments on loans, contacts and collateral.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A comment on a loan, a contact or a collateral.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "comments")]
#[oai(rename = "CommentRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Comment_ID")]
    pub comment_id: i64,
    #[oai(rename = "Loan_ID")]
    pub loan_id: Option<i64>,
    #[oai(rename = "Contact_ID")]
    pub contact_id: Option<i64>,
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: Option<i64>,
    #[oai(rename = "Comment_Category_ID")]
    pub comment_category_id: i64,
    #[oai(rename = "Comment")]
    pub comment: String,
    /// When something is to be done about it.
    #[oai(rename = "Action_Date")]
    pub action_date: Option<Date>,
    #[oai(rename = "Priority")]
    pub priority: CommentPriority,
    #[oai(rename = "Pinned_Flag")]
    pub pinned_flag: bool,
    #[oai(rename = "Entered_By_User_ID")]
    pub entered_by_user_id: i64,
    #[oai(rename = "Entered_Date")]
    pub entered_date: Timestamp,
    #[oai(rename = "Modified_By_User_ID")]
    pub modified_by_user_id: Option<i64>,
    #[oai(rename = "Modified_Date")]
    pub modified_date: Option<Timestamp>,
}

no_relations!();

text_enum! {
    /// How urgent a comment is.
    pub enum CommentPriority {
        /// It can wait.
        Low,
        /// As most are.
        Normal,
        /// It cannot wait.
        High,
    }
}
