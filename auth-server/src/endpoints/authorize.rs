//! `GET /oauth2/authorize`, `POST /oauth2/authorize`: the authorization endpoint. An application
//! sends a browser here and gets it back with a code (RFC 6749, 4.1; OpenID Connect Core, 3.1.2).
//!
//! PKCE with S256 is required of every client. Until the redirect URI is known to be registered for
//! the client, errors are shown on a page: a browser is never sent to an address that is not the
//! client's. After that, errors go back to the client with its `state` and this server's `iss` (RFC
//! 9207).

use super::redirect;
use crate::http::browser::{self, BROWSER_COOKIE, LOG_IN_COOKIE};
use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::state::State;
use crate::store::authorization_requests::{self, BrowserLogIn, NewRequest};
use crate::store::clients::{self, Scope};
use crate::store::keys;
use crate::store::tokens::{Code, random_name};
use crate::web::html_error::HtmlError;
use crate::web::pages::link_back;
use crate::web::redirects;
use poem::http::header::SET_COOKIE;
use poem::{Request, Response};
use shared::database;
use shared::entity::oauth_clients::Model;
use std::sync::Arc;
use url::form_urlencoded;

/// No legitimate `state` or `nonce` is longer.
const STATE_BYTES_MAX: usize = 4096;
const NONCE_BYTES_MAX: usize = 1024;
/// 256 bits in base64url.
const CHALLENGE_LENGTH: usize = 43;

/// Redirects the browser to the log-in page, or back with a code if a user is already logged in.
pub async fn authorize(state: Arc<State>, mut request: Request) -> Result<Response, HtmlError> {
    let form = Form::of(&mut request).await?;
    // A subresource of another page (an image, a script) must not start a log-in.
    let fetch_destination = request.headers().get("sec-fetch-dest");
    if fetch_destination
        .is_some_and(|destination| destination != "document" && destination != "iframe")
    {
        return Err(HtmlError::from("This address can only be opened in a browser window."));
    }
    let client_id = form.required("client_id")?;
    let client = clients::find(&state.store.db, client_id).await?;
    let client = client.ok_or_else(|| HtmlError::from("This application is not registered."))?;
    let redirect_uri = form.get("redirect_uri").unwrap_or_default();
    if !redirects::is_registered(&client.redirect_uris, redirect_uri) {
        let text = "The application asked to send you back to an address that is not registered.";
        return Err(HtmlError::from(text).or_back(link_back(&client, None)));
    }
    let authorization =
        AuthorizeRequest { state: &state, form: &form, client: &client, redirect_uri };
    match authorization.respond(&request).await {
        Ok(response) => Ok(response),
        Err(Failure::Client(error)) => Ok(authorization.redirect_with_error(&error)),
        Err(Failure::Page(error)) => Err(error.or_back(link_back(&client, Some(redirect_uri)))),
    }
}

/// A failure, reported to the client or on a page.
enum Failure {
    Client(OAuthError),
    Page(HtmlError),
}

impl From<OAuthError> for Failure {
    fn from(error: OAuthError) -> Self {
        Self::Client(error)
    }
}

impl From<sea_orm::DbErr> for Failure {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Page(error.into())
    }
}

struct AuthorizeRequest<'a> {
    state: &'a State,
    form: &'a Form,
    client: &'a Model,
    redirect_uri: &'a str,
}

impl AuthorizeRequest<'_> {
    async fn respond(&self, request: &Request) -> Result<Response, Failure> {
        let scope = self.validate()?;
        let prompt = Prompt::read(self.form)?;
        let max_age = self.form.get("max_age").map(str::parse::<u32>).transpose();
        let max_age =
            max_age.map_err(|_| OAuthError::invalid_request("max_age is not a number"))?;
        let new_request = NewRequest {
            client_id: &self.client.client_id,
            redirect_uri: self.redirect_uri,
            scope: &scope,
            state: self.form.get("state"),
            nonce: self.form.get("nonce"),
            code_challenge: self.form.get("code_challenge").unwrap_or_default(),
            login_hint: self
                .form
                .get("login_hint")
                .filter(|hint| hint.chars().count() <= 200 && !hint.contains('\0')),
        };
        let logged_in = match browser::cookie(request, LOG_IN_COOKIE) {
            Some(cookie) if prompt != Prompt::LogIn => {
                authorization_requests::logged_in(
                    &self.state.store,
                    scope.kind,
                    &cookie,
                    max_age.map(i64::from),
                )
                .await?
            }
            _ => None,
        };
        let logged_in = match (logged_in, self.expected_subject().await?) {
            (Some(log_in), Some(sub)) if keys::sub(scope.kind, log_in.user_id) != sub => None,
            (logged_in, _) => logged_in,
        };
        let source = ClientAddress::of(request, &self.state.config.proxies);
        match (logged_in, prompt) {
            (Some(log_in), prompt) => {
                self.check_rate(&log_in, prompt)?;
                let response = self.issue_code(&new_request, &log_in, &source).await?;
                response.ok_or_else(|| OAuthError::login_required().into())
            }
            (None, Prompt::None) => Err(OAuthError::login_required().into()),
            (None, _) => self.redirect_to_login(request, &new_request, &source).await,
        }
    }

    /// Refuses a browser that requests codes too often, which stops a redirect loop with a page.
    fn check_rate(&self, log_in: &BrowserLogIn, prompt: Prompt) -> Result<(), Failure> {
        self.state.code_rate_limit.check(&log_in.browser_id).map_err(|seconds| match prompt {
            Prompt::None => OAuthError::too_many("too many codes for this browser", seconds).into(),
            _ => Failure::Page(HtmlError::too_often(seconds)),
        })
    }

    /// Returns the subject that the client expects, from its `id_token_hint` (OpenID Connect Core,
    /// 3.1.2.1).
    async fn expected_subject(&self) -> Result<Option<String>, Failure> {
        let Some(token) = self.form.get("id_token_hint") else { return Ok(None) };
        let hint = keys::read_hint(&self.state.store, &self.state.store.db, token).await?;
        Ok(Some(hint.map(|hint| hint.sub).unwrap_or_default()))
    }

    /// Checks everything about the request that needs no database.
    fn validate(&self) -> Result<Scope, OAuthError> {
        let (form, client) = (self.form, self.client);
        for (name, error) in
            [("request", "request_not_supported"), ("request_uri", "request_uri_not_supported")]
        {
            if form.get(name).is_some() {
                return Err(OAuthError::not_supported(error));
            }
        }
        if form.required("response_type")? != "code" {
            return Err(OAuthError::unsupported_response_type());
        }
        if form.get("response_mode").is_some_and(|mode| mode != "query") {
            return Err(OAuthError::invalid_request("response_mode must be query"));
        }
        if !clients::contains_word(&client.grants, "authorization_code") {
            let text = "this client may not use the authorization code flow";
            return Err(OAuthError::unauthorized_client(text));
        }
        let challenge = form.required("code_challenge")?;
        let base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if form.get("code_challenge_method") != Some("S256")
            || challenge.len() != CHALLENGE_LENGTH
            || !challenge.bytes().all(base64url)
        {
            return Err(OAuthError::invalid_request("PKCE with S256 is required (RFC 7636)"));
        }
        for (name, bytes_max) in [("state", STATE_BYTES_MAX), ("nonce", NONCE_BYTES_MAX)] {
            if form.get(name).is_some_and(|value| value.len() > bytes_max || value.contains('\0')) {
                return Err(OAuthError::invalid_request(format!(
                    "{name} is too long or has a NUL character"
                )));
            }
        }
        Scope::read(client, form.get("scope"))
    }

    /// Sends the browser back with a code and without a log-in page, because a user is logged in.
    /// `None` if the user has logged out in the meantime.
    async fn issue_code(
        &self,
        new_request: &NewRequest<'_>,
        log_in: &BrowserLogIn,
        source: &ClientAddress,
    ) -> Result<Option<Response>, Failure> {
        // A random secret, because no browser has to come back for this request.
        let stored_id =
            authorization_requests::create(&self.state.store, new_request, &random_name(), source)
                .await?;
        let id = stored_id.ok_or_else(too_many)?;
        let request_id = browser::hash(&id);
        let code = database::write(&self.state.store.db, async |tx| {
            authorization_requests::grant_code(&self.state.store, tx, &request_id, log_in).await
        })
        .await?;
        let url = |code: Code| {
            code_url(&self.state.store.issuer, self.redirect_uri, new_request.state, code.text())
        };
        Ok(code.map(|code| redirect(&url(code))))
    }

    async fn redirect_to_login(
        &self,
        request: &Request,
        new_request: &NewRequest<'_>,
        source: &ClientAddress,
    ) -> Result<Response, Failure> {
        let existing_cookie = browser::cookie(request, BROWSER_COOKIE);
        let secret = existing_cookie.clone().unwrap_or_else(random_name);
        let stored_id =
            authorization_requests::create(&self.state.store, new_request, &secret, source).await?;
        let id = stored_id.ok_or_else(too_many)?;
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("request", &id)
            .append_pair("client_id", new_request.client_id)
            .finish();
        let mut response = redirect(&format!("{}/login?{query}", self.state.store.issuer));
        if existing_cookie.is_none() {
            let cookie = browser::set_cookie(BROWSER_COOKIE, &secret);
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        Ok(response)
    }

    /// Redirects to the client with the error.
    fn redirect_with_error(&self, error: &OAuthError) -> Response {
        let (code, description) = error.parts();
        let mut parameters = vec![("error", code), ("error_description", description)];
        parameters.extend(self.form.get("state").map(|state| ("state", state)));
        parameters.push(("iss", &self.state.store.issuer));
        redirect(&redirects::with_parameters(self.redirect_uri, &parameters))
    }
}

fn too_many() -> Failure {
    Failure::Page(HtmlError::too_many(authorization_requests::PROTECTED_SECONDS))
}

/// Returns the redirect URI with the code.
pub fn code_url(issuer: &str, redirect_uri: &str, state: Option<&str>, code: &str) -> String {
    let mut parameters = vec![("code", code)];
    parameters.extend(state.map(|state| ("state", state)));
    parameters.push(("iss", issuer));
    redirects::with_parameters(redirect_uri, &parameters)
}

/// The `prompt` parameter (OpenID Connect Core, 3.1.2.1).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prompt {
    IfNeeded,
    None,
    LogIn,
}

impl Prompt {
    fn read(form: &Form) -> Result<Self, OAuthError> {
        let words: Vec<_> =
            form.get("prompt").unwrap_or_default().split_ascii_whitespace().collect();
        match words.as_slice() {
            [] | ["consent"] => Ok(Self::IfNeeded),
            ["none"] => Ok(Self::None),
            words if words.contains(&"none") => {
                Err(OAuthError::invalid_request("prompt=none cannot be combined with other values"))
            }
            words if words.iter().all(|w| ["login", "consent", "select_account"].contains(w)) => {
                Ok(Self::LogIn)
            }
            _ => Err(OAuthError::invalid_request("prompt has an unsupported value")),
        }
    }
}
