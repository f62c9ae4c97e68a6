//! `/loans/{loan_id}/transactions`: transaction history, and posting payments.

use super::super::Group;
use crate::audit::Actor;
use crate::auth::caller::RequestContext;
use crate::command::execute::ExecutionMode;
use crate::command::idempotency::{IdempotencyScope, Replayable};
use crate::http::admission::CoreUser;
use crate::http::json_body::JsonBody;
use crate::http::pagination::{Cursor, List, Page};
use crate::loans::payments::{NewPayment, PostPayment};
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use sea_orm::{ColumnTrait, Condition, QueryFilter, QueryOrder, QuerySelect};
use shared::entity::field_changes::ChangeSource;
use shared::entity::{loan_transactions, loans};
use shared::operations;
use shared::problem::Problem;
use shared::telemetry::RequestId;
use shared::time::Day;
use std::sync::Arc;

/// The transactions of a payment, as sent in the response and as stored for a retry.
type PaymentResponse = Replayable<Vec<loan_transactions::Model>, true>;

/// `/loans/{loan_id}/transactions`
pub struct LoanTransactions;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl LoanTransactions {
    /// List a loan's transactions.
    ///
    /// Ordered by effective date. Transactions whose code has trustees that do not include the
    /// caller are left out.
    #[oai(path = "/loans/:loan_id/transactions", method = "get")]
    async fn list_transactions(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// Earliest effective date, inclusive.
        from: Query<Option<Day>>,
        /// Latest effective date, inclusive.
        to: Query<Option<Day>>,
        /// Only transactions with this code.
        transaction_code: Query<Option<i32>>,
        /// Only the entry with this reference number: its total row and the rows that belong to it.
        reference_no: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<loan_transactions::Model>, Problem> {
        use loan_transactions::Column;
        let after = page.after()?.map(after_cursor).transpose()?;
        admitted.caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let mut rows = admitted
            .caller
            .find::<loan_transactions::Entity>()
            .filter(Column::LoanId.eq(loan_id.0));
        rows = rows.filter(
            Condition::all()
                .add_option(from.0.map(|Day(from)| Column::EffectiveDate.gte(from)))
                .add_option(to.0.map(|Day(to)| Column::EffectiveDate.lte(to)))
                .add_option(transaction_code.0.map(|code| Column::TransactionCode.eq(code)))
                .add_option(reference_no.0.map(|no| Column::TransactionReferenceNo.eq(no)))
                .add_option(after),
        );
        let rows = rows
            .order_by_asc(Column::EffectiveDate)
            .order_by_asc(Column::TransactionId)
            .limit(page.rows_to_fetch())
            .all(&state.reads)
            .await?;
        Ok(page.of(rows, |row| Cursor::new(&[&row.effective_date, &row.transaction_id])))
    }

    /// Post a payment.
    ///
    /// Returns the transactions created: the total row first, then one row per balance affected,
    /// each with the balance after it. Interest is paid up to, but not including, the effective
    /// date; the unrounded remainder is carried forward.
    ///
    /// Payments on a loan are posted one at a time: a request that waits longer than three seconds
    /// is refused with 423 and may be retried. With an `Idempotency-Key`, a repeated request gets
    /// the first response and posts nothing.
    #[oai(path = "/loans/:loan_id/transactions/payments", method = "post")]
    async fn post_payment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        request_id: Data<&RequestId>,
        loan_id: Path<i64>,
        /// Dry run: returns 200 with the transactions that would have been posted, and commits
        /// nothing.
        test: Query<Option<bool>>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        payment: JsonBody<NewPayment>,
    ) -> Result<PaymentResponse, Problem> {
        let RequestContext { caller, clock } = admitted;
        let mode = match test.0.unwrap_or(false) {
            true => ExecutionMode::DryRun,
            false => {
                ExecutionMode::Commit(IdempotencyScope::of(request, &caller, &[&payment.bytes])?)
            }
        };
        let visible_codes =
            payment.value.admit(&state.loans, &caller, loan_id.0, clock.today).await?;
        let author = Actor::new(&caller, ChangeSource::Api, request_id.0);
        let new = payment.value;
        let payment = PostPayment { caller, author, loan_id: loan_id.0, new, visible_codes };
        Ok(payment.execute(&state.payments, mode).await?)
    }
}

/// Returns the condition for rows after a cursor.
fn after_cursor([date, id]: [String; 2]) -> Result<Condition, Problem> {
    use loan_transactions::Column::{EffectiveDate, TransactionId};
    let invalid_cursor = || Problem::bad_request("after is not a cursor of this list");
    let Day(date) = date.parse().map_err(|_| invalid_cursor())?;
    let id: i64 = id.parse().map_err(|_| invalid_cursor())?;
    let same_day = Condition::all().add(EffectiveDate.eq(date)).add(TransactionId.gt(id));
    Ok(Condition::any().add(EffectiveDate.gt(date)).add(same_day))
}
