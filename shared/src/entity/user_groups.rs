//! Groups of core-system users.

#[shared_macros::table("user_groups")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub group_id: i64,
    pub name: String,
    pub description: Option<String>,
}
