//! Loan accounting: postings on loan accounts, and the balances, due rows and accruals that follow.
//!
//! | Module | Contents |
//! |---|---|
//! | `servicing` | the arithmetic, with no clock and no database |
//! | `account`, `journal` | a loan's account within a transaction, and the journal entries on it |
//! | `terms`, `modifications` | a loan's terms and status, and changes of them |
//! | `payments`, `adjustments`, `reversals` | posting and reversing entries |
//! | `credit_lines` | what may be drawn on a credit line |
//! | `lookups` | reads of loans, in batches |
//! | `payments_due`, `past_balances` | what was due on each due date, and balances of a past day |
//! | `refusals` | why an entry was refused |
//! | `snapshots` | the state of a loan before an entry |
//! | `field_values` | user-defined fields of entries |

pub mod account;
pub mod adjustments;
pub mod credit_lines;
pub mod field_values;
pub mod journal;
pub mod lookups;
pub mod modifications;
pub mod past_balances;
pub mod payments;
pub mod payments_due;
pub mod refusals;
pub mod reversals;
pub mod servicing;
pub mod snapshots;
pub mod terms;
