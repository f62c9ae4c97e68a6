//! Callers that introspect tokens for a while, each one request after the other, and time every
//! response.

use reqwest::{Request, StatusCode, Version};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// A response that takes longer counts as missing.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The version of HTTP, over TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// All callers share one connection.
    Http2,
    /// Each caller has its own connection.
    Http1,
}

impl Protocol {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http2 => "HTTP/2",
            Self::Http1 => "HTTP/1.1",
        }
    }

    fn version(self) -> Version {
        match self {
            Self::Http2 => Version::HTTP_2,
            Self::Http1 => Version::HTTP_11,
        }
    }
}

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
    http: reqwest::Client,
    protocol: Protocol,
    requests: Arc<[Request]>,
    active: bool,
}

impl Callers {
    /// Creates callers who introspect these tokens at the server at `url`, as the client
    /// `api-server`.
    pub fn new(
        url: &str,
        authority: &Path,
        secret: &str,
        protocol: Protocol,
        tokens: &[String],
        active: bool,
    ) -> Result<Self, String> {
        let failed = |error: reqwest::Error| format!("{error:?}");
        let pem = std::fs::read(authority).map_err(|error| error.to_string())?;
        let authority = reqwest::Certificate::from_pem(&pem).map_err(failed)?;
        let builder = reqwest::Client::builder()
            .tls_certs_only([authority])
            .no_proxy()
            .connect_timeout(RESPONSE_TIMEOUT)
            .timeout(RESPONSE_TIMEOUT);
        let builder = match protocol {
            Protocol::Http2 => builder.http2_prior_knowledge(),
            Protocol::Http1 => builder.http1_only(),
        };
        let http = builder.build().map_err(failed)?;
        let request = |token: &String| {
            let url = format!("{url}/oauth2/introspect");
            let form = [("token", token.as_str())];
            http.post(url).basic_auth("api-server", Some(secret)).form(&form).build()
        };
        let requests = tokens.iter().map(request).collect::<Result<_, _>>().map_err(failed)?;
        Ok(Self { http, protocol, requests, active })
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
        let first = caller % self.requests.len();
        for request in self.requests.iter().cycle().skip(first) {
            let sent = Instant::now();
            if sent >= until {
                break;
            }
            self.send(request).await?;
            latencies.push(sent.elapsed());
        }
        Ok(latencies)
    }

    async fn send(&self, request: &Request) -> Result<(), String> {
        let failed = |error: reqwest::Error| format!("no response: {error:?}");
        let request = request.try_clone().ok_or("the request cannot be cloned")?;
        let response = self.http.execute(request).await.map_err(failed)?;
        let (status, version) = (response.status(), response.version());
        let body = response.bytes().await.map_err(failed)?;
        let active = serde_json::from_slice(&body).map(|body: IntrospectionBody| body.active);
        let is_expected = active.is_ok_and(|active| active == self.active);
        if status == StatusCode::OK && version == self.protocol.version() && is_expected {
            return Ok(());
        }
        let body = String::from_utf8_lossy(&body);
        Err(format!("expected active:{}, got {version:?} {status}: {body:.500}", self.active))
    }
}
