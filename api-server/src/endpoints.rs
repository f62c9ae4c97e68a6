//! The resource groups. The file follows the URL: drop the parameters, and the longest prefix that
//! is a file is the one.

pub mod contacts;
pub mod core;
pub mod docs;
pub mod loans;
pub mod service;

use poem_openapi::Tags;

/// The resource groups as the document lists them.
#[derive(Tags)]
pub enum Group {
    /// Loans, their transactions and payments.
    Loans,
    /// Borrowers and everyone else a loan names.
    Contacts,
    /// XML import.
    Import,
}
