//! `/loans/…/credit-lines`: credit lines, credit used and draws.

use super::super::Group;
use crate::http::admission::AnyUser;
use crate::http::pagination::{List, Page};
use crate::loans::credit_lines::credit_used;
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
use shared::problem::{JsonResult, Problem};
use std::sync::Arc;

/// Credit used and credit available on a credit line.
#[interface_names]
#[derive(Debug, Object)]
pub struct CreditUsed {
    creditline_id: i64,
    /// Business day of the figures.
    as_of_date: NaiveDate,
    /// Limit of the credit line.
    credit_line_limit: Money,
    /// Credit used: the loan's principal balance for the main line of a revolving loan, otherwise
    /// the total drawn.
    credit_used: Money,
    /// Credit still available; never below zero.
    credit_available: Money,
    /// Number of draws, reversed ones excluded.
    draw_count: i32,
    /// Total drawn, reversed draws excluded.
    draw_total: Money,
}

impl CreditUsed {
    fn on(
        today: NaiveDate,
        line: &credit_lines::Model,
        loan: &loans::Model,
    ) -> Result<Self, OutOfRange> {
        let credit_used = credit_used(line, loan);
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
    /// List a loan's credit lines.
    ///
    /// Borrowers see only those of their own loans.
    #[oai(path = "/loans/:loan_id/credit-lines", method = "get")]
    async fn list_credit_lines(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<credit_lines::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let of_loan = credit_lines::Column::LoanId.eq(loan_id.0);
        page.by_key(caller.find::<credit_lines::Entity>().filter(of_loan), &state.reads).await
    }

    /// Get the credit currently used on a credit line.
    ///
    /// Borrowers see only lines of their own loans.
    #[oai(path = "/loans/credit-lines/:creditline_id/credit-used", method = "get")]
    async fn get_credit_used(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        /// Credit line id.
        creditline_id: Path<i64>,
    ) -> JsonResult<CreditUsed> {
        let loan = credit_lines::Entity::belongs_to(loans::Entity)
            .from(credit_lines::Column::LoanId)
            .to(loans::Column::LoanId);
        let found = admitted
            .caller
            .find::<credit_lines::Entity>()
            .filter(credit_lines::Column::CreditlineId.eq(creditline_id.0))
            .join(JoinType::InnerJoin, loan.into())
            .select_also(loans::Entity)
            .one(&state.reads)
            .await?;
        let Some((line, Some(loan))) = found else { return Err(Problem::not_found()) };
        Ok(Json(CreditUsed::on(admitted.clock.today, &line, &loan)?))
    }

    /// List the draws on a credit line.
    ///
    /// Borrowers see only lines of their own loans.
    #[oai(path = "/loans/credit-lines/:creditline_id/draws", method = "get")]
    async fn list_draws(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        /// Credit line id.
        creditline_id: Path<i64>,
        page: Page,
    ) -> Result<List<draws::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<credit_lines::Entity>(&state.reads, creditline_id.0).await?;
        let on_line = draws::Column::CreditlineId.eq(creditline_id.0);
        page.by_key(caller.find::<draws::Entity>().filter(on_line), &state.reads).await
    }
}
