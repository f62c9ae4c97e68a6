//! `/setup`: setup lists for loans and contacts, and the fields of entry forms.

pub mod contact;
pub mod loan;
