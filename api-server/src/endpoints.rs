//! The resource groups. The file follows the URL: drop the parameters, and the longest prefix that
//! is a file is the one.

pub mod cash_drawers;
pub mod contacts;
pub mod core;
pub mod docs;
pub mod files;
pub mod gateway;
pub mod loans;
pub mod service;
pub mod setup;
pub mod status;
pub mod user_defined_fields;
pub mod users;

use poem_openapi::Tags;

/// The resource groups as the document lists them.
#[derive(Tags)]
pub enum Group {
    /// Loans, their transactions and payments.
    Loans,
    /// What secures loans.
    Collateral,
    /// Comments on loans, contacts and collateral, and their documents.
    Comments,
    /// Borrowers and everyone else a loan names.
    Contacts,
    /// Documents of user-defined fields.
    Documents,
    /// The bytes of documents.
    Files,
    /// Cards, and what paying by them costs.
    #[oai(rename = "Payment gateway")]
    PaymentGateway,
    /// Cash drawers of branches.
    #[oai(rename = "Cash drawers")]
    CashDrawers,
    /// Users of the core system, and officers.
    Users,
    /// Batch programs of the core system.
    Status,
    /// The lists that loans and contacts are set up with, and fields of forms.
    Setup,
    /// XML import.
    Import,
}
