//! Setup: categories of comments.

#[shared_macros::table("comment_categories")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub comment_category_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
}
