//! Setup: codes for the relationships of contacts to loans, to each other and to addresses.

/// A code for the relationship of a contact to a loan, to another contact, or to an address.
#[shared_macros::table("relationship_codes", object = "RelationshipCode")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub relationship_code: String,
    pub description: String,
    pub active_flag: bool,
    pub applies_to: AppliesTo,
    /// True if a change of address keeps the old address under this code.
    pub auto_prev_addr: bool,
}

text_enum! {
    /// Kind of relationship.
    pub enum AppliesTo {
        /// Between two contacts.
        Contact,
        /// Between a contact and a loan.
        Loan,
        /// Between a contact and an address.
        Address,
    }
}
