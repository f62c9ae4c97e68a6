//! What goes wrong in a browser is told on a page, never by sending the browser somewhere.

use crate::http::oauth_error::{CROWDED_SECONDS, OAuthError};
use crate::login::log_in::Refusal;
use poem::Response;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use sea_orm::DbErr;
use shared::db::Contended;
use shared::pages::{Back, Notice};

/// A page that says what went wrong.
#[derive(Debug)]
pub struct PageError {
    status: StatusCode,
    title: &'static str,
    text: String,
    advice: &'static str,
    back: Option<Box<Back>>,
    retry_after_seconds: Option<i64>,
    contention: bool,
}

/// What to do where the application is at fault.
const START_AGAIN: &str = "Go back to the application and start again. If this happens again, tell \
    its operator the reference below.";

impl PageError {
    fn new(
        status: StatusCode,
        title: &'static str,
        text: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        let (back, retry_after_seconds, contention) = (None, None, false);
        Self { status, title, text: text.into(), advice, back, retry_after_seconds, contention }
    }

    /// The same, to be tried again so many seconds later.
    fn after(self, seconds: i64) -> Self {
        Self { retry_after_seconds: Some(seconds), ..self }
    }

    /// The same with a way back to the application.
    #[must_use]
    pub fn or_back(self, back: Option<Back>) -> Self {
        Self { back: self.back.or(back.map(Box::new)), ..self }
    }

    /// The request this page belongs to is gone.
    pub fn expired() -> Self {
        let text = "It was left open for too long, was used already, or your browser does not keep \
                    cookies.";
        Self::new(
            StatusCode::BAD_REQUEST,
            "This log-in is no longer valid",
            text,
            "Go back to the application and start again.",
        )
    }

    /// The form did not come from a page of this server in this browser.
    pub fn forged() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "This form was not accepted",
            "It did not come from our page.",
            START_AGAIN,
        )
    }

    /// The source network has failed or asked too often.
    pub fn too_many(retry_after_seconds: i64) -> Self {
        let text = "There were too many attempts from your network.";
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many attempts",
            text,
            "Wait half an hour, then go back to the application and try again.",
        )
        .after(retry_after_seconds)
    }

    /// A browser that is logged in is sent here again and again.
    pub fn too_often(retry_after_seconds: i64) -> Self {
        let text = "An application has sent your browser here too often.";
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests",
            text,
            "Wait a moment, then go back to the application.",
        )
        .after(retry_after_seconds)
    }

    /// Too many log-ins of the network or account are under way.
    fn crowded() -> Self {
        let text = "Too many log-ins from your network or under this name are under way.";
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many log-ins at once",
            text,
            "Go back and try again in a moment.",
        )
        .after(CROWDED_SECONDS)
    }

    fn unavailable() -> Self {
        let text = "The service cannot be reached at the moment.";
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Not available",
            text,
            "Load this page again in a minute.",
        )
        .after(5)
    }

    /// The page, under the name of this installation.
    pub fn show(self, site: &str) -> Response {
        let Self { title, advice, ref text, ref back, .. } = self;
        let notice = Notice { title, text, advice, back: back.as_deref() };
        let mut response = shared::pages::notice(site, self.status, &notice);
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl Contended for PageError {
    fn is_contention(&self) -> bool {
        self.contention
    }
}

impl From<&str> for PageError {
    fn from(text: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "This does not work", text, START_AGAIN)
    }
}

impl From<OAuthError> for PageError {
    fn from(error: OAuthError) -> Self {
        match error.status() {
            StatusCode::SERVICE_UNAVAILABLE => {
                Self { contention: error.is_contention(), ..Self::unavailable() }
            }
            StatusCode::INTERNAL_SERVER_ERROR => {
                let text = "Something went wrong on our side. It has been noted in the log.";
                Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Something went wrong",
                    text,
                    "Try again in a few minutes. If it happens again, tell us the reference below.",
                )
            }
            _ => {
                let (_, description) = error.parts();
                let text = format!("The application sent a request with a mistake: {description}.");
                Self::from(text.as_str())
            }
        }
    }
}

impl From<DbErr> for PageError {
    fn from(error: DbErr) -> Self {
        OAuthError::from(error).into()
    }
}

impl From<Refusal> for PageError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(too_many) => Self::too_many(too_many.retry_after_seconds),
            Refusal::Crowded => Self::crowded(),
            refusal => OAuthError::from(refusal).into(),
        }
    }
}
