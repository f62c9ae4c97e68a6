//! Visits of people who log in, read, and log out, one after the other; and what their requests
//! have in common with those of the payments' senders.

use super::payments::answers::{Answered, Outcome};
use acceptance::{Client, TestResponse, World};
use reqwest::Method;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The time limit for any answer.
const ANSWER: Duration = Duration::from_secs(30);
/// The pause between two requests of one person.
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

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// It was done, or refused as it must be.
    Done,
    /// To be sent again, because of contention with other requests.
    Busy(String),
    /// A server reports that something is away.
    Unavailable(String),
    /// The load balancer had no answer from a server.
    Balancer(u16),
    /// The connection failed.
    Lost(String),
    /// There was no answer in time.
    TimedOut,
    /// An answer that must not occur.
    Wrong(String),
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "done"),
            Self::Busy(name) | Self::Unavailable(name) => write!(f, "{name}"),
            Self::Balancer(status) => write!(f, "{status} of HAProxy"),
            Self::Lost(_) => write!(f, "connection lost"),
            Self::TimedOut => write!(f, "no answer in time"),
            Self::Wrong(_) => write!(f, "WRONG"),
        }
    }
}

/// A request and its outcome.
#[derive(Clone, Debug)]
pub struct Asked {
    pub step: Step,
    pub sent: Instant,
    pub took: Duration,
    pub seen: Seen,
}

impl Asked {
    /// When the outcome was known.
    pub fn at(&self) -> Instant {
        self.sent + self.took
    }
}

impl From<&Answered> for Asked {
    fn from(answered: &Answered) -> Self {
        let seen = match &answered.outcome {
            outcome if outcome.is_posted() => Seen::Done,
            Outcome::Refused(kind) if kind.status() == 503 => {
                Seen::Unavailable(answered.outcome.to_string())
            }
            Outcome::Refused(_) => Seen::Busy(answered.outcome.to_string()),
            Outcome::Balancer(status) => Seen::Balancer(*status),
            Outcome::Lost(error) => Seen::Lost(error.clone()),
            Outcome::TimedOut => Seen::TimedOut,
            outcome => Seen::Wrong(format!("{outcome:?}")),
        };
        Self { step: Step::Payment, sent: answered.sent, took: answered.took, seen }
    }
}

/// People at work.
pub struct Visits {
    visitors: JoinSet<Vec<Asked>>,
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
            let person = Person { client, password: credentials.officer.clone(), loan_id };
            tasks.spawn(person.visit_until(Arc::clone(&stop)));
        }
        Self { visitors: tasks, stop }
    }

    /// Lets all visitors finish their visits.
    pub async fn end(mut self) -> Result<Vec<Asked>, String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut asked = Vec::new();
        while let Some(joined) = self.visitors.join_next().await {
            asked.append(&mut joined.map_err(|error| error.to_string())?);
        }
        Ok(asked)
    }
}

struct Person {
    client: Client,
    password: String,
    loan_id: i64,
}

impl Person {
    async fn visit_until(self, stop: Arc<AtomicBool>) -> Vec<Asked> {
        let mut asked = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            self.visit(&mut asked).await;
        }
        asked
    }

    async fn visit(&self, asked: &mut Vec<Asked>) {
        let form = [
            ("grant_type", "password"),
            ("scope", "core"),
            ("username", "officer"),
            ("password", self.password.as_str()),
        ];
        let url = format!("{}/oauth2/token", self.client.auth_url);
        let request = self.client.http.post(url).form(&form);
        let request = request.basic_auth("integration", Some(&self.client.client_secret));
        let response = self.ask(Step::LogIn, request, 200, asked).await;
        let token = response.and_then(|a| a.json()["access_token"].as_str().map(str::to_owned));
        let Some(token) = token else { return sleep(PAUSE).await };
        for _ in 0..READS {
            self.read(Step::Read, &token, 200, asked).await;
            sleep(PAUSE).await;
        }
        // A log-out may be retried as often as necessary.
        loop {
            let url = format!("{}/logout", self.client.auth_url);
            let request = self.client.http.post(url).bearer_auth(&token);
            if self.ask(Step::LogOut, request, 204, asked).await.is_some() {
                break;
            }
            if matches!(asked.last(), Some(Asked { seen: Seen::Wrong(_), .. })) {
                return;
            }
            sleep(PAUSE).await;
        }
        self.read(Step::AfterLogOut, &token, 401, asked).await;
    }

    async fn read(&self, step: Step, token: &str, status: u16, asked: &mut Vec<Asked>) {
        let path = format!("/loans/{}", self.loan_id);
        let request = self.client.request(Method::GET, token, &path);
        self.ask(step, request, status, asked).await;
    }

    /// Sends a request. Returns its answer if it has this status.
    async fn ask(
        &self,
        step: Step,
        request: reqwest::RequestBuilder,
        status: u16,
        asked: &mut Vec<Asked>,
    ) -> Option<TestResponse> {
        let sent = Instant::now();
        let response = self.client.send(request.timeout(ANSWER)).await;
        let took = sent.elapsed();
        let (seen, response) = match response {
            Ok(response) if response.status == status => (Seen::Done, Some(response)),
            Ok(response) => (judge(&response), None),
            Err(error) if error.is_timeout() => (Seen::TimedOut, None),
            Err(error) => (Seen::Lost(format!("{error:?}")), None),
        };
        asked.push(Asked { step, sent, took, seen });
        response
    }
}

/// Judges an answer other than the expected one.
fn judge(response: &TestResponse) -> Seen {
    let status = response.status.as_u16();
    let of_server = response.header("x-request-id").len() == 32;
    if [502, 503, 504].contains(&status) && !of_server {
        return Seen::Balancer(status);
    }
    let document = response.json();
    let says_when = response.header("retry-after") == "5";
    let problem = match document["error"].as_str() {
        Some(error) => error.to_owned(),
        None => response.problem(),
    };
    if status == 503 && says_when && !problem.is_empty() {
        return Seen::Unavailable(format!("503 {problem}"));
    }
    Seen::Wrong(format!("{status} {:.300}", response.text))
}
