//! `/gateway/…`: payment gateway pages and webhooks. They are not part of the API and need no
//! bearer token: a one-time session or a verified signature grants access.

pub mod sandbox;
pub mod stripe;

use crate::http::operations::{SANDBOX_DONE, SANDBOX_PAGE, STRIPE_RETURN, STRIPE_WEBHOOK};
use poem::Response;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use shared::html::{self, Notice};
use shared::problem::{Problem, ProblemType};

/// Paths of the pages and the webhooks.
pub const PATHS: [&str; 4] = [SANDBOX_PAGE, SANDBOX_DONE, STRIPE_RETURN, STRIPE_WEBHOOK];
/// Name of this installation on its pages.
const SITE: &str = "Loan Servicing";

fn message(status: StatusCode, title: &str, text: &str, advice: &str) -> Response {
    html::notice(SITE, status, &Notice { title, text, advice, back: None })
}

/// Advice on a page that leaves nothing to do.
const CLOSE: &str = "You can close this page now.";

/// Page for a session that is unknown, used or expired: the three look alike.
fn session_over() -> Response {
    let text = "Each link works once and expires after 15 minutes.";
    let advice = "Go back to where you came from and request a new one.";
    message(StatusCode::GONE, "This page is no longer valid", text, advice)
}

/// Error page for a problem.
pub fn page_of(problem: &Problem) -> Response {
    let status = problem.kind().status();
    let (text, advice) = match problem.kind() {
        ProblemType::GatewayUnavailable | ProblemType::DatabaseUnavailable => (
            "A service we depend on is unavailable right now. Nothing was changed.",
            "Try again in a few minutes.",
        ),
        _ => (
            "An unexpected error occurred on our side. Nothing was changed.",
            "Try again later. If it happens again, contact us and quote the reference below.",
        ),
    };
    let mut page = message(status, "Something went wrong", text, advice);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        page.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    }
    page
}
