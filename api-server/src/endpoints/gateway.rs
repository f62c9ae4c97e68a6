//! `/gateway/…`: pages and messages of the payment gateways, outside of the API and without a
//! bearer token. A one-time session or a verified signature lets in.

pub mod sandbox;
pub mod stripe;

use poem::Response;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use shared::pages;
use shared::problem::{Problem, ProblemType};

/// What people call this installation.
const SITE: &str = "Loan Servicing";

fn message(status: StatusCode, title: &str, text: &str) -> Response {
    pages::message(SITE, status, title, text)
}

/// A page whose session is unknown, used or over: the three look alike.
fn session_over() -> Response {
    let text = "This page can be used once, and for 15 minutes. Ask for a new one where you came \
                from.";
    message(StatusCode::GONE, "This page is no longer valid", text)
}

/// A failure, for people.
fn page_of(problem: &Problem) -> Response {
    let status = problem.kind().status();
    let text = match problem.kind() {
        ProblemType::GatewayUnavailable | ProblemType::DatabaseUnavailable => {
            "Something we need is not available right now. Nothing was done; please try again in a \
             few minutes."
        }
        _ => "Something went wrong on our side. Nothing was done; please try again later.",
    };
    let mut page = message(status, "That did not work", text);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        page.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    }
    page
}
