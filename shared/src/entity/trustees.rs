//! Trustees: the users and groups who may see a restricted object. An object without a row is open
//! to all.

#[shared_macros::table("trustees")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub trustee_id: i64,
    pub object_type: TrusteeObject,
    pub object_id: i64,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
}

text_enum! {
    /// Kind of object that a trustee list restricts.
    pub enum TrusteeObject {
        /// A comment category.
        CommentCategory,
        /// A loan group.
        LoanGroup,
        /// A portfolio.
        Portfolio,
        /// A contact type.
        ContactType,
        /// A transaction code.
        TransactionCode,
    }
}
