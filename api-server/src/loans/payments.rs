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
    payment: &ValidatedPayment,
) -> Result<Vec<loan_transactions::Model>, LoanError> {
    let account = LoanAccount::lock(tx, loan_id).await?;
    let effective_date = match &payment.card {
        Some(card) => card.charged_on.max(journal::earliest_date(&account.loan)),
        None => payment.effective_date.unwrap_or(clock.today),
    };
    refuse_payments(&account.status)?;
    journal::check_date(&account, effective_date, clock.today, true)?;
    let method = payment_method(tx, caller, payment.payment_method_code.as_deref()).await?;
    let mut drawer = drawers::for_payment(tx, caller, &method, payment.cash_drawer_id).await?;
    let paid_by = paid_by(tx, caller, &account, payment.paid_by_contact_id).await?;
    check_external_id(tx, loan_id, payment.external_id.as_deref()).await?;
    let user_fields = field_values::of_transaction(tx, caller, &payment.user_fields).await?;
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
        true => Some(paid_off_status_id(tx, caller).await?),
        false => None,
    };
    let header = EntryHeader { loan_id, author, clock, effective_date };
    let drawer_id = drawer.as_ref().map(Drawer::id);
    let sources = Sources { method: &method, drawer_id, paid_by, user_fields };
    let (total, lines) = rows(&account, payment, &posting, header, sources)?;
    let reference = journal::insert(tx, total, lines).await?;
    if let Some(drawer) = &mut drawer {
        let tendered = TenderedPayment {
            method: &method,
            reference: payment.payment_method_reference.as_deref(),
            amount: payment.amount,
            loan_id,
            transaction_id: reference,
            now: clock.now,
        };
        drawer.enter_payment(tx, tendered).await?;
    }
    account
        .save(tx, author, clock, &posting.after, |loan| {
            loan.last_payment_date = Some(effective_date);
            loan.last_payment_amount = Some(payment.amount);
            loan.last_activity_date = Some(effective_date);
            if let Some(status_code_id) = paid_off {
                loan.status_code_id = status_code_id;
                loan.payoff_date = Some(effective_date);
                loan.closed_date = Some(effective_date);
            }
        })
        .await?;
    LoanSnapshot::of(&account.loan).save(tx, reference).await?;
    let posted_rows = journal::read(tx, caller, reference).await?;
    let all = posted_rows.iter().map(|posted| &posted.row);
    journal::allocate(tx, loan_id, all, &posting.due_row_parts).await?;
    Ok(PostedRow::visible_rows(posted_rows))
}

fn allocation_mode<'a>(payment: &ValidatedPayment, loan: &'a loans::Model) -> AllocationMode<'a> {
    let excess = payment.excess_handling.unwrap_or(loan.excess_handling);
    match &payment.split {
        Some(split) => AllocationMode::Split(*split),
        None if payment.payoff => AllocationMode::Payoff { excess },
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
    account: &LoanAccount,
    payment: &ValidatedPayment,
    posting: &PostedPayment,
    header: EntryHeader<'_>,
    Sources { method, drawer_id, paid_by, user_fields }: Sources<'_>,
) -> Result<(loan_transactions::ActiveModel, Vec<loan_transactions::ActiveModel>), LoanError> {
    let PostedPayment { parts, after, .. } = posting;
    let suspense_after_applied = account.state.suspense.minus(parts.suspense_applied)?;
    let interest_after = after.interest_owed_on(&account.terms, header.effective_date)?;
    let row = |code, amount, after| {
        Ok::<_, LoanError>(loan_transactions::ActiveModel {
            payment_method_code: Set(Some(method.payment_method_code.clone())),
            payment_method_reference: Set(payment.payment_method_reference.clone()),
            user_reference: Set(payment.user_reference.clone()),
            paid_by_contact_id: Set(Some(paid_by)),
            cash_drawer_id: Set(drawer_id),
            payment_gateway_token_id: Set(payment.card.as_ref().map(|card| card.token_id)),
            ..header.row(code, amount, after)?
        })
    };
    let [userdef01, userdef02, userdef03, userdef04, userdef05] = user_fields;
    let total = loan_transactions::ActiveModel {
        external_id: Set(payment.external_id.clone()),
        userdef01: Set(userdef01),
        userdef02: Set(userdef02),
        userdef03: Set(userdef03),
        userdef04: Set(userdef04),
        userdef05: Set(userdef05),
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
    account: &LoanAccount,
    contact_id: Option<i64>,
) -> Result<i64, LoanError> {
    let Some(contact_id) = contact_id.filter(|id| *id != account.loan.contact_id) else {
        return Ok(account.loan.contact_id);
    };
    let link = caller
        .find::<loan_contacts::Entity>()
        .filter(loan_contacts::Column::LoanId.eq(account.loan.loan_id))
        .filter(loan_contacts::Column::ContactId.eq(contact_id));
    match link.one(tx).await? {
        Some(_) => Ok(contact_id),
        None => Err(LoanError::invalid(
            "Paid_By_Contact_ID",
            "must be the borrower or a contact linked to the loan",
        )),
    }
}

#[expect(clippy::disallowed_methods, reason = "the id is unique among all rows of the loan")]
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

async fn paid_off_status_id(tx: &DatabaseTransaction, caller: &Caller) -> Result<i64, LoanError> {
    let status = caller
        .find::<loan_status_codes::Entity>()
        .filter(loan_status_codes::Column::Code.eq(PAID_OFF))
        .one(tx)
        .await?;
    let status = status.ok_or_else(|| LoanError::unknown_code("Status_Code", PAID_OFF))?;
    Ok(status.status_code_id)
}
