//! Comments on loans, contacts and collateral.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// A comment on a loan, a contact or a collateral item.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "comments")]
#[oai(rename = "CommentRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub comment_id: i64,
    pub loan_id: Option<i64>,
    pub contact_id: Option<i64>,
    pub collateral_id: Option<i64>,
    pub comment_category_id: i64,
    pub comment: String,
    /// Date on which action is due.
    pub action_date: Option<Date>,
    pub priority: CommentPriority,
    pub pinned_flag: bool,
    pub entered_by_user_id: i64,
    pub entered_date: Timestamp,
    pub modified_by_user_id: Option<i64>,
    pub modified_date: Option<Timestamp>,
}

no_relations!();

text_enum! {
    /// Priority of a comment.
    pub enum CommentPriority {
        /// Low priority.
        Low,
        /// Normal priority.
        Normal,
        /// High priority.
        High,
    }
}
