//! Who may see an object that is not for everyone. No row for an object: everyone.

use poem_openapi::Enum;
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

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// What a trustee list stands on.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    Enum,
    serde::Serialize,
    serde::Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
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
