//! Every operation of the API: who may call it, with which privilege, and what it answers with.
//!
//! The access check reads this table before anything else of a request is looked at; an operation
//! that is not in it is refused to everyone, and a test compares it with the served document.

use crate::privileges::Privilege;
use poem::http::Method;

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
}

/// What a body may be.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its media type.
    pub media_type: &'static str,
    /// Its size.
    pub bytes_max: u64,
}

/// JSON bodies.
pub const JSON: Body = Body { media_type: "application/json", bytes_max: 1024 * 1024 };
/// Import files.
pub const XML: Body = Body { media_type: "application/xml", bytes_max: 1024 * 1024 * 1024 };

const fn get(path: &'static str, privilege: Privilege) -> Operation {
    Operation { method: Method::GET, path, privilege: Some(privilege), body: None }
}

const fn post(path: &'static str, privilege: Option<Privilege>, body: Body) -> Operation {
    Operation { method: Method::POST, path, privilege, body: Some(body) }
}

/// The table.
pub const OPERATIONS: &[Operation] = &[
    get("/loans/{loan_id}", Privilege("Loan > Records", "View")),
    get("/loans/{loan_id}/transactions", Privilege("Loan > Transactions", "View")),
    post("/loans/{loan_id}/transactions/payments", Some(Privilege("Loan > Payments", "Add")), JSON),
    get("/contacts/{contact_id}", Privilege("Contact > Records", "View")),
    post("/core/xml-import", None, XML),
];

/// Paths that need no token.
pub const PUBLIC_PATHS: &[&str] = &[
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
