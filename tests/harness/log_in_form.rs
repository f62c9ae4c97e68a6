//! A minimal browser for logging in: it keeps cookies, reads the hidden fields of a form, and
//! follows redirects only when told to. Also the authorization requests of applications.

use crate::client::Client;
use crate::response::TestResponse;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use serde_json::Value;
use shared::random::random_bytes;
use std::collections::BTreeMap;
use std::sync::Mutex;
use url::Url;

/// The redirect URI of the client `browser` in a world.
pub const REDIRECT_URI: &str = "http://127.0.0.1:8765/callback";

/// The browser of one person.
pub struct Browser {
    client: Client,
    origin: String,
    /// The client address that a proxy reports.
    address: Option<String>,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl Browser {
    /// Creates a browser without cookies.
    pub fn new(client: &Client) -> Self {
        let origin = client.auth_url.clone();
        Self { client: client.clone(), origin, address: None, cookies: Mutex::default() }
    }

    /// Sends all further requests to another replica.
    #[must_use]
    pub fn through(mut self, replica: &Client) -> Self {
        self.client = replica.clone();
        self
    }

    /// Sets the client address, as a proxy reports it.
    #[must_use]
    pub fn from(mut self, address: &str) -> Self {
        self.address = Some(address.to_owned());
        self
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.lock().unwrap().get(name).cloned()
    }

    /// Opens an address: a path of the auth server, or a complete URL.
    pub async fn get(&self, address: &str) -> TestResponse {
        self.send(self.client.http.get(self.url(address))).await
    }

    /// Submits a form as a page of the auth server does.
    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> TestResponse {
        let request = self.client.http.post(self.url(path)).form(form);
        self.send(request.header(ORIGIN, &self.origin)).await
    }

    /// Sends any request with the cookies, and stores those that come back.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> TestResponse {
        let cookies = self.cookies.lock().unwrap().clone();
        let cookies: Vec<_> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = match cookies.is_empty() {
            true => request,
            false => request.header(COOKIE, cookies.join("; ")),
        };
        let request = match &self.address {
            Some(address) => request.header("x-forwarded-for", address),
            None => request,
        };
        let response = self.client.send(request).await.expect("a response");
        for header in response.headers.get_all(SET_COOKIE) {
            let header = header.to_str().unwrap();
            for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
                assert!(header.contains(attribute), "{header}");
            }
            assert!(header.starts_with("__Host-") && !header.contains("Domain"), "{header}");
            let (name, value) = header.split(';').next().unwrap().split_once('=').unwrap();
            let mut cookies = self.cookies.lock().unwrap();
            match header.contains("Max-Age=0") {
                true => cookies.remove(name),
                false => cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        response
    }

    /// Opens an authorization request, up to the log-in page.
    pub async fn open(&self, request: &AuthorizationRequest) -> LogInPage {
        let response = self.get(&request.url(&self.client.auth_url)).await.expect(303);
        LogInPage::read(self.get(response.header("location")).await.expect(200))
    }

    /// Fills in the log-in page and submits it.
    pub async fn submit(&self, page: &LogInPage, user_name: &str, password: &str) -> TestResponse {
        let form = [
            ("request", page.field("request")),
            ("csrf", page.field("csrf")),
            ("username", user_name),
            ("password", password),
        ];
        self.post("/login", &form).await
    }

    /// Logs in for a client and returns its code.
    pub async fn log_in(
        &self,
        request: &AuthorizationRequest,
        user_name: &str,
        password: &str,
    ) -> String {
        let page = self.open(request).await;
        request.code(&self.submit(&page, user_name, password).await)
    }

    fn url(&self, address: &str) -> String {
        match address.starts_with("https://") {
            true => address.to_owned(),
            false => format!("{}{address}", self.client.auth_url),
        }
    }
}

/// The log-in page, or the page that confirms a log-out.
#[derive(Debug)]
pub struct LogInPage {
    /// The whole page.
    pub html: String,
    fields: BTreeMap<String, String>,
}

impl LogInPage {
    /// Reads the hidden fields of a page.
    pub fn read(response: TestResponse) -> Self {
        let html = response.text;
        let field = |text: &str| {
            let (name, rest) = text.split_once("\" value=\"")?;
            let (value, _) = rest.split_once('"')?;
            Some((name.to_owned(), value.replace("&amp;", "&")))
        };
        let fields =
            html.split("<input type=\"hidden\" name=\"").skip(1).filter_map(field).collect();
        Self { html, fields }
    }

    /// The value of a hidden field.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

/// An authorization request by an application.
#[derive(Clone, Debug)]
pub struct AuthorizationRequest {
    /// Its parameters, which tests may change.
    pub parameters: Vec<(String, String)>,
    /// The PKCE code verifier.
    pub verifier: String,
}

impl AuthorizationRequest {
    /// A request by the client `browser`, with this scope.
    pub fn new(scope: &str) -> Self {
        Self::of("browser", REDIRECT_URI, scope)
    }

    /// A request by any client.
    pub fn of(client_id: &str, redirect_uri: &str, scope: &str) -> Self {
        let verifier = URL_SAFE_NO_PAD.encode(random_bytes::<32>());
        let challenge = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, verifier.as_bytes());
        let challenge = URL_SAFE_NO_PAD.encode(challenge);
        let parameters = [
            ("response_type", "code"),
            ("client_id", client_id),
            ("redirect_uri", redirect_uri),
            ("scope", scope),
            ("state", "a state & more"),
            ("nonce", "a nonce"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { parameters: parameters.into(), verifier }
    }

    /// Replaces a parameter; an empty value removes it.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.parameters.retain(|(parameter_name, _)| parameter_name != name);
        if !value.is_empty() {
            self.parameters.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub fn parameter(&self, name: &str) -> &str {
        self.parameters
            .iter()
            .find(|(parameter_name, _)| parameter_name == name)
            .map_or("", |(_, value)| value)
    }

    /// The URL that the browser is sent to.
    pub fn url(&self, auth_url: &str) -> String {
        let url = Url::parse_with_params(&format!("{auth_url}/oauth2/authorize"), &self.parameters);
        url.unwrap().into()
    }

    /// The parameters of the redirect to the application.
    #[track_caller]
    pub fn redirect_parameters(&self, response: &TestResponse) -> BTreeMap<String, String> {
        assert_eq!(response.status, 303, "{:.600}", response.text);
        let location = response.header("location");
        assert!(location.starts_with(self.parameter("redirect_uri")), "{location}");
        let url = Url::parse(location).unwrap();
        url.query_pairs().into_owned().collect()
    }

    /// The code in the redirect to the application.
    #[track_caller]
    pub fn code(&self, response: &TestResponse) -> String {
        let parameters = self.redirect_parameters(response);
        assert_eq!(parameters.get("state").map(String::as_str), Some(self.parameter("state")));
        parameters.get("code").unwrap_or_else(|| panic!("{parameters:?}")).clone()
    }

    /// Exchanges a code, as a public client.
    pub async fn exchange(&self, client: &Client, code: &str) -> TestResponse {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", self.parameter("client_id")),
            ("redirect_uri", self.parameter("redirect_uri")),
            ("code", code),
            ("code_verifier", &self.verifier),
        ];
        client.form(("", ""), "/oauth2/token", &form).await
    }

    /// Logs in with a new browser and returns the tokens.
    pub async fn tokens(&self, client: &Client, user_name: &str, password: &str) -> Value {
        let code = Browser::new(client).log_in(self, user_name, password).await;
        self.exchange(client, &code).await.expect(200).json()
    }
}
