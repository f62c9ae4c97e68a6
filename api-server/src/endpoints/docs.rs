//! `GET /docs`: the contract for people, in a page that explains, logs in and tries operations out.
//!
//! The page is Swagger UI between sections of our own, all of it in one file: nothing comes from
//! another host. It logs in by the authorization code flow with PKCE in a second window, which ends
//! at the receiver and hands its code to the page through `window.opener`: neither page may get a
//! `Cross-Origin-Opener-Policy`. The token stays in the page's memory and is gone when the page is.
//!
//! What the page knows of the auth server is in the page alone: `/openapi.json` names no host, and
//! whoever generates a client needs a bearer token, from wherever it comes.

pub mod auth_endpoints;
mod page;
mod problems;
mod start;

use crate::http::fixed_body::FixedBody;
use crate::http::versions::Known;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, Render, html};
use poem::http::header::{CONTENT_SECURITY_POLICY, LOCATION};
use poem::http::{HeaderValue, StatusCode, Uri};
use poem::web::Data;
use poem::{Endpoint, Request, Response, handler};
use reqwest::Url;
use std::sync::Arc;

/// Where the auth server sends the second window: a redirect URI of the page's client.
pub const RECEIVER: &str = "/docs/oauth-receiver.html";

/// Stands in the page where this server's own address belongs.
const THIS_SERVER: &str = "https://this-server.invalid";

/// Browsers ask the server for an icon unless the page has one.
const NO_ICON: &str = "<link rel=\"icon\" href=\"data:,\">";

/// Both pages, made once.
pub struct Docs {
    page: Page,
    receiver: Page,
}

/// `GET /` leads to `/docs`.
pub fn lead() -> Response {
    Response::builder().status(StatusCode::FOUND).header(LOCATION, "/docs").finish()
}

/// `GET /docs`
#[handler]
pub fn show(docs: Data<&Arc<Docs>>, request: &Request, known: Known) -> Response {
    docs.page.response(request, &known)
}

/// `GET /docs/oauth-receiver.html`
#[handler]
pub fn receive(docs: Data<&Arc<Docs>>, request: &Request, known: Known) -> Response {
    docs.receiver.response(request, &known)
}

impl Docs {
    /// The pages of a contract for this auth server and this server, as browsers reach them, and
    /// this client.
    pub async fn new(
        contract: &str,
        auth_url: &str,
        client_id: &str,
        own_url: &str,
    ) -> Result<Self, String> {
        let origin = policy_source(auth_url);
        let receiver = receiver_html().await.map_err(|error| error.to_string())?;
        let scripts = sources(&[page::within(&receiver, "script")]);
        let receiver_may = format!("script-src {scripts}; img-src data:; form-action 'none'");
        let page = page::made(contract, auth_url, client_id);
        let own_url = html! { (own_url) }.into_string();
        let (scripts, styles) = (sources(&page.scripts), sources(&page.styles));
        let page_may = format!(
            "script-src {scripts}; style-src {styles}; img-src data:; connect-src 'self' {origin}; \
             form-action 'none'"
        );
        Ok(Self {
            page: Page::new(page.html.replace(THIS_SERVER, &own_url), &page_may)?,
            receiver: Page::new(receiver, &receiver_may)?,
        })
    }
}

/// The origin of a URL as a source of a content security policy.
fn policy_source(url: &str) -> String {
    Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

/// The framework's page for the second window.
async fn receiver_html() -> poem::Result<String> {
    let request = Request::builder().uri(Uri::from_static("/oauth-receiver.html")).finish();
    let response = page::framework().swagger_ui().get_response(request).await;
    let html = response.into_body().into_string().await?;
    Ok(html.replacen("<head>", &format!("<head>\n    {NO_ICON}"), 1))
}

/// A page and what it is allowed.
struct Page {
    html: FixedBody,
    policy: HeaderValue,
}

impl Page {
    fn new(html: String, allowed: &str) -> Result<Self, String> {
        let policy =
            format!("default-src 'none'; {allowed}; frame-ancestors 'none'; base-uri 'none'");
        Ok(Self {
            html: FixedBody::new("text/html; charset=utf-8", html),
            policy: HeaderValue::try_from(policy).map_err(|error| error.to_string())?,
        })
    }

    fn response(&self, request: &Request, known: &Known) -> Response {
        let mut response = self.html.response(request, known);
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

/// Scripts or styles by their hashes: no other one counts.
fn sources(texts: &[impl AsRef<str>]) -> String {
    let hashes = texts.iter().map(|text| digest(&SHA256, text.as_ref().as_bytes()));
    hashes.map(|hash| format!("'sha256-{}'", STANDARD.encode(hash))).collect::<Vec<_>>().join(" ")
}

/// A text in which code stands between backticks.
struct Text<'a>(&'a str);

impl Render for Text<'_> {
    fn render(&self) -> Markup {
        let parts = self.0.split('`').enumerate();
        html! {
            @for (index, part) in parts {
                @if index % 2 == 1 { code { (part) } } @else { (part) }
            }
        }
    }
}

/// Lines to be typed or read.
fn lines(text: &str) -> Markup {
    html! { pre tabindex="0" { code { (text) } } }
}

/// A search field that only a script can serve.
fn search(id: &str, label: &str, hint: &str) -> Markup {
    let found = format!("{id}-found");
    html! {
        div.search hidden {
            label for=(id) { (label) }
            input id=(id) type="search" placeholder=(hint) autocomplete="off" spellcheck="false"
                aria-describedby=(found);
            p.found id=(found) role="status" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router;

    const AUTH: &str = "https://auth.example:8443/realm";
    const OWN: &str = "https://api.example/\"<x>";

    async fn docs() -> Docs {
        Docs::new(router::document(), AUTH, "browser", OWN).await.unwrap()
    }

    #[tokio::test]
    async fn the_framework_still_makes_what_the_pages_are_made_of() {
        let docs = docs().await;
        let page = String::from_utf8_lossy(docs.page.html.plain()).into_owned();
        assert_eq!(page.matches("SwaggerUIBundle({").count(), 1, "it is called once");
        assert!(page.contains(".swagger-ui .opblock"), "its style sheet");
        assert!(page.len() > 1_000_000, "its script");
        assert!(
            page.contains("https://api.example/&quot;&lt;x&gt;"),
            "this server's address, escaped"
        );
        assert!(!page.contains(THIS_SERVER) && !page.contains(OWN));
        let receiver = String::from_utf8_lossy(docs.receiver.html.plain()).into_owned();
        assert!(receiver.contains("window.opener") && receiver.contains(NO_ICON));
    }

    #[tokio::test]
    async fn a_page_runs_its_own_scripts_and_calls_its_own_servers() {
        let docs = docs().await;
        let policy = docs.page.policy.to_str().unwrap();
        let (scripts, styles) = policy.split_once("style-src").unwrap();
        assert_eq!(scripts.matches("'sha256-").count(), 3, "{policy}");
        assert_eq!(styles.matches("'sha256-").count(), 2, "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let connect = "connect-src 'self' https://auth.example:8443;";
        assert!(policy.contains(connect), "{policy}");
        let policy = docs.receiver.policy.to_str().unwrap();
        assert_eq!(policy.matches("'sha256-").count(), 1, "{policy}");
        assert!(!policy.contains("connect-src"), "{policy}");
    }

    #[test]
    fn what_stands_between_backticks_is_code_and_everything_is_escaped() {
        let text = Text("A `<b>` & `c`.").render().into_string();
        assert_eq!(text, "A <code>&lt;b&gt;</code> &amp; <code>c</code>.");
    }
}
