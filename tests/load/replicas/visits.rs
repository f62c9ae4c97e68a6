//! Visits of people who log in, read, and log out, one after the other; and what their requests
//! have in common with those of the payments' senders.

use super::payments::responses::{Attempt, Outcome};
use acceptance::{Client, TestResponse, World};
use reqwest::Method;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The time limit for any response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause between two requests of one visitor.
const PAUSE: Duration = Duration::from_millis(20);
/// Reads per visit.
const READS: usize = 8;

/// The request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    LogIn,
    Read,
    LogOut,
    /// A read with a token after its log-out.
    AfterLogOut,
    Payment,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestOutcome {
    /// It was done, or refused as it must be.
    Done,
    /// To be sent again, because of contention with other requests.
    Busy(String),
    /// A server reports that something is away.
    Unavailable(String),
    /// The load balancer had no response from a server.
    Balancer(u16),
    /// The connection failed.
    Lost(String),
    /// There was no response in time.
    TimedOut,
    /// A response that must not occur.
    Wrong(String),
}

impl fmt::Display for RequestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "done"),
            Self::Busy(name) | Self::Unavailable(name) => write!(f, "{name}"),
            Self::Balancer(status) => write!(f, "{status} of HAProxy"),
            Self::Lost(_) => write!(f, "connection lost"),
            Self::TimedOut => write!(f, "no response in time"),
            Self::Wrong(_) => write!(f, "WRONG"),
        }
    }
}

/// A request and its outcome.
#[derive(Clone, Debug)]
pub struct TimedRequest {
    pub step: Step,
    pub sent: Instant,
    pub latency: Duration,
    pub outcome: RequestOutcome,
}

impl TimedRequest {
    /// When the outcome was known.
    pub fn answered_at(&self) -> Instant {
        self.sent + self.latency
    }
}

impl From<&Attempt> for TimedRequest {
    fn from(attempt: &Attempt) -> Self {
        let outcome = match &attempt.outcome {
            outcome if outcome.is_posted() => RequestOutcome::Done,
            Outcome::Refused(kind) if kind.status() == 503 => {
                RequestOutcome::Unavailable(attempt.outcome.to_string())
            }
            Outcome::Refused(_) => RequestOutcome::Busy(attempt.outcome.to_string()),
            Outcome::Balancer(status) => RequestOutcome::Balancer(*status),
            Outcome::Lost(error) => RequestOutcome::Lost(error.clone()),
            Outcome::TimedOut => RequestOutcome::TimedOut,
            outcome => RequestOutcome::Wrong(format!("{outcome:?}")),
        };
        Self { step: Step::Payment, sent: attempt.sent, latency: attempt.latency, outcome }
    }
}

/// People at work.
pub struct Visits {
    visitors: JoinSet<Vec<TimedRequest>>,
    stop: Arc<AtomicBool>,
}

impl Visits {
    /// Starts this many visitors, each on a connection of their own. They read this loan.
    pub fn start(world: &World, visitors: u32, loan_id: i64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for _ in 0..visitors {
            let World { client, tls, credentials, .. } = world;
            let secret = &credentials.integration;
            let client = Client::new(&client.auth_url, &client.api_url, &tls.authority, secret);
            let visitor = Visitor { client, password: credentials.officer.clone(), loan_id };
            tasks.spawn(visitor.visit_until(Arc::clone(&stop)));
        }
        Self { visitors: tasks, stop }
    }

    /// Lets all visitors finish their visits.
    pub async fn end(mut self) -> Result<Vec<TimedRequest>, String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut requests = Vec::new();
        while let Some(joined) = self.visitors.join_next().await {
            requests.append(&mut joined.map_err(|error| error.to_string())?);
        }
        Ok(requests)
    }
}

struct Visitor {
    client: Client,
    password: String,
    loan_id: i64,
}

impl Visitor {
    async fn visit_until(self, stop: Arc<AtomicBool>) -> Vec<TimedRequest> {
        let mut requests = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            self.visit(&mut requests).await;
        }
        requests
    }

    async fn visit(&self, requests: &mut Vec<TimedRequest>) {
        let form = [
            ("grant_type", "password"),
            ("scope", "core"),
            ("username", "officer"),
            ("password", self.password.as_str()),
        ];
        let url = format!("{}/oauth2/token", self.client.auth_url);
        let request = self.client.http.post(url).form(&form);
        let request = request.basic_auth("integration", Some(&self.client.client_secret));
        let response = self.send(Step::LogIn, request, 200, requests).await;
        let token = response.and_then(|a| a.json()["access_token"].as_str().map(str::to_owned));
        let Some(token) = token else { return sleep(PAUSE).await };
        for _ in 0..READS {
            self.read(Step::Read, &token, 200, requests).await;
            sleep(PAUSE).await;
        }
        // A log-out may be retried as often as necessary.
        loop {
            let url = format!("{}/logout", self.client.auth_url);
            let request = self.client.http.post(url).bearer_auth(&token);
            if self.send(Step::LogOut, request, 204, requests).await.is_some() {
                break;
            }
            if matches!(
                requests.last(),
                Some(TimedRequest { outcome: RequestOutcome::Wrong(_), .. })
            ) {
                return;
            }
            sleep(PAUSE).await;
        }
        self.read(Step::AfterLogOut, &token, 401, requests).await;
    }

    async fn read(&self, step: Step, token: &str, status: u16, requests: &mut Vec<TimedRequest>) {
        let path = format!("/loans/{}", self.loan_id);
        let request = self.client.request(Method::GET, token, &path);
        self.send(step, request, status, requests).await;
    }

    /// Sends a request. Returns the response if it has this status.
    async fn send(
        &self,
        step: Step,
        request: reqwest::RequestBuilder,
        status: u16,
        requests: &mut Vec<TimedRequest>,
    ) -> Option<TestResponse> {
        let sent = Instant::now();
        let response = self.client.send(request.timeout(RESPONSE_TIMEOUT)).await;
        let latency = sent.elapsed();
        let (outcome, response) = match response {
            Ok(response) if response.status == status => (RequestOutcome::Done, Some(response)),
            Ok(response) => (classify(&response), None),
            Err(error) if error.is_timeout() => (RequestOutcome::TimedOut, None),
            Err(error) => (RequestOutcome::Lost(format!("{error:?}")), None),
        };
        requests.push(TimedRequest { step, sent, latency, outcome });
        response
    }
}

/// Classifies a response other than the expected one.
fn classify(response: &TestResponse) -> RequestOutcome {
    let status = response.status.as_u16();
    let is_from_server = response.header("x-request-id").len() == 32;
    if [502, 503, 504].contains(&status) && !is_from_server {
        return RequestOutcome::Balancer(status);
    }
    let document = response.json();
    let has_retry_after = response.header("retry-after") == "5";
    let problem = match document["error"].as_str() {
        Some(error) => error.to_owned(),
        None => response.problem(),
    };
    if status == 503 && has_retry_after && !problem.is_empty() {
        return RequestOutcome::Unavailable(format!("503 {problem}"));
    }
    RequestOutcome::Wrong(format!("{status} {:.300}", response.text))
}
