//! `GET /docs`: the documentation page, where people read about the API, log in and try operations
//! out.
//!
//! The page is Swagger UI between sections of our own, all in one file: nothing is loaded from
//! another host. It logs in with the authorization code flow and PKCE in a second window, which
//! ends at the receiver and passes its code to the page through `window.opener`: neither page may
//! send a `Cross-Origin-Opener-Policy`. The token is held only in the page's memory and is gone
//! with it.
//!
//! Only the page refers to the auth server: `/openapi.json` names no host, and a generated client
//! needs a bearer token from any source.

pub mod auth_endpoints;
mod page;
mod problems;
pub mod samples;
mod start;

use crate::http::etag::IfNoneMatch;
use crate::http::fixed_body::FixedBody;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, Render, html};
use poem::http::header::{CONTENT_SECURITY_POLICY, InvalidHeaderValue, LOCATION};
use poem::http::{HeaderValue, StatusCode, Uri};
use poem::web::Data;
use poem::{Endpoint, Request, Response, handler};
use reqwest::Url;
use shared::problem::Problem;
use std::sync::Arc;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

/// Path to which the auth server redirects the second window: a redirect URI of the page's client.
pub const RECEIVER: &str = "/docs/oauth-receiver.html";

/// Placeholder in the page for this server's own URL.
const THIS_SERVER: &str = "https://this-server.invalid";

/// Browsers request an icon from the server unless the page names one.
const NO_ICON: &str = "<link rel=\"icon\" href=\"data:,\">";

/// The documentation, built when first requested.
pub struct Docs {
    contract: &'static str,
    auth_url: String,
    client_id: String,
    own_url: String,
    pages: OnceCell<Pages>,
}

/// The documentation page, and the page in the second window.
struct Pages {
    main: HtmlPage,
    receiver: HtmlPage,
}

/// `GET /` redirects to `/docs`.
pub fn lead() -> Response {
    Response::builder().status(StatusCode::FOUND).header(LOCATION, "/docs").finish()
}

/// `GET /docs`
#[handler]
pub(crate) async fn show(
    docs: Data<&Arc<Docs>>,
    request: &Request,
    if_none_match: IfNoneMatch,
) -> Result<Response, Problem> {
    Ok(docs.pages().await?.main.response(request, &if_none_match).await)
}

/// `GET /docs/oauth-receiver.html`
#[handler]
pub(crate) async fn receive(
    docs: Data<&Arc<Docs>>,
    request: &Request,
    if_none_match: IfNoneMatch,
) -> Result<Response, Problem> {
    Ok(docs.pages().await?.receiver.response(request, &if_none_match).await)
}

impl Docs {
    /// Documents a contract, with the URLs of the auth server and of this server as browsers reach
    /// them, and the client id of the page.
    pub fn new(contract: &'static str, auth_url: &str, client_id: &str, own_url: &str) -> Self {
        Self {
            contract,
            auth_url: auth_url.to_owned(),
            client_id: client_id.to_owned(),
            own_url: own_url.to_owned(),
            pages: OnceCell::new(),
        }
    }

    async fn pages(self: &Arc<Self>) -> Result<&Pages, Problem> {
        let build = || async {
            let receiver = receiver_html().await.map_err(Problem::internal)?;
            let docs = Arc::clone(self);
            let pages = spawn_blocking(move || docs.build(receiver)).await;
            pages.map_err(Problem::internal)?.map_err(Problem::internal)
        };
        self.pages.get_or_try_init(build).await
    }

    fn build(&self, receiver: String) -> Result<Pages, InvalidHeaderValue> {
        let origin = policy_source(&self.auth_url);
        let scripts = sources(&[page::within(&receiver, "script")]);
        let receiver_policy = format!("script-src {scripts}; img-src data:; form-action 'none'");
        let page = page::build(self.contract, &self.auth_url, &self.client_id);
        let own_url = html! { (self.own_url) }.into_string();
        let (scripts, styles) = (sources(&page.scripts), sources(&page.styles));
        let page_policy = format!(
            "script-src {scripts}; style-src {styles}; img-src data:; connect-src 'self' {origin}; \
             form-action 'none'"
        );
        Ok(Pages {
            main: HtmlPage::new(page.html.replace(THIS_SERVER, &own_url), &page_policy)?,
            receiver: HtmlPage::new(receiver, &receiver_policy)?,
        })
    }
}

/// Returns the origin of a URL as a source in a content security policy.
fn policy_source(url: &str) -> String {
    Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

/// Returns the framework's page for the second window.
async fn receiver_html() -> poem::Result<String> {
    let request = Request::builder().uri(Uri::from_static("/oauth-receiver.html")).finish();
    let response = page::framework().swagger_ui().get_response(request).await;
    let html = response.into_body().into_string().await?;
    Ok(html.replacen("<head>", &format!("<head>\n    {NO_ICON}"), 1))
}

/// A page with its content security policy.
struct HtmlPage {
    html: FixedBody,
    policy: HeaderValue,
}

impl HtmlPage {
    fn new(html: String, allowed: &str) -> Result<Self, InvalidHeaderValue> {
        let policy =
            format!("default-src 'none'; {allowed}; frame-ancestors 'none'; base-uri 'none'");
        Ok(Self {
            html: FixedBody::new("text/html; charset=utf-8", html),
            policy: HeaderValue::try_from(policy)?,
        })
    }

    async fn response(&self, request: &Request, if_none_match: &IfNoneMatch) -> Response {
        let mut response = self.html.response(request, if_none_match).await;
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

/// Returns scripts or styles as hashes for a content security policy, which admits no others.
fn sources(texts: &[impl AsRef<str>]) -> String {
    let hashes = texts.iter().map(|text| digest(&SHA256, text.as_ref().as_bytes()));
    hashes.map(|hash| format!("'sha256-{}'", STANDARD.encode(hash))).collect::<Vec<_>>().join(" ")
}

/// A text with code between backticks.
struct InlineText<'a>(&'a str);

impl Render for InlineText<'_> {
    fn render(&self) -> Markup {
        let parts = self.0.split('`').enumerate();
        html! {
            @for (index, part) in parts {
                @if index % 2 == 1 { code { (part) } } @else { (part) }
            }
        }
    }
}

/// Preformatted lines to type or read.
fn lines(text: &str) -> Markup {
    html! { pre tabindex="0" { code { (text) } } }
}

/// A search field, hidden until the script enables it.
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

    fn docs() -> Arc<Docs> {
        Arc::new(Docs::new(router::document(), AUTH, "browser", OWN))
    }

    #[tokio::test]
    async fn the_frameworks_page_template_is_as_expected() {
        let docs = docs();
        let pages = docs.pages().await.unwrap();
        let page = String::from_utf8_lossy(pages.main.html.plain()).into_owned();
        assert_eq!(page.matches("SwaggerUIBundle({").count(), 1, "it is called once");
        assert!(page.contains(".swagger-ui .opblock"), "its style sheet");
        assert!(page.len() > 1_000_000, "its script");
        assert!(
            page.contains("https://api.example/&quot;&lt;x&gt;"),
            "this server's address, escaped"
        );
        assert!(!page.contains(THIS_SERVER) && !page.contains(OWN));
        let receiver = String::from_utf8_lossy(pages.receiver.html.plain()).into_owned();
        assert!(receiver.contains("window.opener") && receiver.contains(NO_ICON));
    }

    #[tokio::test]
    async fn a_pages_policy_allows_only_its_scripts_and_servers() {
        let docs = docs();
        let pages = docs.pages().await.unwrap();
        let policy = pages.main.policy.to_str().unwrap();
        let (scripts, styles) = policy.split_once("style-src").unwrap();
        assert_eq!(scripts.matches("'sha256-").count(), 3, "{policy}");
        assert_eq!(styles.matches("'sha256-").count(), 2, "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let connect = "connect-src 'self' https://auth.example:8443;";
        assert!(policy.contains(connect), "{policy}");
        let policy = pages.receiver.policy.to_str().unwrap();
        assert_eq!(policy.matches("'sha256-").count(), 1, "{policy}");
        assert!(!policy.contains("connect-src"), "{policy}");
    }

    #[test]
    fn text_in_backticks_becomes_code_and_everything_is_escaped() {
        let text = InlineText("A `<b>` & `c`.").render().into_string();
        assert_eq!(text, "A <code>&lt;b&gt;</code> &amp; <code>c</code>.");
    }
}
