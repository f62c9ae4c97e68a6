//! Setup: categories of comments.

/// A comment category.
#[shared_macros::table("comment_categories", object = "CommentCategory")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub comment_category_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
}
