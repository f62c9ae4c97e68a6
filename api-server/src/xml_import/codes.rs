//! Setup lists as files name their rows: by code.

use crate::access::Caller;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

/// A setup list whose rows a file names by code. Lists whose key is the code give 0 as the id.
pub(super) trait Codes: EntityTrait + 'static {
    /// Code and id of the rows that new entries may use.
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
    users: UserName, UserId, Column::Status.eq(shared::entity::users::UserStatus::Active);
}

keyed_by_code! {
    entities: EntityCode, Column::ActiveFlag.eq(true);
    relationship_codes: RelationshipCode, Column::ActiveFlag.eq(true)
        .and(Column::AppliesTo.eq(shared::entity::relationship_codes::AppliesTo::Loan));
}
