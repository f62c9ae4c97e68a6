//! A person with a browser who is sent from site to site, as far as log-ins need it: cookies are
//! kept, redirects are followed, and forms are filled in as in a real browser. The visitor stops at
//! any URL outside the known sites, which shows what an application without a server would receive.

use crate::response::TestResponse;
use reqwest::header::{COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Client, Method, Url};

/// More redirects in a row count as a loop.
const REDIRECTS_MAX: usize = 20;

/// A person with a browser.
#[derive(Debug)]
pub struct Visitor {
    http: Client,
    origins: Vec<String>,
    cookies: Vec<Cookie>,
    /// How often a password was requested.
    pub log_ins: usize,
}

/// Cookies are kept by host regardless of the port, as in browsers.
#[derive(Debug)]
struct Cookie {
    host: String,
    name: String,
    value: String,
    secure: bool,
}

/// The page the visitor is on.
#[derive(Clone, Debug)]
pub struct Page {
    /// The address.
    pub url: Url,
    /// The answer; `None` if the site is not a known one.
    pub response: Option<TestResponse>,
}

impl Page {
    /// The text of the page. Fails the test if there is none.
    #[track_caller]
    pub fn text(&self) -> &str {
        let response = self.response.as_ref().unwrap_or_else(|| panic!("no page at {}", self.url));
        &response.text
    }

    /// True if the page requests a log-in.
    pub fn asks_to_log_in(&self) -> bool {
        self.response.as_ref().is_some_and(|response| response.text.contains(r#"name="password""#))
    }

    /// The target of its form, and the hidden fields.
    fn form(&self) -> (Url, Vec<(String, String)>) {
        let form = self.text().split_once("<form").expect("a form").1;
        let form = form.split_once("</form>").expect("its end").0;
        let (head, body) = form.split_once('>').expect("a form");
        let action = attribute(head, "action").expect("an action");
        let hidden = body.split("<input").skip(1).filter_map(|input| {
            let input = input.split_once('>')?.0;
            let kind = attribute(input, "type")?;
            let field = (attribute(input, "name")?, attribute(input, "value")?);
            (kind == "hidden").then_some(field)
        });
        (self.url.join(&action).expect("a URL"), hidden.collect())
    }
}

/// The value of an attribute of a tag, unescaped.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let value = tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0;
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    Some(entities.iter().fold(value.to_owned(), |text, (from, to)| text.replace(from, to)))
}

impl Visitor {
    /// Creates a visitor who knows the sites of these origins. The client must not follow
    /// redirects.
    pub fn new(http: &Client, origins: &[&str]) -> Self {
        let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
        Self { http: http.clone(), origins, cookies: Vec::new(), log_ins: 0 }
    }

    /// Opens this address and follows redirects.
    pub async fn open(&mut self, url: &str) -> Page {
        let url = Url::parse(url).unwrap_or_else(|error| panic!("{url}: {error}"));
        self.follow(Method::GET, url, &[]).await
    }

    /// Submits the form of a page with these fields filled in, and follows redirects.
    pub async fn submit(&mut self, page: &Page, fields: &[(&str, &str)]) -> Page {
        let (action, mut form) = page.form();
        form.extend(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        self.follow(Method::POST, action, &form).await
    }

    /// Opens this address, logs in if requested, and follows redirects.
    pub async fn log_in(&mut self, url: &str, user_name: &str, password: &str) -> Page {
        let page = self.open(url).await;
        if !page.asks_to_log_in() {
            return page;
        }
        self.log_ins += 1;
        self.submit(&page, &[("username", user_name), ("password", password)]).await
    }

    async fn follow(&mut self, method: Method, url: Url, form: &[(String, String)]) -> Page {
        let (mut method, mut url) = (method, url);
        for _ in 0..REDIRECTS_MAX {
            if !self.origins.contains(&url.origin().ascii_serialization()) {
                return Page { url, response: None };
            }
            let response = self.send(&method, &url, form).await;
            if !response.status.is_redirection() {
                return Page { url, response: Some(response) };
            }
            // After 303, and after 302 as browsers have always read it, the next request is a GET.
            assert!(matches!(response.status.as_u16(), 302 | 303), "{:?}", response.status);
            method = Method::GET;
            url = url.join(response.header(LOCATION.as_str())).expect("a URL");
        }
        panic!("too many redirects, the last to {url}");
    }

    async fn send(
        &mut self,
        method: &Method,
        url: &Url,
        form: &[(String, String)],
    ) -> TestResponse {
        let mut request = self.http.request(method.clone(), url.clone());
        let cookies = self.cookies_for(url);
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies);
        }
        if method == Method::POST {
            request = request.header(ORIGIN, url.origin().ascii_serialization()).form(form);
        }
        let response = request.send().await.expect("a response");
        let (status, headers) = (response.status(), response.headers().clone());
        for header in headers.get_all(SET_COOKIE) {
            self.keep(url, header.to_str().expect("text"));
        }
        TestResponse { status, headers, text: response.text().await.expect("a page") }
    }

    fn cookies_for(&self, url: &Url) -> String {
        let applies = |cookie: &&Cookie| {
            Some(cookie.host.as_str()) == url.host_str()
                && (!cookie.secure || url.scheme() == "https")
        };
        let pairs = self.cookies.iter().filter(applies);
        let pairs: Vec<_> = pairs.map(|c| format!("{}={}", c.name, c.value)).collect();
        pairs.join("; ")
    }

    fn keep(&mut self, url: &Url, header: &str) {
        let mut parts = header.split(';').map(str::trim);
        let (name, value) = parts.next().and_then(|pair| pair.split_once('=')).expect("a cookie");
        let attributes: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
        let has = |attribute: &str| attributes.iter().any(|existing| existing == attribute);
        let host = url.host_str().expect("a host").to_owned();
        let secure = has("secure");
        // Browsers drop cookies with this prefix that break its rules (RFC 6265bis).
        if name.starts_with("__Host-") {
            let domain = attributes.iter().any(|attribute| attribute.starts_with("domain"));
            assert!(secure && has("path=/") && !domain, "no browser keeps {header}");
        }
        self.cookies.retain(|cookie| cookie.host != host || cookie.name != name);
        let expired = attributes.iter().any(|attribute| {
            attribute == "max-age=0"
                || attribute.strip_prefix("expires=").is_some_and(|date| date.contains("1970"))
        });
        if !expired && !value.is_empty() {
            self.cookies.push(Cookie {
                host,
                name: name.to_owned(),
                value: value.to_owned(),
                secure,
            });
        }
    }
}
