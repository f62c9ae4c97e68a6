//! Posting a payment: what a client may ask for, the rules in their order, and the rows written.
//!
//! One database transaction: lock the loan, check, accrue to the effective date and create the due
//! rows up to it, split the amount, write the total row and one row per balance touched, the
//! allocations to due rows, the balances, and the field history. The caller commits.

mod entry;

use self::entry::Entry;
use crate::access::Caller;
use crate::history::Author;
use crate::loan_book::{Book, refuse_if_closed};
use crate::privileges::{BACKDATE_PAYMENTS, PAY_OFF_LOANS, SPLIT_PAYMENTS};
use crate::request_body::check_text;
use crate::servicing;
use crate::servicing::payment::{How, Instruction, Refusal, Split};
use chrono::NaiveDate;
use poem_openapi::Object;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder};
use shared::amounts::{AmountText, Money};
use shared::entity::loan_transactions;
use shared::entity::loans::ExcessHandling;
use shared::entity::{loan_contacts, loan_status_codes, payment_methods, transaction_codes};
use shared::problem::{Problem, ProblemType};
use shared::time::{Clock, Day};

/// The code of a payment's total row; trustees on it decide who may post.
pub const PAYMENT_TOTAL: i32 = 120;

/// A payment to be posted.
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewPayment {
    /// What was paid: above zero; 0.00 only with Payoff, where nothing is owed.
    #[oai(rename = "Amount")]
    pub amount: AmountText,
    /// The day the payment counts for; default today. An earlier day needs the right Backdate.
    #[oai(rename = "Effective_Date")]
    pub effective_date: Option<Day>,
    /// How it was paid; default the default payment method.
    #[oai(rename = "Payment_Method_Code")]
    pub payment_method_code: Option<String>,
    /// The method's own reference: a check number, a trace number. Up to 50 characters.
    #[oai(rename = "Payment_Method_Reference")]
    pub payment_method_reference: Option<String>,
    /// The caller's own reference. Up to 100 characters.
    #[oai(rename = "User_Reference")]
    pub user_reference: Option<String>,
    /// Explicit split: so much to principal. Parts left out are 0; they sum to Amount. Needs the
    /// right Split.
    #[oai(rename = "Principal_Amount")]
    pub principal_amount: Option<AmountText>,
    /// Explicit split: so much to interest.
    #[oai(rename = "Interest_Amount")]
    pub interest_amount: Option<AmountText>,
    /// Explicit split: so much to late charges.
    #[oai(rename = "Late_Charge_Amount")]
    pub late_charge_amount: Option<AmountText>,
    /// Explicit split: so much to fees.
    #[oai(rename = "Fee_Amount")]
    pub fee_amount: Option<AmountText>,
    /// Explicit split: so much into impound.
    #[oai(rename = "Impound_Amount")]
    pub impound_amount: Option<AmountText>,
    /// Explicit split: so much into suspense.
    #[oai(rename = "Suspense_Amount")]
    pub suspense_amount: Option<AmountText>,
    /// Pays the loan off and closes it. Needs the right Payoff.
    #[oai(rename = "Payoff")]
    pub payoff: Option<bool>,
    /// What happens to money beyond everything that is due; default as the loan says.
    #[oai(rename = "Excess_Handling")]
    pub excess_handling: Option<ExcessHandling>,
    /// Who paid: the borrower (default) or a contact linked to the loan.
    #[oai(rename = "Paid_By_Contact_ID")]
    pub paid_by_contact_id: Option<i64>,
    /// The integrator's own id of the payment, unique per loan. Up to 100 characters.
    #[oai(rename = "External_ID")]
    pub external_id: Option<String>,
}

/// A payment whose members are sound by themselves.
#[derive(Clone, Debug)]
pub struct Order {
    amount: Money,
    effective_date: Option<NaiveDate>,
    payment_method_code: Option<String>,
    payment_method_reference: Option<String>,
    user_reference: Option<String>,
    split: Option<Split>,
    payoff: bool,
    excess_handling: Option<ExcessHandling>,
    paid_by_contact_id: Option<i64>,
    external_id: Option<String>,
}

impl NewPayment {
    /// A payment of this amount and nothing else said.
    pub fn of(amount: AmountText) -> Self {
        Self {
            amount,
            effective_date: None,
            payment_method_code: None,
            payment_method_reference: None,
            user_reference: None,
            principal_amount: None,
            interest_amount: None,
            late_charge_amount: None,
            fee_amount: None,
            impound_amount: None,
            suspense_amount: None,
            payoff: None,
            excess_handling: None,
            paid_by_contact_id: None,
            external_id: None,
        }
    }

    /// The payment, if each member is sound by itself.
    pub fn order(self) -> Result<Order, Problem> {
        check_text("Payment_Method_Code", self.payment_method_code.as_ref(), 25)?;
        check_text("Payment_Method_Reference", self.payment_method_reference.as_ref(), 50)?;
        check_text("User_Reference", self.user_reference.as_ref(), 100)?;
        check_text("External_ID", self.external_id.as_ref(), 100)?;
        let amount = posted("Amount", &self.amount)?;
        let payoff = self.payoff.unwrap_or(false);
        if amount < Money::ZERO || (amount.is_zero() && !payoff) {
            let problem = Problem::new(ProblemType::AmountNotPositive);
            return Err(problem.field("Amount", "must be above zero"));
        }
        let split = self.split()?;
        if split.is_some() && (payoff || self.excess_handling.is_some()) {
            let other = if payoff { "Payoff" } else { "Excess_Handling" };
            return Err(Problem::invalid(other, "does not go with an explicit split"));
        }
        Ok(Order {
            amount,
            effective_date: self.effective_date.map(|Day(date)| date),
            payment_method_code: self.payment_method_code,
            payment_method_reference: self.payment_method_reference,
            user_reference: self.user_reference,
            split,
            payoff,
            excess_handling: self.excess_handling,
            paid_by_contact_id: self.paid_by_contact_id,
            external_id: self.external_id,
        })
    }

    fn split(&self) -> Result<Option<Split>, Problem> {
        let part = |field: &str, text: &Option<AmountText>| match text {
            None => Ok(Money::ZERO),
            Some(text) => match posted(field, text)? {
                money if money < Money::ZERO => {
                    Err(Problem::invalid(field, "must not be negative"))
                }
                money => Ok(money),
            },
        };
        let split = Split {
            principal: part("Principal_Amount", &self.principal_amount)?,
            interest: part("Interest_Amount", &self.interest_amount)?,
            late_charges: part("Late_Charge_Amount", &self.late_charge_amount)?,
            fees: part("Fee_Amount", &self.fee_amount)?,
            impound: part("Impound_Amount", &self.impound_amount)?,
            suspense: part("Suspense_Amount", &self.suspense_amount)?,
        };
        let given = self.principal_amount.is_some()
            || self.interest_amount.is_some()
            || self.late_charge_amount.is_some()
            || self.fee_amount.is_some()
            || self.impound_amount.is_some()
            || self.suspense_amount.is_some();
        Ok(given.then_some(split))
    }
}

fn posted(field: &str, text: &AmountText) -> Result<Money, Problem> {
    text.posted().map_err(|error| Problem::invalid(field, error.to_string()))
}

impl Order {
    /// The rights that hang on what is asked for.
    pub async fn check_rights(
        &self,
        db: &impl sea_orm::ConnectionTrait,
        caller: &Caller,
        today: NaiveDate,
    ) -> Result<(), Problem> {
        if self.effective_date.is_some_and(|date| date < today) {
            caller.require(BACKDATE_PAYMENTS)?;
        }
        if self.split.is_some() {
            caller.require(SPLIT_PAYMENTS)?;
        }
        if self.payoff {
            caller.require(PAY_OFF_LOANS)?;
        }
        match caller.get::<transaction_codes::Entity>(db, PAYMENT_TOTAL).await {
            Err(problem) if problem.kind() == ProblemType::NotFound => {
                let detail = "the trustees of transaction code 120 do not admit the caller";
                Err(Problem::new(ProblemType::PrivilegeMissing).detail(detail))
            }
            found => found.map(drop),
        }
    }
}

/// Posts a payment and gives back the rows of it that the caller may see, total row first.
pub async fn post(
    tx: &DatabaseTransaction,
    caller: &Caller,
    author: &Author,
    clock: Clock,
    loan_id: i64,
    order: &Order,
) -> Result<Vec<loan_transactions::Model>, Problem> {
    let book = Book::lock(tx, loan_id).await?;
    let effective_date = order.effective_date.unwrap_or(clock.today);
    refuse_if_closed(&book.status)?;
    check_date(&book, effective_date, clock.today)?;
    let method = payment_method(tx, caller, order.payment_method_code.as_deref()).await?;
    let paid_by = paid_by(tx, caller, &book, order.paid_by_contact_id).await?;
    check_external_id(tx, loan_id, order.external_id.as_deref()).await?;
    let how = match &order.split {
        Some(split) => How::Split(*split),
        None => {
            let excess = order.excess_handling.unwrap_or(book.loan.excess_handling);
            match order.payoff {
                true => How::Payoff { excess },
                false => How::Distributed {
                    distribution: book.loan.payment_distribution.items(),
                    excess,
                },
            }
        }
    };
    let instruction = Instruction { amount: order.amount, effective_date, how };
    let posting = servicing::payment::post(&book.terms, &book.state, &instruction)
        .map_err(|refusal| refused(refusal, order))?;
    let entry = Entry { book: &book, order, posting: &posting, effective_date, clock };
    let reference = entry.write(tx, author, method, paid_by).await?;
    let paid_off = match posting.closes {
        true => Some(status_paid_off(tx, caller).await?),
        false => None,
    };
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
    entry.allocate(tx, reference).await?;
    let rows = caller
        .find::<loan_transactions::Entity>()
        .filter(loan_transactions::Column::TransactionReferenceNo.eq(reference))
        .order_by_asc(loan_transactions::Column::TransactionId);
    Ok(rows.all(tx).await?)
}

/// Not in the future, and not before anything it would have to undo.
fn check_date(book: &Book, effective_date: NaiveDate, today: NaiveDate) -> Result<(), Problem> {
    if effective_date > today {
        return Err(Problem::new(ProblemType::EffectiveDateInFuture)
            .detail(format!("today is {today}"))
            .field("Effective_Date", format!("must not be after {today}")));
    }
    let earliest = [
        Some(book.loan.origination_date),
        Some(book.loan.accrual_base_date),
        book.loan.last_payment_date,
    ];
    let earliest = earliest.into_iter().flatten().max().unwrap_or(effective_date);
    if effective_date < earliest {
        return Err(Problem::new(ProblemType::EffectiveDateTooEarly)
            .detail(format!("the earliest date is {earliest}"))
            .field("Effective_Date", format!("must not be before {earliest}")));
    }
    Ok(())
}

/// The payment method of this code, or the default one. Cash needs a drawer.
async fn payment_method(
    tx: &DatabaseTransaction,
    caller: &Caller,
    code: Option<&str>,
) -> Result<String, Problem> {
    use payment_methods::Column::{ActiveFlag, DefaultFlag, PaymentMethodCode};
    let methods = caller.find::<payment_methods::Entity>().filter(ActiveFlag.eq(true));
    let method = match code {
        Some(code) => methods.filter(PaymentMethodCode.eq(code)),
        None => methods.filter(DefaultFlag.eq(true)),
    };
    let method = method.one(tx).await?.ok_or_else(|| {
        Problem::unknown_code("Payment_Method_Code", code.unwrap_or("the default payment method"))
    })?;
    if method.cash_flag {
        return Err(Problem::new(ProblemType::CashDrawerRequired)
            .field("Payment_Method_Code", "cash is paid into a cash drawer, and none is given"));
    }
    Ok(method.payment_method_code)
}

/// The borrower, or a contact linked to the loan.
async fn paid_by(
    tx: &DatabaseTransaction,
    caller: &Caller,
    book: &Book,
    contact_id: Option<i64>,
) -> Result<i64, Problem> {
    let Some(contact_id) = contact_id.filter(|id| *id != book.loan.contact_id) else {
        return Ok(book.loan.contact_id);
    };
    let link = caller
        .find::<loan_contacts::Entity>()
        .filter(loan_contacts::Column::LoanId.eq(book.loan.loan_id))
        .filter(loan_contacts::Column::ContactId.eq(contact_id));
    match link.one(tx).await? {
        Some(_) => Ok(contact_id),
        None => Err(Problem::invalid(
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
) -> Result<(), Problem> {
    let Some(external_id) = external_id else { return Ok(()) };
    let found = loan_transactions::Entity::find()
        .filter(loan_transactions::Column::LoanId.eq(loan_id))
        .filter(loan_transactions::Column::ExternalId.eq(external_id))
        .one(tx)
        .await?;
    match found {
        None => Ok(()),
        Some(row) => {
            let message = format!("is on transaction {} already", row.transaction_id);
            Err(Problem::new(ProblemType::DuplicateExternalId)
                .detail(format!("Transaction_ID {}", row.transaction_id))
                .field("External_ID", message))
        }
    }
}

async fn status_paid_off(tx: &DatabaseTransaction, caller: &Caller) -> Result<i64, Problem> {
    let status = caller
        .find::<loan_status_codes::Entity>()
        .filter(loan_status_codes::Column::Code.eq("PAID_OFF"))
        .one(tx)
        .await?;
    let status = status.ok_or_else(|| Problem::unknown_code("Status_Code", "PAID_OFF"))?;
    Ok(status.status_code_id)
}

/// A refusal of the arithmetic, with the figures that would have passed.
fn refused(refusal: Refusal, order: &Order) -> Problem {
    use ProblemType as Type;
    match refusal {
        Refusal::AmountNotPositive => {
            Problem::new(Type::AmountNotPositive).field("Amount", "must be above zero")
        }
        Refusal::SplitMismatch { sum, amount } => Problem::new(Type::SplitMismatch)
            .detail(format!("the parts sum to {sum}, the amount is {amount}")),
        Refusal::SplitExceedsBalance { part, balance } => Problem::new(Type::SplitExceedsBalance)
            .detail(format!("the {part} part may be at most {balance}")),
        Refusal::Overpayment { most } => Problem::new(Type::Overpayment)
            .detail(format!("at most {most} can be paid"))
            .field("Amount", format!("must be at most {most}")),
        Refusal::PayoffShort { payoff } => Problem::new(Type::PayoffShort)
            .detail(format!("the payoff amount is {payoff}"))
            .field("Amount", format!("{} does not reach {payoff}", order.amount)),
        Refusal::OutOfRange(error) => error.into(),
    }
}
