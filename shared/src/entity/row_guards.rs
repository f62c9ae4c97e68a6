//! Row guards, which `shared::database::galera` writes so that nodes of a cluster notice each other:
//! counters without meaning, one for each row ever guarded. Empty outside of clusters.

#[shared_macros::table("row_guards")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guard_id: i32,
    pub writes: i64,
}
