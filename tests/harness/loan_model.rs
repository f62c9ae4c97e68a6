//! A second book of a loan, kept by plain means: what the rules of interest, instalments,
//! payments, adjustments and reversals say, written down once more, slow and obvious.
//!
//! Nothing here is shared with the engine but the enums of the schema. Amounts are whole numbers
//! of 128 bits, interest is summed up day by day as an exact fraction, dates come from the calendar
//! alone. [`Books`] takes one event after another and says of each what must be in the database
//! afterwards, or why it is refused.
//!
//! | Module | What |
//! |---|---|
//! | `terms` | what was agreed, and how the loan was booked |
//! | `calendar` | the dates of instalments, and days in months of 30 |
//! | `interest` | what a principal earns from one day to another |
//! | `state` | where a loan stands, its due rows, what is read of it on a day |
//! | `payment` | how a payment is spent |
//! | `level` | how large a level instalment is |
//! | `adjustment` | everything else that moves a balance |
//! | `books` | the list of entries, and taking one back |
//! | `plan`, `drawing` | what is done with a loan, drawn at random |

pub mod adjustment;
pub mod books;
pub mod calendar;
pub mod drawing;
pub mod interest;
pub mod level;
pub mod payment;
pub mod plan;
pub mod state;
pub mod terms;
#[cfg(test)]
mod vectors;

pub use adjustment::{Adjustment, Kind};
pub use books::{Books, Entry, Event};
pub use payment::{Parts, Payment};
pub use state::{Allocation, DueRow, Entered, Reading, Refusal, Row, State};
pub use terms::{Opening, Terms};

/// An amount of money in 1/10,000 of the currency unit.
pub type Amount = i128;

/// A cent.
pub const CENT: Amount = 100;

/// The largest amount that can be stored.
pub const LARGEST: Amount = 9_000_000_000_000_000_000;
