//! Endpoints by resource group. Files follow the URL: drop the path parameters, and the longest
//! prefix that names a file holds the endpoint.

pub mod cash_drawers;
pub mod contacts;
pub mod core;
pub mod docs;
mod documents;
pub mod files;
pub mod gateway;
pub mod loans;
pub mod service;
pub mod setup;
pub mod status;
pub mod user_defined_fields;
pub mod users;

use poem_openapi::Tags;

/// Resource groups, as listed in the OpenAPI document.
#[derive(Tags)]
pub enum Group {
    /// Loans, their transactions and payments.
    Loans,
    /// Collateral that secures loans.
    Collateral,
    /// Comments on loans, contacts and collateral, and their documents.
    Comments,
    /// Borrowers and other parties to loans.
    Contacts,
    /// Documents attached to user-defined fields.
    Documents,
    /// Contents of document files.
    Files,
    /// Saved cards, card payments and convenience fees.
    #[oai(rename = "Payment gateway")]
    PaymentGateway,
    /// Branch cash drawers: their users, transactions and reconciliations.
    #[oai(rename = "Cash drawers")]
    CashDrawers,
    /// Users of the core system, and officers.
    Users,
    /// Status of the core system's batch programs.
    Status,
    /// Setup lists for loans and contacts, and the fields of entry forms.
    Setup,
    /// XML import.
    Import,
}
