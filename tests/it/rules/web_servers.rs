//! Both servers behind Apache, nginx and HAProxy, set up from the samples in `deploy/`, with the
//! DAV modules of the first two fully enabled: a PUT still goes to the api-server, and every answer
//! is the servers' own.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::forms::Form;
use acceptance::installed_clients::skip;
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::web_servers::{ProxyPorts, ReverseProxy, WebServer};
use acceptance::world::on_each_database_with;
use acceptance::{Client, TestResponse, World};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The headers that matter to a client.
const HEADERS: [&str; 12] = [
    "accept-ranges",
    "allow",
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "etag",
    "link",
    "strict-transport-security",
    "www-authenticate",
];

#[tokio::test]
async fn apache_with_mod_dav_passes_every_response_unchanged() {
    check(ReverseProxy::apache()).await;
}

#[tokio::test]
async fn nginx_with_its_dav_module_passes_every_response_unchanged() {
    check(ReverseProxy::nginx()).await;
}

#[tokio::test]
async fn haproxy_passes_every_response_unchanged() {
    check(ReverseProxy::haproxy()).await;
}

async fn check(reverse_proxy: Result<ReverseProxy, String>) {
    let reverse_proxy = match reverse_proxy {
        Ok(reverse_proxy) => reverse_proxy,
        Err(missing) => return skip(&missing),
    };
    let ports = reverse_proxy.allocate_ports();
    on_each_database_with(PROGRAM, ports.environment(), |world| async {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        let server = reverse_proxy.start(&world, &world.tls.authority, ports).await;
        if !matches!(reverse_proxy, ReverseProxy::Haproxy(_)) {
            check_dav_is_on(&world, &server).await;
        }
        server.remove_buffers().expect("no buffers");
        let proxied = world.client.through(&server.url);
        check_every_put(&proxied, &admin, &rows).await;
        check_same_responses(&world, &proxied, &admin, &rows).await;
        check_files(&proxied, &admin, &rows).await;
        check_versions(&proxied, &admin, &rows).await;
        assert_eq!(server.files(), 0, "a request for the api-server changed the document root");
        check_log(&server, &proxied, &admin).await;
        check_auth(&world, &server).await;
        check_unavailable_server(&world, &server).await;
        drop(server);
        check_untrusted_certificate(&reverse_proxy, &world, &admin, ports).await;
        world
    })
    .await;
}

/// Shows that the module is active: a PUT to the document root creates a file.
async fn check_dav_is_on(world: &World, server: &WebServer) {
    let url = server.url.replace("localhost", "127.0.0.1") + "/words.txt";
    let send = async |method: Method, words: &'static str| {
        let request = world.client.http.request(method, &url).body(words);
        world.client.send(request).await.expect("a response")
    };
    send(Method::PUT, "Words").await.expect(201);
    assert_eq!(server.files(), 1);
    assert_eq!(send(Method::GET, "").await.expect(200).text, "Words");
    send(Method::DELETE, "").await.expect(204);
    assert_eq!(server.files(), 0);
}

/// A PUT is 405 only where the api-server has none, and the answer lists the allowed methods.
async fn check_every_put(proxied: &Client, admin: &str, rows: &FilledRows) {
    let document = proxied.get("", "/openapi.json").await.expect(200).json();
    let paths = document["paths"].as_object().expect("paths");
    let mut puts = 0;
    for (template, operations) in paths {
        let request = proxied.request(Method::PUT, admin, &rows.path(template)).json(&json!({}));
        let response = proxied.send(request).await.expect("a response");
        if operations.get("put").is_some() {
            response.expect_problem(400, "bad-request");
            puts += 1;
            continue;
        }
        let response = response.expect_problem(405, "method-not-allowed");
        for method in operations.as_object().expect("operations").keys() {
            let allowed = response.header("allow");
            assert!(allowed.contains(&method.to_uppercase()), "{template}: {allowed}");
        }
    }
    assert!(puts >= 2, "only {puts} operations with PUT");
}

/// Requests through the web server are answered as they are without one.
async fn check_same_responses(world: &World, proxied: &Client, admin: &str, rows: &FilledRows) {
    let comment = format!("/loans/collateral/comments/{}", rows.comment_ids[2]);
    let file = format!("/files/{}", rows.file_id);
    // Its `Link` header repeats the whole query.
    let long = format!("/users?limit=1&other={}", "a".repeat(6000));
    let list = format!("/loans/collateral/{}/taxes", rows.collateral_id);
    let etag = world.client.get(admin, &comment).await.expect(200).header("etag").to_owned();
    let large = "a".repeat(100_000);
    let nothing = ("x-nothing", "");
    // Over HTTP/2, the web server answers it itself.
    let waiting = proxied.request(Method::PUT, "", &comment).header("expect", "100-continue");
    let waiting = waiting.header("content-type", "application/json").body(large.clone());
    let refused = proxied.send(waiting).await.expect("a response");
    refused.expect_problem(401, "token-missing");
    for (method, token, path, header, body) in [
        (Method::GET, admin, comment.as_str(), ("accept-encoding", "gzip"), ""),
        (Method::GET, admin, &comment, ("range", "bytes=0-3"), ""),
        (Method::GET, admin, &comment, ("if-none-match", &etag), ""),
        (Method::GET, admin, &comment, ("accept", "text/html"), ""),
        (Method::HEAD, admin, &comment, nothing, ""),
        (Method::OPTIONS, admin, &comment, nothing, ""),
        (Method::PATCH, admin, &comment, nothing, ""),
        (Method::DELETE, admin, &comment, ("if-match", "\"old\""), ""),
        (Method::PUT, admin, "/setup/loan/interest-plans", nothing, "{}"),
        (Method::PUT, admin, "/words.txt", nothing, "Words"),
        (Method::GET, admin, "/loans/999999", nothing, ""),
        (Method::GET, admin, "/loans/1%2F2//%61", nothing, ""),
        (Method::GET, admin, &list, nothing, ""),
        (Method::GET, admin, &long, nothing, ""),
        (Method::GET, admin, &file, ("range", "bytes=7-"), ""),
        (Method::HEAD, admin, &file, nothing, ""),
        (Method::PUT, "", &comment, nothing, &large),
    ] {
        let conditional_request = async |client: &Client| {
            let request = client.request(method.clone(), token, path).header(header.0, header.1);
            let request = match body {
                "" => request,
                body => request.header("content-type", "application/json").body(body.to_owned()),
            };
            client.send(request).await.expect("a response")
        };
        let responses =
            (conditional_request(&world.client).await, conditional_request(proxied).await);
        let parts = [responses.0, responses.1].map(|response| {
            let headers = HEADERS.map(|name| response.header(name).to_owned());
            let mut body = response.json();
            if let Some(id) = body.get_mut("requestId") {
                assert_eq!(id.take(), response.header("x-request-id"));
            }
            assert_eq!(response.header("x-request-id").len(), 32);
            (response.status, headers, body)
        });
        assert_eq!(parts[1], parts[0], "{method} {path:.80} {header:?}");
    }
}

fn numbered_lines(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        let _ = writeln!(text, "This is line {number}.");
    }
    text
}

/// Large files pass through, whole and in parts, in both directions.
async fn check_files(proxied: &Client, admin: &str, rows: &FilledRows) {
    let path = format!("/loans/comments/{}/documents", rows.comment_ids[0]);
    let words = numbered_lines(20 * 1024 * 1024);
    let upload = async || {
        let form = Form::file("lines.txt", words.as_bytes());
        proxied.upload(admin, &path, form, Some("the lines")).await.expect(201)
    };
    let first = upload().await;
    let repeated = upload().await;
    assert_eq!((repeated.header("idempotency-replayed"), &repeated.text), ("true", &first.text));

    let file = &first.json()["Files"][0];
    let download = file["Download_Path"].as_str().expect("a path");
    let whole = proxied.get(admin, download).await.expect(200);
    assert!(whole.text == words, "{} bytes of {}", whole.text.len(), words.len());
    let tag = whole.header("etag");
    let range_request = async |method: Method, range: &str, if_range: &str| {
        let request = proxied.request(method, admin, download);
        let request = request.header("range", range).header("if-range", if_range);
        proxied.send(request).await.expect("a response")
    };
    let part = range_request(Method::GET, "bytes=1000000-1999999", tag).await.expect(206);
    assert!(part.text == words[1_000_000..2_000_000]);
    let range = format!("bytes 1000000-1999999/{}", words.len());
    assert_eq!(part.header("content-range"), range);
    let other = range_request(Method::GET, "bytes=1000000-1999999", "\"old\"").await.expect(200);
    assert!(other.text == words);
    let beyond = range_request(Method::GET, "bytes=99999999-", tag).await;
    beyond.expect_problem(416, "range-not-satisfiable");
    let head = range_request(Method::HEAD, "bytes=0-9", tag).await.expect(200);
    assert_eq!(head.header("content-length"), words.len().to_string());

    let large = Form::file("lines.txt", words.repeat(2).as_bytes());
    proxied.upload(admin, &path, large, None).await.expect_problem(413, "too-large");
}

fn version(response: &TestResponse) -> String {
    let hash = response.json()["versionHash"].as_str().expect("a hash").to_owned();
    assert_eq!(response.header("etag"), format!("\"{hash}\""));
    hash
}

/// A PUT changes and a DELETE removes, if they name the current version.
async fn check_versions(proxied: &Client, admin: &str, rows: &FilledRows) {
    let comment = format!("/loans/collateral/comments/{}", rows.comment_ids[2]);
    let document = format!("/user-defined-fields/documents/{}", rows.document_id);
    let changes = [
        (
            comment,
            json!({"Comment_Category_ID": 1, "Priority": "high", "Pinned_Flag": true}),
            "Comment",
        ),
        (document, json!({}), "Name"),
    ];
    for (path, mut body, member) in changes {
        let mut put = async |words: &str, hash: Option<&str>, if_match: Option<&str>| {
            body[member] = json!(words);
            body["versionHash"] = json!(hash);
            let request = proxied.request(Method::PUT, admin, &path).json(&body);
            let request = match if_match {
                Some(hash) => request.header("if-match", format!("\"{hash}\"")),
                None => request,
            };
            proxied.send(request).await.expect("a response")
        };
        let first = version(&proxied.get(admin, &path).await.expect(200));
        let changed = put("Other words", Some(&first), None).await.expect(200);
        assert_eq!(changed.json()[member], "Other words");
        let second = version(&changed);
        assert_ne!(second, first);
        let stale = put("Lost", Some(&first), None).await.expect_problem(409, "stale-version");
        assert_eq!(stale.json()["currentVersionHash"], second);
        put("Lost", None, Some(&first)).await.expect_problem(412, "precondition-failed");
        let third = version(&put("Last words", None, Some(&second)).await.expect(200));
        let read = proxied.get(admin, &path).await.expect(200);
        assert_eq!((&read.json()[member], version(&read)), (&json!("Last words"), third.clone()));

        let delete = async |hash: &str| {
            let request = format!("{path}?versionHash={hash}");
            let request = proxied.request(Method::DELETE, admin, &request);
            proxied.send(request).await.expect("a response")
        };
        delete(&second).await.expect_problem(409, "stale-version");
        assert_eq!(delete(&third).await.expect(204).text, "");
        proxied.get(admin, &path).await.expect_problem(404, "not-found");
    }
}

/// Each line of the web server's log can be matched to one of the api-server's, and contains no
/// query.
async fn check_log(server: &WebServer, proxied: &Client, admin: &str) {
    let last = proxied.get(admin, "/users?limit=1").await.expect(200);
    let deadline = Instant::now() + Duration::from_secs(10);
    // The log is written after the answer.
    while !server.access_log().contains(last.header("x-request-id")) {
        assert!(Instant::now() < deadline, "{}", server.access_log());
        sleep(Duration::from_millis(20)).await;
    }
    assert!(!server.access_log().contains("limit=1"), "{}", server.access_log());
}

/// Users log in through it, and the audit records the address of each, whatever headers they send.
async fn check_auth(world: &World, server: &WebServer) {
    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let pem = std::fs::read(&world.tls.authority).expect("an authority");
    let authority = reqwest::Certificate::from_pem(&pem).expect("a certificate");
    let mut headers = HeaderMap::new();
    headers.insert("x-forwarded-for", HeaderValue::from_static("203.0.113.9"));
    headers.insert("accept-encoding", HeaderValue::from_static("gzip"));
    let http = reqwest::Client::builder()
        .tls_certs_only([authority])
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .local_address(HOME)
        .default_headers(headers)
        .build()
        .expect("a client");
    let mut client = world.client.through(&server.url);
    client.auth_url.clone_from(&server.auth_url);
    client.http = http;
    let browser = Browser::new(&client);
    let metadata = browser.get("/.well-known/openid-configuration").await.expect(200);
    assert_eq!(metadata.json()["issuer"], server.auth_url.as_str());
    assert_eq!(metadata.header("content-encoding"), "");
    let authorization = AuthorizationRequest::new("openid core");
    let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
    let tokens = authorization.exchange(&client, &code).await.expect(200);
    assert_eq!(
        (tokens.header("content-encoding"), tokens.header("cache-control")),
        ("", "no-store")
    );
    let token = tokens.json()["access_token"].as_str().expect("a token").to_owned();
    assert_eq!(client.log_out(&token).await.status, 204);
    client.form(("", ""), "/oauth2/token", &[("grant_type", "x")]).await.expect(401);
    let sources = "SELECT DISTINCT source FROM auth_events WHERE user_name = 'viewer'";
    assert_eq!(world.texts(sources).await, [HOME.to_string()]);
    assert!(!server.access_log().contains("code_challenge"), "{}", server.access_log());
}

/// Paths for operators are closed to everyone else.
async fn check_unavailable_server(world: &World, server: &WebServer) {
    for url in [&server.url, &server.auth_url] {
        for path in ["/health/ready", "/health/live", "/%68ealth/live", "/metrics"] {
            let request = world.client.http.get(format!("{url}{path}"));
            let response = world.client.send(request).await.expect("a response");
            assert!(
                [403, 404].contains(&response.status.as_u16()),
                "{url}{path}: {}",
                response.text
            );
        }
    }
}

/// A web server that does not trust the authority of the api-server's certificate sends it nothing.
async fn check_untrusted_certificate(
    reverse_proxy: &ReverseProxy,
    world: &World,
    admin: &str,
    ports: ProxyPorts,
) {
    let key = rcgen::KeyPair::generate().expect("a key");
    let other = rcgen::CertificateParams::new(vec!["other".to_owned()]).expect("a certificate");
    let other = other.self_signed(&key).expect("a certificate").pem();
    let authority = world.folder.path().join("other.pem");
    std::fs::write(&authority, other).expect("a file");
    let server = reverse_proxy.start(world, &authority, ports).await;
    let proxied = world.client.through(&server.url);
    let response = proxied.get(admin, "/users").await;
    assert!(response.status.is_server_error(), "{}", response.text);
    let id = &response.json()["requestId"];
    assert_eq!((response.header("x-request-id"), id), ("", &Value::Null));
}
