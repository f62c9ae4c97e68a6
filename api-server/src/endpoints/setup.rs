//! `/setup`: the lists that loans and contacts are set up with, and the fields of forms.

pub mod contact;
pub mod loan;
