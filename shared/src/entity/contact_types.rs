//! Setup: contact types.

/// A type of contact.
#[shared_macros::table("contact_types", object = "ContactType")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub contact_type_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
}
