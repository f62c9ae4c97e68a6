//! Errors rendered as pages: a failure in a browser never redirects it.

use crate::http::oauth_error::{CONCURRENCY_RETRY_SECONDS, OAuthError};
use crate::login::password_login::LoginRefusal;
use poem::Response;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use sea_orm::DbErr;
use shared::database::Contended;
use shared::html::{Back, Notice};

#[derive(Debug)]
pub struct HtmlError {
    status: StatusCode,
    title: &'static str,
    text: String,
    advice: &'static str,
    back: Option<Box<Back>>,
    retry_after_seconds: Option<i64>,
    contention: bool,
}

/// Advice where the application is at fault.
const START_AGAIN: &str = "Go back to the application and start again. If this happens again, tell \
    its operator and quote the reference below.";

impl HtmlError {
    fn new(
        status: StatusCode,
        title: &'static str,
        text: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        let (back, retry_after_seconds, contention) = (None, None, false);
        Self { status, title, text: text.into(), advice, back, retry_after_seconds, contention }
    }

    /// Adds a Retry-After header.
    fn retry_after(self, seconds: i64) -> Self {
        Self { retry_after_seconds: Some(seconds), ..self }
    }

    /// Adds a link back to the application, unless there is one.
    #[must_use]
    pub fn or_back(self, back: Option<Back>) -> Self {
        Self { back: self.back.or(back.map(Box::new)), ..self }
    }

    /// The authorization request of this page no longer exists.
    pub fn expired() -> Self {
        let text = "The page was left open for too long or was already used, or your browser does \
                    not accept cookies.";
        Self::new(
            StatusCode::BAD_REQUEST,
            "This log-in is no longer valid",
            text,
            "Go back to the application and start again.",
        )
    }

    /// The form did not come from a page that this server sent to this browser.
    pub fn forged() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "This form was not accepted",
            "It did not come from one of our pages.",
            START_AGAIN,
        )
    }

    /// Too many failures or requests from the source network.
    pub fn too_many(retry_after_seconds: i64) -> Self {
        let text = "There were too many attempts from your network.";
        let advice = match retry_after_seconds {
            ..=60 => "Wait a minute, then go back to the application and try again.",
            _ => "Wait half an hour, then go back to the application and try again.",
        };
        Self::new(StatusCode::TOO_MANY_REQUESTS, "Too many attempts", text, advice)
            .retry_after(retry_after_seconds)
    }

    /// A logged-in browser is sent here too often.
    pub fn too_often(retry_after_seconds: i64) -> Self {
        let text = "An application has sent your browser here too often.";
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests",
            text,
            "Wait a moment, then go back to the application.",
        )
        .retry_after(retry_after_seconds)
    }

    /// Too many concurrent log-ins from the network or for the account.
    fn too_many_concurrent() -> Self {
        let text = "Too many log-ins from your network or for this user name are in progress.";
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many log-ins at once",
            text,
            "Go back and try again in a moment.",
        )
        .retry_after(CONCURRENCY_RETRY_SECONDS)
    }

    fn unavailable(busy: bool) -> Self {
        let text = match busy {
            true => "The service is busy at the moment.",
            false => "The service cannot be reached at the moment.",
        };
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Temporarily unavailable",
            text,
            "Load this page again in a minute.",
        )
        .retry_after(5)
    }

    /// Renders the page under the name of this installation.
    pub fn show(self, site: &str) -> Response {
        let Self { title, advice, ref text, ref back, .. } = self;
        let notice = Notice { title, text, advice, back: back.as_deref() };
        let mut response = shared::html::notice(site, self.status, &notice);
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl Contended for HtmlError {
    fn is_contention(&self) -> bool {
        self.contention
    }
}

impl From<&str> for HtmlError {
    fn from(text: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "This request cannot be processed", text, START_AGAIN)
    }
}

impl From<OAuthError> for HtmlError {
    fn from(error: OAuthError) -> Self {
        match error.status() {
            StatusCode::SERVICE_UNAVAILABLE => {
                Self { contention: error.is_contention(), ..Self::unavailable(error.is_busy()) }
            }
            StatusCode::INTERNAL_SERVER_ERROR => {
                let text = "Something went wrong on our side. The error has been logged.";
                Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Something went wrong",
                    text,
                    "Try again in a few minutes. If this happens again, contact us and quote the \
                     reference below.",
                )
            }
            _ => {
                let (_, description) = error.parts();
                let text = format!("The application sent an invalid request: {description}.");
                Self::from(text.as_str())
            }
        }
    }
}

impl From<DbErr> for HtmlError {
    fn from(error: DbErr) -> Self {
        OAuthError::from(error).into()
    }
}

impl From<LoginRefusal> for HtmlError {
    fn from(refusal: LoginRefusal) -> Self {
        match refusal {
            LoginRefusal::TooMany(too_many) => Self::too_many(too_many.retry_after_seconds),
            LoginRefusal::TooManyConcurrent => Self::too_many_concurrent(),
            refusal => OAuthError::from(refusal).into(),
        }
    }
}
