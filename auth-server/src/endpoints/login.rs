//! `GET /login`, `POST /login`: the log-in page.
//!
//! It works without script. What goes on after it is the authorization request this server has kept
//! for this browser, and nothing that stands in the URL or the form. A log-in gives the browser a new
//! cookie, whatever it had before.

use super::authorize::code_url;
use super::redirect;
use crate::app::App;
use crate::authorizations;
use crate::browser::{self, BROWSER_COOKIE, LOG_IN_COOKIE};
use crate::log_in::{self, Attempt, LoggedIn, Refusal};
use crate::page_error::PageError;
use crate::pages::{self, LogInForm};
use crate::redirects;
use crate::request::Form;
use crate::source::Source;
use crate::tokens::Code;
use poem::http::header::SET_COOKIE;
use poem::{Request, Response};
use shared::db;
use shared::entity::authorization_requests::Model;
use std::sync::Arc;

/// Shows the form.
pub async fn show(app: Arc<App>, request: Request) -> Result<Response, PageError> {
    let form = Form::of_query(&request).map_err(|error| PageError::bad_request(&error))?;
    let (cookie, id, pending) = find(&app, &request, &form).await?;
    let user_name = pending.login_hint.clone().unwrap_or_default();
    Ok(page(&app, &cookie, &id, &pending, &user_name, false))
}

/// Takes the form.
pub async fn submit(app: Arc<App>, mut request: Request) -> Result<Response, PageError> {
    let form = Form::read(&mut request).await.map_err(|error| PageError::bad_request(&error))?;
    let (cookie, id, pending) = find(&app, &request, &form).await?;
    let token = form.get("csrf").unwrap_or_default();
    if !browser::same_origin(&request, app.origin())
        || !browser::form_token_is_right(&cookie, &purpose(&id), token)
    {
        return Err(PageError::forged());
    }
    let user_name = form.get("username").unwrap_or_default();
    let attempt = Attempt {
        source: &Source::of(&request, &app.proxies),
        client_id: &pending.client_id,
        kind: pending.user_kind,
        user_name,
        password: form.get("password").unwrap_or_default(),
    };
    let former = browser::cookie(&request, LOG_IN_COOKIE);
    let entered = db::again(|| enter(&app, attempt, &pending, former.as_deref())).await?;
    let Some((cookie, code)) = entered else {
        return Ok(page(&app, &cookie, &id, &pending, user_name, true));
    };
    let state = pending.state.as_deref();
    let mut response = redirect(&code_url(&app, &pending.redirect_uri, state, code.text()));
    response.headers_mut().append(SET_COOKIE, browser::set_cookie(LOG_IN_COOKIE, &cookie));
    Ok(response)
}

/// Logs in, and gives the cookie and the code that come of it; nothing for a wrong password.
async fn enter(
    app: &App,
    attempt: Attempt<'_>,
    pending: &Model,
    former: Option<&str>,
) -> Result<Option<(String, Code)>, PageError> {
    let LoggedIn { tx, user_id } = match log_in::log_in(app, attempt).await {
        Ok(logged_in) => logged_in,
        Err(Refusal::Wrong | Refusal::TooLong) => return Ok(None),
        Err(refusal) => return Err(refusal.into()),
    };
    let (cookie, browser) =
        authorizations::remember_browser(&tx, pending.user_kind, user_id, former).await?;
    let code = authorizations::grant_code(app, &tx, &pending.request_id, &browser).await?;
    let code = code.ok_or_else(PageError::expired)?;
    tx.commit().await?;
    Ok(Some((cookie, code)))
}

/// The browser's cookie, the id of its request, and the request.
async fn find(
    app: &App,
    request: &Request,
    form: &Form,
) -> Result<(String, String, Model), PageError> {
    let Some(id) = form.get("request") else {
        let text = "Open the application you want to use: it will bring you to this page.";
        return Err(PageError::from(text));
    };
    let cookie = browser::cookie(request, BROWSER_COOKIE).ok_or_else(PageError::expired)?;
    let pending = authorizations::pending(&app.db, id, &cookie).await?;
    Ok((cookie, id.to_owned(), pending.ok_or_else(PageError::expired)?))
}

fn page(
    app: &App,
    cookie: &str,
    id: &str,
    pending: &Model,
    user_name: &str,
    refused: bool,
) -> Response {
    pages::log_in(&LogInForm {
        site: &app.display_name,
        kind: pending.user_kind,
        client_id: &pending.client_id,
        request: id,
        csrf: &browser::form_token(cookie, &purpose(id)),
        user_name,
        refused,
        form_action_origins: &redirects::policy_source(&pending.redirect_uri),
    })
}

fn purpose(id: &str) -> String {
    format!("login:{id}")
}
