//! `/gateway/…`: pages and messages of the payment gateways, outside of the API and without a
//! bearer token. A one-time session or a verified signature lets in.

pub mod sandbox;
pub mod stripe;

use poem::Response;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use shared::pages::{self, Notice};
use shared::problem::{Problem, ProblemType};

/// What people call this installation.
const SITE: &str = "Loan Servicing";

fn message(status: StatusCode, title: &str, text: &str, advice: &str) -> Response {
    pages::notice(SITE, status, &Notice { title, text, advice, back: None })
}

/// What to do where nothing is left to do.
const CLOSE: &str = "You can close this page now.";

/// A page whose session is unknown, used or over: the three look alike.
fn session_over() -> Response {
    let text = "This page can be used once, and for 15 minutes.";
    let advice = "Go back to where you came from and ask for a new one.";
    message(StatusCode::GONE, "This page is no longer valid", text, advice)
}

/// A failure, for people.
fn page_of(problem: &Problem) -> Response {
    let status = problem.kind().status();
    let (text, advice) = match problem.kind() {
        ProblemType::GatewayUnavailable | ProblemType::DatabaseUnavailable => (
            "Something we need is not available right now. Nothing was done.",
            "Try again in a few minutes.",
        ),
        _ => (
            "Something went wrong on our side. Nothing was done.",
            "Try again later. If it happens again, tell us the reference below.",
        ),
    };
    let mut page = message(status, "That did not work", text, advice);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        page.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    }
    page
}
