//! The tables of operations: each operation id with the privilege it requires. One has the
//! operations of the interface, the other the extensions, which `API_EXTENSIONS=off` removes.
//!
//! The rest of an operation is declared by its method under `endpoints/`: path, parameters, body
//! and media types come from the document generated from these methods. [`Operations`] joins the
//! two once. No server starts while an operation is in the document and in neither table, or the
//! reverse; an operation that is in neither table would be refused to every caller.

mod joined;

pub use self::joined::{Operation, Operations, router_pattern};

use crate::auth::privileges::{Privilege, REVERSE_ENTRIES};

/// Path of the sandbox's page.
pub const SANDBOX_PAGE: &str = "/gateway/sandbox/add-payment-method";
/// Path to which the sandbox's page redirects.
pub const SANDBOX_DONE: &str = "/gateway/sandbox/payment-method-added";
/// Path that receives Stripe's webhooks.
pub const STRIPE_WEBHOOK: &str = "/gateway/stripe/webhook";
/// Path to which Stripe's page returns the browser.
pub const STRIPE_RETURN: &str = "/gateway/stripe/return";

/// Media type and size limit of a request body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub media_type: &'static str,
    /// Size limit in bytes; `None` for a file with the form around it, whose limit is a setting.
    pub bytes_max: Option<u64>,
}

/// Maximum bytes of a JSON body.
pub const JSON_BYTES_MAX: u64 = 1024 * 1024;
pub const JSON: Body = Body { media_type: "application/json", bytes_max: Some(JSON_BYTES_MAX) };
/// Maximum bytes of an import file.
pub const XML_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Import files.
pub const XML: Body = Body { media_type: "application/xml", bytes_max: Some(XML_BYTES_MAX) };
/// Forms with a file.
pub const FORM: Body = Body { media_type: "multipart/form-data", bytes_max: None };

/// No privilege, or one that depends on the row.
const NONE: Option<Privilege> = None;

const fn view(path: &'static str) -> Option<Privilege> {
    privilege(path, "View")
}

const fn add(path: &'static str) -> Option<Privilege> {
    privilege(path, "Add")
}

const fn change(path: &'static str) -> Option<Privilege> {
    privilege(path, "Change")
}

const fn privilege(path: &'static str, verb: &'static str) -> Option<Privilege> {
    Some(Privilege(path, verb))
}

/// Operation ids, and the privileges they require of core-system users.
type Table = &'static [(&'static str, Option<Privilege>)];

/// The operations of the interface.
const PRIVILEGES: Table = &[
    ("get_loan", view("Loan > Records")),
    ("list_transactions", view("Loan > Transactions")),
    ("post_payment", add("Loan > Payments")),
    ("list_recurring_transactions", view("Loan > Recurring Transactions")),
    ("get_automated_payment", view("Loan > Automated Payments")),
    ("list_loan_field_history", view("Loan > Field History")),
    ("list_credit_lines", view("Loan > Credit Lines")),
    ("get_credit_used", view("Loan > Credit Lines")),
    ("list_draws", view("Loan > Credit Lines")),
    ("list_loan_detail1_documents", view("Loan > Detail 1")),
    ("create_loan_detail1_document", change("Loan > Detail 1")),
    ("list_loan_detail2_documents", view("Loan > Detail 2")),
    ("create_loan_detail2_document", change("Loan > Detail 2")),
    ("list_loan_collateral", view("Collateral > Records")),
    ("get_collateral", view("Collateral > Records")),
    ("get_collateral_vehicle", view("Collateral > Records")),
    ("get_collateral_location", view("Collateral > Records")),
    ("list_collateral_insurance", view("Collateral > Records")),
    ("list_collateral_taxes", view("Collateral > Records")),
    ("get_collateral_description", view("Collateral > Records")),
    ("get_loan_comment", view("Loan > Comments")),
    ("list_loan_comment_documents", view("Loan > Comments")),
    ("create_loan_comment_document", change("Loan > Comments")),
    ("remove_loan_comment_document", change("Loan > Comments")),
    ("get_collateral_comment", view("Collateral > Comments")),
    ("change_collateral_comment", change("Collateral > Comments")),
    ("remove_collateral_comment", privilege("Collateral > Comments", "Delete")),
    ("list_collateral_comment_documents", view("Collateral > Comments")),
    ("create_collateral_comment_document", change("Collateral > Comments")),
    ("remove_collateral_comment_document", change("Collateral > Comments")),
    ("get_contact", view("Contact > Records")),
    ("list_contact_detail", view("Contact > Detail")),
    ("list_contact_field_history", view("Contact > Field History")),
    ("get_credit_profile", view("Contact > Credit Profiles")),
    ("get_contact_comment", view("Contact > Comments")),
    ("list_contact_comment_documents", view("Contact > Comments")),
    ("create_contact_comment_document", change("Contact > Comments")),
    ("remove_contact_comment_document", change("Contact > Comments")),
    ("list_contact_demographics_documents", view("Contact > Demographics")),
    ("create_contact_demographics_document", change("Contact > Demographics")),
    ("list_contact_detail_documents", view("Contact > Detail")),
    ("create_contact_detail_document", change("Contact > Detail")),
    ("list_contact_financials_documents", view("Contact > Financials")),
    ("create_contact_financials_document", change("Contact > Financials")),
    // Depends on the form that owns the document: its View decides whether the caller sees the
    // document, and its Change is required once the document is found.
    ("get_document", NONE),
    ("change_document", NONE),
    ("remove_document", NONE),
    ("list_document_files", NONE),
    ("create_document_file", NONE),
    ("remove_document_file", NONE),
    ("download_file", NONE),
    ("list_cards", view("Payment Gateway > Cards")),
    ("create_card", add("Payment Gateway > Cards")),
    ("get_card", view("Payment Gateway > Cards")),
    ("forget_card", privilege("Payment Gateway > Cards", "Forget")),
    ("get_convenience_fee", view("Payment Gateway > Convenience Fee")),
    ("post_card_payment", add("Payment Gateway > Payments")),
    ("get_add_payment_method_url", add("Payment Gateway > Cards")),
    ("list_drawers", view("Cash Drawer > Drawers")),
    ("get_drawer", view("Cash Drawer > Drawers")),
    ("list_drawer_active_users", view("Cash Drawer > Drawers")),
    ("list_drawer_assigned_users", view("Cash Drawer > Drawers")),
    ("list_reconciliations", view("Cash Drawer > Reconciliations")),
    ("reconcile_drawer", add("Cash Drawer > Reconciliations")),
    ("list_drawer_transactions", view("Cash Drawer > Transactions")),
    ("post_drawer_transaction", add("Cash Drawer > Transactions")),
    ("list_users", view("Security > Users")),
    // Users may list their own privileges.
    ("list_user_privileges", NONE),
    // One of two privileges.
    ("list_contact_officers", NONE),
    ("list_loan_officers", NONE),
    ("list_collection_officers", NONE),
    ("get_ach_batch_status", view("Processing > ACH Batch")),
    ("get_batch_accrual_status", view("Processing > Accrual")),
    ("list_loan_groups", view("Setup > Loan")),
    ("list_payment_methods", view("Setup > Loan")),
    ("list_portfolios", view("Setup > Loan")),
    ("list_loan_status_codes", view("Setup > Loan")),
    ("list_risk_ratings", view("Setup > Loan")),
    // Never 403 for a core-system user.
    ("list_interest_plans", NONE),
    ("list_transaction_entry_fields", view("Setup > Loan")),
    ("list_batch_transaction_fields", view("Setup > Loan")),
    ("list_participant1_fields", view("Setup > Loan")),
    ("list_participant2_fields", view("Setup > Loan")),
    ("list_entities", view("Setup > Contact")),
    ("list_relationship_codes", view("Setup > Contact")),
    ("list_contact_types", view("Setup > Contact")),
    ("import_xml", NONE),
];

/// The extensions: operations beyond the interface.
const EXTENSIONS: Table = &[
    ("list_loans", view("Loan > Records")),
    ("list_contacts", view("Contact > Records")),
    ("post_payments", add("Loan > Payments")),
    // Depends on the kind of adjustment.
    ("post_adjustment", NONE),
    ("reverse_entry", Some(REVERSE_ENTRIES)),
    ("list_payments_due", view("Loan > Records")),
    ("get_payoff_quote", view("Loan > Records")),
    ("get_loan_schedule", view("Loan > Records")),
    // Requires Loan > Transactions > View, too.
    ("get_loan_balances", view("Loan > Records")),
    ("list_transaction_codes", view("Setup > Loan")),
    // One of several privileges.
    ("list_comment_categories", NONE),
    ("list_privileges", view("Security > Privileges")),
    ("list_loan_comments", view("Loan > Comments")),
    ("create_loan_comment", change("Loan > Comments")),
    ("list_contact_comments", view("Contact > Comments")),
    ("create_contact_comment", change("Contact > Comments")),
    ("list_collateral_comments", view("Collateral > Comments")),
    ("create_collateral_comment", change("Collateral > Comments")),
    // The View of the other kind of record is required by the operation.
    ("list_contact_loans", view("Loan > Records")),
    ("list_loan_contacts", view("Loan > Records")),
    ("list_automated_payments", view("Loan > Automated Payments")),
    ("list_credit_profiles", view("Contact > Credit Profiles")),
    // The View of transactions is required by the operation.
    ("list_card_payments", view("Payment Gateway > Cards")),
];

/// Query parameters that extend operations of the interface: operation id and name.
const EXTENSION_PARAMETERS: &[(&str, &str)] = &[("list_transactions", "order")];

/// Paths outside the API that accept forms or webhooks.
const PUBLIC_POSTS: &[&str] = &[SANDBOX_PAGE, STRIPE_WEBHOOK];

const PUBLIC_PATHS: &[&str] = &[
    SANDBOX_PAGE,
    SANDBOX_DONE,
    STRIPE_RETURN,
    "/openapi.json",
    "/openapi-interface.json",
    "/docs",
    "/docs/",
    "/docs/oauth-receiver.html",
    "/health/live",
    "/health/ready",
];

/// Paths that moved in release 5.0.0, and the operations they moved to.
const FORMER_PATHS: &[(&str, &str)] = &[
    ("/loans/{loan_id}/transaction-history", "list_transactions"),
    ("/core/post-payment", "post_payment"),
    ("/loan-collateral/{collateral_id}", "get_collateral"),
    ("/loan-collateral/{collateral_id}/vehicle", "get_collateral_vehicle"),
    ("/loan-collateral/{collateral_id}/location", "get_collateral_location"),
    ("/loan-collateral/{collateral_id}/insurance", "list_collateral_insurance"),
    ("/loan-collateral/{collateral_id}/taxes", "list_collateral_taxes"),
    ("/loan-comments/{comment_id}", "get_loan_comment"),
    ("/contact-comments/{comment_id}", "get_contact_comment"),
    ("/credit-profiles/{report_id}", "get_credit_profile"),
    ("/core/user-priv/{user_id}", "list_user_privileges"),
    ("/loan-settings/groups", "list_loan_groups"),
    ("/loan-settings/payment-methods", "list_payment_methods"),
    ("/loan-settings/portfolios", "list_portfolios"),
    ("/loan-settings/status-codes", "list_loan_status_codes"),
    ("/loan-settings/risk-ratings", "list_risk_ratings"),
    ("/contact-settings/entities", "list_entities"),
    ("/contact-settings/relationship-codes", "list_relationship_codes"),
    ("/contact-settings/types", "list_contact_types"),
];

/// Returns the privilege that an operation requires of a core-system user, if any.
pub fn privilege_of(id: &str) -> Option<Privilege> {
    let mut all = PRIVILEGES.iter().chain(EXTENSIONS);
    all.find(|(listed, _)| *listed == id).and_then(|(_, privilege)| *privilege)
}

/// True for operations beyond the interface.
pub fn is_extension(id: &str) -> bool {
    EXTENSIONS.iter().any(|(listed, _)| *listed == id)
}

/// True for a query parameter that extends an operation of the interface.
pub fn is_extension_parameter(id: &str, name: &str) -> bool {
    EXTENSION_PARAMETERS.contains(&(id, name))
}

/// True for paths about cards: their requests are searched for card numbers.
pub fn is_about_cards(path: &str) -> bool {
    path.contains("/payment-gateway/")
}
