//! Comments on loans, contacts and collateral.

use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A comment on a loan, a contact or a collateral item.
#[shared_macros::table("comments", object = "CommentRecord", stored)]
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
