//! An integrator's program: posts payments one after the other, and retries what was not
//! acknowledged under the same key, as an integrator must.

use super::cards::Cards;
use super::drawers::Drawers;
use super::jobs::{Job, State, Work};
use super::loans::Loans;
use super::responses::{Attempt, Outcome, classify};
use acceptance::Client;
use acceptance::lean_client::LeanClient;
use hyper::Request;
use indicatif::ProgressBar;
use reqwest::Body;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The time limit for any response.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);
/// The longest `Retry-After` that is heeded: longer pauses would hide when the service is back.
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// The pause if the response does not give one.
const PAUSE: Duration = Duration::from_millis(200);
/// The most unfinished jobs with which a new one is still started.
const UNFINISHED_MAX: usize = 20;
/// When a token is renewed; tokens live for twelve minutes.
const TOKEN_RENEWAL: Duration = Duration::from_secs(9 * 60);

/// Everything that was sent, and the responses.
#[derive(Default)]
pub struct SentJobs {
    pub jobs: Vec<Job>,
    /// One for each request.
    pub attempts: Vec<Attempt>,
}

impl SentJobs {
    /// Adds those of others.
    pub fn append(&mut self, mut others: Self) {
        self.jobs.append(&mut others.jobs);
        self.attempts.append(&mut others.attempts);
    }
}

/// The targets of a sender's payments.
#[derive(Clone)]
pub struct LoadMix {
    pub loans: Loans,
    pub drawers: Drawers,
    /// Percentage of payments to the hot loan.
    pub hot_percent: u32,
    /// Percentage of payments in cash.
    pub cash_percent: u32,
    pub cards: Cards,
    /// Percentage of payments by card.
    pub card_percent: u32,
}

/// The two servers of a replica.
pub struct Replica {
    /// For log-ins.
    pub client: Client,
    /// For everything else.
    pub api: LeanClient,
}

/// A sender with its own connection and token.
pub struct Sender {
    /// The replica in use, followed by those to move on to.
    replicas: VecDeque<Replica>,
    password: String,
    token: String,
    token_since: Instant,
}

impl Sender {
    /// Logs in as the teller.
    pub async fn log_in(replicas: VecDeque<Replica>, password: &str) -> Result<Self, String> {
        let token = token(&replicas[0].client, password).await?;
        let token_since = Instant::now();
        Ok(Self { replicas, password: password.to_owned(), token, token_since })
    }

    /// Sends a job once. Returns the outcome, and the pause before the next request.
    pub async fn send(&self, job: &Job) -> (Attempt, Duration) {
        let request = Request::post(job.path())
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .header(CONTENT_TYPE, "application/json")
            .header("Idempotency-Key", &job.name)
            .body(Body::from(job.body().to_string()))
            .expect("a request");
        let sent = Instant::now();
        let response = self.replicas[0].api.send(request, RESPONSE_TIMEOUT).await;
        let latency = sent.elapsed();
        let outcome = classify(job, response.as_ref());
        let pause = response.ok().and_then(|response| response.header("retry-after").parse().ok());
        let pause = pause.map_or(PAUSE, Duration::from_secs).min(PAUSE_MAX);
        (Attempt { kind: job.kind(), sent, latency, outcome }, pause)
    }

    /// Renews the token in time; if that fails now, the old one still lives for minutes.
    async fn renew_token(&mut self) {
        if self.token_since.elapsed() < TOKEN_RENEWAL {
            return;
        }
        match token(&self.replicas[0].client, &self.password).await {
            Ok(token) => (self.token, self.token_since) = (token, Instant::now()),
            // Not with every job.
            Err(_) => self.token_since += Duration::from_secs(10),
        }
    }

    /// Posts payments, and works with drawers, until told to stop. `number` identifies this sender.
    pub async fn post_until(
        mut self,
        number: u32,
        mix: Arc<LoadMix>,
        stop: Arc<AtomicBool>,
        posted: ProgressBar,
    ) -> SentJobs {
        let mut rng = fastrand::Rng::with_seed(number.into());
        let mut sent = SentJobs::default();
        let mut unfinished: VecDeque<(Instant, usize)> = VecDeque::new();
        while !stop.load(Ordering::Relaxed) {
            self.renew_token().await;
            let due = unfinished.iter().position(|(due, _)| *due <= Instant::now());
            let is_first = due.is_none();
            let index = match due.and_then(|index| unfinished.remove(index)) {
                Some((_, index)) => index,
                None if unfinished.len() < UNFINISHED_MAX => {
                    let name = format!("{number}-{}", sent.jobs.len());
                    sent.jobs.push(Job::new(name, mix.draw_work(&mut rng)));
                    sent.jobs.len() - 1
                }
                None => {
                    sleep(PAUSE).await;
                    continue;
                }
            };
            let (mut attempt, pause) = self.send(&sent.jobs[index]).await;
            if is_first && attempt.outcome.is_of_earlier_request() {
                // A new job cannot be a repetition: only its sender may send it again, because not
                // every sender uses a key.
                attempt.outcome = Outcome::Wrong(format!("sent twice: {}", attempt.outcome));
            }
            let is_outage = attempt.outcome.is_outage();
            let is_wrong = matches!(attempt.outcome, Outcome::Wrong(_));
            let state = attempt.outcome.state();
            sent.attempts.push(attempt);
            sent.jobs[index].state = state;
            match state {
                State::Acknowledged(_) => posted.inc(1),
                State::Open if !is_wrong => unfinished.push_back((Instant::now() + pause, index)),
                State::Open | State::Refused => {}
            }
            if is_outage {
                self.replicas.rotate_left(1);
                sleep(if self.replicas.len() > 1 { PAUSE } else { pause }).await;
            }
        }
        sent
    }
}

async fn token(client: &Client, password: &str) -> Result<String, String> {
    let form = [
        ("grant_type", "password"),
        ("scope", "core"),
        ("username", "teller"),
        ("password", password),
    ];
    let request = client.http.post(format!("{}/oauth2/token", client.auth_url)).form(&form);
    let request =
        request.basic_auth("integration", Some(&client.client_secret)).timeout(RESPONSE_TIMEOUT);
    let response = client.send(request).await.map_err(|error| format!("{error:?}"))?;
    let token = response.json()["access_token"].as_str().map(str::to_owned);
    token.ok_or_else(|| format!("no token: {} {}", response.status, response.text))
}

impl LoadMix {
    fn draw_work(&self, rng: &mut fastrand::Rng) -> Work {
        let Self { cash_percent, drawers, .. } = self;
        // For each cash payment there is one other request about drawers.
        match rng.u32(0..100 + cash_percent) {
            number if number < *cash_percent => drawers.draw_work(rng),
            number => self.draw_payment(rng, number < 2 * cash_percent),
        }
    }

    /// Draws a payment with an odd number of cents, from 0.01 to 99.99.
    fn draw_payment(&self, rng: &mut fastrand::Rng, is_cash: bool) -> Work {
        if !is_cash && rng.u32(0..100) < self.card_percent {
            return self.cards.draw_payment(rng, self.hot_percent);
        }
        let is_hot = rng.u32(0..100) < self.hot_percent || self.loans.others.is_empty();
        let loan_id = match is_hot {
            true => self.loans.hot,
            false => self.loans.others[rng.usize(0..self.loans.others.len())],
        };
        let drawer_id = is_cash.then(|| self.drawers.draw_window(rng));
        Work::Payment { loan_id, drawer_id, cents: 2 * rng.i64(0..5000) + 1 }
    }
}
