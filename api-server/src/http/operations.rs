//! Every operation of the API: who may call it, with which privilege, and what it answers with.
//!
//! The access check reads this table before anything else of a request is looked at; an operation
//! that is not in it is refused to everyone, and a test compares it with the served document.

use crate::auth::privileges::Privilege;
use poem::http::Method;

/// Where the sandbox's page is.
pub const SANDBOX_PAGE: &str = "/gateway/sandbox/add-payment-method";
/// Where the sandbox's page leads.
pub const SANDBOX_DONE: &str = "/gateway/sandbox/payment-method-added";
/// Where Stripe's webhooks arrive.
pub const STRIPE_WEBHOOK: &str = "/gateway/stripe/webhook";
/// Where Stripe's page sends the browser.
pub const STRIPE_RETURN: &str = "/gateway/stripe/return";

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its method.
    pub method: Method,
    /// Its path with `{parameters}`.
    pub path: &'static str,
    /// The privilege it needs of a core-system user, if any.
    pub privilege: Option<Privilege>,
    /// The body it takes, if any.
    pub body: Option<Body>,
    /// The media type it answers with, if it has anything to say.
    pub gives: Option<&'static str>,
}

impl Operation {
    /// True for operations about cards: their requests are searched for card numbers.
    pub fn is_about_cards(&self) -> bool {
        self.path.contains("/payment-gateway/")
    }
}

/// What a body may be.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its media type.
    pub media_type: &'static str,
    /// Its size; where there is none, that of a file and the form around it, which is a setting.
    pub bytes_max: Option<u64>,
}

/// Bytes of JSON.
pub const JSON_BYTES_MAX: u64 = 1024 * 1024;
/// JSON bodies.
pub const JSON: Body = Body { media_type: "application/json", bytes_max: Some(JSON_BYTES_MAX) };
/// Bytes of an import file.
pub const XML_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Import files.
pub const XML: Body = Body { media_type: "application/xml", bytes_max: Some(XML_BYTES_MAX) };
/// Forms with a file.
pub const FORM: Body = Body { media_type: "multipart/form-data", bytes_max: None };
/// What an operation answers with that says nothing else.
const GIVES_JSON: Option<&str> = Some("application/json");

/// Reads what needs the View of this privilege path.
const fn get(path: &'static str, privilege_path: &'static str) -> Operation {
    let privilege = Some(Privilege(privilege_path, "View"));
    Operation { method: Method::GET, path, privilege, body: None, gives: GIVES_JSON }
}

/// Reads what needs another privilege than a View.
const fn get_by(path: &'static str, privilege: Privilege) -> Operation {
    let privilege = Some(privilege);
    Operation { method: Method::GET, path, privilege, body: None, gives: GIVES_JSON }
}

/// Reads what needs no privilege, or one that hangs on the row.
const fn get_freely(path: &'static str) -> Operation {
    Operation { method: Method::GET, path, privilege: None, body: None, gives: GIVES_JSON }
}

/// Gives bytes to whoever may see the row that names them.
const fn download(path: &'static str) -> Operation {
    let gives = Some("application/octet-stream");
    Operation { method: Method::GET, path, privilege: None, body: None, gives }
}

const fn post(path: &'static str, privilege: Option<Privilege>, body: Body) -> Operation {
    Operation { method: Method::POST, path, privilege, body: Some(body), gives: GIVES_JSON }
}

/// A POST without a body.
const fn act(path: &'static str, privilege: Privilege) -> Operation {
    let privilege = Some(privilege);
    Operation { method: Method::POST, path, privilege, body: None, gives: GIVES_JSON }
}

const fn put(path: &'static str, privilege: Option<Privilege>) -> Operation {
    Operation { method: Method::PUT, path, privilege, body: Some(JSON), gives: GIVES_JSON }
}

const fn delete(path: &'static str, privilege: Option<Privilege>) -> Operation {
    Operation { method: Method::DELETE, path, privilege, body: None, gives: None }
}

/// Changes what this privilege path is about.
const fn change(path: &'static str) -> Option<Privilege> {
    Some(Privilege(path, "Change"))
}

/// The table.
pub const OPERATIONS: &[Operation] = &[
    get("/loans/{loan_id}", "Loan > Records"),
    get("/loans/{loan_id}/transactions", "Loan > Transactions"),
    post("/loans/{loan_id}/transactions/payments", Some(Privilege("Loan > Payments", "Add")), JSON),
    get("/loans/{loan_id}/recurring-transactions", "Loan > Recurring Transactions"),
    get("/loans/automated-payments/{row_id}", "Loan > Automated Payments"),
    get("/loans/{loan_id}/field-history", "Loan > Field History"),
    get("/loans/{loan_id}/credit-lines", "Loan > Credit Lines"),
    get("/loans/credit-lines/{creditline_id}/credit-used", "Loan > Credit Lines"),
    get("/loans/credit-lines/{creditline_id}/draws", "Loan > Credit Lines"),
    get("/loans/{loan_id}/detail1/{field}/documents", "Loan > Detail 1"),
    post("/loans/{loan_id}/detail1/{field}/documents", change("Loan > Detail 1"), FORM),
    get("/loans/{loan_id}/detail2/{field}/documents", "Loan > Detail 2"),
    post("/loans/{loan_id}/detail2/{field}/documents", change("Loan > Detail 2"), FORM),
    get("/loans/{loan_id}/collateral", "Collateral > Records"),
    get("/loans/collateral/{collateral_id}", "Collateral > Records"),
    get("/loans/collateral/{collateral_id}/vehicle", "Collateral > Records"),
    get("/loans/collateral/{collateral_id}/location", "Collateral > Records"),
    get("/loans/collateral/{collateral_id}/insurance", "Collateral > Records"),
    get("/loans/collateral/{collateral_id}/taxes", "Collateral > Records"),
    get("/loans/collateral/{collateral_id}/description", "Collateral > Records"),
    get("/loans/comments/{comment_id}", "Loan > Comments"),
    get("/loans/comments/{comment_id}/documents", "Loan > Comments"),
    post("/loans/comments/{comment_id}/documents", change("Loan > Comments"), FORM),
    delete("/loans/comments/{comment_id}/documents", change("Loan > Comments")),
    get("/loans/collateral/comments/{comment_id}", "Collateral > Comments"),
    put("/loans/collateral/comments/{comment_id}", change("Collateral > Comments")),
    delete(
        "/loans/collateral/comments/{comment_id}",
        Some(Privilege("Collateral > Comments", "Delete")),
    ),
    get("/loans/collateral/comments/{comment_id}/documents", "Collateral > Comments"),
    post(
        "/loans/collateral/comments/{comment_id}/documents",
        change("Collateral > Comments"),
        FORM,
    ),
    delete("/loans/collateral/comments/{comment_id}/documents", change("Collateral > Comments")),
    get("/contacts/{contact_id}", "Contact > Records"),
    get("/contacts/{contact_id}/detail", "Contact > Detail"),
    get("/contacts/{contact_id}/field-history", "Contact > Field History"),
    get("/contacts/credit-profiles/{report_id}", "Contact > Credit Profiles"),
    get("/contacts/comments/{comment_id}", "Contact > Comments"),
    get("/contacts/comments/{comment_id}/documents", "Contact > Comments"),
    post("/contacts/comments/{comment_id}/documents", change("Contact > Comments"), FORM),
    delete("/contacts/comments/{comment_id}/documents", change("Contact > Comments")),
    get("/contacts/{contact_id}/demographics/{field}/documents", "Contact > Demographics"),
    post(
        "/contacts/{contact_id}/demographics/{field}/documents",
        change("Contact > Demographics"),
        FORM,
    ),
    get("/contacts/{contact_id}/detail/{field}/documents", "Contact > Detail"),
    post("/contacts/{contact_id}/detail/{field}/documents", change("Contact > Detail"), FORM),
    get("/contacts/{contact_id}/financials/{field}/documents", "Contact > Financials"),
    post(
        "/contacts/{contact_id}/financials/{field}/documents",
        change("Contact > Financials"),
        FORM,
    ),
    // The form that owns the document decides: its View is part of what a caller may see, and its
    // Change is asked for once the document is found.
    get_freely("/user-defined-fields/documents/{row_id}"),
    put("/user-defined-fields/documents/{row_id}", None),
    delete("/user-defined-fields/documents/{row_id}", None),
    get_freely("/user-defined-fields/documents/{row_id}/files"),
    post("/user-defined-fields/documents/{row_id}/files", None, FORM),
    delete("/user-defined-fields/documents/{row_id}/files", None),
    download("/files/{file_id}"),
    get("/loans/{loan_id}/payment-gateway/credit-cards", "Payment Gateway > Cards"),
    post(
        "/loans/{loan_id}/payment-gateway/credit-cards",
        Some(Privilege("Payment Gateway > Cards", "Add")),
        JSON,
    ),
    get("/loans/payment-gateway/credit-cards/{token_id}", "Payment Gateway > Cards"),
    act(
        "/loans/payment-gateway/credit-cards/{token_id}/forget",
        Privilege("Payment Gateway > Cards", "Forget"),
    ),
    get("/loans/{loan_id}/payment-gateway/convenience-fee", "Payment Gateway > Convenience Fee"),
    post(
        "/loans/{loan_id}/payment-gateway/payments",
        Some(Privilege("Payment Gateway > Payments", "Add")),
        JSON,
    ),
    get_by(
        "/loans/{loan_id}/payment-gateway/add-payment-method-url",
        Privilege("Payment Gateway > Cards", "Add"),
    ),
    get("/cash-drawers", "Cash Drawer > Drawers"),
    get("/cash-drawers/{drawer_id}", "Cash Drawer > Drawers"),
    get("/cash-drawers/{drawer_id}/active-users", "Cash Drawer > Drawers"),
    get("/cash-drawers/{drawer_id}/assigned-users", "Cash Drawer > Drawers"),
    get("/cash-drawers/{drawer_id}/reconciliations", "Cash Drawer > Reconciliations"),
    post(
        "/cash-drawers/{drawer_id}/reconciliations",
        Some(Privilege("Cash Drawer > Reconciliations", "Add")),
        JSON,
    ),
    get("/cash-drawers/{drawer_id}/transactions", "Cash Drawer > Transactions"),
    post(
        "/cash-drawers/{drawer_id}/transactions",
        Some(Privilege("Cash Drawer > Transactions", "Add")),
        JSON,
    ),
    get("/users", "Security > Users"),
    // Everyone may ask about himself.
    get_freely("/users/{user_id}/privileges"),
    get_freely("/users/contact-officers"),
    get_freely("/users/loan-officers"),
    get_freely("/users/collection-officers"),
    get("/status/ach-batch", "Processing > ACH Batch"),
    get("/status/batch-accrual", "Processing > Accrual"),
    get("/setup/loan/groups", "Setup > Loan"),
    get("/setup/loan/payment-methods", "Setup > Loan"),
    get("/setup/loan/portfolios", "Setup > Loan"),
    get("/setup/loan/status-codes", "Setup > Loan"),
    get("/setup/loan/risk-ratings", "Setup > Loan"),
    // Never 403 for a core-system user.
    get_freely("/setup/loan/interest-plans"),
    get("/setup/loan/fields/transaction-entry", "Setup > Loan"),
    get("/setup/loan/fields/batch-transaction", "Setup > Loan"),
    get("/setup/loan/fields/participant1-detail", "Setup > Loan"),
    get("/setup/loan/fields/participant2-detail", "Setup > Loan"),
    get("/setup/contact/entities", "Setup > Contact"),
    get("/setup/contact/relationship-codes", "Setup > Contact"),
    get("/setup/contact/types", "Setup > Contact"),
    post("/core/xml-import", None, XML),
];

/// Paths beside the API that take forms or messages.
pub const PUBLIC_POSTS: &[&str] = &[SANDBOX_PAGE, STRIPE_WEBHOOK];

/// Paths that need no token.
pub const PUBLIC_PATHS: &[&str] = &[
    SANDBOX_PAGE,
    SANDBOX_DONE,
    STRIPE_RETURN,
    "/openapi.json",
    "/docs",
    "/docs/",
    "/docs/oauth-receiver.html",
    "/health/live",
    "/health/ready",
];

/// Paths that moved with release 5.0.0, and where they are now.
pub const FORMER_PATHS: &[(&str, &str)] = &[
    ("/loans/{loan_id}/transaction-history", "/loans/{loan_id}/transactions"),
    ("/core/post-payment", "/loans/{loan_id}/transactions/payments"),
    ("/loan-collateral/{collateral_id}", "/loans/collateral/{collateral_id}"),
    ("/loan-collateral/{collateral_id}/vehicle", "/loans/collateral/{collateral_id}/vehicle"),
    ("/loan-collateral/{collateral_id}/location", "/loans/collateral/{collateral_id}/location"),
    ("/loan-collateral/{collateral_id}/insurance", "/loans/collateral/{collateral_id}/insurance"),
    ("/loan-collateral/{collateral_id}/taxes", "/loans/collateral/{collateral_id}/taxes"),
    ("/loan-comments/{comment_id}", "/loans/comments/{comment_id}"),
    ("/contact-comments/{comment_id}", "/contacts/comments/{comment_id}"),
    ("/credit-profiles/{report_id}", "/contacts/credit-profiles/{report_id}"),
    ("/core/user-priv/{user_id}", "/users/{user_id}/privileges"),
    ("/loan-settings/groups", "/setup/loan/groups"),
    ("/loan-settings/payment-methods", "/setup/loan/payment-methods"),
    ("/loan-settings/portfolios", "/setup/loan/portfolios"),
    ("/loan-settings/status-codes", "/setup/loan/status-codes"),
    ("/loan-settings/risk-ratings", "/setup/loan/risk-ratings"),
    ("/contact-settings/entities", "/setup/contact/entities"),
    ("/contact-settings/relationship-codes", "/setup/contact/relationship-codes"),
    ("/contact-settings/types", "/setup/contact/types"),
];

/// The operation that answers to this method and path.
pub fn find(method: &Method, path: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.method == method && matches(operation.path, path))
}

/// The methods a path answers to, for `Allow`; `None` for a path that is none of ours.
pub fn allowed_methods(path: &str) -> Option<String> {
    let on_path = OPERATIONS.iter().filter(|operation| matches(operation.path, path));
    let mut methods: Vec<&str> = on_path.map(|operation| operation.method.as_str()).collect();
    if PUBLIC_PATHS.contains(&path) {
        methods.push("GET");
    }
    if PUBLIC_POSTS.contains(&path) {
        methods.push("POST");
    }
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    (!methods.is_empty()).then(|| methods.join(", "))
}

/// Where a former path is now, with the ids it carries filled in.
pub fn current_path(path: &str) -> Option<String> {
    let (former, current) = FORMER_PATHS.iter().find(|(former, _)| matches(former, path))?;
    let mut filled = (*current).to_owned();
    for (name, value) in former.split('/').zip(path.split('/')) {
        if name.starts_with('{') {
            filled = filled.replace(name, value);
        }
    }
    Some(filled)
}

/// The name of the nth parameter of the path pattern that a path matches.
pub fn parameter_name(path: &str, index: usize) -> Option<&'static str> {
    let operation = OPERATIONS.iter().find(|operation| matches(operation.path, path))?;
    let names = operation.path.split('/').filter_map(|segment| segment.strip_prefix('{'));
    names.map(|name| name.trim_end_matches('}')).nth(index)
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut names, mut segments) = (pattern.split('/'), path.split('/'));
    loop {
        match (names.next(), segments.next()) {
            (None, None) => return true,
            (Some(name), Some(segment)) if name.starts_with('{') && !segment.is_empty() => {}
            (Some(name), Some(segment)) if name == segment => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_path_leads_to_the_current_one() {
        let current = |path| current_path(path).unwrap_or_default();
        assert_eq!(current("/loans/17/transaction-history"), "/loans/17/transactions");
        assert_eq!(current("/loan-collateral/3/taxes"), "/loans/collateral/3/taxes");
        assert_eq!(current("/core/user-priv/5"), "/users/5/privileges");
        assert_eq!(current("/core/post-payment"), "/loans/{loan_id}/transactions/payments");
        assert_eq!(current_path("/loans/17/transactions"), None);
    }

    #[test]
    fn a_path_lists_its_methods() {
        assert_eq!(allowed_methods("/loans/17").as_deref(), Some("GET, HEAD"));
        assert_eq!(allowed_methods("/core/xml-import").as_deref(), Some("POST"));
        assert_eq!(allowed_methods("/nowhere"), None);
    }
}
