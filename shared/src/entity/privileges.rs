//! The core system's privileges: a path and a verb, such as `Loan > Payments`, `Add`.

#[shared_macros::table("privileges")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub privilege_id: i64,
    pub path: String,
    pub verb: String,
}
