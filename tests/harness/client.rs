//! A client of the two servers, over real HTTPS.

use crate::contract;
use crate::response::TestResponse;
use futures_util::future::join_all;
use oauth2::basic::BasicClient;
use oauth2::{
    AuthUrl, ClientId, ClientSecret, HttpRequest, HttpResponse, ResourceOwnerPassword,
    ResourceOwnerUsername, Scope, TokenResponse, TokenUrl,
};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use tokio::time::sleep;

/// The servers' addresses, and the authority to trust.
#[derive(Clone, Debug)]
pub struct Client {
    pub auth_url: String,
    pub api_url: String,
    /// The client for plain HTTP requests.
    pub http: reqwest::Client,
    /// The secret of the client `integration`.
    pub client_secret: String,
    /// True if each answer must conform to the contract. Checking takes time.
    pub(crate) checks_contract: bool,
}

impl Client {
    /// Creates a client of these servers that trusts this authority only.
    pub fn new(auth_url: &str, api_url: &str, ca: &Path, client_secret: &str) -> Self {
        let pem = std::fs::read(ca).expect("the authority is there");
        let authority = reqwest::Certificate::from_pem(&pem).expect("the authority is one");
        let http = reqwest::Client::builder()
            .tls_certs_only([authority])
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(600))
            .build()
            .expect("a client");
        Self {
            auth_url: auth_url.to_owned(),
            api_url: api_url.to_owned(),
            http,
            client_secret: client_secret.to_owned(),
            checks_contract: false,
        }
    }

    /// Returns a client that fails when an answer of the api-server does not conform to the
    /// contract.
    #[must_use]
    pub fn checked_against_contract(mut self) -> Self {
        self.checks_contract = true;
        self
    }

    /// Returns a client that goes through a web server, which has answers of its own.
    #[must_use]
    pub fn through(&self, web_server_url: &str) -> Self {
        let api_url = web_server_url.to_owned();
        Self { api_url, checks_contract: false, ..self.clone() }
    }

    /// Logs in by the password grant, as an OAuth library does.
    pub async fn log_in(
        &self,
        scope: &str,
        user_name: &str,
        password: &str,
    ) -> Result<String, String> {
        let url = |path: &str| format!("{}{path}", self.auth_url);
        let oauth = BasicClient::new(ClientId::new("integration".to_owned()))
            .set_client_secret(ClientSecret::new(self.client_secret.clone()))
            .set_auth_uri(AuthUrl::new(url("/oauth2/authorize")).map_err(|e| e.to_string())?)
            .set_token_uri(TokenUrl::new(url("/oauth2/token")).map_err(|e| e.to_string())?);
        let send = |request: HttpRequest| self.send_oauth(request);
        let token = oauth
            .exchange_password(
                &ResourceOwnerUsername::new(user_name.to_owned()),
                &ResourceOwnerPassword::new(password.to_owned()),
            )
            .add_scope(Scope::new(scope.to_owned()))
            .request_async(&send)
            .await;
        token.map(|token| token.access_token().secret().clone()).map_err(|e| format!("{e:?}"))
    }

    async fn send_oauth(&self, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
        let (parts, body) = request.into_parts();
        let response = self
            .http
            .request(parts.method, parts.uri.to_string())
            .headers(parts.headers)
            .body(body)
            .send()
            .await?;
        let status = response.status();
        let mut answer = HttpResponse::new(response.bytes().await?.to_vec());
        *answer.status_mut() = status;
        Ok(answer)
    }

    /// Begins a request to the api-server.
    pub fn request(&self, method: Method, token: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.api_url));
        if token.is_empty() { request } else { request.header(AUTHORIZATION, bearer(token)) }
    }

    /// Sends a request and reads the answer to the end.
    pub async fn send(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<TestResponse, reqwest::Error> {
        let (http, request) = request.build_split();
        let request = request?;
        let (method, url) = (request.method().clone(), request.url().clone());
        let response = http.execute(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let answer = TestResponse { status, headers, text: response.text().await? };
        if self.checks_contract && url.as_str().starts_with(&self.api_url) {
            contract::check(&method, url.path(), &answer);
        }
        Ok(answer)
    }

    /// Sends a GET to the resource API.
    pub async fn get(&self, token: &str, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, token, path)).await.expect("a response")
    }

    /// Sends a POST with JSON, and an idempotency key if one is given.
    pub async fn try_post(
        &self,
        token: &str,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Result<TestResponse, reqwest::Error> {
        let mut request = self.request(Method::POST, token, path).json(body);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        self.send(request).await
    }

    /// Sends a POST with JSON, and fails the test if there is no answer.
    pub async fn post(
        &self,
        token: &str,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> TestResponse {
        self.try_post(token, path, body, key).await.expect("a response")
    }

    /// Sends a POST fifty times at once with one key, each until it is no longer in progress. One
    /// must be executed, and the others get its response.
    pub async fn post_fifty_times(&self, token: &str, path: &str, body: &Value) {
        let responses = join_all((0..50).map(|_| async {
            for _ in 0..200 {
                let response = self.post(token, path, body, Some("one key")).await;
                if response.status != 409 {
                    return response.expect(201);
                }
                assert_eq!(response.problem(), "idempotency-in-progress");
                assert_eq!(response.header("retry-after"), "1");
                sleep(Duration::from_millis(50)).await;
            }
            panic!("the request never ended");
        }))
        .await;
        let bodies: BTreeSet<&str> =
            responses.iter().map(|response| response.text.as_str()).collect();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
        let executed =
            responses.iter().filter(|response| response.header("idempotency-replayed") != "true");
        assert_eq!(executed.count(), 1);
    }

    /// Imports an XML file.
    pub async fn import(
        &self,
        token: &str,
        test: bool,
        xml: &str,
        key: Option<&str>,
    ) -> TestResponse {
        let path = format!("/core/xml-import?test={test}");
        let mut request = self
            .request(Method::POST, token, &path)
            .header(CONTENT_TYPE, "application/xml")
            .body(xml.to_owned());
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        self.send(request).await.expect("a response")
    }

    /// Sends a form to the auth server as this client, given as id and secret; without
    /// authentication if the id is empty.
    pub async fn form(
        &self,
        client: (&str, &str),
        path: &str,
        form: &[(&str, &str)],
    ) -> TestResponse {
        let request = self.http.post(format!("{}{path}", self.auth_url)).form(form);
        let request = match client.0 {
            "" => request,
            id => request.basic_auth(id, Some(client.1)),
        };
        self.send(request).await.expect("a response")
    }

    pub async fn log_out(&self, token: &str) -> TestResponse {
        let request = self.http.post(format!("{}/logout", self.auth_url));
        self.send(request.header(AUTHORIZATION, bearer(token))).await.expect("a response")
    }
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}
