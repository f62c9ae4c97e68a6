//! Fault-injection proxy between the api-server and a payment provider: it loses requests before
//! the provider sees them, loses, delays, truncates or corrupts answers, makes them endless, or
//! makes the provider unreachable.
//!
//! It also records every request for the test, serves the pages for entering cards, which
//! localstripe lacks ([`checkout`]), and removes `off_session` from the forms of `/confirm`, which
//! Stripe accepts and localstripe does not. [`StripeProxy::requests`] has the forms as sent.
//!
//! A fault applies to a pattern of requests ([`RecordedRequest::matches`]) and strikes a number of
//! times. Faults for the same request strike in the order in which they were added.

pub mod checkout;
mod faults;
mod keys;
mod listener;
mod recorded_request;
#[cfg(test)]
mod tests;

pub use faults::HeldRequest;
pub use recorded_request::{RecordedRequest, Reply};

use self::checkout::Checkout;
use crate::servers::free_port;
use faults::Fault;
use keys::IdempotencyKeys;
use listener::{Listener, ReplyDelivery};
use reqwest::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use reqwest::{Client, Method, redirect};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use url::form_urlencoded;

/// The longest a test waits for expected requests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The proxy. It is open at first, and shut for good when dropped.
pub struct StripeProxy {
    state: Arc<ProxyState>,
    port: u16,
    listener: Mutex<Option<Listener>>,
}

impl StripeProxy {
    /// Creates a proxy in front of the provider at this URL, which has no trailing slash.
    pub async fn in_front_of(provider: &str) -> Self {
        shared::tls::install_provider();
        let http = Client::builder().no_proxy().redirect(redirect::Policy::none());
        let http = http.timeout(Duration::from_secs(60)).build().expect("a client");
        let state = Arc::new(ProxyState {
            provider: provider.to_owned(),
            checkout: Checkout::new(provider, &http),
            http,
            faults: Mutex::default(),
            requests: watch::Sender::new(Vec::new()),
            keys: IdempotencyKeys::default(),
        });
        let proxy = Self { state, port: free_port(), listener: Mutex::default() };
        proxy.up().await;
        proxy
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
    pub fn lose_reply(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::LoseReply);
    }

    /// Holds the next matching request before the provider sees it, until the test decides.
    pub fn hold_before(&self, pattern: &str) -> HeldRequest {
        let (held, hold) = HeldRequest::new();
        self.push(pattern, Fault::HoldBefore(hold));
        held
    }

    /// Passes the next matching request on and holds its answer, until the test decides.
    pub fn hold_after(&self, pattern: &str) -> HeldRequest {
        let (held, hold) = HeldRequest::new();
        self.push(pattern, Fault::HoldAfter(hold));
        held
    }

    /// Answers in place of the provider, which never sees the request.
    pub fn reply_with(&self, pattern: &str, times: usize, reply: &Reply) {
        self.add(pattern, times, || Fault::ReplyWith(reply.clone()));
    }

    /// Lets the provider carry out the request, and answers something else.
    pub fn replace_reply(&self, pattern: &str, times: usize, reply: &Reply) {
        self.add(pattern, times, || Fault::ReplaceReply(reply.clone()));
    }

    /// Lets the provider carry out the request, and breaks off its answer in the middle.
    pub fn truncate_reply(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::TruncateReply);
    }

    /// Lets the provider carry out the request, and sends its answer byte by byte with this pause
    /// before each.
    pub fn drip_reply(&self, pattern: &str, times: usize, pause: Duration) {
        self.add(pattern, times, || Fault::DripReply(pause));
    }

    /// Lets the provider carry out the request, and sends an endless answer.
    pub fn reply_endlessly(&self, pattern: &str, times: usize) {
        self.add(pattern, times, || Fault::EndlessReply);
    }

    fn add(&self, pattern: &str, times: usize, fault: impl Fn() -> Fault) {
        for _ in 0..times {
            self.push(pattern, fault());
        }
    }

    fn push(&self, pattern: &str, fault: Fault) {
        self.state.faults.lock().expect("not poisoned").push((pattern.to_owned(), fault));
    }

    /// Removes the faults that have not struck, and returns their number.
    pub fn clear_faults(&self) -> usize {
        std::mem::take(&mut *self.state.faults.lock().expect("not poisoned")).len()
    }

    /// Handles idempotency keys like Stripe from now on: a repeated key gets the first answer, even
    /// one that was lost.
    pub fn remember_keys(&self) {
        self.state.keys.remember();
    }

    /// Closes the port and cuts all connections, so that the provider is unreachable. Requests in
    /// flight still arrive.
    pub async fn down(&self) {
        let listener = self.listener.lock().expect("not poisoned").take();
        if let Some(listener) = listener {
            listener.stop().await;
        }
    }

    /// Accepts connections again.
    pub async fn up(&self) {
        let listener = Listener::start(self.port, Arc::clone(&self.state)).await;
        *self.listener.lock().expect("not poisoned") = Some(listener);
    }

    /// All requests so far, lost ones included.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.borrow().clone()
    }

    /// The requests that match a pattern.
    pub fn requests_to(&self, pattern: &str) -> Vec<RecordedRequest> {
        let requests = self.state.requests.borrow();
        requests.iter().filter(|request| request.matches(pattern)).cloned().collect()
    }

    /// Clears the list of requests.
    pub fn forget_requests(&self) {
        self.state.requests.send_modify(Vec::clear);
    }

    /// Waits until this many requests have matched a pattern.
    pub async fn wait_for(&self, pattern: &str, count: usize) -> Vec<RecordedRequest> {
        let mut requests = self.state.requests.subscribe();
        let matching = |all: &Vec<RecordedRequest>| {
            all.iter().filter(|request| request.matches(pattern)).count()
        };
        let wait = requests.wait_for(|all| matching(all) >= count);
        let in_time = timeout(TIMEOUT, wait).await.map(drop);
        assert!(in_time.is_ok(), "{count} of {pattern}: {:#?}", self.requests());
        self.requests_to(pattern)
    }

    /// All checkout sessions, oldest first.
    pub fn checkouts(&self) -> Vec<Value> {
        self.state.checkout.sessions()
    }

    /// Plays a borrower who enters this card on the provider's page, which attaches it to the
    /// customer. Returns the URL to which the browser is then sent.
    pub async fn complete_checkout(&self, session: &str, card: &str) -> String {
        self.state.checkout.complete(session, card).await
    }

    /// Lets a checkout session expire.
    pub fn expire_checkout(&self, session: &str) {
        self.state.checkout.expire(session);
    }
}

/// The proxy's shared state.
struct ProxyState {
    provider: String,
    http: Client,
    faults: Mutex<Vec<(String, Fault)>>,
    requests: watch::Sender<Vec<RecordedRequest>>,
    keys: IdempotencyKeys,
    checkout: Checkout,
}

impl ProxyState {
    /// Passes a request on, subject to faults; `None` if there is no answer.
    async fn forward(&self, request: RecordedRequest) -> Option<ReplyDelivery> {
        let fault = self.take_fault(&request);
        self.requests.send_modify(|requests| requests.push(request.clone()));
        let Some(fault) = fault else {
            return self.deliver(&request).await.map(ReplyDelivery::Complete);
        };
        match fault {
            Fault::Refuse => None,
            Fault::LoseReply => {
                self.deliver(&request).await;
                None
            }
            Fault::HoldBefore(hold) => {
                let passed_on = hold.wait(request.clone()).await?;
                let reply = self.deliver(&request).await;
                let _ = passed_on.send(());
                reply.map(ReplyDelivery::Complete)
            }
            Fault::HoldAfter(hold) => {
                let reply = self.deliver(&request).await;
                let passed_on = hold.wait(request).await?;
                let _ = passed_on.send(());
                reply.map(ReplyDelivery::Complete)
            }
            Fault::ReplyWith(reply) => Some(ReplyDelivery::Complete(reply)),
            Fault::ReplaceReply(reply) => {
                self.deliver(&request).await;
                Some(ReplyDelivery::Complete(reply))
            }
            Fault::TruncateReply => self.deliver(&request).await.map(ReplyDelivery::Truncated),
            Fault::DripReply(pause) => {
                self.deliver(&request).await.map(|reply| ReplyDelivery::Dripping(reply, pause))
            }
            Fault::EndlessReply => self.deliver(&request).await.map(|_| ReplyDelivery::Endless),
        }
    }

    fn take_fault(&self, request: &RecordedRequest) -> Option<Fault> {
        let mut faults = self.faults.lock().expect("not poisoned");
        let index = faults.iter().position(|(pattern, _)| request.matches(pattern))?;
        Some(faults.remove(index).1)
    }

    /// Carries out a request, once per key if keys are handled.
    async fn deliver(&self, request: &RecordedRequest) -> Option<Reply> {
        let key = request.idempotency_key().filter(|_| request.method == Method::POST);
        let Some(key) = key else { return self.execute(request).await };
        if let Some(stored) = self.keys.begin(key, request) {
            return Some(stored);
        }
        let reply = self.execute(request).await;
        self.keys.finish(key, reply.as_ref());
        reply
    }

    /// Carries out a request; `None` if the provider is unreachable.
    async fn execute(&self, request: &RecordedRequest) -> Option<Reply> {
        if let Some(reply) = self.checkout.handle(request).await {
            return Some(reply);
        }
        let mut url = format!("{}{}", self.provider, request.path);
        if !request.query.is_empty() {
            url += &format!("?{}", request.query);
        }
        let mut headers = request.headers.clone();
        for name in [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING] {
            headers.remove(name);
        }
        let outgoing = self.http.request(request.method.clone(), url).headers(headers);
        let response = outgoing.body(form_for_provider(request)).send().await.ok()?;
        let (status, mut headers) = (response.status().as_u16(), response.headers().clone());
        for name in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            headers.remove(name);
        }
        Some(Reply { status, headers, body: response.bytes().await.ok()?.to_vec() })
    }
}

/// The form without the field that Stripe accepts and localstripe does not.
fn form_for_provider(request: &RecordedRequest) -> String {
    if !request.matches("POST /v1/payment_intents/*/confirm")
        || request.field("off_session").is_none()
    {
        return request.body.clone();
    }
    let form = request.form().into_iter().filter(|(name, _)| name != "off_session");
    form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish()
}
