//! The auth server as one value, and the list of its endpoints.

use crate::config::Config;
use crate::endpoints::{health, introspect, logout, metadata, revoke, token};
use crate::oauth_error::OAuthError;
use crate::token_table;
use crate::tokens::TokenKeys;
use poem::http::{HeaderValue, Method, Uri, header::ALLOW};
use poem::{Endpoint, IntoResponse, Request, Response, Route, RouteMethod, endpoint};
use sea_orm::DatabaseConnection;
use shared::edge::{Edge, framework_problem};
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::problem::{Problem, ProblemType};
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
    /// Keys under which tokens are hashed.
    pub token_keys: TokenKeys,
    /// How passwords are hashed.
    pub passwords: Passwords,
    /// Lifetime of a core-system user's token.
    pub core_token_lifetime_seconds: u64,
}

/// Paths and the methods they answer to.
const PATHS: [(&str, &str); 7] = [
    (metadata::PATH, "GET, HEAD"),
    ("/oauth2/token", "POST"),
    ("/oauth2/introspect", "POST"),
    ("/oauth2/revoke", "POST"),
    ("/logout", "POST"),
    ("/health/live", "GET, HEAD"),
    ("/health/ready", "GET, HEAD"),
];

impl App {
    /// The app over a connected database.
    pub fn new(config: &Config, db: DatabaseConnection, passwords: Passwords) -> Arc<Self> {
        Arc::new(Self {
            db,
            issuer: config.issuer.clone(),
            token_keys: config.token_keys.clone(),
            passwords,
            core_token_lifetime_seconds: config.core_token_lifetime_seconds,
        })
    }

    /// The whole server behind its edge.
    pub fn endpoint(
        self: &Arc<Self>,
        metrics: Arc<Metrics>,
    ) -> impl Endpoint<Output = Response> + 'static {
        let app = || Arc::clone(self);
        let routes = Route::new()
            .at(metadata::PATH, poem::get(answer(app(), metadata::show)))
            .at("/oauth2/token", post(answer(app(), token::issue)))
            .at("/oauth2/introspect", post(answer(app(), introspect::introspect)))
            .at("/oauth2/revoke", post(answer(app(), revoke::revoke)))
            .at("/logout", post(answer(app(), logout::log_out)))
            .at("/health/live", poem::get(answer(app(), health::live)))
            .at("/health/ready", poem::get(answer(app(), health::ready)));
        Edge::new(routes, metrics, to_problem)
    }

    /// Removes expired rows by database time for as long as the server runs.
    pub async fn sweep(self: Arc<Self>) {
        loop {
            for kind in [UserKind::Core, UserKind::Web] {
                match token_table::sweep(&self, kind).await {
                    Ok(0) => {}
                    Ok(rows) => tracing::info!(rows, kind = kind.as_str(), "expired tokens swept"),
                    Err(error) => tracing::warn!(%error, "expired tokens could not be swept"),
                }
            }
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }
}

fn post(endpoint: impl Endpoint<Output = Response> + 'static) -> RouteMethod {
    poem::post(endpoint)
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
