//! `/loans/{loan_id}/card-payments`: the card payments on a loan, whatever became of them.

use super::super::Group;
use crate::auth::privileges::VIEW_TRANSACTIONS;
use crate::cards::payment::{self, LoanCardPayment};
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::entity::{gateway_payments, loans};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// `/loans/{loan_id}/card-payments`
pub struct LoanCardPayments;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl LoanCardPayments {
    /// List a loan's card payments.
    ///
    /// Card payments in every state, including those that were declined or refunded, with the
    /// transactions of those that were posted. Ordered oldest first. Also requires Loan >
    /// Transactions > View.
    #[oai(path = "/loans/:loan_id/card-payments", method = "get")]
    async fn list_card_payments(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<LoanCardPayment>, Problem> {
        let (db, caller) = (&state.reads, &admitted.caller);
        caller.require(VIEW_TRANSACTIONS)?;
        caller.get::<loans::Entity>(db, loan_id.0).await?;
        let on_loan = gateway_payments::Column::LoanId.eq(loan_id.0);
        let payments = caller.find::<gateway_payments::Entity>().filter(on_loan);
        let payments = page.by_key(payments, db).await?;
        Ok(payment::with_entries(db, caller, loan_id.0, payments).await?)
    }
}
