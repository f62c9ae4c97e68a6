//! `/loans/{loan_id}/transactions`: transaction history, and posting and reversing entries.

use super::super::Group;
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::command::execute::{self, ExecutionMode};
use crate::command::idempotency::{IdempotencyKey, IdempotencyScope, Replayable, is_key};
use crate::http::admission::CoreUser;
use crate::http::bounded_string::BoundedString;
use crate::http::json_body::JsonBody;
use crate::http::json_text::JsonText;
use crate::http::keyset::{Keyset, SortKey};
use crate::http::pagination::{Cursor, List, Page};
use crate::loans::adjustments::{NewAdjustment, PostAdjustment};
use crate::loans::payments::{
    BatchPayment, DRY_RUNS_MAX, EntryRows, NewPayment, PAYMENTS_MAX, PaymentBatch, PaymentResponse,
    PostPayment,
};
use crate::loans::reversals::{NewReversal, ReverseEntry};
use crate::state::State;
use poem::http::HeaderValue;
use poem::http::header::RETRY_AFTER;
use poem::web::Data;
use poem::{FromRequest, Request, RequestBody};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{Object, OpenApi};
use sea_orm::{ColumnTrait, Condition, QueryFilter};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use shared::entity::field_changes::ChangeSource;
use shared::entity::{loan_transactions, loans};
use shared::interface_names;
use shared::operations;
use shared::problem::{Problem, ProblemDocument, ProblemType};
use shared::telemetry::RequestId;
use shared::time::Day;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// Longest wait for other dry runs of many payments.
const DRY_RUN_WAIT: Duration = Duration::from_secs(3);

/// The transactions of an entry, as sent in the response and as stored for a retry.
type EntryResponse = Replayable<EntryRows, true>;

/// One of several payments.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct PaymentItem {
    /// The loan.
    loan_id: i64,
    /// Its idempotency key, which no other payment of the request has: 1 to 255 printable ASCII
    /// characters.
    key: BoundedString<255, 1>,
    /// The payment.
    payment: NewPayment,
}

/// The part of a payment's item that counts for its fingerprint.
#[derive(Deserialize)]
struct ItemAsSent<'a> {
    #[serde(borrow, rename = "Payment")]
    payment: &'a RawValue,
}

/// The result of one of several payments.
#[interface_names]
#[derive(Object, Serialize)]
#[oai(skip_serializing_if_is_none)]
pub struct PaymentResult {
    /// HTTP status that the payment would have got alone: 201, 200 in a dry run, or that of
    /// `Problem`.
    #[serde(rename = "Status")]
    status: u16,
    /// True if these are the transactions of an earlier request with this key.
    #[serde(rename = "Replayed_Flag", skip_serializing_if = "Option::is_none")]
    replayed_flag: Option<bool>,
    /// The transactions created, total row first.
    #[serde(rename = "Transactions", skip_serializing_if = "Option::is_none")]
    transactions: Option<JsonText<EntryRows>>,
    /// Why the payment was not posted.
    #[serde(rename = "Problem", skip_serializing_if = "Option::is_none")]
    problem: Option<JsonText<ProblemDocument>>,
}

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
        /// `effectiveDate`, the default, or `-effectiveDate` for the latest first.
        order: Query<Option<String>>,
    ) -> Result<List<loan_transactions::Model>, Problem> {
        use loan_transactions::Column;
        let by_date = SortKey::Date("effectiveDate");
        let keyset = Keyset::new(&page, by_date, order.0.as_deref())?;
        admitted.caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let mut rows = admitted.caller.find::<loan_transactions::Entity>().filter(
            Condition::all()
                .add(Column::LoanId.eq(loan_id.0))
                .add_option(from.0.map(|Day(from)| Column::EffectiveDate.gte(from)))
                .add_option(to.0.map(|Day(to)| Column::EffectiveDate.lte(to)))
                .add_option(transaction_code.0.map(|code| Column::TransactionCode.eq(code)))
                .add_option(reference_no.0.map(|no| Column::TransactionReferenceNo.eq(no))),
        );
        let [date, id] = [Column::EffectiveDate, Column::TransactionId].map(|it| it.into_expr());
        keyset.put_in_order(rows.query(), date, id, &state.reads);
        let rows = rows.all(&state.reads).await?;
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
    ) -> Result<EntryResponse, Problem> {
        let caller = admitted.caller;
        let mode = mode(request, &caller, test.0, &payment.bytes)?;
        let visible_codes = payment.value.admit(&state.loans, &caller, loan_id.0).await?;
        let author = Actor::new(&caller, ChangeSource::Api, request_id.0);
        let new = payment.value;
        let drawers = new.cash_drawer_id.into_iter().collect();
        let drawers = state.loans.visible_drawers(&caller, drawers).await?;
        let payment = PostPayment::new(caller, author, loan_id.0, new, &drawers, visible_codes);
        Ok(payment.execute(&state.payments, mode).await?)
    }

    /// Post many payments.
    ///
    /// Posts up to 1,000 payments, 1 MiB in all, and returns one result per payment, in their order.
    /// Each is posted or refused by itself, as if it had been sent alone; those on one loan are
    /// posted in their order.
    ///
    /// A payment's `Key` is the `Idempotency-Key` of a POST to
    /// `/loans/{loan_id}/transactions/payments` whose body is the JSON of `Payment`, byte for byte,
    /// spaces included. So a request without a response can be sent again, and so can each of its payments, in either
    /// way: what was posted is not posted again.
    ///
    /// A payment that gets 409, 423, 500 or 503 holds up the later ones on its loan: they get the
    /// same problem, unless they were posted before.
    #[oai(path = "/loans/transactions/payments", method = "post")]
    async fn post_payments(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request_id: Data<&RequestId>,
        /// Dry run: returns the transactions that would have been posted, and commits nothing.
        /// Payments on one loan see those before them.
        test: Query<Option<bool>>,
        _permit: DryRunPermit,
        payments: JsonBody<Vec<PaymentItem>>,
    ) -> Result<JsonText<Vec<PaymentResult>>, Problem> {
        let caller = admitted.caller;
        check_items(&payments.value)?;
        let sent: Vec<ItemAsSent<'_>> =
            serde_json::from_slice(&payments.bytes).map_err(Problem::internal)?;
        let items = payments.value.into_iter().zip(sent);
        let items = items.map(|(PaymentItem { loan_id, key, payment }, sent)| {
            let key = IdempotencyKey::new(&caller, payments_path(loan_id), &key, "");
            let scope = key.scope(&[sent.payment.get().as_bytes()]);
            BatchPayment { loan_id, new: payment, scope }
        });
        let items: Vec<BatchPayment> = items.collect();
        let paths: Vec<String> = items.iter().map(|item| payments_path(item.loan_id)).collect();
        let batch = PaymentBatch {
            caller: &caller,
            author: &Actor::new(&caller, ChangeSource::Api, request_id.0),
            loans: &state.loans,
            group: &state.payments,
            is_dry_run: test.0.unwrap_or(false),
        };
        let responses = paths.iter().zip(batch.post(items).await);
        let result = |(path, response): (&String, _)| result(response, path, request_id.as_str());
        let results: Vec<PaymentResult> = responses.map(result).collect::<Result<_, Problem>>()?;
        JsonText::of(&results).map_err(Problem::internal)
    }

    /// Post an adjustment.
    ///
    /// Charges a late charge or a fee; waives one, or reduces interest or principal; pays out of the
    /// impound balance, or lends more. Returns the transaction created, with the balance after it. A
    /// draw must be within the limits of its credit line: the amount of one draw, the amount and
    /// number of all, and the last day.
    ///
    /// The privilege depends on `Kind`: Loan > Adjustments > Charge, Waive or Disburse.
    #[oai(path = "/loans/:loan_id/transactions/adjustments", method = "post")]
    async fn post_adjustment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        request_id: Data<&RequestId>,
        loan_id: Path<i64>,
        /// Dry run: returns 200 with the transaction that would have been posted, and commits
        /// nothing.
        test: Query<Option<bool>>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        adjustment: JsonBody<NewAdjustment>,
    ) -> Result<EntryResponse, Problem> {
        let caller = admitted.caller;
        let mode = mode(request, &caller, test.0, &adjustment.bytes)?;
        let new = adjustment.value;
        let visible_codes = new.admit(&state.loans, &caller, loan_id.0).await?;
        let author = Actor::new(&caller, ChangeSource::Api, request_id.0);
        let adjustment = PostAdjustment::new(caller, author, loan_id.0, new, visible_codes);
        Ok(execute::execute(&state.executor, adjustment, mode).await?)
    }

    /// Reverse an entry.
    ///
    /// Reverses a payment or an adjustment: posts a transaction with the code after that of each of
    /// its transactions, and the opposite effect. Balances, due rows and dates return to what they
    /// were before the entry; the entry and its reversal stay, and name each other. A payment that
    /// the bank returned is marked as such, and a fee can be charged for it. Returns the transactions
    /// created.
    ///
    /// An entry that changed principal or settled interest can be reversed while no later entry has:
    /// reverse the latest first. A charge, a waiver or a disbursement can be reversed while the loan
    /// is open. No balance may fall below zero.
    ///
    /// Money that was charged to a card is **not** refunded at the payment gateway: the
    /// description of the reversal says so. Cash and checks are taken out of the drawer that they
    /// went into, which must be open.
    #[oai(path = "/loans/:loan_id/transactions/:transaction_id/reversal", method = "post")]
    async fn reverse_entry(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        request_id: Data<&RequestId>,
        loan_id: Path<i64>,
        /// The entry: its `Transaction_Reference_No`.
        transaction_id: Path<i64>,
        /// Dry run: returns 200 with the transactions that would have been posted, and commits
        /// nothing.
        test: Query<Option<bool>>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        reversal: JsonBody<NewReversal>,
    ) -> Result<EntryResponse, Problem> {
        let caller = admitted.caller;
        let mode = mode(request, &caller, test.0, &reversal.bytes)?;
        let author = Actor::new(&caller, ChangeSource::Api, request_id.0);
        let entry = (loan_id.0, transaction_id.0);
        let (loans, new) = (&state.loans, reversal.value);
        let reversal =
            ReverseEntry::admit(&state.reads, loans, &caller, author, entry, new).await?;
        Ok(execute::execute(&state.executor, reversal, mode).await?)
    }
}

/// A permit of a dry run of many payments, taken before the body is read: what such a request holds is
/// a hundred times its body. Nothing if it is no dry run.
struct DryRunPermit(
    #[expect(dead_code, reason = "held until dropped")] Option<OwnedSemaphorePermit>,
);

impl<'a> FromRequest<'a> for DryRunPermit {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let query = request.uri().query().unwrap_or_default();
        // A query that cannot be read was refused by admission.
        let query: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
        if !query.iter().any(|(name, value)| name == "test" && value == "true") {
            return Ok(Self(None));
        }
        let state = request.data::<Arc<State>>().ok_or_else(|| Problem::internal("no state"))?;
        match timeout(DRY_RUN_WAIT, Arc::clone(&state.dry_runs).acquire_owned()).await {
            Ok(permit) => Ok(Self(Some(permit.map_err(Problem::internal)?))),
            Err(_) => Err(Problem::new(ProblemType::TooManyRequests)
                .detail(format!("{DRY_RUNS_MAX} dry runs of many payments are already running"))
                .header(RETRY_AFTER, HeaderValue::from_static("3"))
                .into()),
        }
    }
}

/// Returns how a POST with these parameters and this body is executed.
fn mode(
    request: &Request,
    caller: &Caller,
    test: Option<bool>,
    body: &[u8],
) -> Result<ExecutionMode, Problem> {
    let scope = IdempotencyScope::of(request, caller, &[body])?;
    Ok(match test.unwrap_or(false) {
        true => ExecutionMode::DryRun,
        false => ExecutionMode::Commit(scope),
    })
}

/// Returns the path at which a payment on this loan is posted alone.
fn payments_path(loan_id: i64) -> String {
    format!("/loans/{loan_id}/transactions/payments")
}

/// Refuses too many payments or none, and keys that are malformed or appear more than once.
fn check_items(items: &[PaymentItem]) -> Result<(), Problem> {
    if !(1..=PAYMENTS_MAX).contains(&items.len()) {
        let detail = format!("the body must have 1 to {PAYMENTS_MAX} payments");
        return Err(Problem::bad_request(detail));
    }
    let mut seen = HashMap::new();
    for (place, PaymentItem { key, .. }) in items.iter().enumerate() {
        let field = format!("[{place}].Key");
        if !is_key(key) || key.trim() != &**key {
            let message = "must be 1 to 255 printable ASCII characters, without spaces around them";
            return Err(Problem::bad_request("a key is malformed").field(field, message));
        }
        if let Some(first) = seen.insert(&**key, place) {
            let message = format!("is also the Key of [{first}]");
            return Err(Problem::bad_request("a key appears more than once").field(field, message));
        }
    }
    Ok(())
}

/// Returns the result of a payment from the response that it gets at this path.
fn result(
    response: PaymentResponse,
    path: &str,
    request_id: &str,
) -> Result<PaymentResult, Problem> {
    Ok(match response {
        Ok(response) => PaymentResult {
            status: response.status().as_u16(),
            replayed_flag: response.is_replayed().then_some(true),
            transactions: Some(JsonText::parse(response.body()).map_err(Problem::internal)?),
            problem: None,
        },
        Err(error) => {
            let problem = Problem::from(error);
            let document = JsonText::of(&problem.document(path, request_id));
            PaymentResult {
                status: problem.kind().status().as_u16(),
                replayed_flag: None,
                transactions: None,
                problem: Some(document.map_err(Problem::internal)?),
            }
        }
    })
}
