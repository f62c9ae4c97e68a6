//! Routes, and the mapping of the framework's errors.

use crate::endpoints::{
    about, authorize, end_session, health, introspect, jwks, login, logout, metadata, revoke,
    token, userinfo,
};
use crate::http::oauth_error::OAuthError;
use crate::state::State;
use crate::web::cors::Cors;
use crate::web::html_error::HtmlError;
use poem::http::{HeaderValue, Method, Uri, header::ALLOW};
use poem::{Endpoint, IntoResponse, Request, Response, Route, endpoint, get, post};
use shared::middleware::{
    HeadOnly, REQUEST_TIME_MAX, RequestMiddleware, TimeLimit, framework_problem,
};
use shared::problem::{Problem, ProblemType};
use shared::telemetry::Metrics;
use std::future::Future;
use std::sync::Arc;

/// Every path and the methods it allows.
pub const PATHS: [(&str, &str); 15] = [
    ("/", "GET, HEAD"),
    (metadata::PATHS[0], "GET, HEAD"),
    (metadata::PATHS[1], "GET, HEAD"),
    ("/oauth2/authorize", "GET, HEAD, POST"),
    ("/login", "GET, HEAD, POST"),
    ("/oauth2/token", "POST"),
    ("/oauth2/introspect", "POST"),
    ("/oauth2/introspect-many", "POST"),
    ("/oauth2/revoke", "POST"),
    ("/oauth2/userinfo", "GET, HEAD, POST"),
    ("/oauth2/jwks", "GET, HEAD"),
    ("/oauth2/logout", "GET, HEAD, POST"),
    ("/logout", "POST"),
    ("/health/live", "GET, HEAD"),
    ("/health/ready", "GET, HEAD"),
];

/// Paths that browsers visit: errors there are rendered as pages.
const PAGE_PATHS: [&str; 3] = ["/oauth2/authorize", "/login", "/oauth2/logout"];

/// All routes, wrapped in the outermost middleware ([`RequestMiddleware`]).
pub fn endpoint(
    state: &Arc<State>,
    metrics: Arc<Metrics>,
) -> impl Endpoint<Output = Response> + 'static {
    let state = || Arc::clone(state);
    let routes = Route::new()
        .at("/", get(ungated_endpoint(state(), about::show)))
        .at(metadata::PATHS[0], get(ungated_endpoint(state(), metadata::show)))
        .at(metadata::PATHS[1], get(ungated_endpoint(state(), metadata::show)))
        .at(
            "/oauth2/authorize",
            get(page_endpoint(state(), authorize::authorize))
                .post(page_endpoint(state(), authorize::authorize)),
        )
        .at(
            "/login",
            get(page_endpoint(state(), login::show)).post(page_endpoint(state(), login::submit)),
        )
        .at("/oauth2/token", post(json_endpoint(state(), token::issue)))
        .at("/oauth2/introspect", post(json_endpoint(state(), introspect::introspect)))
        .at("/oauth2/introspect-many", post(json_endpoint(state(), introspect::introspect_many)))
        .at("/oauth2/revoke", post(json_endpoint(state(), revoke::revoke)))
        .at(
            "/oauth2/userinfo",
            get(json_endpoint(state(), userinfo::show))
                .post(json_endpoint(state(), userinfo::show)),
        )
        .at("/oauth2/jwks", get(json_endpoint(state(), jwks::show)))
        .at(
            "/oauth2/logout",
            get(page_endpoint(state(), end_session::end_session))
                .post(page_endpoint(state(), end_session::end_session)),
        )
        .at("/logout", post(json_endpoint(state(), logout::log_out)))
        .at("/health/live", get(ungated_endpoint(state(), health::live)))
        .at("/health/ready", get(ungated_endpoint(state(), health::ready)));
    let routes = Cors::new(routes, state().store.db.clone());
    let site = state();
    let timed_out = move |uri: &Uri| timeout_error(&site.config.display_name, uri);
    let routes = TimeLimit::new(routes, |_, _| false, timed_out);
    RequestMiddleware::new(routes, metrics, to_problem, |path| path.into())
}

/// Turns a function into an endpoint that needs the database: 503 while the gate is closed.
fn json_endpoint<F, Fut>(state: Arc<State>, function: F) -> impl Endpoint<Output = Response>
where
    F: Fn(Arc<State>, Request) -> Fut + Send + Sync + Clone + 'static,
    Fut: Future<Output = Result<Response, OAuthError>> + Send,
{
    ungated_endpoint(state, move |state, request| {
        let function = function.clone();
        async move {
            state.database_gate.pass().await?;
            function(state, request).await
        }
    })
}

/// Turns a function into an endpoint that answers whatever the state of the database; its errors
/// become OAuth error responses.
fn ungated_endpoint<F, Fut>(state: Arc<State>, function: F) -> impl Endpoint<Output = Response>
where
    F: Fn(Arc<State>, Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, OAuthError>> + Send,
{
    endpoint::make(move |request| {
        let outcome = function(Arc::clone(&state), request);
        async move {
            let response = outcome.await.unwrap_or_else(IntoResponse::into_response);
            Ok::<_, poem::Error>(response)
        }
    })
}

/// Turns a function that serves browsers into an endpoint; its errors become pages.
fn page_endpoint<F, Fut>(state: Arc<State>, function: F) -> impl Endpoint<Output = Response>
where
    F: Fn(Arc<State>, Request) -> Fut + Send + Sync + Clone + 'static,
    Fut: Future<Output = Result<Response, HtmlError>> + Send,
{
    endpoint::make(move |request| {
        let state = Arc::clone(&state);
        // A HEAD request must have no side effects.
        let head_only = request.data::<HeadOnly>().is_some();
        let function = function.clone();
        async move {
            let outcome = async {
                state.database_gate.pass().await.map_err(OAuthError::from)?;
                match head_only {
                    true => Ok(Response::default()),
                    false => function(Arc::clone(&state), request).await,
                }
            };
            let response = outcome
                .await
                .unwrap_or_else(|error: HtmlError| error.show(&state.config.display_name));
            Ok::<_, poem::Error>(response)
        }
    })
}

fn timeout_error(site: &str, uri: &Uri) -> poem::Error {
    let seconds = REQUEST_TIME_MAX.as_secs();
    let error = OAuthError::unavailable(format!("the request took longer than {seconds} seconds"));
    let response = match PAGE_PATHS.contains(&uri.path()) {
        true => HtmlError::from(error).show(site),
        false => error.into_response(),
    };
    poem::Error::from_response(response)
}

fn to_problem(error: poem::Error, _method: &Method, uri: &Uri) -> Problem {
    let problem = framework_problem(&error);
    if problem.kind() != ProblemType::MethodNotAllowed {
        return problem;
    }
    match PATHS.iter().find(|(path, _)| *path == uri.path()) {
        Some((_, allow)) => problem.header(ALLOW, HeaderValue::from_static(allow)),
        None => problem,
    }
}
