//! The books of loans: what is posted on them and what follows from it.
//!
//! | Module | What |
//! |---|---|
//! | `servicing` | the arithmetic, without clock or database |
//! | `loan_book`, `entries` | a loan's books within a transaction, and the entries on it |
//! | `payments`, `adjustments`, `reversals` | what is posted, and taken back |
//! | `refusals` | why something was not posted |
//! | `snapshots` | what a loan was before an entry |
//! | `field_values` | user-defined fields of entries |

pub mod adjustments;
pub mod entries;
pub mod field_values;
pub mod loan_book;
pub mod payments;
pub mod refusals;
pub mod reversals;
pub mod servicing;
pub mod snapshots;
