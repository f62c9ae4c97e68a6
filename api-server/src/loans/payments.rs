//! Payment posting: the checks in their order, and the rows written.
//!
//! All in one database transaction, for any number of payments: lock the loans; read what the checks
//! need; for each payment run the checks, lock its cash drawer if there is one, accrue to the
//! effective date, create the due rows up to it and allocate the amount, on the loan as the payment
//! before left it; then write all entries together ([`journal::queue`]), and the drawers' rows. The
//! caller commits.

mod batch;
mod command;
mod setup;
mod validation;

pub use self::batch::{BatchPayment, DRY_RUNS_MAX, PAYMENTS_MAX, PaymentBatch, PaymentResponse};
pub use self::command::PostPayment;
pub use self::validation::{CardCharge, NewPayment, ValidatedPayment, posted};

use self::setup::Setup;
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::drawers::{self, Drawer};
use crate::loans::account::{LoanAccount, refuse_payments};
use crate::loans::field_values;
use crate::loans::journal::{self, Entry, EntryHeader, codes};
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing;
use crate::loans::servicing::payment::{AllocationMode, PaymentInput, PostedPayment};
use chrono::NaiveDate;
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use shared::database::batch::WriteBatch;
use shared::entity::{loan_transactions, loans, payment_methods};
use shared::time::{Clock, Day};
use std::collections::{HashMap, HashSet};

/// A payment on a loan, and who posts it.
#[derive(Clone, Copy)]
pub struct LoanPayment<'a> {
    pub caller: &'a Caller,
    /// Author of the rows.
    pub author: &'a Actor,
    pub loan_id: i64,
    pub payment: &'a ValidatedPayment,
}

/// The rows of an entry, total row first.
pub type EntryRows = Vec<loan_transactions::Model>;

/// The rows of a payment, or why nothing was written for it. `None`: it was not tried, because it
/// needs a transaction of its own. It goes into a cash drawer, or has the External_ID of another
/// payment of the same group, or comes after such a payment on its loan.
pub type PaymentOutcome = Option<Result<EntryRows, LoanError>>;

/// Posts a payment. Returns the rows of its entry, total row first.
pub async fn post(
    tx: &DatabaseTransaction,
    caller: &Caller,
    author: &Actor,
    clock: Clock,
    loan_id: i64,
    payment: &ValidatedPayment,
) -> Result<EntryRows, LoanError> {
    let account = LoanAccount::lock(tx, loan_id).await?;
    let payment = LoanPayment { caller, author, loan_id, payment };
    let setup = Setup::read(tx, &[(loan_id, &payment.payment.request)]).await?;
    let checked = check(&setup, &account, payment, clock)?;
    let drawer_id = payment.payment.request.cash_drawer_id;
    let mut drawer = drawers::for_payment(tx, caller, checked.method, drawer_id).await?;
    let drawer_id = drawer.as_ref().map(Drawer::id);
    let (entry, _) = entry(&setup, &account, payment, clock, &checked, drawer_id)?;
    let rows = journal::write(tx, clock.now, vec![entry]).await?;
    let rows = rows.into_iter().next().unwrap_or_default();
    if let (Some(drawer), Some(total)) = (&mut drawer, rows.first()) {
        drawer.enter_payment(tx, checked.method, total).await?;
    }
    Ok(rows)
}

/// Accounts of locked loans, by loan, and what the checks of payments on them need.
pub struct LockedLoans {
    accounts: HashMap<i64, LoanAccount>,
    setup: Setup,
}

impl LockedLoans {
    /// Reads them for these payments, each on its loan.
    pub async fn read(
        db: &impl ConnectionTrait,
        loans: Vec<loans::Model>,
        payments: &[(i64, &NewPayment)],
    ) -> Result<Self, LoanError> {
        let (accounts, setup) =
            tokio::join!(LoanAccount::of_locked(db, loans), Setup::read(db, payments));
        let accounts = accounts?.into_iter().map(|account| (account.loan.loan_id, account));
        Ok(Self { accounts: accounts.collect(), setup: setup? })
    }
}

/// Posts payments on locked loans with these writes. Those on one loan are posted in their order. A
/// payment that is refused does not stop the others. Returns the outcomes in the order of the
/// payments.
pub async fn post_all(
    tx: &DatabaseTransaction,
    writes: &mut WriteBatch,
    clock: Clock,
    LockedLoans { mut accounts, setup }: LockedLoans,
    payments: &[LoanPayment<'_>],
) -> Result<Vec<PaymentOutcome>, LoanError> {
    let mut external_ids = HashSet::new();
    let mut left_out = HashSet::new();
    let mut entries = Vec::with_capacity(payments.len());
    let mut outcomes = Vec::with_capacity(payments.len());
    for payment in payments {
        let external_id = payment.payment.request.external_id.as_deref();
        let external_id = external_id.map(|external_id| (payment.loan_id, external_id));
        let account = accounts.get_mut(&payment.loan_id).ok_or(LoanError::NotFound)?;
        let is_left_out = left_out.contains(&payment.loan_id)
            || external_id.is_some_and(|it| external_ids.contains(&it));
        let computed = match is_left_out {
            true => Ok(None),
            false => entry_on(&setup, account, *payment, clock),
        };
        outcomes.push(match computed {
            Ok(Some(entry)) => {
                external_ids.extend(external_id);
                entries.push(entry);
                Some(Ok(Vec::new()))
            }
            Ok(None) => {
                left_out.insert(payment.loan_id);
                None
            }
            Err(error) => Some(Err(error)),
        });
    }
    let mut written = journal::queue(tx, writes, clock.now, entries).await?.into_iter();
    for outcome in &mut outcomes {
        if let Some(Ok(rows)) = outcome {
            *rows = written.next().unwrap_or_default();
        }
    }
    Ok(outcomes)
}

/// Checks a payment and computes its entry; `None` if it goes into a cash drawer. The account is then
/// as the entry leaves it.
fn entry_on<'a>(
    setup: &Setup,
    account: &mut LoanAccount,
    payment: LoanPayment<'a>,
    clock: Clock,
) -> Result<Option<Entry<'a>>, LoanError> {
    let checked = check(setup, account, payment, clock)?;
    if drawers::takes_payment(checked.method, payment.payment.request.cash_drawer_id) {
        return Ok(None);
    }
    let (entry, after) = entry(setup, account, payment, clock, &checked, None)?;
    *account = after;
    Ok(Some(entry))
}

/// A payment that passed the checks of its dates and its method.
struct CheckedPayment<'a> {
    effective_date: NaiveDate,
    method: &'a payment_methods::Model,
}

/// Checks what comes before the cash drawer is locked.
fn check<'a>(
    setup: &'a Setup,
    account: &LoanAccount,
    LoanPayment { payment, .. }: LoanPayment<'_>,
    clock: Clock,
) -> Result<CheckedPayment<'a>, LoanError> {
    let effective_date = match &payment.card {
        Some(card) => card.charged_on.max(journal::earliest_date(&account.loan)),
        None => payment.request.effective_date.map_or(clock.today, |Day(date)| date),
    };
    refuse_payments(&account.status)?;
    journal::check_date(account, effective_date, clock.today, true)?;
    let method = setup.method(payment.request.payment_method_code.as_deref())?;
    Ok(CheckedPayment { effective_date, method })
}

/// Checks the rest. Returns the entry, and the account after it.
fn entry<'a>(
    setup: &Setup,
    account: &LoanAccount,
    request: LoanPayment<'a>,
    clock: Clock,
    checked: &CheckedPayment<'_>,
    drawer_id: Option<i64>,
) -> Result<(Entry<'a>, LoanAccount), LoanError> {
    let LoanPayment { author, loan_id, payment, .. } = request;
    let effective_date = checked.effective_date;
    let paid_by = setup.paid_by(&account.loan, payment.request.paid_by_contact_id)?;
    setup.check_external_id(loan_id, payment.request.external_id.as_deref())?;
    let user_fields = field_values::stored(&setup.user_fields, payment.request.user_fields())?;
    let input = PaymentInput {
        amount: payment.amount,
        effective_date,
        mode: allocation_mode(payment, &account.loan),
    };
    let posting = servicing::payment::post(&account.terms, &account.state, &input)
        .map_err(|refusal| LoanRefusal::of_amount(refusal, payment.amount))?;
    if !posting.is_balanced(&account.state, payment.amount) {
        return Err(LoanError::defect(
            "a payment is out of balance: its amount, parts and balances disagree",
        ));
    }
    let paid_off = match posting.closes {
        true => Some(setup.paid_off()?),
        false => None,
    };
    let header = EntryHeader { loan_id, author, clock, effective_date };
    let sources = Sources { method: checked.method, drawer_id, paid_by, user_fields };
    let rows = rows(account, payment, &posting, header, sources)?;
    let change = account.changed(author, &posting.after, |loan| {
        loan.last_payment_date = Some(effective_date);
        loan.last_payment_amount = Some(payment.amount);
        loan.last_activity_date = Some(effective_date);
        if let Some(status) = paid_off {
            loan.status_code_id = status.status_code_id;
            loan.payoff_date = Some(effective_date);
            loan.closed_date = Some(effective_date);
        }
    })?;
    let status = paid_off.unwrap_or(&account.status).clone();
    let after = account.after(&change, posting.after, status);
    let due_row_parts = posting.due_row_parts;
    let (moves_base, credit_line) = (true, None);
    Ok((Entry { rows, change, due_row_parts, moves_base, credit_line }, after))
}

fn allocation_mode<'a>(payment: &ValidatedPayment, loan: &'a loans::Model) -> AllocationMode<'a> {
    let excess = payment.request.excess_handling.unwrap_or(loan.excess_handling);
    match &payment.split {
        Some(split) => AllocationMode::Split(*split),
        None if payment.request.is_payoff() => AllocationMode::Payoff { excess },
        None => {
            AllocationMode::Distributed { distribution: loan.payment_distribution.items(), excess }
        }
    }
}

/// Source of the money, as recorded in the rows.
struct Sources<'a> {
    method: &'a payment_methods::Model,
    drawer_id: Option<i64>,
    paid_by: i64,
    user_fields: [Option<String>; 5],
}

/// Builds the total row, one row per balance that moves, in the order in which the balances move,
/// and the memo row of a convenience fee.
fn rows(
    account: &LoanAccount,
    payment: &ValidatedPayment,
    posting: &PostedPayment,
    header: EntryHeader<'_>,
    Sources { method, drawer_id, paid_by, user_fields }: Sources<'_>,
) -> Result<EntryRows, LoanError> {
    let PostedPayment { parts, after, .. } = posting;
    let request = &payment.request;
    let suspense_after_applied = account.state.suspense.minus(parts.suspense_applied)?;
    let interest_after = after.interest_owed_on(&account.terms, header.effective_date)?;
    let row = |code, amount, after| {
        Ok::<_, LoanError>(loan_transactions::Model {
            payment_method_code: Some(method.payment_method_code.clone()),
            payment_method_reference: request.payment_method_reference.clone().map(String::from),
            user_reference: request.user_reference.clone().map(String::from),
            paid_by_contact_id: Some(paid_by),
            cash_drawer_id: drawer_id,
            payment_gateway_token_id: payment.card.as_ref().map(|card| card.token_id),
            ..header.row(code, amount, after)?
        })
    };
    let [userdef01, userdef02, userdef03, userdef04, userdef05] = user_fields;
    let total = loan_transactions::Model {
        external_id: request.external_id.clone().map(String::from),
        userdef01,
        userdef02,
        userdef03,
        userdef04,
        userdef05,
        ..row(codes::PAYMENT_TOTAL, payment.amount, Some(posting.payoff_after))?
    };
    let lines = [
        (codes::SUSPENSE_APPLIED, parts.suspense_applied, suspense_after_applied),
        (codes::PRINCIPAL_PAYMENT, parts.principal, after.principal),
        (codes::INTEREST_PAYMENT, parts.interest, interest_after),
        (codes::LATE_CHARGE_PAYMENT, parts.late_charges, after.late_charges),
        (codes::FEE_PAYMENT, parts.fees, after.fees),
        (codes::IMPOUND_PAYMENT, parts.impound, after.impound),
        (codes::SUSPENSE_PAYMENT, parts.suspense, after.suspense),
    ];
    let nonzero = lines.into_iter().filter(|(_, amount, _)| amount.is_positive());
    let lines = nonzero.map(|(code, amount, after)| row(code, amount, Some(after)));
    let fee = payment.card.as_ref().map(|card| card.fee).filter(|fee| fee.is_positive());
    let memo = fee.map(|fee| row(codes::CONVENIENCE_FEE, fee, None));
    [Ok(total)].into_iter().chain(lines).chain(memo).collect()
}
