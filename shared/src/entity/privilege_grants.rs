//! Privileges granted to a user or to a group.

#[shared_macros::table("privilege_grants")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub grant_id: i64,
    pub privilege_id: i64,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
}
