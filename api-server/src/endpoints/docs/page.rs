//! The documentation page as a whole: a fixed header, the sections, and Swagger UI among them.

use super::{RECEIVER, auth_endpoints, problems, samples, search, start};
use crate::openapi::VERSION;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use poem_openapi::OpenApiService;
use serde_json::{Value, json};
use shared::html::{PALETTE, icon, padlock};

const STYLE: &str = concat!(include_str!("style.css"), include_str!("swagger_ui.css"));
/// Disables Swagger UI's scroller, which would take over links within the page, URL included.
const BEFORE: &str = "window.noZensmooth = true;";
const SCRIPT: &str = include_str!("page.js");

const SECTIONS: [(&str, &str); 5] = [
    ("start", "Getting started"),
    ("operations", "Operations"),
    ("problems", "Problems"),
    ("auth-server", "Auth server"),
    ("files", "Formats"),
];

/// The page, with its scripts and styles for the content security policy.
pub(super) struct DocsPage {
    pub html: String,
    pub scripts: [String; 3],
    pub styles: [String; 2],
}

/// Returns an empty service: the framework's pages are the same for any.
pub(super) fn framework() -> OpenApiService<(), ()> {
    OpenApiService::new((), "", "")
}

pub(super) fn build(contract: &str, auth_url: &str, client_id: &str) -> DocsPage {
    let contract: Value = serde_json::from_str(contract).unwrap_or_default();
    let problems = problems::section(&contract);
    let framework = framework().swagger_ui_html();
    let styles = [within(&framework, "style").to_owned(), [PALETTE, STYLE].concat()];
    let scripts = [BEFORE, within(&framework, "script"), SCRIPT].map(str::to_owned);
    let settings = in_script(&json!({
        "document": document(contract, auth_url),
        "receiver": RECEIVER,
        "logOut": format!("{auth_url}/logout"),
        "userinfo": format!("{auth_url}/oauth2/userinfo"),
        "logIn": {
            "clientId": client_id,
            "scopes": ["core", "openid"],
            "usePkceWithAuthorizationCodeGrant": true,
        },
    }));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Loan Servicing API" }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                link rel="icon" href=(icon());
                @for style in &styles { style { (PreEscaped(style)) } }
            }
            body {
                (header())
                main {
                    (start::languages())
                    (start::section(auth_url, client_id))
                    (operations())
                    (problems)
                    (auth_endpoints::section(auth_url))
                    (files())
                }
                script id="settings" type="application/json" { (PreEscaped(settings)) }
                @for script in &scripts { script { (PreEscaped(script)) } }
            }
        }
    };
    DocsPage { html: page.into_string(), scripts, styles }
}

/// Returns the content of the first element of this name in the framework's HTML.
pub(super) fn within<'a>(html: &'a str, element: &str) -> &'a str {
    let content =
        html.split_once(&format!("<{element}")).and_then(|(_, rest)| rest.split_once('>'));
    let content = content.and_then(|(_, rest)| rest.split_once(&format!("</{element}>")));
    content.map(|(text, _)| text).unwrap_or_default()
}

fn header() -> Markup {
    html! {
        header {
            h1 { (padlock()) span { "Loan Servicing API" } small { (VERSION) } }
            nav aria-label="Sections" {
                @for (anchor, name) in SECTIONS { a href={ "#" (anchor) } { (name) } }
            }
        }
    }
}

fn operations() -> Markup {
    html! {
        section id="operations" aria-labelledby="operations-title" {
            h2 id="operations-title" { "Operations" }
            p {
                "Log in with the Authorize button, open an operation, and try it out: it sends real
                 requests to this server. Payments and imports are dry runs until you set "
                code { "test" } " to " code { "false" } "; before anything is written, this page
                 asks for confirmation. Each operation has samples in curl, Python and TypeScript, with
                 an example's ids, versions and dates. New here? "
                a href="#start" { "Getting started" } "."
            }
            noscript { p {
                "Showing the operations requires JavaScript, which your browser does not run. All
                 of them are in " a href="/openapi.json" { "/openapi.json" } "."
            } }
            (search(
                "search-operations",
                "Search operations",
                "Path, name, word, tag or parameter",
            ))
            p.said id="said" role="status" {}
            div id="ui" {}
            dialog id="sure" aria-labelledby="sure-title" {
                h3 id="sure-title" { "Write to this server?" }
                p { code {} " is not a dry run: its changes are permanent." }
                button type="button" value="" autofocus { "Cancel" }
                button type="button" value="send" { "Send it" }
            }
        }
    }
}

fn files() -> Markup {
    html! {
        section id="files" aria-labelledby="files-title" {
            h2 id="files-title" { "Formats" }
            article {
                h3 { "The contract" }
                p {
                    a href="/openapi.json" { "/openapi.json" }
                    " is the OpenAPI document of all operations, suited to client generators. It
                     names no host: give the generated client this server's URL and a bearer token.
                     Amounts are strings with a pattern, so that no generator reads them into a
                     float; convert them to your language's decimal type. Members that are not
                     required may be missing from responses. A refused request gets a "
                    a href="#problems" { "problem" } "."
                }
                p {
                    a href="/openapi-interface.json" { "/openapi-interface.json" }
                    " is the same for the interface alone, without the extensions: operations and
                     parameters with " code { "x-extension" } ", which a server with "
                    code { "API_EXTENSIONS=off" } " does not have."
                }
            }
            article {
                h3 { "The import format" }
                p {
                    a href="/xml-import.xsd" { "/xml-import.xsd" }
                    " is the XML schema of the files that " code { "POST /core/xml-import" }
                    " accepts. An attribute has the name of the JSON member without its
                     underscores."
                }
            }
        }
    }
}

/// Returns JSON that cannot end the script element it is in.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Returns the contract with samples, and with a second way to authenticate: logging in at this auth
/// server.
fn document(mut document: Value, auth_url: &str) -> Value {
    samples::add(&mut document);
    document["components"]["securitySchemes"] = json!({
        "oauth2": {
            "type": "oauth2",
            "description": "Log in at the auth server with your name and password.",
            "flows": {"authorizationCode": {
                "authorizationUrl": format!("{auth_url}/oauth2/authorize"),
                "tokenUrl": format!("{auth_url}/oauth2/token"),
                "refreshUrl": format!("{auth_url}/oauth2/token"),
                "scopes": {
                    "core": "Log in as a user of the core system.",
                    "web": "Log in as a borrower with web credentials. Choose either this or core.",
                    "openid": "In addition to core or web: lets this page show who is logged in.",
                },
            }},
        },
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "opaque",
            "description": "Or paste an existing access token.",
        },
    });
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    let operations = operations.filter_map(|(_, methods)| methods.as_object_mut()).flatten();
    for (_, operation) in operations.filter(|(_, operation)| operation["security"].is_array()) {
        // Trying an operation out with the defaults posts no money.
        let parameters = operation["parameters"].as_array_mut().into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter["name"] == "test") {
            parameter["example"] = json!(true);
        }
        // The callers that an operation refuses by kind follow from its problems.
        let refused =
            operation.pointer("/responses/403/content/application~1problem+json/examples");
        let refuses = |kind| refused.is_some_and(|examples| examples.get(kind).is_some());
        let core_only = refuses("core-user-only") || refuses("admin-only");
        let mut schemes = vec![json!({"oauth2": ["core", "openid"]}), json!({"bearer": []})];
        if !core_only {
            schemes.insert(1, json!({"oauth2": ["web", "openid"]}));
        }
        operation["security"] = schemes.into();
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router;
    use std::collections::HashSet;

    const AUTH: &str = "https://auth.example:8443/realm";

    #[test]
    fn the_page_logs_in_where_browsers_can() {
        let contract = serde_json::from_str(router::document()).unwrap();
        let document = document(contract, AUTH);
        let schemes = &document["components"]["securitySchemes"];
        let flow = &schemes["oauth2"]["flows"]["authorizationCode"];
        assert_eq!(flow["authorizationUrl"], format!("{AUTH}/oauth2/authorize"));
        assert_eq!(flow["tokenUrl"], format!("{AUTH}/oauth2/token"));
        assert_eq!(schemes["bearer"]["scheme"], "bearer");
        let security = &document["paths"]["/loans/{loan_id}"]["get"]["security"];
        assert_eq!(*security, json!([{"oauth2": ["core", "openid"]}, {"bearer": []}]));
        let cards = "/loans/{loan_id}/payment-gateway/credit-cards";
        let borrowers = &document["paths"][cards]["get"]["security"][1];
        assert_eq!(*borrowers, json!({"oauth2": ["web", "openid"]}));
        assert!(!router::document().contains("oauth2\":"), "the contract names no host");
    }

    #[test]
    fn a_text_cannot_end_its_script() {
        let script = in_script(&json!({"description": "</script><script>alert(1)"}));
        assert!(!script.contains("</"), "{script}");
    }

    #[test]
    fn every_link_within_the_page_leads_somewhere() {
        let html = build(router::document(), AUTH, "browser").html;
        let own = html.split("<script").next().unwrap();
        let ids: Vec<_> = attributes(own, " id=\"").collect();
        let known: HashSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), known.len(), "an id appears twice");
        let links: Vec<_> = attributes(own, " href=\"#").collect();
        assert!(links.len() > 50 + SECTIONS.len(), "{links:?}");
        for link in links {
            assert!(known.contains(&link), "{link}");
        }
    }

    fn attributes<'a>(html: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
        html.split(begin).skip(1).filter_map(|rest| rest.split('"').next())
    }
}
