//! Trustees: the users and groups who may see a restricted object. An object without a row is open
//! to all.

use sea_orm::entity::prelude::*;

/// A row of `trustees`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "trustees")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub trustee_id: i64,
    pub object_type: TrusteeObject,
    pub object_id: i64,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
}

no_relations!();

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
