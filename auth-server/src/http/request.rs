//! Reading requests: forms and bearer tokens, with limits.

use crate::http::oauth_error::OAuthError;
use poem::Request;
use poem::http::Method;
use poem::http::header::{AUTHORIZATION, CONTENT_TYPE};
use std::collections::BTreeMap;
use std::time::Duration;

const FORM_BYTES_MAX: usize = 16 * 1024;
const FORM_TIME_MAX: Duration = Duration::from_secs(10);

/// The parameters of a form, none of them repeated.
#[derive(Default)]
pub struct Form(BTreeMap<String, String>);

impl Form {
    /// Reads the body of a request: `application/x-www-form-urlencoded` and nothing else.
    pub async fn read(request: &mut Request) -> Result<Self, OAuthError> {
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(OAuthError::invalid_request(
                "the body must be application/x-www-form-urlencoded",
            ));
        }
        let body = request.take_body().into_bytes_limit(FORM_BYTES_MAX);
        let body = match tokio::time::timeout(FORM_TIME_MAX, body).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                return Err(OAuthError::invalid_request("the body is too large or was cut off"));
            }
            Err(_) => return Err(OAuthError::invalid_request("the body did not arrive in time")),
        };
        Self::parse(&body)
    }

    /// Reads the body of a POST, the query of a GET.
    pub async fn of(request: &mut Request) -> Result<Self, OAuthError> {
        match *request.method() {
            Method::POST => Self::read(request).await,
            _ => Self::of_query(request),
        }
    }

    /// Reads the query of a request.
    pub fn of_query(request: &Request) -> Result<Self, OAuthError> {
        Self::parse(request.uri().query().unwrap_or_default().as_bytes())
    }

    fn parse(text: &[u8]) -> Result<Self, OAuthError> {
        let pairs: Vec<(String, String)> = serde_urlencoded::from_bytes(text)
            .map_err(|_| OAuthError::invalid_request("the parameters are not valid form data"))?;
        let mut form = BTreeMap::new();
        for (name, value) in pairs {
            if form.insert(name.clone(), value).is_some() {
                let text = format!("the parameter {name:?} appears more than once");
                return Err(OAuthError::invalid_request(text));
            }
        }
        Ok(Self(form))
    }

    /// Returns a parameter; one without a value counts as omitted (RFC 6749, 3.2).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns a required parameter.
    pub fn required(&self, name: &str) -> Result<&str, OAuthError> {
        self.get(name).ok_or_else(|| OAuthError::invalid_request(format!("{name} is missing")))
    }
}

/// Returns the bearer token of a request (RFC 6750, 2.1).
pub fn bearer_token(request: &Request) -> Option<&str> {
    let (scheme, token) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
