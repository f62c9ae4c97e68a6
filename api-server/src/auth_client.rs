//! Asks the auth server about tokens.
//!
//! Nothing is cached: every request is judged by an answer to a question that was *begun after the
//! request came in*, so a log-out that was answered is felt by the next call. Requests with one
//! token share questions all the same: while one is in flight, those that arrive wait together for
//! the next one. However many requests a token sends, there is one question in flight for it.

use crate::config::Config;
use aws_lc_rs::digest;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use poem::http::StatusCode;
use reqwest::Client;
use shared::introspection::{ActiveToken, Introspection};
use shared::problem::{Problem, ProblemType};
use shared::tls;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the auth server may take before it counts as away.
const QUESTION_TIME_MAX: Duration = Duration::from_secs(2);
/// No token is longer, and the auth server takes no form that is much longer.
const TOKEN_BYTES_MAX: usize = 4096;
/// Tries per question: a connection may have died while it lay idle.
const TRIES: usize = 2;

type Judgement = Result<Arc<ActiveToken>, Problem>;
type Question = Shared<BoxFuture<'static, Judgement>>;
type TokenHash = [u8; 32];

/// The questions about one token that have not been answered.
struct Questions {
    in_flight: Question,
    /// Begun once the one in flight is answered.
    next: Option<Question>,
}

/// A client of the auth server's introspection endpoint.
pub struct AuthClient {
    http: Client,
    introspection_url: String,
    client_id: String,
    client_secret: String,
    questions: Mutex<HashMap<TokenHash, Questions>>,
}

impl AuthClient {
    /// A client that trusts the authorities of the settings and follows no redirect.
    pub fn new(config: &Config) -> Result<Arc<Self>, String> {
        let versions = [&rustls::version::TLS13, &rustls::version::TLS12];
        let mut tls = tls::client_config(&config.auth_ca, &versions)?;
        tls.alpn_protocols = vec![b"h2".to_vec()];
        let http = Client::builder()
            .tls_backend_preconfigured(tls)
            .https_only(true)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(QUESTION_TIME_MAX)
            .tcp_nodelay(true)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Arc::new(Self {
            http,
            introspection_url: format!("{}/oauth2/introspect", config.auth_url),
            client_id: config.auth_client_id.clone(),
            client_secret: config.auth_client_secret.clone(),
            questions: Mutex::default(),
        }))
    }

    /// Whom a token speaks for, or why it is refused.
    pub async fn judge(self: &Arc<Self>, token: &str) -> Judgement {
        if token.is_empty() || token.len() > TOKEN_BYTES_MAX {
            return Err(Problem::new(ProblemType::TokenInvalid));
        }
        let mut hash = TokenHash::default();
        hash.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
        self.question(hash, token).await
    }

    /// The first question about this token that begins from now on.
    fn question(self: &Arc<Self>, hash: TokenHash, token: &str) -> Question {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pending) = questions.get_mut(&hash) else {
            let question = self.begin(hash, token.to_owned(), None);
            questions.insert(hash, Questions { in_flight: question.clone(), next: None });
            return question;
        };
        let in_flight = pending.in_flight.clone();
        pending
            .next
            .get_or_insert_with(|| self.begin(hash, token.to_owned(), Some(in_flight)))
            .clone()
    }

    /// Drives a question in a task of its own, so that a client who hangs up does not take it from
    /// the others who wait for it.
    fn begin(
        self: &Arc<Self>,
        hash: TokenHash,
        token: String,
        after: Option<Question>,
    ) -> Question {
        let this = Arc::clone(self);
        let task = tokio::spawn(async move {
            if let Some(earlier) = after {
                let _ = earlier.await;
            }
            let judgement = this.ask(&token).await;
            this.answered(hash);
            judgement
        });
        let answer = task.map(|done| match done {
            Ok(judgement) => judgement,
            Err(error) => Err(Problem::internal(error)),
        });
        answer.boxed().shared()
    }

    /// The question in flight is answered: the next one, if any, is in flight now.
    fn answered(&self, hash: TokenHash) {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut pending) = questions.remove(&hash)
            && let Some(next) = pending.next.take()
        {
            questions.insert(hash, Questions { in_flight: next, next: None });
        }
    }

    async fn ask(&self, token: &str) -> Judgement {
        let mut outcome = Err(Problem::new(ProblemType::AuthServerUnavailable));
        for _ in 0..TRIES {
            outcome = match self.ask_once(token).await {
                Ok(Introspection::Active(token)) => return Ok(Arc::from(token)),
                Ok(Introspection::Inactive(_)) => {
                    return Err(Problem::new(ProblemType::TokenInvalid));
                }
                Err(error) => {
                    tracing::warn!(%error, "the auth server could not be asked");
                    Err(Problem::new(ProblemType::AuthServerUnavailable))
                }
            };
        }
        outcome
    }

    async fn ask_once(&self, token: &str) -> Result<Introspection, String> {
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
            status => Err(format!("it answered {status}")),
        }
    }
}

fn without_url(error: reqwest::Error) -> String {
    let mut text = error.without_url().to_string();
    text.truncate(300);
    text
}
