//! Values of user-defined fields.

#[shared_macros::table("user_defined_values", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub field_id: i64,
    /// Id of the loan or contact.
    pub record_id: i64,
    pub value: String,
}
