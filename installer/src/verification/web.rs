//! HTTP requests to the server, once its certificate holds.

use super::STEP_TIME;
use super::connect::Target;
use reqwest::{RequestBuilder, StatusCode, Url, redirect};
use rustls::ALL_VERSIONS;
use serde_json::Value;
use std::error::Error;
use std::path::Path;

/// An auth server's responses are never longer.
const RESPONSE_BYTES_MAX: usize = 256 * 1024;

/// A client for one server that follows no redirects and uses no proxy.
pub(super) struct Web {
    client: reqwest::Client,
    /// The server's public URL.
    public: Url,
    /// The host and the port that are actually contacted.
    host: String,
    port: u16,
}

impl Web {
    /// Creates a client that trusts the authorities in this file and connects to the address that
    /// accepted.
    pub(super) fn new(target: &Target, authorities: &Path) -> Result<Self, String> {
        let config = shared::tls::client_config(authorities, ALL_VERSIONS)?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(config)
            .https_only(true)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(STEP_TIME)
            .resolve(&target.host, target.address)
            .build()
            .map_err(|error| with_causes(&error))?;
        let (public, host, port) = (target.url.clone(), target.host.clone(), target.address.port());
        Ok(Self { client, public, host, port })
    }

    pub(super) fn client(&self) -> reqwest::Client {
        self.client.clone()
    }

    /// The same path at the server itself, bypassing any proxy.
    pub(super) fn bypassing_proxy(&self, mut url: Url) -> Url {
        if url.origin() == self.public.origin() {
            // Neither can fail: the URL has a host, and the name was accepted as one.
            let _ = url.set_host(Some(&self.host));
            let _ = url.set_port(Some(self.port));
        }
        url
    }

    pub(super) async fn get(&self, url: Url) -> Result<WebResponse, String> {
        self.send(self.client.get(self.bypassing_proxy(url))).await
    }

    /// Posts a form with HTTP Basic authentication.
    pub(super) async fn post(
        &self,
        url: Url,
        (user, password): (&str, &str),
        form: &[(&str, &str)],
    ) -> Result<WebResponse, String> {
        let request = self.client.post(self.bypassing_proxy(url));
        self.send(request.basic_auth(user, Some(password)).form(form)).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<WebResponse, String> {
        let mut response = request.send().await.map_err(|error| with_causes(&error))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| with_causes(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > RESPONSE_BYTES_MAX {
                return Err(format!("a response of more than {RESPONSE_BYTES_MAX} bytes"));
            }
        }
        Ok(WebResponse { status: response.status(), json: serde_json::from_slice(&body).ok() })
    }
}

pub(super) struct WebResponse {
    pub(super) status: StatusCode,
    /// The body, if it is JSON.
    pub(super) json: Option<Value>,
}

impl WebResponse {
    /// The JSON of a 200 response, otherwise a description of the response.
    pub(super) fn ok_json(&self) -> Result<&Value, String> {
        match (&self.json, self.status) {
            (Some(json), StatusCode::OK) => Ok(json),
            (None, StatusCode::OK) => Err("200, but not JSON".to_owned()),
            _ => Err(self.error()),
        }
    }

    /// The status, and the server's reason in the format of RFC 6749, 5.2.
    pub(super) fn error(&self) -> String {
        let member = |name| self.json.as_ref().and_then(|json| json.get(name)?.as_str());
        match member("error_description").or(member("error")) {
            Some(reason) => format!("{} ({reason})", self.status),
            None => self.status.to_string(),
        }
    }
}

/// The error with its causes, which reqwest's own text omits.
fn with_causes(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", STEP_TIME.as_secs());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
