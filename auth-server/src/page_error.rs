//! What goes wrong in a browser is told on a page, never by sending the browser somewhere.

use crate::log_in::Refusal;
use crate::oauth_error::OAuthError;
use poem::Response;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use sea_orm::DbErr;
use shared::db::Contended;

/// A page that says what went wrong.
#[derive(Debug)]
pub struct PageError {
    status: StatusCode,
    title: &'static str,
    text: String,
    retry_after_seconds: Option<i64>,
    contention: bool,
}

impl PageError {
    fn new(status: StatusCode, title: &'static str, text: impl Into<String>) -> Self {
        Self { status, title, text: text.into(), retry_after_seconds: None, contention: false }
    }

    /// A request that cannot be understood.
    pub fn bad_request(error: &OAuthError) -> Self {
        let (_, description) = error.parts();
        let text = format!("The application sent a request with a mistake: {description}.");
        Self::from(text.as_str())
    }

    /// The request this page belongs to is gone.
    pub fn expired() -> Self {
        let text = "It was left open for too long, was used already, or your browser does not keep \
                    cookies. Go back to the application and start again.";
        Self::new(StatusCode::BAD_REQUEST, "This log-in is no longer valid", text)
    }

    /// The form did not come from a page of this server in this browser.
    pub fn forged() -> Self {
        let text = "It did not come from our page. Go back to the application and start again.";
        Self::new(StatusCode::FORBIDDEN, "This form was not accepted", text)
    }

    /// The source network has failed or asked too often.
    pub fn too_many(retry_after_seconds: i64) -> Self {
        let text = "There were too many attempts from your network. Try again later.";
        Self {
            retry_after_seconds: Some(retry_after_seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "Too many attempts", text)
        }
    }

    fn unavailable() -> Self {
        let text = "The service cannot be reached at the moment. Try again in a minute.";
        Self {
            retry_after_seconds: Some(5),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "Not available", text)
        }
    }

    /// The page, under the name of this installation.
    pub fn show(self, site: &str) -> Response {
        let mut response = shared::pages::message(site, self.status, self.title, &self.text);
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
        Self::new(StatusCode::BAD_REQUEST, "This does not work", text)
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
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong", text)
            }
            _ => Self::bad_request(&error),
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
            refusal => OAuthError::from(refusal).into(),
        }
    }
}
