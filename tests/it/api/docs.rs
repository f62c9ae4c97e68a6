//! `/docs`: the documentation page explains the API, lets users log in and try out operations.

mod login;
mod navigation;
mod operation_console;

use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::web_browser::{PAGE_TIMEOUT, POLL_INTERVAL, WebBrowser};
use api_server::endpoints::docs::auth_endpoints::ENDPOINTS;
use auth_server::router::PATHS;
use flate2::read::GzDecoder;
use poem::http::header::IF_NONE_MATCH;
use reqwest::Method;
use std::collections::BTreeMap;
use std::io::Read;
use std::time::Instant;
use tokio::time::sleep;

#[tokio::test]
async fn the_documentation_pages_have_restrictive_policies() {
    on_each_database(PROGRAM, |world| async move {
        let auth_url = &world.client.auth_url;
        for path in ["/docs", "/docs/"] {
            let page = world.client.get("", path).await.expect(200);
            assert!(page.text.contains("usePkceWithAuthorizationCodeGrant"));
            assert!(page.text.contains(&format!("API={}", world.client.api_url)));
            assert!(!page.text.contains("this-server.invalid"));
            assert!(page.text.contains(&format!("{auth_url}/oauth2/authorize")));
            assert!(page.header("content-type").starts_with("text/html"));
            let policy = page.header("content-security-policy");
            assert!(policy.contains(&format!("connect-src 'self' {auth_url};")), "{policy}");
            assert!(!policy.contains("unsafe"), "{policy}");
            assert!(!page.text.contains("<script src"), "the page brings everything with it");
            assert_eq!(page.header("cross-origin-opener-policy"), "");
        }
        let receiver = world.client.get("", "/docs/oauth-receiver.html").await.expect(200);
        assert!(receiver.text.contains("window.opener"));
        assert_eq!(receiver.header("cross-origin-opener-policy"), "");
        let policy = receiver.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        for path in ["/docs/index.html", "/docs/oauth-receiver.html/", "/docs//"] {
            world.client.get("", path).await.expect_problem(404, "not-found");
        }
        let contract = world.client.get("", "/openapi.json").await.expect(200);
        assert!(!contract.text.contains("localhost"), "the contract names no host");
        world
    })
    .await;
}

#[tokio::test]
async fn an_unchanged_page_is_not_sent_again() {
    on_each_database(PROGRAM, |world| async move {
        for path in ["/docs", "/docs/oauth-receiver.html"] {
            let page = world.client.get("", path).await.expect(200);
            assert_eq!(page.header("cache-control"), "no-cache");
            let tag = page.header("etag").to_owned();
            let repeated = world.client.request(Method::GET, "", path);
            let repeated = world.client.send(repeated.header(IF_NONE_MATCH, &tag)).await.unwrap();
            let repeated = repeated.expect(304);
            assert!(repeated.text.is_empty() && repeated.header("etag") == tag);
            let other = world.client.request(Method::GET, "", path);
            let other =
                world.client.send(other.header(IF_NONE_MATCH, "\"another\"")).await.unwrap();
            assert!(!other.expect(200).text.is_empty());
        }
        world
    })
    .await;
}

#[tokio::test]
async fn static_responses_are_compressed_for_clients_that_accept_it() {
    on_each_database(PROGRAM, |world| async move {
        for path in ["/docs", "/docs/oauth-receiver.html", "/openapi.json", "/xml-import.xsd"] {
            let uncompressed = world.client.get("", path).await.expect(200);
            assert_eq!(uncompressed.header("content-encoding"), "");
            assert_eq!(uncompressed.header("vary"), "Accept-Encoding");
            let ask = || {
                let request = world.client.request(Method::GET, "", path);
                request.header("accept-encoding", "br, gzip;q=0.9")
            };
            let response = ask().send().await.expect("a response");
            assert_eq!(response.headers()["content-encoding"], "gzip", "{path}");
            assert_eq!(response.headers()["content-type"], uncompressed.header("content-type"));
            let tag = response.headers()["etag"].clone();
            assert_ne!(tag, uncompressed.header("etag"), "another representation");
            let sent = response.bytes().await.expect("a body");
            assert!(sent.len() < uncompressed.text.len() / 2, "{path}: {} bytes", sent.len());
            let mut text = String::new();
            GzDecoder::new(&sent[..]).read_to_string(&mut text).expect("gzip");
            assert_eq!(text, uncompressed.text, "{path}");
            let repeated = world.client.send(ask().header(IF_NONE_MATCH, tag)).await.unwrap();
            assert!(repeated.expect(304).text.is_empty());
        }
        world
    })
    .await;
}

#[test]
fn the_page_lists_every_endpoint_of_the_auth_server() {
    let without_head = |methods: &str| methods.replace(", HEAD", "");
    let real: BTreeMap<_, _> =
        PATHS.iter().map(|(path, methods)| (*path, without_head(methods))).collect();
    let found: BTreeMap<_, _> =
        ENDPOINTS.iter().map(|one| (one.path, one.methods.to_owned())).collect();
    assert_eq!(found, real);
    assert_eq!(ENDPOINTS.len(), real.len());
    // `PATHS` is listed separately from the routes; check that it has them all.
    let source = include_str!("../../../auth-server/src/router.rs");
    assert_eq!(source.matches(".at(").count(), PATHS.len());
}

/// Swagger UI warns about underscores in operation names, because links used them for spaces in
/// former versions.
async fn expect_only_underscore_warnings(browser: &WebBrowser) {
    let complaints = browser.console_errors().await;
    assert!(complaints.iter().all(|text| text.contains("escaping deep link")), "{complaints:?}");
}

/// Leaves only the operations on the page that this text finds: a large page takes long for each step.
async fn find_operations(browser: &WebBrowser, text: &str) {
    browser.fill("#search-operations", text).await;
    let found = browser.text("#search-operations-found").await;
    assert!(found.contains(" of "), "{found}");
}

/// Waits until an element has this text.
async fn wait_for(browser: &WebBrowser, selector: &str, text: &str) {
    let started = Instant::now();
    while browser.text(selector).await.trim() != text {
        assert!(started.elapsed() < PAGE_TIMEOUT, "{selector} does not become {text}");
        sleep(POLL_INTERVAL).await;
    }
}
