//! Requests that no client should send but some do: other methods, other encodings, JSON that two
//! parsers would read differently. Each is answered by a problem, and none by a server failure.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::world::on_embedded_database;
use acceptance::{TestResponse, World, on_each_database};
use futures_util::stream;
use reqwest::header::{CONTENT_TYPE, EXPECT, USER_AGENT};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use std::convert::Infallible;
use std::time::Duration;

/// Methods that no path accepts, and some that do not exist.
const METHODS: [&str; 8] = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PURGE"];

async fn send(world: &World, request: RequestBuilder) -> TestResponse {
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn every_path_answers_405_with_its_allowed_methods() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        for (pattern, operations) in document["paths"].as_object().expect("paths") {
            let operations = operations.as_object().expect("operations");
            let path = path_of(&rows, pattern);
            for method in METHODS {
                if operations.contains_key(&method.to_ascii_lowercase()) {
                    continue;
                }
                let requested: Method = method.parse().expect("a method");
                let response = send(&world, world.client.request(requested, &admin, &path)).await;
                let response = response.expect_problem(405, "method-not-allowed");
                let mut allowed: Vec<String> =
                    response.header("allow").split(", ").map(str::to_ascii_lowercase).collect();
                allowed.retain(|method| method != "head");
                allowed.sort();
                let mut paths: Vec<&String> = operations.keys().collect();
                paths.sort();
                assert_eq!(allowed.iter().collect::<Vec<_>>(), paths, "{method} {path}");
            }
            let head = send(&world, world.client.request(Method::HEAD, &admin, &path)).await;
            assert_eq!(head.text, "", "HEAD {path}");
            match operations.contains_key("get") {
                true => {
                    let got = world.client.get(&admin, &path).await;
                    assert_eq!(head.status, got.status, "HEAD {path}");
                    assert_eq!(head.header("content-type"), got.header("content-type"));
                }
                false => assert_eq!(head.status, 405, "HEAD {path}"),
            }
        }
        world
    })
    .await;
}

/// Over HTTP/2 the server sends no 100, so a client that waits for one would time out.
#[tokio::test]
async fn a_client_that_waits_to_send_its_body_is_told_to_use_http_1() {
    on_embedded_database(PROGRAM, |world| async move {
        let pem = std::fs::read(&world.tls.authority).expect("the authority");
        let client = |builder: reqwest::ClientBuilder| {
            let authority = reqwest::Certificate::from_pem(&pem).expect("an authority");
            builder.tls_certs_only([authority]).no_proxy().build().expect("a client")
        };
        let (http1, http2) =
            (client(reqwest::Client::builder().http1_only()), client(reqwest::Client::builder()));
        // The client sends its body, if at all, after this time without a 100.
        let send = async |client: &reqwest::Client, agent: &str, after: Option<Duration>| {
            let form = stream::once(async move {
                match after {
                    Some(after) => tokio::time::sleep(after).await,
                    None => std::future::pending().await,
                }
                Ok::<_, Infallible>("grant_type=password")
            });
            let request = client.post(format!("{}/oauth2/token", world.client.auth_url));
            let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            let request = request.header(EXPECT, "100-continue").header(USER_AGENT, agent);
            request.body(reqwest::Body::wrap_stream(form)).send().await
        };
        let is_reset = |answer: reqwest::Result<reqwest::Response>| {
            let error = format!("{:?}", answer.expect_err("a reset stream"));
            assert!(error.contains("HTTP_1_1_REQUIRED"), "{error}");
        };
        let second = Some(Duration::from_secs(1));
        assert_eq!(send(&http1, "", second).await.expect("a response").status(), 401);
        assert_eq!(send(&http2, "", second).await.expect("a response").status(), 401);
        is_reset(send(&http2, "", None).await);
        is_reset(send(&http2, "curl/8.23.0", second).await);
        is_reset(send(&http2, "Java-http-client/17.0.15", None).await);
        world
    })
    .await;
}

#[tokio::test]
async fn methods_that_no_operation_has_are_counted_together() {
    on_embedded_database(PROGRAM, |world| async move {
        let World { client, metrics, .. } = &world;
        for url in [&client.auth_url, &client.api_url] {
            for method in ["PURGE", "STRANGE-1", "STRANGE-2"] {
                let method: Method = method.parse().expect("a method");
                let request = client.http.request(method, format!("{url}/health/live"));
                send(&world, request).await.expect_problem(405, "method-not-allowed");
            }
        }
        for url in [&metrics.0, &metrics.1] {
            let text = client.http.get(url).send().await.expect("metrics");
            let text = text.text().await.expect("metrics");
            assert!(!text.contains("PURGE") && !text.contains("STRANGE"), "{text}");
            let counted = r#"http_requests_total{operation="other",status="405"} 3"#;
            assert!(text.contains(counted), "{text}");
        }
        world
    })
    .await;
}

fn path_of(rows: &FilledRows, pattern: &str) -> String {
    rows.path(pattern).split('?').next().expect("a path").to_owned()
}

/// Bodies that no operation accepts, and a part of the answer's text.
fn unreadable_bodies() -> Vec<(Vec<u8>, &'static str)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let no_json = "the body cannot be read as JSON: line 1, column ";
    let cut = "the body ends before its JSON does";
    vec![
        (text(""), cut),
        (text("{\"Amount\": \"1"), cut),
        (text("{\"Amount\": 1e400}"), no_json),
        (text(&format!("{{\"Amount\": {}}}", "9".repeat(5000))), no_json),
        (text(&format!("{{\"Amount\": {}", "[".repeat(100_000))), no_json),
        (text(r#"{"Amount": "\ud800"}"#), no_json),
        (text(r#"{"\udc00": "1"}"#), no_json),
        (text("{\"Amount\": \"\u{1}\"}"), no_json),
        (text("{\"Amount\": NaN}"), no_json),
        (text("{'Amount': '1'}"), no_json),
        (text("{\"Amount\": \"1\",}"), no_json),
        (text("{} {}"), no_json),
        (b"{\"Amount\": \"\xe4\"}".to_vec(), no_json),
        ("{}".encode_utf16().flat_map(u16::to_le_bytes).collect(), no_json),
    ]
}

/// Every operation with a JSON body, and whether that is an array.
async fn json_operations(world: &World, rows: &FilledRows) -> Vec<(Method, String, bool)> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let mut found = Vec::new();
    for (pattern, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let body = &operation["requestBody"]["content"]["application/json"];
            if !body.is_null() {
                let method = method.to_ascii_uppercase().parse().expect("a method");
                let is_array = body["schema"]["type"] == "array";
                found.push((method, path_of(rows, pattern), is_array));
            }
        }
    }
    assert!(found.len() >= 7, "{found:?}");
    found
}

#[tokio::test]
async fn a_body_of_the_wrong_form_gets_a_position_but_no_quotation() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (method, path, is_array) in json_operations(&world, &rows).await {
            let post = |body: Vec<u8>| {
                let request = world.client.request(method.clone(), &admin, &path).body(body);
                request.header("content-type", "application/json")
            };
            let (other_form, expected_detail): (&[u8], _) = match is_array {
                true => (b"{}", "the body must be a JSON array"),
                false => (b"[{}]", "the body must be a JSON object"),
            };
            let of_other_form = [other_form, b"null"].map(|body| (body.to_vec(), expected_detail));
            for (body, expected_detail) in unreadable_bodies().into_iter().chain(of_other_form) {
                let response = send(&world, post(body.clone())).await.expect(400);
                let detail = response.expect_problem(400, "bad-request").json()["detail"].clone();
                let detail = detail.as_str().unwrap_or_default();
                let shown = String::from_utf8_lossy(&body);
                assert!(
                    detail.starts_with(expected_detail),
                    "{method} {path} {shown:.50}: {detail}"
                );
            }
            let duplicate = br#"{"Comment": "a", "Comment": "a"}"#.to_vec();
            send(&world, post(duplicate)).await.expect_problem(400, "bad-request");
            for coding in ["gzip", "br", "zstd", "Identity, gzip"] {
                let response =
                    send(&world, post(b"{}".to_vec()).header("content-encoding", coding));
                let response = response.await.expect_problem(415, "unsupported-media-type");
                assert_eq!(response.header("accept-encoding"), "identity");
            }
            let identity_encoded = post(b"{}".to_vec()).header("content-encoding", "Identity");
            send(&world, identity_encoded).await.expect_problem(400, "bad-request");
            let two_content_types = post(b"{}".to_vec()).header("content-type", "text/plain");
            send(&world, two_content_types).await.expect_problem(415, "unsupported-media-type");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn meaningless_paths_and_queries_are_refused_or_ignored() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let loan = format!("/loans/{}", rows.loan_id);
        let long = "a".repeat(20_000);
        let many: Vec<String> = (0..3000).map(|number| format!("a{number}=1")).collect();
        for (path, status) in [
            (format!("{loan}%2Ftransactions"), 400),
            (format!("{loan}%00"), 400),
            (format!("{loan};v=1"), 400),
            ("/loans/%".to_owned(), 400),
            ("/loans/%ff".to_owned(), 400),
            (format!("/loans/{}", "1".repeat(20_000)), 400),
            (format!("{loan}//transactions"), 404),
            (format!("{loan}/%74ransactions"), 404),
            ("/LOANS/1".to_owned(), 404),
            (format!("{loan}?%00=1"), 400),
            (format!("{loan}?a=%00"), 400),
            (format!("{loan}?a[]=1&a[]=2"), 400),
            (format!("{loan}?a=1&%61=2"), 400),
            (format!("{loan}/transactions?limit=1;from=x"), 400),
            (format!("{loan}/transactions?from=%ff"), 400),
            (format!("{loan}?"), 200),
            (format!("{loan}?&&"), 200),
            (format!("{loan}?&&="), 400),
            (format!("{loan}?%zz=%ff"), 400),
            (format!("{loan}?{long}"), 400),
            (format!("{loan}?{}", many.join("&")), 400),
        ] {
            let response = world.client.get(&admin, &path).await.expect(status);
            if status != 200 {
                let kind = if status == 400 { "bad-request" } else { "not-found" };
                response.expect_problem(status, kind);
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_malformed_token_is_invalid() {
    on_each_database(PROGRAM, |world| async move {
        for token in ["x", "lsa_", "a b", "%00", &"a".repeat(4096), &"a".repeat(30_000)] {
            let response = world.client.get(token, "/loans/1").await;
            response.expect_problem(401, "token-invalid");
        }
        for header in ["Bearer", "Bearer ", "bearer  ", "Basic x", "x"] {
            let request = world.client.request(Method::GET, "", "/loans/1");
            let response = send(&world, request.header("authorization", header)).await.expect(401);
            assert_ne!(response.json(), Value::Null, "{header}");
        }
        world
    })
    .await;
}
