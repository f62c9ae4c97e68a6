//! Model of a loan: a second book, kept by simple means. It states the rules for interest,
//! installments, payments, adjustments and reversals once more, slowly and obviously.
//!
//! Nothing is shared with the engine except the enums of the schema. Amounts are 128-bit integers,
//! interest is summed day by day as an exact fraction, and dates come from the calendar alone.
//! [`Books`] accepts one event after another, and says of each what must be in the database
//! afterwards or why it is refused.
//!
//! | Module | What |
//! |---|---|
//! | `terms` | what was agreed, and how the loan was booked |
//! | `calendar` | due dates, and days in months of 30 |
//! | `interest` | what a principal earns between two days |
//! | `state` | the state of a loan, its due rows, and what is read of it on a day |
//! | `payment` | how a payment is allocated |
//! | `level` | the level installment |
//! | `adjustment` | everything else that moves a balance |
//! | `books` | the list of entries, and reversing one |
//! | `foresight` | payoff quotes, the schedule, and balances of past days |
//! | `plan`, `strategies` | random sequences of what is done with a loan |

pub mod adjustment;
pub mod books;
pub mod calendar;
pub mod foresight;
pub mod interest;
pub mod level;
pub mod payment;
pub mod plan;
pub mod state;
pub mod strategies;
pub mod terms;
#[cfg(test)]
mod vectors;

pub use adjustment::{Adjustment, AdjustmentKind};
pub use books::{Books, Entry, Event};
pub use payment::{Parts, Payment};
pub use state::{Allocation, DueRow, LoanFigures, PostedRows, Refusal, Row, State};
pub use terms::{OpeningBalances, Terms};

/// An amount of money in 1/10,000 of the currency unit.
pub type Amount = i128;

pub const CENT: Amount = 100;

/// The largest amount that can be stored.
pub const LARGEST: Amount = 9_000_000_000_000_000_000;
