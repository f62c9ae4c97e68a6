//! Setup lists, whose rows a file refers to by code.

use super::Import;
use crate::auth::caller::Caller;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use shared::entity::relationship_codes::{self, AppliesTo};

/// A setup list whose rows a file refers to by code. Lists whose primary key is the code have 0 for
/// the id.
pub(super) trait Codes: EntityTrait + 'static {
    /// The error for a code that is not in the list.
    const UNKNOWN: &'static str = "is unknown or no longer active";

    /// Reads code and id of the rows that new entries may use.
    async fn rows(caller: &Caller, db: &impl ConnectionTrait) -> Result<Vec<(String, i64)>, DbErr>;
}

macro_rules! codes {
    ($($table:ident: $code:ident, $id:ident, $filter:expr;)*) => {$(
        impl Codes for shared::entity::$table::Entity {
            async fn rows(
                caller: &Caller,
                db: &impl ConnectionTrait,
            ) -> Result<Vec<(String, i64)>, DbErr> {
                use shared::entity::$table::{Column, Entity};
                let rows = caller.find::<Entity>().filter($filter);
                rows.select_only().columns([Column::$code, Column::$id]).into_tuple().all(db).await
            }
        }
    )*};
}

macro_rules! keyed_by_code {
    ($($table:ident: $code:ident, $filter:expr;)*) => {$(
        impl Codes for shared::entity::$table::Entity {
            async fn rows(
                caller: &Caller,
                db: &impl ConnectionTrait,
            ) -> Result<Vec<(String, i64)>, DbErr> {
                use shared::entity::$table::{Column, Entity};
                let rows = caller.find::<Entity>().filter($filter).select_only();
                let codes: Vec<String> = rows.column(Column::$code).into_tuple().all(db).await?;
                Ok(codes.into_iter().map(|code| (code, 0)).collect())
            }
        }
    )*};
}

codes! {
    loan_groups: Code, LoanGroupId, Column::ActiveFlag.eq(true);
    portfolios: Code, PortfolioId, Column::ActiveFlag.eq(true);
    loan_status_codes: Code, StatusCodeId, Column::ActiveFlag.eq(true);
    risk_ratings: Code, RiskRatingId, Column::ActiveFlag.eq(true);
    interest_plans: Name, InterestPlanId, Column::ActiveFlag.eq(true);
    contact_types: Code, ContactTypeId, Column::ActiveFlag.eq(true);
    comment_categories: Code, CommentCategoryId, Column::ActiveFlag.eq(true);
    users: UserName, UserId, Column::Status.eq(shared::entity::users::UserStatus::Active);
}

keyed_by_code! {
    entities: EntityCode, Column::ActiveFlag.eq(true);
}

/// Relationship codes of all kinds. What a code applies to takes the place of the id.
impl Codes for relationship_codes::Entity {
    async fn rows(caller: &Caller, db: &impl ConnectionTrait) -> Result<Vec<(String, i64)>, DbErr> {
        use relationship_codes::Column::{ActiveFlag, AppliesTo as For, RelationshipCode};
        let rows = caller.find::<relationship_codes::Entity>().filter(ActiveFlag.eq(true));
        let rows = rows.select_only().columns([RelationshipCode, For]).into_tuple();
        let rows: Vec<(String, AppliesTo)> = rows.all(db).await?;
        Ok(rows.into_iter().map(|(code, applies_to)| (code, applies_to as i64)).collect())
    }
}

impl Import<'_> {
    /// True if this is an active relationship code that applies to `to`.
    pub(super) async fn relationship_applies(
        &mut self,
        db: &impl ConnectionTrait,
        code: &str,
        to: AppliesTo,
    ) -> Result<bool, DbErr> {
        let codes = self.codes::<relationship_codes::Entity>(db).await?;
        Ok(codes.get(code).is_some_and(|applies_to| *applies_to == to as i64))
    }
}
