//! Members of user groups.

#[shared_macros::table("group_members")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub group_id: i64,
    pub user_id: i64,
}
