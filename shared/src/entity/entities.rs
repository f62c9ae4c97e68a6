//! Setup: entity codes, the kinds of persons and organizations.

/// A kind of person or organization.
#[shared_macros::table("entities", object = "Entity")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub entity_code: String,
    pub description: String,
    pub active_flag: bool,
    /// True for a natural person.
    pub person_flag: bool,
}
