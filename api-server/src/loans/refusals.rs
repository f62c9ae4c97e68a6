//! Refusals of postings on loans, and the problems that clients get for them.

use crate::command::failure::Failure;
use crate::drawers::{DrawerError, DrawerRefusal};
use crate::loans::servicing::payment::PaymentRefusal;
use chrono::NaiveDate;
use shared::amounts::Money;
use shared::entity::loan_transactions::BalanceName;
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
    /// The entry cannot be reversed.
    NotReversible {
        /// The reason.
        obstacle: ReversalObstacle,
        /// The entry that stands in the way, if there is one.
        blocked_by: Option<BlockingEntry>,
    },
    /// The credit line does not allow the draw.
    Draw(DrawRefusal),
    /// A cash-drawer rule was broken.
    Drawer(DrawerRefusal),
}

/// Why an entry cannot be reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReversalObstacle {
    /// The transaction is not an entry, but a row of this one.
    RowOfEntry(i64),
    IsReversal,
    AlreadyReversed,
    /// A later entry moved the accrual base.
    Followed,
    /// Without it, this balance would be below zero.
    Spent(BalanceName),
    /// The loan is paid off.
    PaidOff,
    /// The state of the loan before it is not stored: it was booked with the loan.
    NoSnapshot,
    /// The loan's terms or its status have changed since.
    TermsChanged,
    /// A row of it has a transaction code without a reversal.
    NoReversalCode,
}

/// An entry that stands in the way of a reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockingEntry {
    pub reference: i64,
    /// Code of one of its rows.
    pub code: i32,
}

/// Why a credit line does not allow a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawRefusal {
    /// A draw must be at least this amount.
    BelowMinimum(Money),
    /// A draw must be at most this amount.
    AboveMaximum(Money),
    /// Only this amount is available within the limits of a line: that of the draw, or the main line.
    AboveLimit {
        line: String,
        /// The amount.
        available: Money,
    },
    /// This number of draws, the maximum, was made.
    TooMany(i32),
    /// Draws were allowed until this day.
    TooLate(NaiveDate),
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
            LoanRefusal::NotReversible { obstacle, blocked_by } => {
                not_reversible(obstacle, blocked_by)
            }
            LoanRefusal::Draw(refusal) => draw_problem(refusal),
            LoanRefusal::Drawer(refusal) => refusal.into(),
        }
    }
}

fn not_reversible(obstacle: ReversalObstacle, blocked_by: Option<BlockingEntry>) -> Problem {
    use ReversalObstacle as Obstacle;
    let reason = match obstacle {
        Obstacle::RowOfEntry(entry) => format!("the transaction is a row of entry {entry}"),
        Obstacle::IsReversal => "the entry is itself a reversal".to_owned(),
        Obstacle::AlreadyReversed => "the entry is already reversed".to_owned(),
        Obstacle::Followed => "a later entry moved the loan's accrual base".to_owned(),
        Obstacle::Spent(balance) => {
            format!("the {} balance would be below zero", balance_in_words(balance))
        }
        Obstacle::PaidOff => "the loan is paid off".to_owned(),
        Obstacle::NoSnapshot => "the state of the loan before the entry is not stored".to_owned(),
        Obstacle::TermsChanged => {
            "it is no longer the last change to the loan's accrual base, terms and status"
                .to_owned()
        }
        Obstacle::NoReversalCode => "a transaction code of the entry has no reversal".to_owned(),
    };
    let problem = Problem::new(ProblemType::NotReversible);
    let Some(BlockingEntry { reference, .. }) = blocked_by else { return problem.detail(reason) };
    let detail = match obstacle {
        Obstacle::AlreadyReversed => format!("{reason}, by entry {reference}"),
        _ => format!("{reason}: reverse entry {reference} first"),
    };
    problem.detail(detail).member("blockedBy", reference)
}

fn balance_in_words(balance: BalanceName) -> &'static str {
    match balance {
        BalanceName::Principal => "principal",
        BalanceName::Interest => "interest",
        BalanceName::LateCharge => "late charge",
        BalanceName::Fees => "fee",
        BalanceName::Impound => "impound",
        BalanceName::Suspense => "suspense",
    }
}

fn draw_problem(refusal: DrawRefusal) -> Problem {
    let (detail, field, message) = match refusal {
        DrawRefusal::BelowMinimum(least) => {
            (format!("a draw must be at least {least}"), "Amount", format!("is below {least}"))
        }
        DrawRefusal::AboveMaximum(most) => {
            (format!("a draw may be at most {most}"), "Amount", format!("is above {most}"))
        }
        DrawRefusal::AboveLimit { line, available } => {
            let detail = format!("{available} is available on {line}");
            (detail, "Amount", format!("is above {available}"))
        }
        DrawRefusal::TooMany(most) => {
            let detail = format!("all {most} draws have been made");
            (detail, "Creditline_ID", "allows no further draw".to_owned())
        }
        DrawRefusal::TooLate(last_day) => {
            let detail = format!("draws were allowed until {last_day}");
            (detail, "Effective_Date", format!("must not be after {last_day}"))
        }
    };
    Problem::new(ProblemType::DrawRefused).detail(detail).field(field, message)
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
