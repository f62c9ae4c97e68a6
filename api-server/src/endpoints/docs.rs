//! `GET /docs`: the contract for people, in a page that logs in and tries operations out.
//!
//! The page is Swagger UI, all of it in one file: nothing comes from another host. It logs in by
//! the authorization code flow with PKCE in a second window, which ends at the receiver and hands
//! its code to the page through `window.opener`: neither page may get a
//! `Cross-Origin-Opener-Policy`. The token stays in the page's memory and is gone when the page is.
//!
//! What the page knows of the auth server is in the page alone: `/openapi.json` names no host, and
//! whoever generates a client needs a bearer token, from wherever it comes.

use crate::app::{self, App};
use crate::contract;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::http::header::CONTENT_SECURITY_POLICY;
use poem::http::{HeaderValue, Uri};
use poem::web::Data;
use poem::{Endpoint, Request, Response, handler};
use reqwest::Url;
use serde_json::{Value, json};
use std::sync::Arc;

/// Where the auth server sends the second window: a redirect URI of the page's client.
pub const RECEIVER: &str = "/docs/oauth-receiver.html";

/// Browsers ask the server for an icon unless the page has one.
const NO_ICON: &str = "<link rel=\"icon\" href=\"data:,\">";

/// Swagger UI asks for a client's secret even where there is none.
const NO_SECRET: &str =
    "<style>[for^=client_secret], [id^=client_secret] { display: none }</style>";

/// Both pages, made once.
pub struct Docs {
    page: Page,
    receiver: Page,
}

/// `GET /docs`
#[handler]
pub fn show(app: Data<&Arc<App>>) -> Response {
    app.docs.page.response()
}

/// `GET /docs/oauth-receiver.html`
#[handler]
pub fn receive(app: Data<&Arc<App>>) -> Response {
    app.docs.receiver.response()
}

impl Docs {
    /// The pages for this auth server, as browsers reach it, and this client of it.
    pub async fn new(auth_url: &str, client_id: &str) -> Result<Self, String> {
        let origin = policy_source(auth_url);
        let receiver = receiver_html().await.map_err(|error| error.to_string())?;
        Ok(Self {
            page: Page::new(
                page_html(auth_url, client_id),
                &format!(
                    "style-src 'unsafe-inline'; img-src data:; connect-src 'self' {origin}; \
                     form-action 'none'"
                ),
            )?,
            receiver: Page::new(receiver, "img-src data:; form-action 'none'")?,
        })
    }
}

/// The origin of a URL as a source of a content security policy.
fn policy_source(url: &str) -> String {
    Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

/// Swagger UI around the document, with the framework's last script replaced by our own: the
/// framework's knows nothing of logging in, and takes a link into the page for its address.
fn page_html(auth_url: &str, client_id: &str) -> String {
    let html = app::api().swagger_ui_html();
    let (frame, _) = html.rsplit_once("<script>").unwrap_or((&html, ""));
    let head = format!(
        "<head>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         {NO_ICON}\n{NO_SECRET}"
    );
    let frame = frame
        .trim_start()
        .replacen("<html charset=\"UTF-8\">", "<!DOCTYPE html>\n<html lang=\"en\">", 1)
        .replacen("<head>", &head, 1)
        .replacen("<title>Swagger UI</title>", "<title>Loan Servicing API</title>", 1);
    let script = script(&document(auth_url), client_id);
    format!("{frame}<script>{script}</script>\n</body>\n</html>\n")
}

fn script(document: &Value, client_id: &str) -> String {
    let receiver = in_script(&json!(RECEIVER));
    let log_in = json!({
        "clientId": client_id,
        "scopes": ["core"],
        "usePkceWithAuthorizationCodeGrant": true,
    });
    format!(
        "\nconst ui = SwaggerUIBundle({{\n  dom_id: '#ui',\n  spec: {},\n  deepLinking: true,\n  \
         oauth2RedirectUrl: window.location.origin + {receiver},\n}});\nui.initOAuth({});\n",
        in_script(document),
        in_script(&log_in)
    )
}

/// JSON that cannot end the script it stands in.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// The contract, with a second way to say who one is: logging in at this auth server.
fn document(auth_url: &str) -> Value {
    let mut document: Value = serde_json::from_str(contract::document()).unwrap_or_default();
    document["components"]["securitySchemes"] = json!({
        "oauth2": {
            "type": "oauth2",
            "description": "Log in at the auth server, which asks for your name and password.",
            "flows": {"authorizationCode": {
                "authorizationUrl": format!("{auth_url}/oauth2/authorize"),
                "tokenUrl": format!("{auth_url}/oauth2/token"),
                "refreshUrl": format!("{auth_url}/oauth2/token"),
                "scopes": {
                    "core": "Log in as a user of the core system.",
                    "web": "Log in as a borrower with web credentials. Either this or core.",
                    "openid": "An ID token as well, beside one of the two.",
                },
            }},
        },
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "opaque",
            "description": "Or paste an access token that you have.",
        },
    });
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    let operations = operations.filter_map(|(_, methods)| methods.as_object_mut()).flatten();
    for (_, operation) in operations.filter(|(_, operation)| operation["security"].is_array()) {
        operation["security"] = json!([{"oauth2": ["core"]}, {"bearer": []}]);
    }
    document
}

/// The framework's page for the second window.
async fn receiver_html() -> poem::Result<String> {
    let request = Request::builder().uri(Uri::from_static("/oauth-receiver.html")).finish();
    let response = app::api().swagger_ui().get_response(request).await;
    let html = response.into_body().into_string().await?;
    Ok(html.replacen("<head>", &format!("<head>\n    {NO_ICON}"), 1))
}

/// A page and what it is allowed.
struct Page {
    html: &'static str,
    policy: HeaderValue,
}

impl Page {
    fn new(html: String, allowed: &str) -> Result<Self, String> {
        let scripts = script_sources(&html).join(" ");
        let policy = format!(
            "default-src 'none'; script-src {scripts}; {allowed}; frame-ancestors 'none'; \
             base-uri 'none'"
        );
        Ok(Self {
            // Big, and there for as long as the process is: all answers share it.
            html: html.leak(),
            policy: HeaderValue::try_from(policy).map_err(|error| error.to_string())?,
        })
    }

    fn response(&self) -> Response {
        Response::builder()
            .content_type("text/html; charset=utf-8")
            .header(CONTENT_SECURITY_POLICY, self.policy.clone())
            .body(self.html)
    }
}

/// The scripts of a page by their hashes: no other one runs.
fn script_sources(html: &str) -> Vec<String> {
    let scripts = html.split("</script>").filter_map(|part| {
        let (_, script) = part.split_once("<script")?;
        script.split_once('>')
    });
    scripts
        .map(|(_, script)| digest(&SHA256, script.as_bytes()))
        .map(|hash| format!("'sha256-{}'", STANDARD.encode(hash)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTH: &str = "https://auth.example:8443/realm";

    #[tokio::test]
    async fn the_framework_still_makes_the_pages_that_are_changed_here() {
        let docs = Docs::new(AUTH, "browser").await.unwrap();
        let page = docs.page.html;
        for part in [
            "<!DOCTYPE html>\n<html lang=\"en\">",
            "<title>Loan Servicing API</title>",
            "<meta name=\"viewport\"",
            NO_ICON,
            "<div id=\"ui\"></div>",
            "usePkceWithAuthorizationCodeGrant",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert_eq!(page.matches("SwaggerUIBundle({").count(), 1);
        let receiver = docs.receiver.html;
        assert!(receiver.contains("window.opener") && receiver.contains(NO_ICON));
    }

    #[tokio::test]
    async fn a_page_runs_its_own_scripts_and_calls_its_own_servers() {
        let docs = Docs::new(AUTH, "browser").await.unwrap();
        let policy = docs.page.policy.to_str().unwrap();
        assert_eq!(policy.matches("'sha256-").count(), 2, "{policy}");
        let connect = "connect-src 'self' https://auth.example:8443;";
        assert!(policy.contains(connect), "{policy}");
        let policy = docs.receiver.policy.to_str().unwrap();
        assert_eq!(policy.matches("'sha256-").count(), 1, "{policy}");
        assert!(!policy.contains("connect-src"), "{policy}");
    }

    #[test]
    fn the_page_logs_in_where_browsers_can() {
        let document = document(AUTH);
        let schemes = &document["components"]["securitySchemes"];
        let flow = &schemes["oauth2"]["flows"]["authorizationCode"];
        assert_eq!(flow["authorizationUrl"], format!("{AUTH}/oauth2/authorize"));
        assert_eq!(flow["tokenUrl"], format!("{AUTH}/oauth2/token"));
        assert_eq!(schemes["bearer"]["scheme"], "bearer");
        let security = &document["paths"]["/loans/{loan_id}"]["get"]["security"];
        assert_eq!(*security, json!([{"oauth2": ["core"]}, {"bearer": []}]));
        assert!(!contract::document().contains("oauth2\":"), "the contract names no host");
    }

    #[test]
    fn a_text_cannot_end_its_script() {
        let script = script(&json!({"description": "</script><script>alert(1)"}), "</script>");
        assert!(!script.contains("</"), "{script}");
    }
}
