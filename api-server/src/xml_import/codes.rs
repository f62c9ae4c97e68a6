//! Setup lists, whose rows a file refers to by code.

use super::ImportTransaction;
use crate::auth::caller::Caller;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use shared::entity::relationship_codes::{self, AppliesTo};

/// A setup list whose rows a file refers to by code.
pub(super) trait Codes: EntityTrait + 'static {
    /// Reads the rows that new entries may use: their code, and a number that stands for the row.
    async fn rows(caller: &Caller, db: &impl ConnectionTrait) -> Result<Vec<(String, i64)>, DbErr>;
}

macro_rules! codes {
    ($($table:ident: $code:ident, $number:ident($column:ident), $filter:expr;)*) => {$(
        impl Codes for shared::entity::$table::Entity {
            async fn rows(
                caller: &Caller,
                db: &impl ConnectionTrait,
            ) -> Result<Vec<(String, i64)>, DbErr> {
                use shared::entity::$table::{Column, Entity};
                let rows = caller.find::<Entity>().filter($filter).select_only();
                let rows = rows.columns([Column::$code, Column::$column]).into_tuple().all(db);
                Ok(rows.await?.into_iter().map(|(code, value)| (code, $number(value))).collect())
            }
        }
    )*};
}

codes! {
    loan_groups: Code, id(LoanGroupId), Column::ActiveFlag.eq(true);
    portfolios: Code, id(PortfolioId), Column::ActiveFlag.eq(true);
    loan_status_codes: Code, id(StatusCodeId), Column::ActiveFlag.eq(true);
    risk_ratings: Code, id(RiskRatingId), Column::ActiveFlag.eq(true);
    interest_plans: Name, id(InterestPlanId), Column::ActiveFlag.eq(true);
    contact_types: Code, id(ContactTypeId), Column::ActiveFlag.eq(true);
    comment_categories: Code, id(CommentCategoryId), Column::ActiveFlag.eq(true);
    users: UserName, id(UserId), Column::Status.eq(shared::entity::users::UserStatus::Active);
    entities: EntityCode, none(EntityCode), Column::ActiveFlag.eq(true);
    relationship_codes: RelationshipCode, kind(AppliesTo), Column::ActiveFlag.eq(true);
}

fn id(id: i64) -> i64 {
    id
}

/// The code is the primary key.
fn none(_: String) -> i64 {
    0
}

fn kind(applies_to: AppliesTo) -> i64 {
    applies_to as i64
}

impl ImportTransaction<'_, '_> {
    /// True if this is an active relationship code that applies to `to`.
    pub(super) async fn relationship_applies(
        &mut self,
        code: &str,
        to: AppliesTo,
    ) -> Result<bool, DbErr> {
        let codes = self.codes::<relationship_codes::Entity>().await?;
        Ok(codes.get(code).is_some_and(|applies_to| *applies_to == to as i64))
    }
}
