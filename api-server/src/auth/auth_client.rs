//! Client of the auth server's introspection endpoints.
//!
//! Nothing is cached: once a log-out has been answered, the next call is refused. Tokens of requests
//! that arrive while the auth server is being asked are asked about together ([`Coalesced`]).

use poem::http::StatusCode;
use reqwest::Client;
use serde::de::DeserializeOwned;
use shared::database::coalesced::{BatchLimits, Coalesced, Unanswered};
use shared::introspection::{ActiveToken, Introspection};
use shared::problem::{Problem, ProblemType};
use shared::tls;
use std::error::Error as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Timeout of an introspection call, after which the auth server counts as unavailable.
const CALL_TIME_MAX: Duration = Duration::from_secs(2);
/// How long a request waits for an introspection, its queue and all attempts included.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(4);
/// No token of the auth server is longer.
const TOKEN_BYTES_MAX: usize = 256;
/// Most tokens per call: they fit into the auth server's limit on forms.
const TOKENS_MAX: usize = 48;
/// Most bytes of an error in the log.
const ERROR_BYTES_MAX: usize = 500;
/// Attempts per call: an idle connection may have died.
const ATTEMPTS: usize = 2;

type IntrospectionResult = Result<Arc<ActiveToken>, Problem>;

/// A client of the auth server's introspection endpoints.
pub struct AuthClient(Coalesced<Arc<str>, IntrospectionResult>);

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
            .timeout(CALL_TIME_MAX)
            .tcp_nodelay(true)
            .build()
            .map_err(|error| error.to_string())?;
        let endpoints = Arc::new(IntrospectionEndpoints {
            http,
            one_url: format!("{auth_url}/oauth2/introspect"),
            many_url: format!("{auth_url}/oauth2/introspect-many"),
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
        });
        Ok(Arc::new(Self(Coalesced::new(BatchLimits::of_reads(TOKENS_MAX), move |tokens| {
            let endpoints = Arc::clone(&endpoints);
            async move { endpoints.introspect(&tokens).await }
        }))))
    }

    /// Returns whom the token speaks for, or why it is refused.
    pub async fn introspect(&self, token: &str) -> IntrospectionResult {
        // Refused here, so that a malformed token cannot spoil the call for others.
        let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if token.is_empty() || token.len() > TOKEN_BYTES_MAX || !token.bytes().all(is_token_byte) {
            return Err(Problem::new(ProblemType::TokenInvalid));
        }
        let answer = timeout(ANSWER_TIME_MAX, self.0.ask(Arc::from(token))).await;
        answer.unwrap_or(Err(Unanswered::TimedOut)).unwrap_or_else(|unanswered| {
            tracing::warn!(error = %unanswered, "token introspection failed");
            Err(Problem::new(ProblemType::AuthServerUnavailable))
        })
    }
}

struct IntrospectionEndpoints {
    http: Client,
    one_url: String,
    many_url: String,
    client_id: String,
    client_secret: String,
}

/// Why the auth server gave no answer.
#[derive(Debug)]
struct CallError(String);

impl From<reqwest::Error> for CallError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        // The causes name what is wrong, such as an expired certificate.
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let mut text = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
        text.truncate(text.floor_char_boundary(ERROR_BYTES_MAX));
        Self(text)
    }
}

impl IntrospectionEndpoints {
    /// Introspects tokens, in their order. If the auth server gives no answer, all of them fail.
    async fn introspect(&self, tokens: &[Arc<str>]) -> Vec<IntrospectionResult> {
        for _ in 0..ATTEMPTS {
            match self.call(tokens).await {
                Ok(answers) => return answers.into_iter().map(outcome_of).collect(),
                Err(CallError(error)) => tracing::warn!(%error, "token introspection failed"),
            }
        }
        vec![Err(Problem::new(ProblemType::AuthServerUnavailable)); tokens.len()]
    }

    /// Asks about one token (RFC 7662), or about many.
    async fn call(&self, tokens: &[Arc<str>]) -> Result<Vec<Introspection>, CallError> {
        if let [token] = tokens {
            return Ok(vec![self.post(&self.one_url, "token", token).await?]);
        }
        let answers: Vec<Introspection> =
            self.post(&self.many_url, "tokens", &tokens.join(" ")).await?;
        match answers.len() == tokens.len() {
            true => Ok(answers),
            false => Err(CallError(format!("{} answers for {}", answers.len(), tokens.len()))),
        }
    }

    async fn post<T: DeserializeOwned>(
        &self,
        url: &str,
        name: &str,
        value: &str,
    ) -> Result<T, CallError> {
        let form = [
            (name, value),
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.as_str()),
        ];
        let response = self.http.post(url).form(&form).send().await?;
        match response.status() {
            StatusCode::OK => Ok(response.json().await?),
            status => Err(CallError(format!("status {status}"))),
        }
    }
}

fn outcome_of(answer: Introspection) -> IntrospectionResult {
    match answer {
        Introspection::Active(token) => Ok(Arc::from(token)),
        Introspection::Inactive(_) => Err(Problem::new(ProblemType::TokenInvalid)),
    }
}
