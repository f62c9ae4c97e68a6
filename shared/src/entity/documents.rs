//! Documents attached to comments and to user-defined fields.

use crate::time::Timestamp;

/// A document attached to a comment or to a user-defined field.
#[shared_macros::table("documents", object = "DocumentRecord", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub document_id: i64,
    pub owner_type: DocumentOwner,
    /// Id of the comment, loan or contact.
    pub owner_id: i64,
    /// Name of the field, if the document is attached to one.
    pub field_name: Option<String>,
    pub name: String,
    pub description: Option<String>,
    pub created_by_user_id: i64,
    pub created_date: Timestamp,
    pub modified_by_user_id: Option<i64>,
    pub modified_date: Option<Timestamp>,
}

text_enum! {
    /// Kind of object a document is attached to.
    pub enum DocumentOwner {
        /// A comment on a loan.
        LoanComment,
        /// A comment on a contact.
        ContactComment,
        /// A comment on a collateral item.
        CollateralComment,
        /// A field of a loan's first detail form.
        LoanDetail1,
        /// A field of a loan's second detail form.
        LoanDetail2,
        /// A field of a contact's detail form.
        ContactDetail,
        /// A field of a contact's demographics form.
        ContactDemographics,
        /// A field of a contact's financials form.
        ContactFinancials,
    }
}
