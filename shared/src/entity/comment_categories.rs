//! Setup: categories of comments.

use sea_orm::entity::prelude::*;

/// A row of `comment_categories`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_categories")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub comment_category_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
}

no_relations!();
