//! `GET /login`, `POST /login`: the log-in page.
//!
//! The page works without scripts. After the log-in, the authorization request that this server has
//! stored for this browser continues. The URL and the form supply only its id, and the client's id,
//! which serves only to link back to the application from an expired page. Each log-in gives the
//! browser a new cookie, whatever cookie it had before.

use super::authorize::code_url;
use super::redirect;
use crate::http::browser::{self, BROWSER_COOKIE, LOG_IN_COOKIE};
use crate::http::client_address::ClientAddress;
use crate::http::request::Form;
use crate::login::password_login::{self, LoggedIn, LoginAttempt, LoginRefusal};
use crate::state::State;
use crate::store::authorization_requests;
use crate::store::clients;
use crate::store::tokens::Code;
use crate::web::html_error::HtmlError;
use crate::web::pages::{self, LogInForm};
use crate::web::redirects;
use poem::http::header::SET_COOKIE;
use poem::{Request, Response};
use sea_orm::DatabaseTransaction;
use shared::database;
use shared::entity::authorization_requests::Model;
use shared::entity::oauth_clients;
use shared::html::Back;
use std::sync::Arc;

/// Shows the log-in form.
pub async fn show(state: Arc<State>, request: Request) -> Result<Response, HtmlError> {
    let form = Form::of_query(&request)?;
    let login = LoginRequest::find(&state, &request, &form).await?;
    let user_name = login.pending.login_hint.clone().unwrap_or_default();
    Ok(login.page(&state, &user_name, false))
}

/// Handles the submitted form, and adds a link back to any error page.
pub async fn submit(state: Arc<State>, mut request: Request) -> Result<Response, HtmlError> {
    let form = Form::read(&mut request).await?;
    let login = LoginRequest::find(&state, &request, &form).await?;
    let response = log_in(&state, &request, &form, &login).await;
    response.map_err(|error| error.or_back(login.link_back()))
}

/// Checks the form's origin and CSRF token, then logs the user in.
async fn log_in(
    state: &State,
    request: &Request,
    form: &Form,
    login: &LoginRequest,
) -> Result<Response, HtmlError> {
    let LoginRequest { cookie, id, pending, .. } = login;
    let token = form.get("csrf").unwrap_or_default();
    if !browser::same_origin(request, state.origin())
        || !browser::is_csrf_token(cookie, &purpose(id), token)
    {
        return Err(HtmlError::forged());
    }
    let user_name = form.get("username").unwrap_or_default();
    let attempt = LoginAttempt {
        source: &ClientAddress::of(request, &state.config.proxies),
        client_id: &pending.client_id,
        is_shared_source: false,
        kind: pending.user_kind,
        user_name,
        password: form.get("password").unwrap_or_default(),
    };
    let previous_cookie = browser::cookie(request, LOG_IN_COOKIE);
    let logged_in =
        database::retry(|| try_log_in(state, attempt, pending, previous_cookie.as_deref())).await?;
    let Some((cookie, code)) = logged_in else {
        return Ok(login.page(state, user_name, true));
    };
    let issuer = &state.store.issuer;
    let url = code_url(issuer, &pending.redirect_uri, pending.state.as_deref(), code.text());
    let mut response = redirect(&url);
    response.headers_mut().append(SET_COOKIE, browser::set_cookie(LOG_IN_COOKIE, &cookie));
    Ok(response)
}

/// Logs the user in and returns the new cookie and the code; `None` for a wrong password.
async fn try_log_in(
    state: &State,
    attempt: LoginAttempt<'_>,
    pending: &Model,
    previous_cookie: Option<&str>,
) -> Result<Option<(String, Code)>, HtmlError> {
    let LoggedIn { tx, user_id } = match password_login::log_in(&state.store.login, attempt).await {
        Ok(logged_in) => logged_in,
        Err(LoginRefusal::WrongCredentials | LoginRefusal::TooLong) => return Ok(None),
        Err(refusal) => return Err(refusal.into()),
    };
    let granted = grant(state, &tx, user_id, pending, previous_cookie).await;
    database::finish(tx, granted).await.map(Some)
}

/// Remembers the log-in in this browser, and issues the code.
async fn grant(
    state: &State,
    tx: &DatabaseTransaction,
    user_id: i64,
    pending: &Model,
    previous_cookie: Option<&str>,
) -> Result<(String, Code), HtmlError> {
    let (cookie, browser) =
        authorization_requests::remember_browser(tx, pending.user_kind, user_id, previous_cookie)
            .await?;
    let code =
        authorization_requests::grant_code(&state.store, tx, &pending.request_id, &browser).await?;
    Ok((cookie, code.ok_or_else(HtmlError::expired)?))
}

/// A pending authorization request in this browser.
struct LoginRequest {
    cookie: String,
    /// Id of the request, as the browser has it.
    id: String,
    pending: Model,
    /// The application; `None` if it has been removed since.
    client: Option<oauth_clients::Model>,
}

impl LoginRequest {
    /// Returns the pending request of this browser; without one, a page with a link back to the
    /// application that it was for.
    async fn find(state: &State, request: &Request, form: &Form) -> Result<Self, HtmlError> {
        let error = match Self::find_pending(state, request, form).await {
            Ok(login) => return Ok(login),
            Err(error) => error,
        };
        let Some(client_id) = form.get("client_id") else { return Err(error) };
        let client = clients::find(&state.store.db, client_id).await?;
        Err(error.or_back(client.and_then(|client| pages::link_back(&client, None))))
    }

    async fn find_pending(
        state: &State,
        request: &Request,
        form: &Form,
    ) -> Result<Self, HtmlError> {
        let Some(id) = form.get("request") else {
            let text =
                "Open the application you want to use. It sends you here when you need to log in.";
            return Err(HtmlError::from(text));
        };
        let cookie = browser::cookie(request, BROWSER_COOKIE).ok_or_else(HtmlError::expired)?;
        let pending = authorization_requests::pending(&state.store.db, id, &cookie).await?;
        let pending = pending.ok_or_else(HtmlError::expired)?;
        let client = clients::find(&state.store.db, &pending.client_id).await?;
        Ok(Self { cookie, id: id.to_owned(), pending, client })
    }

    fn link_back(&self) -> Option<Back> {
        pages::link_back(self.client.as_ref()?, Some(&self.pending.redirect_uri))
    }

    fn page(&self, state: &State, user_name: &str, refused: bool) -> Response {
        let Self { cookie, id, pending, client } = self;
        pages::log_in(&LogInForm {
            site: &state.config.display_name,
            kind: pending.user_kind,
            application: client.as_ref().map_or(pending.client_id.as_str(), |client| client.name()),
            request: id,
            client_id: &pending.client_id,
            csrf: &browser::csrf_token(cookie, &purpose(id)),
            user_name,
            refused,
            form_action_origins: &redirects::policy_source(&pending.redirect_uri),
        })
    }
}

fn purpose(id: &str) -> String {
    format!("login:{id}")
}
