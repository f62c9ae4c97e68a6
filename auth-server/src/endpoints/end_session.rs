//! `GET /oauth2/logout`, `POST /oauth2/logout`: an application logs its user out (OpenID Connect
//! RP-Initiated Logout).
//!
//! With an ID token of this server, expired or not, the session it names ends immediately, and so
//! does its user's log-in in this browser. Without one the user must confirm first, so that a link
//! on another site cannot log anyone out.

use super::redirect;
use crate::http::browser::{self, BROWSER_COOKIE, LOG_IN_COOKIE};
use crate::http::client_address::ClientAddress;
use crate::http::request::Form;
use crate::state::State;
use crate::store::authorization_requests;
use crate::store::clients;
use crate::store::keys;
use crate::store::sessions;
use crate::store::tokens::random_name;
use crate::web::html_error::HtmlError;
use crate::web::pages;
use crate::web::redirects;
use poem::http::Method;
use poem::http::header::SET_COOKIE;
use poem::{Request, Response};
use shared::audit::EventKind;
use shared::database;
use shared::entity::auth_sessions;
use shared::entity::oauth_clients::Model;
use shared::html::Back;
use std::sync::Arc;

/// Purpose of the confirmation form's CSRF token.
const PURPOSE: &str = "logout";

/// Logs the user out, or asks for confirmation.
pub async fn end_session(state: Arc<State>, mut request: Request) -> Result<Response, HtmlError> {
    let form = Form::of(&mut request).await?;
    let hint = match form.get("id_token_hint") {
        Some(token) => keys::read_hint(&state.store, &state.store.db, token).await?,
        None => None,
    };
    let client_id = form.get("client_id");
    if hint.as_ref().is_some_and(|hint| client_id.is_some_and(|id| id != hint.aud)) {
        return Err(HtmlError::from("The request and its ID token name different applications."));
    }
    let client_id = hint.as_ref().map(|hint| hint.aud.as_str()).or(client_id);
    // Without a client, as when the ID token can no longer be verified, there is no list of URIs to
    // check against: the user is asked, and stays here.
    let client = match client_id {
        Some(client_id) => clients::find(&state.store.db, client_id).await?,
        None => None,
    };
    let back = client.as_ref().and_then(|client| pages::link_back(client, None));
    let target = match client_id {
        Some(_) => target(&form, client.as_ref()).map_err(|error| error.or_back(back.clone()))?,
        None => None,
    };
    let source = ClientAddress::of(&request, &state.config.proxies);
    if let Some(hint) = hint {
        let public_id = auth_sessions::Column::PublicId;
        if let Some(owner) = sessions::owner(&state.store.db, public_id, &hint.sid).await? {
            sessions::log_out(&state.store, &owner, &source, "application").await?;
        }
        // That session may have ended already: some applications revoke the token first.
        let browser_logged_out =
            log_out_browser(&state, &request, Some(&hint.sub), &source).await?;
        return Ok(logged_out_response(&state, target, browser_logged_out, back.as_ref()));
    }
    let cookie = browser::cookie(&request, BROWSER_COOKIE);
    let confirmed = request.method() == Method::POST
        && browser::same_origin(&request, state.origin())
        && cookie.as_deref().is_some_and(|cookie| {
            let token = form.get("csrf").unwrap_or_default();
            browser::is_csrf_token(cookie, PURPOSE, token)
        });
    if !confirmed {
        return Ok(ask_to_confirm(&state, &form, cookie, target.as_deref(), back.as_ref()));
    }
    let browser_logged_out = log_out_browser(&state, &request, None, &source).await?;
    Ok(logged_out_response(&state, target, browser_logged_out, back.as_ref()))
}

/// Returns where the browser goes afterwards: a URI that the client has registered, or `None`.
fn target(form: &Form, client: Option<&Model>) -> Result<Option<String>, HtmlError> {
    let Some(uri) = form.get("post_logout_redirect_uri") else { return Ok(None) };
    let list = client.map_or("", |client| &client.post_logout_redirect_uris);
    if !redirects::is_registered(list, uri) {
        let text = "The application asked to send you to an address that is not registered.";
        return Err(HtmlError::from(text));
    }
    let state: Vec<_> = form.get("state").map(|state| ("state", state)).into_iter().collect();
    Ok(Some(redirects::with_parameters(uri, &state)))
}

fn ask_to_confirm(
    state: &State,
    form: &Form,
    cookie: Option<String>,
    target: Option<&str>,
    back: Option<&Back>,
) -> Response {
    let has_cookie = cookie.is_some();
    let cookie = cookie.unwrap_or_else(random_name);
    let fields: Vec<_> = ["client_id", "post_logout_redirect_uri", "state"]
        .into_iter()
        .filter_map(|name| form.get(name).map(|value| (name, value)))
        .collect();
    let token = browser::csrf_token(&cookie, PURPOSE);
    let source = target.map(redirects::policy_source).unwrap_or_default();
    let mut response =
        pages::confirm_log_out(&state.config.display_name, &token, &fields, &source, back);
    if !has_cookie {
        let cookie = browser::set_cookie(BROWSER_COOKIE, &cookie);
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// Ends the log-in of this browser: any user's, or only `subject`'s. False if another user is
/// logged in here; they stay logged in.
async fn log_out_browser(
    state: &State,
    request: &Request,
    subject: Option<&str>,
    source: &ClientAddress,
) -> Result<bool, HtmlError> {
    let Some(cookie) = browser::cookie(request, LOG_IN_COOKIE) else { return Ok(true) };
    // Even if it has been idle for too long to be used: its sessions may be alive.
    let Some(log_in) = authorization_requests::log_in_of(&state.store.db, &cookie).await? else {
        return Ok(true);
    };
    let (kind, user_id) = (log_in.user_kind, log_in.user_id);
    if subject.is_some_and(|subject| subject != keys::sub(kind, user_id)) {
        return Ok(false);
    }
    database::write(&state.store.db, async |tx| {
        shared::sessions::log_out_browser(tx, kind, &log_in.browser_id).await?;
        let event = source.event(EventKind::LoggedOut).reason("browser");
        event.user(kind, user_id).record(tx).await
    })
    .await?;
    Ok(true)
}

fn logged_out_response(
    state: &State,
    target: Option<String>,
    browser_logged_out: bool,
    back: Option<&Back>,
) -> Response {
    let mut response = match target {
        Some(target) => redirect(&target),
        None => pages::logged_out(&state.config.display_name, back),
    };
    if browser_logged_out {
        response.headers_mut().append(SET_COOKIE, browser::clear_cookie(LOG_IN_COOKIE));
    }
    response
}
