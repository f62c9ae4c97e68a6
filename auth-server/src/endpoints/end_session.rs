//! `GET /oauth2/logout`, `POST /oauth2/logout`: an application logs its user out
//! (OpenID Connect RP-Initiated Logout).
//!
//! With an ID token of this server, expired or not, the session it names ends at once, and so does
//! its user's log-in in this browser. Without one the user is asked first, so that no link on any page
//! logs anybody out.

use super::redirect;
use crate::app::App;
use crate::authorizations;
use crate::browser::{self, BROWSER_COOKIE, LOG_IN_COOKIE};
use crate::clients;
use crate::keys;
use crate::page_error::PageError;
use crate::pages;
use crate::redirects;
use crate::request::Form;
use crate::sessions;
use crate::source::Source;
use crate::tokens::random_name;
use poem::http::Method;
use poem::http::header::SET_COOKIE;
use poem::{Request, Response};
use shared::audit::Kind;
use shared::db;
use shared::entity::auth_sessions;
use shared::introspection::UserKind;
use std::sync::Arc;

/// What the form of the question is for.
const PURPOSE: &str = "logout";

/// Logs out, or asks whether to.
pub async fn end_session(app: Arc<App>, mut request: Request) -> Result<Response, PageError> {
    let form = match *request.method() {
        Method::POST => Form::read(&mut request).await,
        _ => Form::of_query(&request),
    };
    let form = form.map_err(|error| PageError::bad_request(&error))?;
    let hint = match form.get("id_token_hint") {
        Some(token) => keys::read_hint(&app, &app.db, token).await?,
        None => None,
    };
    let client_id = form.get("client_id");
    if hint.as_ref().is_some_and(|hint| client_id.is_some_and(|id| id != hint.aud)) {
        return Err(PageError::from("The request names another application than its ID token."));
    }
    let client_id = hint.as_ref().map(|hint| hint.aud.as_str()).or(client_id);
    // Without a name, as after an ID token that can no longer be checked, there is no list to
    // look into: the user is asked, and stays here.
    let target = match client_id {
        Some(client_id) => target(&app, &form, client_id).await?,
        None => None,
    };
    let source = Source::of(&request, &app.proxies);
    if let Some(hint) = hint {
        let public_id = auth_sessions::Column::PublicId;
        if let Some(owner) = sessions::owner(&app.db, public_id, &hint.sid).await? {
            sessions::log_out(&app, &owner, &source, "application").await?;
        }
        // That session may be over, as after the revocation that some applications begin with.
        let nobody_left = log_out_browser(&app, &request, Some(&hint.sub), &source).await?;
        return Ok(done(&app, target, nobody_left));
    }
    let cookie = browser::cookie(&request, BROWSER_COOKIE);
    let confirmed = request.method() == Method::POST
        && browser::same_origin(&request, app.origin())
        && cookie.as_deref().is_some_and(|cookie| {
            let token = form.get("csrf").unwrap_or_default();
            browser::form_token_is_right(cookie, PURPOSE, token)
        });
    if !confirmed {
        return Ok(ask(&app, &form, cookie, target.as_deref()));
    }
    let nobody_left = log_out_browser(&app, &request, None, &source).await?;
    Ok(done(&app, target, nobody_left))
}

/// Where the browser goes afterwards: exactly what the client has registered, or nowhere.
async fn target(app: &App, form: &Form, client_id: &str) -> Result<Option<String>, PageError> {
    let Some(uri) = form.get("post_logout_redirect_uri") else { return Ok(None) };
    let client = clients::find(&app.db, client_id).await?;
    let list = client.map(|client| client.post_logout_redirect_uris).unwrap_or_default();
    if !redirects::is_registered(&list, uri) {
        let text = "The application asked to continue at an address that is not registered.";
        return Err(PageError::from(text));
    }
    let state: Vec<_> = form.get("state").map(|state| ("state", state)).into_iter().collect();
    Ok(Some(redirects::with_parameters(uri, &state)))
}

fn ask(app: &App, form: &Form, cookie: Option<String>, target: Option<&str>) -> Response {
    let known = cookie.is_some();
    let cookie = cookie.unwrap_or_else(random_name);
    let fields: Vec<_> = ["client_id", "post_logout_redirect_uri", "state"]
        .into_iter()
        .filter_map(|name| form.get(name).map(|value| (name, value)))
        .collect();
    let token = browser::form_token(&cookie, PURPOSE);
    let source = target.map(redirects::policy_source).unwrap_or_default();
    let mut response = pages::confirm_log_out(&app.display_name, &token, &fields, &source);
    if !known {
        let cookie = browser::set_cookie(BROWSER_COOKIE, &cookie);
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// Ends the log-in of this browser, whoever it is or this subject's alone. False if somebody else is
/// logged in here, who stays.
async fn log_out_browser(
    app: &App,
    request: &Request,
    subject: Option<&str>,
    source: &Source,
) -> Result<bool, PageError> {
    let Some(cookie) = browser::cookie(request, LOG_IN_COOKIE) else { return Ok(true) };
    for kind in [UserKind::Core, UserKind::Web] {
        let Some(log_in) = authorizations::logged_in(app, kind, &cookie, None).await? else {
            continue;
        };
        if subject.is_some_and(|subject| subject != keys::sub(kind, log_in.user_id)) {
            return Ok(false);
        }
        db::again(async || {
            let tx = db::begin_write(&app.db).await?;
            shared::sessions::log_out_browser(&tx, kind, &log_in.browser_id).await?;
            let event = source.event(Kind::LoggedOut).reason("browser");
            event.user(kind, log_in.user_id).record(&tx).await?;
            tx.commit().await
        })
        .await?;
    }
    Ok(true)
}

fn done(app: &App, target: Option<String>, nobody_left: bool) -> Response {
    let mut response = match target {
        Some(target) => redirect(&target),
        None => pages::logged_out(&app.display_name),
    };
    if nobody_left {
        response.headers_mut().append(SET_COOKIE, browser::clear_cookie(LOG_IN_COOKIE));
    }
    response
}
