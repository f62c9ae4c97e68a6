//! The auth server as one value, and the list of its endpoints.

use crate::config::Config;
use crate::cors::Cors;
use crate::endpoints::{
    authorize, end_session, health, introspect, jwks, login, logout, metadata, revoke, token,
    userinfo,
};
use crate::lifetimes::Lifetimes;
use crate::oauth_error::OAuthError;
use crate::page_error::PageError;
use crate::tokens::TokenKeys;
use crate::{authorizations, client_assertions, keys, lockout, sessions, token_table};
use poem::http::{HeaderValue, Method, Uri, header::ALLOW};
use poem::{Endpoint, IntoResponse, Request, Response, Route, endpoint, get, post};
use sea_orm::{DatabaseConnection, DbErr};
use shared::db;
use shared::edge::{Edge, HeadOnly, REQUEST_TIME_MAX, TimeLimit, framework_problem};
use shared::introspection::UserKind;
use shared::master_keys::MasterKeys;
use shared::networks::Networks;
use shared::passwords::Passwords;
use shared::problem::{Problem, ProblemType};
use shared::process::Stopping;
use shared::telemetry::Metrics;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How often expired rows are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// What every endpoint works with.
pub struct App {
    /// The core database.
    pub db: DatabaseConnection,
    /// The public URL of this server.
    pub issuer: String,
    /// The name of this installation.
    pub display_name: String,
    /// Keys under which tokens are hashed.
    pub token_keys: TokenKeys,
    /// Keys under which signing keys are sealed.
    pub master_keys: MasterKeys,
    /// How long a key signs.
    pub key_rotation_seconds: i64,
    /// How passwords are hashed.
    pub passwords: Passwords,
    /// How long tokens and sessions live.
    pub lifetimes: Lifetimes,
    /// Failures of one network per half hour.
    pub source_failures_max: i32,
    /// Whose X-Forwarded-For is believed.
    pub proxies: Networks,
    /// Where clients show their certificates, if at all.
    pub mtls_url: Option<String>,
    /// Whether this server is about to stop.
    pub stopping: Stopping,
}

/// Paths and the methods they answer to.
pub const PATHS: [(&str, &str); 13] = [
    (metadata::PATHS[0], "GET, HEAD"),
    (metadata::PATHS[1], "GET, HEAD"),
    ("/oauth2/authorize", "GET, HEAD, POST"),
    ("/login", "GET, HEAD, POST"),
    ("/oauth2/token", "POST"),
    ("/oauth2/introspect", "POST"),
    ("/oauth2/revoke", "POST"),
    ("/oauth2/userinfo", "GET, HEAD, POST"),
    ("/oauth2/jwks", "GET, HEAD"),
    ("/oauth2/logout", "GET, HEAD, POST"),
    ("/logout", "POST"),
    ("/health/live", "GET, HEAD"),
    ("/health/ready", "GET, HEAD"),
];

/// Paths that browsers are sent to: what goes wrong there is told on a page.
const PAGES: [&str; 3] = ["/oauth2/authorize", "/login", "/oauth2/logout"];

impl App {
    /// The app over a connected database.
    pub fn new(config: &Config, db: DatabaseConnection, passwords: Passwords) -> Arc<Self> {
        Arc::new(Self {
            db,
            issuer: config.issuer.clone(),
            display_name: config.display_name.clone(),
            token_keys: config.token_keys.clone(),
            master_keys: config.master_keys.clone(),
            key_rotation_seconds: config.key_rotation_seconds,
            passwords,
            lifetimes: config.lifetimes,
            source_failures_max: config.source_failures_max,
            proxies: config.proxies.clone(),
            mtls_url: config.mtls_url.clone(),
            stopping: Stopping::default(),
        })
    }

    /// Scheme, host and port of this server, as browsers name it.
    pub fn origin(&self) -> &str {
        let host = self.issuer.find("://").map_or(0, |at| at + 3);
        let path = self.issuer[host..].find('/').map(|at| host + at);
        &self.issuer[..path.unwrap_or(self.issuer.len())]
    }

    /// The whole server behind its edge.
    pub fn endpoint(
        self: &Arc<Self>,
        metrics: Arc<Metrics>,
    ) -> impl Endpoint<Output = Response> + 'static {
        let app = || Arc::clone(self);
        let routes = Route::new()
            .at(metadata::PATHS[0], get(answer(app(), metadata::show)))
            .at(metadata::PATHS[1], get(answer(app(), metadata::show)))
            .at(
                "/oauth2/authorize",
                get(page(app(), authorize::authorize)).post(page(app(), authorize::authorize)),
            )
            .at("/login", get(page(app(), login::show)).post(page(app(), login::submit)))
            .at("/oauth2/token", post(answer(app(), token::issue)))
            .at("/oauth2/introspect", post(answer(app(), introspect::introspect)))
            .at("/oauth2/revoke", post(answer(app(), revoke::revoke)))
            .at(
                "/oauth2/userinfo",
                get(answer(app(), userinfo::show)).post(answer(app(), userinfo::show)),
            )
            .at("/oauth2/jwks", get(answer(app(), jwks::show)))
            .at(
                "/oauth2/logout",
                get(page(app(), end_session::end_session))
                    .post(page(app(), end_session::end_session)),
            )
            .at("/logout", post(answer(app(), logout::log_out)))
            .at("/health/live", get(answer(app(), health::live)))
            .at("/health/ready", get(answer(app(), health::ready)));
        let routes = Cors::new(routes, app());
        let site = app();
        let too_late = move |uri: &Uri| took_too_long(&site.display_name, uri);
        let routes = TimeLimit::new(routes, |_, _| false, too_late);
        Edge::new(routes, metrics, to_problem, |path| path.into())
    }

    /// Removes expired rows by database time, and has a signing key ready, for as long as the
    /// server runs.
    pub async fn sweep(self: Arc<Self>) {
        loop {
            self.maintain_keys().await;
            for kind in [UserKind::Core, UserKind::Web] {
                swept(kind.as_str(), db::again(|| token_table::sweep(&self, kind)).await);
            }
            swept("sessions", db::again(|| sessions::sweep(&self)).await);
            swept("authorization requests", db::again(|| authorizations::sweep(&self)).await);
            swept("failures", db::again(|| lockout::sweep(&self.db)).await);
            swept("client assertions", db::again(|| client_assertions::sweep(&self.db)).await);
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }

    /// Has this key and the next one ready.
    pub async fn maintain_keys(&self) {
        let rotation_seconds = self.key_rotation_seconds;
        let maintain = || keys::maintain(&self.db, &self.master_keys, rotation_seconds);
        if let Err(error) = db::again(maintain).await {
            tracing::warn!(%error, "signing keys could not be looked after");
        }
    }
}

fn swept(what: &str, outcome: Result<u64, DbErr>) {
    match outcome {
        Ok(0) => {}
        Ok(rows) => tracing::info!(rows, what, "expired rows swept"),
        Err(error) => tracing::warn!(%error, what, "expired rows could not be swept"),
    }
}

/// Makes an endpoint of a function; its errors become OAuth error answers.
fn answer<F, Fut>(app: Arc<App>, function: F) -> impl Endpoint<Output = Response>
where
    F: Fn(Arc<App>, Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, OAuthError>> + Send,
{
    endpoint::make(move |request| {
        let answer = function(Arc::clone(&app), request);
        async move {
            let response = answer.await.unwrap_or_else(IntoResponse::into_response);
            Ok::<_, poem::Error>(response)
        }
    })
}

/// Makes an endpoint of a function that serves browsers; its errors become pages.
fn page<F, Fut>(app: Arc<App>, function: F) -> impl Endpoint<Output = Response>
where
    F: Fn(Arc<App>, Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, PageError>> + Send,
{
    endpoint::make(move |request| {
        let app = Arc::clone(&app);
        // Whoever asks for the head alone wants nothing to happen.
        let head = request.data::<HeadOnly>().is_some();
        let answer = (!head).then(|| function(Arc::clone(&app), request));
        async move {
            let Some(answer) = answer else { return Ok(Response::default()) };
            let response = answer.await.unwrap_or_else(|error| error.show(&app.display_name));
            Ok::<_, poem::Error>(response)
        }
    })
}

fn took_too_long(site: &str, uri: &Uri) -> poem::Error {
    let seconds = REQUEST_TIME_MAX.as_secs();
    let error = OAuthError::unavailable(format!("there was no answer within {seconds} seconds"));
    let response = match PAGES.contains(&uri.path()) {
        true => PageError::from(error).show(site),
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
