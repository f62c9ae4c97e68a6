//! One integrator's program: posts payments one after the other, and sends again what was not
//! acknowledged, under the same key, as an integrator must.

use super::answers::{Answered, Outcome, judge};
use super::loans::Loans;
use acceptance::Client;
use indicatif::ProgressBar;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Nothing may take longer.
pub const ANSWER: Duration = Duration::from_secs(15);
/// `Retry-After` is heeded up to here: longer pauses would hide when the service is back.
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// Where nothing says when to come again.
const PAUSE: Duration = Duration::from_millis(200);
/// So many payments may be unfinished before no new one is begun.
const UNFINISHED_MAX: usize = 20;
/// Tokens live for twelve minutes.
const TOKEN: Duration = Duration::from_secs(9 * 60);

/// A payment as its sender keeps it.
#[derive(Clone, Debug)]
pub struct Payment {
    /// The loan.
    pub loan_id: i64,
    /// The amount.
    pub cents: i64,
    /// The External_ID, and the Idempotency-Key.
    pub name: String,
    /// The total row, once the payment is acknowledged.
    pub transaction_id: Option<i64>,
}

impl Payment {
    fn body(&self) -> Value {
        let amount = format!("{}.{:02}", self.cents / 100, self.cents % 100);
        json!({"Amount": amount, "External_ID": self.name})
    }
}

/// Everything that was sent, and what came back.
#[derive(Default)]
pub struct Sent {
    /// The payments.
    pub payments: Vec<Payment>,
    /// One for each request.
    pub answered: Vec<Answered>,
}

/// Where a sender's payments go.
pub struct Aim {
    /// The loans.
    pub loans: Loans,
    /// Of a hundred payments so many are on the hot loan.
    pub hot_percent: u32,
}

/// A sender with a connection and a token of its own.
pub struct Sender {
    client: Client,
    password: String,
    token: String,
    token_since: Instant,
}

impl Sender {
    /// Logs in as the teller.
    pub async fn log_in(client: Client, password: &str) -> Result<Self, String> {
        let token = token(&client, password).await?;
        let token_since = Instant::now();
        Ok(Self { client, password: password.to_owned(), token, token_since })
    }

    /// Sends a payment once; gives back what came of it and when to come again.
    pub async fn send(&self, payment: &Payment) -> (Answered, Duration) {
        let path = format!("/loans/{}/transactions/payments", payment.loan_id);
        let request = self.client.request(Method::POST, &self.token, &path);
        let request = request.header("Idempotency-Key", &payment.name).timeout(ANSWER);
        let sent = Instant::now();
        let answer = self.client.send(request.json(&payment.body())).await;
        let took = sent.elapsed();
        let outcome = judge(payment, answer.as_ref());
        let pause = answer.ok().and_then(|answer| answer.header("retry-after").parse().ok());
        let pause = pause.map_or(PAUSE, Duration::from_secs).min(PAUSE_MAX);
        (Answered { sent, took, outcome }, pause)
    }

    /// Another token in time; if there is none now, the old one still lives for minutes.
    async fn renew_token(&mut self) {
        if self.token_since.elapsed() < TOKEN {
            return;
        }
        match token(&self.client, &self.password).await {
            Ok(token) => (self.token, self.token_since) = (token, Instant::now()),
            // Not with every payment.
            Err(_) => self.token_since += Duration::from_secs(10),
        }
    }

    /// Posts payments until it is told to stop. `number` is this sender's among all.
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
            let at = match due.and_then(|at| unfinished.remove(at)) {
                Some((_, at)) => at,
                None if unfinished.len() < UNFINISHED_MAX => {
                    let name = format!("{number}-{}", sent.payments.len());
                    sent.payments.push(aim.draw(&mut draw, name));
                    sent.payments.len() - 1
                }
                None => {
                    sleep(PAUSE).await;
                    continue;
                }
            };
            let (answered, pause) = self.send(&sent.payments[at]).await;
            let transaction_id = answered.outcome.transaction();
            let outage = answered.outcome.is_outage();
            let wrong = matches!(answered.outcome, Outcome::Wrong(_));
            sent.answered.push(answered);
            if transaction_id.is_some() {
                sent.payments[at].transaction_id = transaction_id;
                posted.inc(1);
            } else if !wrong {
                unfinished.push_back((Instant::now() + pause, at));
            }
            if outage {
                sleep(pause).await;
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
    let answer = client.send(request).await.map_err(|error| format!("{error:?}"))?;
    let token = answer.json()["access_token"].as_str().map(str::to_owned);
    token.ok_or_else(|| format!("no token: {} {}", answer.status, answer.text))
}

impl Aim {
    /// A payment of an odd number of cents, from 0.01 to 99.99.
    fn draw(&self, draw: &mut fastrand::Rng, name: String) -> Payment {
        let hot = draw.u32(0..100) < self.hot_percent || self.loans.many.is_empty();
        let loan_id = match hot {
            true => self.loans.hot,
            false => self.loans.many[draw.usize(0..self.loans.many.len())],
        };
        Payment { loan_id, cents: 2 * draw.i64(0..5000) + 1, name, transaction_id: None }
    }
}
