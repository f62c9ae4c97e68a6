//! Fault-injection proxy between the api-server and a payment provider: it loses requests before
//! the provider sees them, loses, delays, truncates or corrupts answers, makes them endless, or
//! makes the provider unreachable.
//!
//! It also records every request for the test, serves the pages for entering cards, which
//! localstripe lacks ([`checkout`]), and removes `off_session` from the forms of `/confirm`, which
//! Stripe accepts and localstripe does not. [`ProviderDoor::requests`] has the forms as sent.
//!
//! A fault applies to a pattern of requests ([`Asked::fits`]) and strikes a number of times. Faults
//! for the same request strike in the order in which they were added.

mod asked;
pub mod checkout;
mod faults;
mod keys;
mod listening;
#[cfg(test)]
mod tests;

pub use asked::{Asked, Reply};
pub use faults::Held;

use self::checkout::Checkout;
use crate::servers::free_port;
use faults::Fault;
use keys::Keys;
use listening::{Answer, Listening};
use reqwest::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use reqwest::{Client, Method, redirect};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use url::form_urlencoded;

/// The longest a test waits for expected requests.
const EXPECTED: Duration = Duration::from_secs(60);

/// The door. It is open at first, and shut for good when dropped.
pub struct ProviderDoor {
    room: Arc<Room>,
    port: u16,
    listening: Mutex<Option<Listening>>,
}

impl ProviderDoor {
    /// Creates a door in front of the provider at this URL, which has no trailing slash.
    pub async fn before(provider: &str) -> Self {
        shared::tls::install_provider();
        let http = Client::builder().no_proxy().redirect(redirect::Policy::none());
        let http = http.timeout(Duration::from_secs(60)).build().expect("a client");
        let room = Arc::new(Room {
            provider: provider.to_owned(),
            checkout: Checkout::before(provider, &http),
            http,
            faults: Mutex::default(),
            requests: watch::Sender::new(Vec::new()),
            keys: Keys::default(),
        });
        let door = Self { room, port: free_port(), listening: Mutex::default() };
        door.up().await;
        door
    }

    /// The provider's URL for the api-server, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Loses requests before the provider sees them: the connection closes.
    pub fn refuse(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::Refuse);
    }

    /// Passes requests on and loses the answers: the connection closes.
    pub fn lose_answer(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::LoseAnswer);
    }

    /// Holds the next matching request before the provider sees it, until the test decides.
    pub fn hold_before(&self, pattern: &str) -> Held {
        let (held, hold) = Held::new();
        self.push(pattern, Fault::HoldBefore(hold));
        held
    }

    /// Passes the next matching request on and holds its answer, until the test decides.
    pub fn hold_after(&self, pattern: &str) -> Held {
        let (held, hold) = Held::new();
        self.push(pattern, Fault::HoldAfter(hold));
        held
    }

    /// Answers in place of the provider, which never sees the request.
    pub fn answer(&self, pattern: &str, times: usize, reply: &Reply) {
        self.add(pattern, times, || Fault::Answer(reply.clone()));
    }

    /// Lets the provider carry out the request, and answers something else.
    pub fn spoil_answer(&self, pattern: &str, times: usize, reply: &Reply) {
        self.add(pattern, times, || Fault::SpoilAnswer(reply.clone()));
    }

    /// Lets the provider carry out the request, and breaks off its answer in the middle.
    pub fn cut_answer(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::CutAnswer);
    }

    /// Lets the provider carry out the request, and sends its answer byte by byte with this pause
    /// before each.
    pub fn drip_answer(&self, pattern: &str, times: usize, pause: Duration) {
        self.add(pattern, times, || Fault::DripAnswer(pause));
    }

    /// Lets the provider carry out the request, and sends an endless answer.
    pub fn answer_endlessly(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::EndlessAnswer);
    }

    fn add(&self, pattern: &str, times: usize, fault: impl Fn() -> Fault) {
        for _ in 0..times {
            self.push(pattern, fault());
        }
    }

    fn push(&self, pattern: &str, fault: Fault) {
        self.room.faults.lock().expect("not poisoned").push((pattern.to_owned(), fault));
    }

    /// Removes the faults that have not struck, and returns their number.
    pub fn mend(&self) -> usize {
        std::mem::take(&mut *self.room.faults.lock().expect("not poisoned")).len()
    }

    /// Handles idempotency keys like Stripe from now on: a repeated key gets the first answer, even
    /// one that was lost.
    pub fn keep_keys(&self) {
        self.room.keys.keep();
    }

    /// Closes the port and cuts all connections, so that the provider is unreachable. Requests in
    /// flight still arrive.
    pub async fn down(&self) {
        let listening = self.listening.lock().expect("not poisoned").take();
        if let Some(listening) = listening {
            listening.stop().await;
        }
    }

    /// Accepts connections again.
    pub async fn up(&self) {
        let listening = Listening::start(self.port, Arc::clone(&self.room)).await;
        *self.listening.lock().expect("not poisoned") = Some(listening);
    }

    /// All requests so far, lost ones included.
    pub fn requests(&self) -> Vec<Asked> {
        self.room.requests.borrow().clone()
    }

    /// The requests that match a pattern.
    pub fn requests_to(&self, pattern: &str) -> Vec<Asked> {
        let requests = self.room.requests.borrow();
        requests.iter().filter(|asked| asked.fits(pattern)).cloned().collect()
    }

    /// Clears the list of requests.
    pub fn forget_requests(&self) {
        self.room.requests.send_modify(Vec::clear);
    }

    /// Waits until this many requests have matched a pattern.
    pub async fn wait_for(&self, pattern: &str, count: usize) -> Vec<Asked> {
        let mut requests = self.room.requests.subscribe();
        let enough = |all: &Vec<Asked>| all.iter().filter(|asked| asked.fits(pattern)).count();
        let wait = requests.wait_for(|all| enough(all) >= count);
        let in_time = timeout(EXPECTED, wait).await.map(drop);
        assert!(in_time.is_ok(), "{count} of {pattern}: {:#?}", self.requests());
        self.requests_to(pattern)
    }

    /// All checkout sessions, oldest first.
    pub fn checkouts(&self) -> Vec<Value> {
        self.room.checkout.sessions()
    }

    /// Plays a borrower who enters this card on the provider's page, which attaches it to the
    /// customer. Returns the URL to which the browser is then sent.
    pub async fn complete_checkout(&self, session: &str, card: &str) -> String {
        self.room.checkout.complete(session, card).await
    }

    /// Lets a checkout session expire.
    pub fn expire_checkout(&self, session: &str) {
        self.room.checkout.expire(session);
    }
}

/// The proxy's shared state.
struct Room {
    provider: String,
    http: Client,
    faults: Mutex<Vec<(String, Fault)>>,
    requests: watch::Sender<Vec<Asked>>,
    keys: Keys,
    checkout: Checkout,
}

impl Room {
    /// Passes a request on, subject to faults; `None` if there is no answer.
    async fn pass(&self, asked: Asked) -> Option<Answer> {
        let fault = self.take_fault(&asked);
        self.requests.send_modify(|requests| requests.push(asked.clone()));
        let Some(fault) = fault else {
            return self.deliver(&asked).await.map(Answer::Whole);
        };
        match fault {
            Fault::Refuse => None,
            Fault::LoseAnswer => {
                self.deliver(&asked).await;
                None
            }
            Fault::HoldBefore(hold) => {
                let passed_on = hold.wait(asked.clone()).await?;
                let reply = self.deliver(&asked).await;
                let _ = passed_on.send(());
                reply.map(Answer::Whole)
            }
            Fault::HoldAfter(hold) => {
                let reply = self.deliver(&asked).await;
                let passed_on = hold.wait(asked).await?;
                let _ = passed_on.send(());
                reply.map(Answer::Whole)
            }
            Fault::Answer(reply) => Some(Answer::Whole(reply)),
            Fault::SpoilAnswer(reply) => {
                self.deliver(&asked).await;
                Some(Answer::Whole(reply))
            }
            Fault::CutAnswer => self.deliver(&asked).await.map(Answer::Cut),
            Fault::DripAnswer(pause) => {
                self.deliver(&asked).await.map(|reply| Answer::Dripping(reply, pause))
            }
            Fault::EndlessAnswer => self.deliver(&asked).await.map(|_| Answer::Endless),
        }
    }

    fn take_fault(&self, asked: &Asked) -> Option<Fault> {
        let mut faults = self.faults.lock().expect("not poisoned");
        let place = faults.iter().position(|(pattern, _)| asked.fits(pattern))?;
        Some(faults.remove(place).1)
    }

    /// Carries out a request, once per key if keys are handled.
    async fn deliver(&self, asked: &Asked) -> Option<Reply> {
        let key = asked.idempotency_key().filter(|_| asked.method == Method::POST);
        let Some(key) = key else { return self.execute(asked).await };
        if let Some(known) = self.keys.begin(key, asked) {
            return Some(known);
        }
        let reply = self.execute(asked).await;
        self.keys.finish(key, reply.as_ref());
        reply
    }

    /// Carries out a request; `None` if the provider is unreachable.
    async fn execute(&self, asked: &Asked) -> Option<Reply> {
        if let Some(reply) = self.checkout.answer(asked).await {
            return Some(reply);
        }
        let mut url = format!("{}{}", self.provider, asked.path);
        if !asked.query.is_empty() {
            url += &format!("?{}", asked.query);
        }
        let mut headers = asked.headers.clone();
        for name in [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING] {
            headers.remove(name);
        }
        let request = self.http.request(asked.method.clone(), url).headers(headers);
        let response = request.body(form_for_provider(asked)).send().await.ok()?;
        let (status, mut headers) = (response.status().as_u16(), response.headers().clone());
        for name in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            headers.remove(name);
        }
        Some(Reply { status, headers, body: response.bytes().await.ok()?.to_vec() })
    }
}

/// The form without the field that Stripe accepts and localstripe does not.
fn form_for_provider(asked: &Asked) -> String {
    if !asked.fits("POST /v1/payment_intents/*/confirm") || asked.field("off_session").is_none() {
        return asked.body.clone();
    }
    let form = asked.form().into_iter().filter(|(name, _)| name != "off_session");
    form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish()
}
