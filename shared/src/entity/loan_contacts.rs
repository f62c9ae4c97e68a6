//! Contacts linked to loans besides the borrower.

#[shared_macros::table("loan_contacts", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub contact_id: i64,
    pub relationship_code: String,
    /// True if the contact may see the loan as a web user.
    pub web_access_flag: bool,
}
