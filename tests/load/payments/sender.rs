//! An integrator's program: posts payments one after the other, and retries what was not
//! acknowledged under the same key, as an integrator must.

use super::answers::{Answered, Outcome, judge};
use super::cards::Cards;
use super::drawers::Drawers;
use super::jobs::{Job, State, Work};
use super::loans::Loans;
use acceptance::Client;
use indicatif::ProgressBar;
use reqwest::Method;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The time limit for any answer.
pub const ANSWER: Duration = Duration::from_secs(15);
/// The longest `Retry-After` that is heeded: longer pauses would hide when the service is back.
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// The pause if the answer does not give one.
const PAUSE: Duration = Duration::from_millis(200);
/// The most unfinished jobs before no new one is begun.
const UNFINISHED_MAX: usize = 20;
/// When a token is renewed; tokens live for twelve minutes.
const TOKEN: Duration = Duration::from_secs(9 * 60);

/// Everything that was sent, and the answers.
#[derive(Default)]
pub struct Sent {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// One answer for each request.
    pub answered: Vec<Answered>,
}

/// The targets of a sender's payments.
pub struct Aim {
    /// The loans.
    pub loans: Loans,
    /// The cash drawers.
    pub drawers: Drawers,
    /// Percentage of payments to the hot loan.
    pub hot_percent: u32,
    /// Percentage of payments in cash.
    pub cash_percent: u32,
    /// The cards.
    pub cards: Cards,
    /// Percentage of payments by card.
    pub card_percent: u32,
}

/// A sender with its own connection and token.
pub struct Sender {
    /// The client in use, followed by those to move on to.
    clients: VecDeque<Client>,
    password: String,
    token: String,
    token_since: Instant,
}

impl Sender {
    /// Logs in as the teller.
    pub async fn log_in(clients: VecDeque<Client>, password: &str) -> Result<Self, String> {
        let token = token(&clients[0], password).await?;
        let token_since = Instant::now();
        Ok(Self { clients, password: password.to_owned(), token, token_since })
    }

    /// Sends a job once. Returns the outcome, and the pause before the next request.
    pub async fn send(&self, job: &Job) -> (Answered, Duration) {
        let client = &self.clients[0];
        let request = client.request(Method::POST, &self.token, &job.path());
        let request = request.header("Idempotency-Key", &job.name).timeout(ANSWER);
        let sent = Instant::now();
        let response = client.send(request.json(&job.body())).await;
        let took = sent.elapsed();
        let outcome = judge(job, response.as_ref());
        let pause = response.ok().and_then(|response| response.header("retry-after").parse().ok());
        let pause = pause.map_or(PAUSE, Duration::from_secs).min(PAUSE_MAX);
        (Answered { kind: job.kind(), sent, took, outcome }, pause)
    }

    /// Renews the token in time; if that fails now, the old one still lives for minutes.
    async fn renew_token(&mut self) {
        if self.token_since.elapsed() < TOKEN {
            return;
        }
        match token(&self.clients[0], &self.password).await {
            Ok(token) => (self.token, self.token_since) = (token, Instant::now()),
            // Not with every job.
            Err(_) => self.token_since += Duration::from_secs(10),
        }
    }

    /// Posts payments, and works with drawers, until told to stop. `number` identifies this sender.
    pub async fn post_until(
        mut self,
        number: u32,
        aim: Arc<Aim>,
        stop: Arc<AtomicBool>,
        posted: ProgressBar,
    ) -> Sent {
        let mut draw = fastrand::Rng::with_seed(number.into());
        let mut sent = Sent::default();
        let mut unfinished: VecDeque<(Instant, usize)> = VecDeque::new();
        while !stop.load(Ordering::Relaxed) {
            self.renew_token().await;
            let due = unfinished.iter().position(|(due, _)| *due <= Instant::now());
            let is_first = due.is_none();
            let at = match due.and_then(|at| unfinished.remove(at)) {
                Some((_, at)) => at,
                None if unfinished.len() < UNFINISHED_MAX => {
                    let name = format!("{number}-{}", sent.jobs.len());
                    sent.jobs.push(Job::new(name, aim.draw(&mut draw)));
                    sent.jobs.len() - 1
                }
                None => {
                    sleep(PAUSE).await;
                    continue;
                }
            };
            let (mut answered, pause) = self.send(&sent.jobs[at]).await;
            if is_first && answered.outcome.is_of_earlier_request() {
                // A new job cannot be a repetition: only its sender may send it again, because not
                // every sender uses a key.
                answered.outcome = Outcome::Wrong(format!("sent twice: {}", answered.outcome));
            }
            let outage = answered.outcome.is_outage();
            let wrong = matches!(answered.outcome, Outcome::Wrong(_));
            let state = answered.outcome.state();
            sent.answered.push(answered);
            sent.jobs[at].state = state;
            match state {
                State::Acknowledged(_) => posted.inc(1),
                State::Open if !wrong => unfinished.push_back((Instant::now() + pause, at)),
                State::Open | State::Refused => {}
            }
            if outage {
                self.clients.rotate_left(1);
                sleep(if self.clients.len() > 1 { PAUSE } else { pause }).await;
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
    let request = request.basic_auth("integration", Some(&client.client_secret)).timeout(ANSWER);
    let response = client.send(request).await.map_err(|error| format!("{error:?}"))?;
    let token = response.json()["access_token"].as_str().map(str::to_owned);
    token.ok_or_else(|| format!("no token: {} {}", response.status, response.text))
}

impl Aim {
    fn draw(&self, draw: &mut fastrand::Rng) -> Work {
        let Self { cash_percent, drawers, .. } = self;
        // For each cash payment there is one other request about drawers.
        match draw.u32(0..100 + cash_percent) {
            drawn if drawn < *cash_percent => drawers.work(draw),
            drawn => self.payment(draw, drawn < 2 * cash_percent),
        }
    }

    /// Draws a payment with an odd number of cents, from 0.01 to 99.99.
    fn payment(&self, draw: &mut fastrand::Rng, is_cash: bool) -> Work {
        if !is_cash && draw.u32(0..100) < self.card_percent {
            return self.cards.payment(draw, self.hot_percent);
        }
        let hot = draw.u32(0..100) < self.hot_percent || self.loans.many.is_empty();
        let loan_id = match hot {
            true => self.loans.hot,
            false => self.loans.many[draw.usize(0..self.loans.many.len())],
        };
        let drawer_id = is_cash.then(|| self.drawers.window(draw));
        Work::Payment { loan_id, drawer_id, cents: 2 * draw.i64(0..5000) + 1 }
    }
}
