//! Names, phones, e-mail addresses and tax ids of contacts, in the form in which they are compared:
//! see [`crate::database::contact_search`].

#[shared_macros::table("contact_search_keys")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub contact_id: i64,
    /// The contact's officer, who decides which rows a search reads.
    pub contact_officer_user_id: Option<i64>,
    pub kind: SearchKeyKind,
    pub search_key: String,
}

text_enum! {
    /// What a search key was made from.
    #[derive(PartialOrd, Ord)]
    pub enum SearchKeyKind {
        /// "last, first" of a person, or a company.
        Name,
        /// Digits of a phone number, last one first.
        Phone,
        /// E-mail address.
        Email,
        /// Tax id.
        TaxId,
    }
}
