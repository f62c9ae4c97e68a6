//! `/loans/…/credit-lines`: how much a borrower may draw, and what he drew.

use super::super::Group;
use crate::http::admission::AnyUser;
use crate::http::paging::{List, Page};
use crate::state::State;
use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QuerySelect};
use shared::amounts::{Money, OutOfRange};
use shared::entity::{credit_lines, draws, loans};
use shared::interface_names;
use shared::operations;
use shared::problem::{Answer, Problem};
use std::sync::Arc;

/// How much of a credit line is used, and how much is left.
#[interface_names]
#[derive(Debug, Object)]
pub struct CreditUsed {
    creditline_id: i64,
    /// The business day the figures are for.
    as_of_date: NaiveDate,
    credit_line_limit: Money,
    /// Of the main line of a revolving loan its principal; else what was drawn.
    credit_used: Money,
    /// Never below zero.
    credit_available: Money,
    /// Reversed draws excluded.
    draw_count: i32,
    /// Reversed draws excluded.
    draw_total: Money,
}

/// What sub-lines have in the place of the main line's transaction code.
const MAIN_LINE: i32 = 0;

impl CreditUsed {
    fn on(
        today: NaiveDate,
        line: &credit_lines::Model,
        loan: &loans::Model,
    ) -> Result<Self, OutOfRange> {
        let revolving = loan.loan_type == loans::LoanType::Revolving;
        let credit_used = match line.transaction_code == MAIN_LINE && revolving {
            true => loan.current_principal_balance,
            false => line.draw_total,
        };
        Ok(Self {
            creditline_id: line.creditline_id,
            as_of_date: today,
            credit_line_limit: line.credit_line_limit,
            credit_used,
            credit_available: line.credit_line_limit.minus(credit_used)?.max(Money::ZERO),
            draw_count: line.draw_count,
            draw_total: line.draw_total,
        })
    }
}

/// `/loans/…/credit-lines`
pub struct CreditLines;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl CreditLines {
    /// The credit lines of a loan.
    ///
    /// Borrowers see those of their own loans.
    #[oai(path = "/loans/:loan_id/credit-lines", method = "get")]
    async fn list_credit_lines(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        /// The loan.
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<credit_lines::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<loans::Entity>(&state.db, loan_id.0).await?;
        let of_loan = credit_lines::Column::LoanId.eq(loan_id.0);
        page.by_key(caller.find::<credit_lines::Entity>().filter(of_loan), &state.db).await
    }

    /// How much of a credit line is used today.
    ///
    /// Borrowers see it of the lines of their own loans.
    #[oai(path = "/loans/credit-lines/:creditline_id/credit-used", method = "get")]
    async fn get_credit_used(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        /// The credit line.
        creditline_id: Path<i64>,
    ) -> Answer<CreditUsed> {
        let loan = credit_lines::Entity::belongs_to(loans::Entity)
            .from(credit_lines::Column::LoanId)
            .to(loans::Column::LoanId);
        let found = admitted
            .caller
            .find::<credit_lines::Entity>()
            .filter(credit_lines::Column::CreditlineId.eq(creditline_id.0))
            .join(JoinType::InnerJoin, loan.into())
            .select_also(loans::Entity)
            .one(&state.db)
            .await?;
        let Some((line, Some(loan))) = found else { return Err(Problem::not_found()) };
        Ok(Json(CreditUsed::on(admitted.clock.today, &line, &loan)?))
    }

    /// The draws on a credit line.
    ///
    /// Borrowers see those on the lines of their own loans.
    #[oai(path = "/loans/credit-lines/:creditline_id/draws", method = "get")]
    async fn list_draws(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        /// The credit line.
        creditline_id: Path<i64>,
        page: Page,
    ) -> Result<List<draws::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<credit_lines::Entity>(&state.db, creditline_id.0).await?;
        let on_line = draws::Column::CreditlineId.eq(creditline_id.0);
        page.by_key(caller.find::<draws::Entity>().filter(on_line), &state.db).await
    }
}
