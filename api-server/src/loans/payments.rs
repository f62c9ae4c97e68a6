//! Payment posting: the checks in their order, and the rows written.
//!
//! All in one database transaction: lock the loan, then the cash drawer if there is one; run the
//! checks; accrue to the effective date and create the due rows up to it; allocate the amount;
//! write the total row and one row per balance moved, the drawer's row, the new balances, the field
//! history, a snapshot of the loan before the payment, and the allocations to due rows. The caller
//! commits.

mod validation;

pub use self::validation::{CardCharge, NewPayment, ValidatedPayment, posted};

use self::validation::UserFields;
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::drawers::{self, Drawer, TenderedPayment};
use crate::loans::account::{LoanAccount, PAID_OFF, refuse_payments};
use crate::loans::field_values;
use crate::loans::journal::{self, EntryHeader, PostedRow, codes};
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing;
use crate::loans::servicing::payment::{AllocationMode, PaymentInput, PostedPayment};
use crate::loans::snapshots::LoanSnapshot;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::entity::{loan_contacts, loan_status_codes, loan_transactions, loans, payment_methods};
use shared::time::Clock;

/// Posts a payment. Returns the rows of the entry that the caller may see, total row first.
pub async fn post(
    tx: &DatabaseTransaction,
    caller: &Caller,
    author: &Actor,
    clock: Clock,
    loan_id: i64,
    order: &ValidatedPayment,
) -> Result<Vec<loan_transactions::Model>, LoanError> {
    let book = LoanAccount::lock(tx, loan_id).await?;
    let effective_date = match &order.card {
        Some(card) => card.charged_on.max(journal::earliest_date(&book.loan)),
        None => order.effective_date.unwrap_or(clock.today),
    };
    refuse_payments(&book.status)?;
    journal::check_date(&book, effective_date, clock.today, true)?;
    let method = payment_method(tx, caller, order.payment_method_code.as_deref()).await?;
    let mut drawer = drawers::for_payment(tx, caller, &method, order.cash_drawer_id).await?;
    let paid_by = paid_by(tx, caller, &book, order.paid_by_contact_id).await?;
    check_external_id(tx, loan_id, order.external_id.as_deref()).await?;
    let user_fields = field_values::of_transaction(tx, caller, &order.user_fields).await?;
    let instruction =
        PaymentInput { amount: order.amount, effective_date, how: how(order, &book.loan) };
    let posting = servicing::payment::post(&book.terms, &book.state, &instruction)
        .map_err(|refusal| LoanRefusal::of_amount(refusal, order.amount))?;
    if !posting.is_balanced(&book.state, order.amount) {
        return Err(LoanError::defect(
            "a payment is out of balance: its amount, parts and balances disagree",
        ));
    }
    let paid_off = match posting.closes {
        true => Some(status_paid_off(tx, caller).await?),
        false => None,
    };
    let heading = EntryHeader { loan_id, author, clock, effective_date };
    let drawer_id = drawer.as_ref().map(Drawer::id);
    let sources = Sources { method: &method, drawer_id, paid_by, user_fields };
    let (total, lines) = rows(&book, order, &posting, heading, sources)?;
    let reference = journal::insert(tx, total, lines).await?;
    if let Some(drawer) = &mut drawer {
        let paid = TenderedPayment {
            method: &method,
            reference: order.payment_method_reference.as_deref(),
            amount: order.amount,
            loan_id,
            transaction_id: reference,
            now: clock.now,
        };
        drawer.enter_payment(tx, paid).await?;
    }
    book.save(tx, author, clock, &posting.after, |loan| {
        loan.last_payment_date = Some(effective_date);
        loan.last_payment_amount = Some(order.amount);
        loan.last_activity_date = Some(effective_date);
        if let Some(status_code_id) = paid_off {
            loan.status_code_id = status_code_id;
            loan.payoff_date = Some(effective_date);
            loan.closed_date = Some(effective_date);
        }
    })
    .await?;
    LoanSnapshot::of(&book.loan).save(tx, reference).await?;
    let written = journal::read(tx, caller, reference).await?;
    let all = written.iter().map(|written| &written.row);
    journal::allocate(tx, loan_id, all, &posting.due_row_parts).await?;
    Ok(PostedRow::seen(written))
}

fn how<'a>(order: &ValidatedPayment, loan: &'a loans::Model) -> AllocationMode<'a> {
    let excess = order.excess_handling.unwrap_or(loan.excess_handling);
    match &order.split {
        Some(split) => AllocationMode::Split(*split),
        None if order.payoff => AllocationMode::Payoff { excess },
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
    user_fields: UserFields,
}

/// Builds the total row, one row per balance that moves, in the order in which the balances move,
/// and the memo row of a convenience fee.
fn rows(
    book: &LoanAccount,
    order: &ValidatedPayment,
    posting: &PostedPayment,
    heading: EntryHeader<'_>,
    Sources { method, drawer_id, paid_by, user_fields }: Sources<'_>,
) -> Result<(loan_transactions::ActiveModel, Vec<loan_transactions::ActiveModel>), LoanError> {
    let PostedPayment { parts, after, .. } = posting;
    let suspense_between = book.state.suspense.minus(parts.suspense_applied)?;
    let interest_after = after.interest_owed_on(&book.terms, heading.effective_date)?;
    let paid = |code, amount, after| {
        Ok::<_, LoanError>(loan_transactions::ActiveModel {
            payment_method_code: Set(Some(method.payment_method_code.clone())),
            payment_method_reference: Set(order.payment_method_reference.clone()),
            user_reference: Set(order.user_reference.clone()),
            paid_by_contact_id: Set(Some(paid_by)),
            cash_drawer_id: Set(drawer_id),
            payment_gateway_token_id: Set(order.card.as_ref().map(|card| card.token_id)),
            ..heading.row(code, amount, after)?
        })
    };
    let [userdef01, userdef02, userdef03, userdef04, userdef05] = user_fields;
    let total = loan_transactions::ActiveModel {
        external_id: Set(order.external_id.clone()),
        userdef01: Set(userdef01),
        userdef02: Set(userdef02),
        userdef03: Set(userdef03),
        userdef04: Set(userdef04),
        userdef05: Set(userdef05),
        ..paid(codes::PAYMENT_TOTAL, order.amount, Some(posting.payoff_after))?
    };
    let lines = [
        (codes::SUSPENSE_APPLIED, parts.suspense_applied, suspense_between),
        (codes::PRINCIPAL_PAYMENT, parts.principal, after.principal),
        (codes::INTEREST_PAYMENT, parts.interest, interest_after),
        (codes::LATE_CHARGE_PAYMENT, parts.late_charges, after.late_charges),
        (codes::FEE_PAYMENT, parts.fees, after.fees),
        (codes::IMPOUND_PAYMENT, parts.impound, after.impound),
        (codes::SUSPENSE_PAYMENT, parts.suspense, after.suspense),
    ];
    let moved = lines.into_iter().filter(|(_, amount, _)| amount.is_positive());
    let lines = moved.map(|(code, amount, after)| paid(code, amount, Some(after)));
    let fee = order.card.as_ref().map(|card| card.fee).filter(|fee| fee.is_positive());
    let memo = fee.map(|fee| paid(codes::CONVENIENCE_FEE, fee, None));
    Ok((total, lines.chain(memo).collect::<Result<_, _>>()?))
}

/// Returns the active payment method with this code, or the default one.
async fn payment_method(
    tx: &DatabaseTransaction,
    caller: &Caller,
    code: Option<&str>,
) -> Result<payment_methods::Model, LoanError> {
    use payment_methods::Column::{ActiveFlag, DefaultFlag, PaymentMethodCode};
    let methods = caller.find::<payment_methods::Entity>().filter(ActiveFlag.eq(true));
    let method = match code {
        Some(code) => methods.filter(PaymentMethodCode.eq(code)),
        None => methods.filter(DefaultFlag.eq(true)),
    };
    method.one(tx).await?.ok_or_else(|| match code {
        Some(code) => LoanError::unknown_code("Payment_Method_Code", code),
        None => LoanError::missing(
            "Payment_Method_Code",
            "is required: there is no active default payment method",
        ),
    })
}

/// Returns the contact who paid: the borrower, or a contact linked to the loan.
async fn paid_by(
    tx: &DatabaseTransaction,
    caller: &Caller,
    book: &LoanAccount,
    contact_id: Option<i64>,
) -> Result<i64, LoanError> {
    let Some(contact_id) = contact_id.filter(|id| *id != book.loan.contact_id) else {
        return Ok(book.loan.contact_id);
    };
    let link = caller
        .find::<loan_contacts::Entity>()
        .filter(loan_contacts::Column::LoanId.eq(book.loan.loan_id))
        .filter(loan_contacts::Column::ContactId.eq(contact_id));
    match link.one(tx).await? {
        Some(_) => Ok(contact_id),
        None => Err(LoanError::invalid(
            "Paid_By_Contact_ID",
            "must be the borrower or a contact linked to the loan",
        )),
    }
}

#[expect(clippy::disallowed_methods, reason = "unique among all rows of the loan")]
async fn check_external_id(
    tx: &DatabaseTransaction,
    loan_id: i64,
    external_id: Option<&str>,
) -> Result<(), LoanError> {
    let Some(external_id) = external_id else { return Ok(()) };
    let found = loan_transactions::Entity::find()
        .filter(loan_transactions::Column::LoanId.eq(loan_id))
        .filter(loan_transactions::Column::ExternalId.eq(external_id))
        .one(tx)
        .await?;
    match found {
        None => Ok(()),
        Some(loan_transactions::Model { transaction_id, .. }) => {
            Err(LoanError::Refused(LoanRefusal::DuplicateExternalId { transaction_id }))
        }
    }
}

async fn status_paid_off(tx: &DatabaseTransaction, caller: &Caller) -> Result<i64, LoanError> {
    let status = caller
        .find::<loan_status_codes::Entity>()
        .filter(loan_status_codes::Column::Code.eq(PAID_OFF))
        .one(tx)
        .await?;
    let status = status.ok_or_else(|| LoanError::unknown_code("Status_Code", PAID_OFF))?;
    Ok(status.status_code_id)
}
