//! Callers that introspect tokens for a while, each one request after the other, and time every
//! response.

use acceptance::lean_client::{HttpVersion, LeanClient};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use reqwest::Body;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// A response that takes longer counts as missing.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The latency of each response, and the total time.
pub struct CallerResults {
    /// One latency per response.
    pub latencies: Vec<Duration>,
    /// From the first request to the last response.
    pub elapsed: Duration,
}

/// The parts of a response that are read.
#[derive(Deserialize)]
struct IntrospectionBody {
    active: bool,
}

/// Prepared requests, and the response expected to each.
#[derive(Clone)]
pub struct Callers {
    http: Arc<LeanClient>,
    url: Arc<str>,
    authorization: HeaderValue,
    bodies: Arc<[Bytes]>,
    active: bool,
}

impl Callers {
    /// Creates callers who introspect these tokens at the server at `url`, as the client
    /// `api-server`.
    pub fn new(
        url: &str,
        authority: &Path,
        secret: &str,
        version: HttpVersion,
        tokens: &[String],
        active: bool,
    ) -> Result<Self, String> {
        let path = "/oauth2/introspect";
        let credentials = STANDARD.encode(format!("api-server:{secret}"));
        let authorization = HeaderValue::try_from(format!("Basic {credentials}"));
        Ok(Self {
            http: Arc::new(LeanClient::new(url, authority, version)),
            url: match version {
                HttpVersion::Http1 => path.into(),
                HttpVersion::Http2 => format!("{url}{path}").into(),
            },
            authorization: authorization.map_err(|error| error.to_string())?,
            bodies: tokens.iter().map(|token| Bytes::from(format!("token={token}"))).collect(),
            active,
        })
    }

    /// Runs this many callers for this long.
    pub async fn run(&self, duration: Duration, callers: u32) -> Result<CallerResults, String> {
        let started = Instant::now();
        let mut tasks = JoinSet::new();
        for caller in 0..callers as usize {
            tasks.spawn(self.clone().call_until(started + duration, caller));
        }
        let mut latencies = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            // The first failure ends all callers: dropping the set aborts them.
            latencies.extend(joined.map_err(|error| error.to_string())??);
        }
        Ok(CallerResults { latencies, elapsed: started.elapsed() })
    }

    /// Runs one caller; each begins with another token.
    async fn call_until(self, until: Instant, caller: usize) -> Result<Vec<Duration>, String> {
        let mut latencies = Vec::new();
        let first = caller % self.bodies.len();
        for body in self.bodies.iter().cycle().skip(first) {
            let sent = Instant::now();
            if sent >= until {
                break;
            }
            self.send(body.clone()).await?;
            latencies.push(sent.elapsed());
        }
        Ok(latencies)
    }

    async fn send(&self, body: Bytes) -> Result<(), String> {
        let request = Request::post(&*self.url)
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .map_err(|error| error.to_string())?;
        let response = self.http.send(request, RESPONSE_TIMEOUT).await;
        let response = response.map_err(|error| format!("no response: {error:?}"))?;
        let active = serde_json::from_str(&response.text).map(|it: IntrospectionBody| it.active);
        if response.status == StatusCode::OK && active.is_ok_and(|active| active == self.active) {
            return Ok(());
        }
        let (active, status, text) = (self.active, response.status, response.text);
        Err(format!("expected active:{active}, got {status}: {text:.500}"))
    }
}
