//! Refusals of postings on loans, and the problems that clients get for them.

use crate::command::failure::Failure;
use crate::drawers::{DrawerError, DrawerRefusal};
use crate::loans::servicing::payment::PaymentRefusal;
use chrono::NaiveDate;
use shared::amounts::Money;
use shared::problem::{Problem, ProblemType};

/// Reason why nothing was posted on a loan.
pub type LoanError = Failure<LoanRefusal>;

/// The posting rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoanRefusal {
    /// The arithmetic refused the amount.
    Amount {
        /// The reason.
        refusal: PaymentRefusal,
        /// The amount.
        amount: Money,
    },
    /// The loan's status, which has this code, does not allow payments.
    TakesNoPayments(String),
    /// The loan is closed. Its status has this code.
    Closed(String),
    /// The effective date is after today, which is this business day.
    DateInFuture(NaiveDate),
    /// The effective date is before this one, the earliest that can be posted.
    DateTooEarly(NaiveDate),
    /// This transaction of the loan has the External_ID.
    DuplicateExternalId(i64),
    /// A cash-drawer rule was broken.
    Drawer(DrawerRefusal),
}

impl LoanRefusal {
    /// Returns the error for a refusal by the arithmetic.
    pub(super) fn of_amount(refusal: PaymentRefusal, amount: Money) -> LoanError {
        match refusal {
            PaymentRefusal::OutOfRange(error) => error.into(),
            refusal => Failure::Refused(Self::Amount { refusal, amount }),
        }
    }

    /// Returns the error for an amount of zero or less.
    pub(crate) fn amount_not_positive(amount: Money) -> LoanError {
        Self::of_amount(PaymentRefusal::AmountNotPositive, amount)
    }
}

impl From<DrawerRefusal> for LoanRefusal {
    fn from(refusal: DrawerRefusal) -> Self {
        Self::Drawer(refusal)
    }
}

impl From<DrawerError> for LoanError {
    fn from(error: DrawerError) -> Self {
        Self::through(error)
    }
}

/// Refusals of amounts state the figure that would have passed.
impl From<LoanRefusal> for Problem {
    fn from(refusal: LoanRefusal) -> Self {
        use ProblemType as Type;
        match refusal {
            LoanRefusal::Amount { refusal, amount } => amount_problem(refusal, amount),
            LoanRefusal::TakesNoPayments(status) => Self::new(Type::LoanClosed)
                .detail(format!("a loan with status {status} does not accept payments")),
            LoanRefusal::Closed(status) => {
                Self::new(Type::LoanClosed).detail(format!("a loan with status {status} is closed"))
            }
            LoanRefusal::DateInFuture(today) => Self::new(Type::EffectiveDateInFuture)
                .detail(format!("today is {today}"))
                .field("Effective_Date", format!("must not be after {today}")),
            LoanRefusal::DateTooEarly(earliest) => Self::new(Type::EffectiveDateTooEarly)
                .detail(format!("the earliest date is {earliest}"))
                .field("Effective_Date", format!("must not be before {earliest}")),
            LoanRefusal::DuplicateExternalId(transaction_id) => {
                Self::new(Type::DuplicateExternalId)
                    .detail(format!("transaction {transaction_id} has this External_ID"))
                    .field(
                        "External_ID",
                        format!("is already used by transaction {transaction_id}"),
                    )
            }
            LoanRefusal::Drawer(refusal) => refusal.into(),
        }
    }
}

fn amount_problem(refusal: PaymentRefusal, amount: Money) -> Problem {
    use {PaymentRefusal as Refusal, ProblemType as Type};
    match refusal {
        Refusal::AmountNotPositive => {
            Problem::new(Type::AmountNotPositive).field("Amount", "must be above zero")
        }
        Refusal::SplitMismatch { sum, amount } => Problem::new(Type::SplitMismatch)
            .detail(format!("the parts sum to {sum}, but the amount is {amount}")),
        Refusal::SplitExceedsBalance { part, balance } => Problem::new(Type::SplitExceedsBalance)
            .detail(format!("the {part} part may be at most {balance}")),
        Refusal::Overpayment { most } => Problem::new(Type::Overpayment)
            .detail(format!("at most {most} can be paid"))
            .field("Amount", format!("must be at most {most}")),
        Refusal::PayoffShort { payoff } => Problem::new(Type::PayoffShort)
            .detail(format!("the payoff amount is {payoff}"))
            .field("Amount", format!("{amount} is less than {payoff}")),
        Refusal::OutOfRange(error) => error.into(),
    }
}
