//! Default settings of the core system, by name.

#[shared_macros::table("settings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub value: String,
}
