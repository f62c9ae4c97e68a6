//! Client of the auth server's introspection endpoint.
//!
//! Nothing is cached: once a log-out has been answered, the next call is refused. Concurrent
//! requests with the same token still share introspection calls ([`Coalesced`]): one is in flight
//! per token, however many requests it sends.

use aws_lc_rs::digest;
use poem::http::StatusCode;
use reqwest::Client;
use shared::coalesced::Coalesced;
use shared::introspection::{ActiveToken, Introspection};
use shared::problem::{Problem, ProblemType};
use shared::tls;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Timeout of an introspection call, after which the auth server counts as unavailable.
const INTROSPECTION_TIME_MAX: Duration = Duration::from_secs(2);
/// No token is longer, and the auth server accepts no form that is much longer.
const TOKEN_BYTES_MAX: usize = 4096;
/// Attempts per introspection: an idle connection may have died.
const ATTEMPTS: usize = 2;

type IntrospectionResult = Result<Arc<ActiveToken>, Problem>;
type TokenHash = [u8; 32];

/// A client of the auth server's introspection endpoint.
pub struct AuthClient {
    http: Client,
    introspection_url: String,
    client_id: String,
    client_secret: String,
    in_flight: Coalesced<TokenHash, IntrospectionResult>,
}

impl AuthClient {
    /// Returns a client for the server at this URL that trusts only these authorities and follows
    /// no redirects.
    pub fn new(
        auth_url: &str,
        auth_ca: &Path,
        client_id: &str,
        client_secret: &str,
    ) -> Result<Arc<Self>, String> {
        let versions = [&rustls::version::TLS13, &rustls::version::TLS12];
        let mut tls = tls::client_config(auth_ca, &versions)?;
        tls.alpn_protocols = vec![b"h2".to_vec()];
        let http = Client::builder()
            .tls_backend_preconfigured(tls)
            .https_only(true)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(INTROSPECTION_TIME_MAX)
            .tcp_nodelay(true)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Arc::new(Self {
            http,
            introspection_url: format!("{}/oauth2/introspect", auth_url),
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
            in_flight: Coalesced::default(),
        }))
    }

    /// Returns whom the token speaks for, or why it is refused.
    pub async fn introspect(self: &Arc<Self>, token: &str) -> IntrospectionResult {
        if token.is_empty() || token.len() > TOKEN_BYTES_MAX {
            return Err(Problem::new(ProblemType::TokenInvalid));
        }
        let mut hash = TokenHash::default();
        hash.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
        let (this, token) = (Arc::clone(self), token.to_owned());
        let request = async move { this.introspect_with_retries(&token).await };
        self.in_flight.ask(hash, request).await.map_err(Problem::internal)?
    }

    async fn introspect_with_retries(&self, token: &str) -> IntrospectionResult {
        let mut outcome = Err(Problem::new(ProblemType::AuthServerUnavailable));
        for _ in 0..ATTEMPTS {
            outcome = match self.request_introspection(token).await {
                Ok(Introspection::Active(token)) => return Ok(Arc::from(token)),
                Ok(Introspection::Inactive(_)) => {
                    return Err(Problem::new(ProblemType::TokenInvalid));
                }
                Err(error) => {
                    tracing::warn!(%error, "token introspection failed");
                    Err(Problem::new(ProblemType::AuthServerUnavailable))
                }
            };
        }
        outcome
    }

    async fn request_introspection(&self, token: &str) -> Result<Introspection, String> {
        let response = self
            .http
            .post(&self.introspection_url)
            .form(&[
                ("token", token),
                ("client_id", self.client_id.as_str()),
                ("client_secret", self.client_secret.as_str()),
            ])
            .send()
            .await
            .map_err(without_url)?;
        match response.status() {
            StatusCode::OK => response.json().await.map_err(without_url),
            status => Err(format!("status {status}")),
        }
    }
}

fn without_url(error: reqwest::Error) -> String {
    let mut text = error.without_url().to_string();
    text.truncate(300);
    text
}
