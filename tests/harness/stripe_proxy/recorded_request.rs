//! A request as it arrived at the proxy, and the answer to it.

use crate::lean_client::read;
use hyper::body::Incoming;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::form_urlencoded;

/// A request as sent.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// When it had arrived.
    pub at: Instant,
    pub method: Method,
    /// The path without the query.
    pub path: String,
    /// The query; empty if there is none.
    pub query: String,
    pub headers: HeaderMap,
    /// The body, usually a form.
    pub body: String,
}

impl RecordedRequest {
    /// Reads a request to the end.
    pub(super) async fn read(request: hyper::Request<Incoming>) -> Result<Self, hyper::Error> {
        let (head, body) = request.into_parts();
        let bytes = read(body).await?;
        Ok(Self {
            at: Instant::now(),
            method: head.method,
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: head.headers,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub fn idempotency_key(&self) -> Option<&str> {
        self.header("idempotency-key")
    }

    /// The decoded fields of its form, in order.
    pub fn form(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.body.as_bytes()).into_owned().collect()
    }

    /// A field of its form.
    pub fn field(&self, name: &str) -> Option<String> {
        self.form().into_iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// The decoded parameters of its query, in order.
    pub fn parameters(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.query.as_bytes()).into_owned().collect()
    }

    /// All of it that anyone on the way can read, as sent and decoded, except the `Authorization`
    /// header: searched for texts that must not appear.
    pub fn text(&self) -> String {
        let mut text = format!("{} {}?{}\n", self.method, self.path, self.query);
        for (name, value) in self.headers.iter().filter(|(name, _)| **name != AUTHORIZATION) {
            text += &format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()));
        }
        text += &self.body;
        for (name, value) in self.parameters().into_iter().chain(self.form()) {
            text += &format!("\n{name}={value}");
        }
        text
    }

    /// True if it matches the pattern: an optional method, and the end of a path, in which `*`
    /// stands for anything between two slashes. Examples: `POST /v1/refunds`, `/confirm`,
    /// `GET /v1/payment_intents/*`; `*` alone matches every request.
    pub fn matches(&self, pattern: &str) -> bool {
        let line = format!("{} {}", self.method, self.path);
        let mut parts = line.rsplit('/');
        let mut pattern_parts = pattern.rsplit('/').peekable();
        while let Some(expected) = pattern_parts.next() {
            let any = expected == "*" || (expected.is_empty() && pattern_parts.peek().is_none());
            match parts.next() {
                Some(part) if any || part == expected => {}
                _ => return false,
            }
        }
        true
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    /// The headers, except those about the connection and the length.
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    /// A reply labelled as JSON, whatever its body is.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let reply = Self { status, headers: HeaderMap::new(), body: body.into() };
        reply.with("content-type", "application/json")
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, body.to_string())
    }

    /// An error in Stripe's format: `type`, and `code` if there is one.
    pub fn error(status: u16, kind: &str, code: Option<&str>, message: &str) -> Self {
        let mut error = json!({"type": kind, "message": message});
        if let Some(code) = code {
            error["code"] = json!(code);
        }
        Self::json(status, &json!({ "error": error }))
    }

    /// Adds a header, or replaces its value.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_str(value).expect("a header's value");
        self.headers.insert(HeaderName::from_static(name), value);
        self
    }
}
