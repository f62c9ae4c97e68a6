//! Verify Auth Server, run against purpose-built peers: a correct server, and one for each fault,
//! which must be reported by the check it belongs to and by no other.

mod peer;
mod round_trip;

use installer::installation::checks::{Check, Outcome, Report};
use installer::verification::verify;
use peer::{LeafCertificate, Peer, auth_server, time};
use peer::{ciphers, highest_version, read_some, send, server_hello};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_correct_server_passes_every_check() {
    let peer = Peer::start(LeafCertificate::default().config(), auth_server).await;
    let report = peer.verify().await;
    assert!(report.holds(), "{}", report.to_text());
    let names: Vec<_> = report.checks.iter().map(|check| check.name).collect();
    let expected = [
        "URL",
        "name resolution",
        "TCP",
        "TLS 1.2",
        "TLS 1.3",
        "older TLS refused",
        "cipher",
        "chain",
        "host name",
        "expiry",
        "metadata",
        "issuer",
        "keys",
        "database clock",
        "web users",
    ];
    assert_eq!(names, expected);
    assert!(found(&report, "cipher").contains("TLS13_"), "{}", report.to_text());
    assert!(found(&report, "expiry").contains("days left"), "{}", report.to_text());
    assert_eq!(report.to_text().lines().count(), expected.len() + 1);
}

#[tokio::test]
async fn the_json_report_matches_the_text_report() {
    let report = Peer::start(LeafCertificate::default().config(), auth_server).await.verify().await;
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["holds"], true);
    assert_eq!(json["checks"][2]["name"], "TCP");
    assert_eq!(json["checks"][2]["outcome"], "passed");
    assert_eq!(json["checks"].as_array().unwrap().len(), report.checks.len());
}

#[tokio::test]
async fn a_trailing_slash_in_the_url_is_accepted() {
    let mut peer = Peer::start(LeafCertificate::default().config(), auth_server).await;
    peer.arguments.url.push('/');
    assert!(peer.verify().await.holds());
}

#[tokio::test]
async fn a_url_that_is_not_https_fails_the_url() {
    for url in ["http://localhost", "localhost:8443", "https://localhost?a=b", "https://"] {
        let report = verify(&peer::arguments(url)).await;
        assert_eq!(failed(&report), ["URL"], "{url}");
        assert_eq!(skipped(&report).len(), report.checks.len() - 1);
    }
}

#[tokio::test]
async fn an_unknown_host_fails_the_name_resolution() {
    let report = verify(&peer::arguments("https://auth.invalid")).await;
    assert_eq!(failed(&report), ["name resolution"]);
}

#[tokio::test]
async fn a_closed_port_fails_tcp() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}", listener.local_addr().unwrap().port());
    drop(listener);
    let report = verify(&peer::arguments(&url)).await;
    assert_eq!(failed(&report), ["TCP"]);
    assert!(found(&report, "TCP").contains("refused"), "{}", report.to_text());
    assert!(check(&report, "TCP").advice.as_ref().unwrap().contains("start"));
    assert_eq!(skipped(&report).len(), 12);
    assert!(found(&report, "chain").contains("\"TCP\" failed"), "{}", report.to_text());
}

#[tokio::test]
async fn an_expired_certificate_fails_only_the_expiry() {
    let leaf = LeafCertificate { valid: (2020, 2021), ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert_eq!(failed(&report), ["expiry"], "{}", report.to_text());
    assert!(found(&report, "expiry").contains("expired at 2021-01-01"));
    assert!(skipped(&report).contains(&"metadata"));
}

#[tokio::test]
async fn a_certificate_not_yet_valid_fails_only_the_expiry() {
    let leaf = LeafCertificate { valid: (2090, 2091), ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert_eq!(failed(&report), ["expiry"], "{}", report.to_text());
    assert!(found(&report, "expiry").contains("not valid before 2090-01-01"));
}

#[tokio::test]
async fn an_expired_intermediate_fails_only_the_expiry() {
    let leaf = LeafCertificate { intermediate: Some((2020, 2021)), ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert_eq!(failed(&report), ["expiry"], "{}", report.to_text());
    assert!(found(&report, "expiry").contains("Between"), "{}", report.to_text());
}

#[tokio::test]
async fn a_chain_with_an_intermediate_is_accepted() {
    let leaf = LeafCertificate { intermediate: Some((2020, 2090)), ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert!(report.holds(), "{}", report.to_text());
}

#[tokio::test]
async fn another_host_name_fails_only_the_host_name() {
    let leaf = LeafCertificate { name: "other.example", ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert_eq!(failed(&report), ["host name"], "{}", report.to_text());
    assert!(found(&report, "host name").contains("valid for other.example, not for localhost"));
    assert!(skipped(&report).contains(&"metadata"));
}

#[tokio::test]
async fn an_unknown_issuer_fails_only_the_chain() {
    let mut peer = Peer::start(LeafCertificate::default().config(), auth_server).await;
    let other = Peer::start(LeafCertificate::default().config(), auth_server).await;
    peer.arguments.ca = other.arguments.ca.clone();
    let report = peer.verify().await;
    assert_eq!(failed(&report), ["chain"], "{}", report.to_text());
    assert!(skipped(&report).contains(&"metadata"));
}

#[tokio::test]
async fn a_private_authority_is_not_trusted_without_a_ca_file() {
    let mut peer = Peer::start(LeafCertificate::default().config(), auth_server).await;
    peer.arguments.ca = None;
    assert_eq!(failed(&peer.verify().await), ["chain"]);
}

#[tokio::test]
async fn a_ca_file_without_certificates_fails_only_the_chain() {
    let mut peer = Peer::start(LeafCertificate::default().config(), auth_server).await;
    peer.arguments.ca = Some("/no/such/file.pem".into());
    let report = peer.verify().await;
    assert_eq!(failed(&report), ["chain"]);
    assert!(found(&report, "chain").contains("/no/such/file.pem"), "{}", report.to_text());
}

#[tokio::test]
async fn every_fault_of_a_certificate_is_named() {
    let leaf = LeafCertificate {
        name: "other.example",
        valid: (2020, 2021),
        ..LeafCertificate::default()
    };
    let mut peer = Peer::start(leaf.config(), auth_server).await;
    peer.arguments.ca = None;
    let report = peer.verify().await;
    assert_eq!(failed(&report), ["chain", "host name", "expiry"], "{}", report.to_text());
}

#[tokio::test]
async fn a_tls_1_1_server_fails_the_refusal_of_older_versions() {
    let peer = Peer::start_raw(|mut stream| async move {
        let hello = read_some(&mut stream).await;
        let response = if highest_version(&hello) <= 0x0302 {
            server_hello(0x0302, 0xc013)
        } else {
            vec![21, 3, 2, 0, 2, 2, 70]
        };
        send(&mut stream, &response).await;
    });
    let report = peer.await.verify().await;
    assert_eq!(failed(&report), ["TLS 1.2", "older TLS refused"]);
    assert!(found(&report, "TLS 1.2").contains("ProtocolVersion"), "{}", report.to_text());
    let accepted = found(&report, "older TLS refused");
    assert!(accepted.contains("TLS 1.1 and TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"), "{accepted}");
    assert!(skipped(&report).contains(&"chain"));
}

#[tokio::test]
async fn a_server_that_accepts_tls_1_0_fails_only_that_check() {
    let peer = Peer::start_with_prelude(LeafCertificate::default().config(), |hello| {
        (highest_version(hello) <= 0x0302).then(|| server_hello(0x0301, 0x002f))
    });
    let report = peer.await.verify().await;
    assert_eq!(failed(&report), ["older TLS refused"], "{}", report.to_text());
    assert!(found(&report, "older TLS refused").contains("TLS 1.0"), "{}", report.to_text());
}

#[tokio::test]
async fn a_server_that_accepts_triple_des_fails_only_the_cipher() {
    const TRIPLE_DES: u16 = 0x000a;
    let peer = Peer::start_with_prelude(LeafCertificate::default().config(), |hello| {
        let accepts_triple_des =
            highest_version(hello) == 0x0303 && ciphers(hello).contains(&TRIPLE_DES);
        accepts_triple_des.then(|| server_hello(0x0303, TRIPLE_DES))
    });
    let report = peer.await.verify().await;
    assert_eq!(failed(&report), ["cipher"], "{}", report.to_text());
    assert!(found(&report, "cipher").contains("TLS_RSA_WITH_3DES_EDE_CBC_SHA"));
}

#[tokio::test]
async fn a_tls_1_2_only_server_passes_with_a_note() {
    let leaf =
        LeafCertificate { versions: vec![&rustls::version::TLS12], ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert!(report.holds(), "{}", report.to_text());
    assert_eq!(skipped(&report), [""; 0]);
    assert!(found(&report, "TLS 1.3").starts_with("not offered: "), "{}", report.to_text());
    assert!(report.to_text().contains("enable TLS 1.3"), "{}", report.to_text());
    assert!(found(&report, "cipher").contains("TLS_ECDHE_ECDSA_WITH_AES"));
}

#[tokio::test]
async fn a_tls_1_3_only_server_fails_only_the_tls_1_2_handshake() {
    let leaf =
        LeafCertificate { versions: vec![&rustls::version::TLS13], ..LeafCertificate::default() };
    let report = Peer::start(leaf.config(), auth_server).await.verify().await;
    assert_eq!(failed(&report), ["TLS 1.2"], "{}", report.to_text());
    assert_eq!(skipped(&report), [""; 0]);
}

#[tokio::test]
async fn a_plain_http_server_fails_the_handshake() {
    let peer = Peer::start_raw(|mut stream| async move {
        let request = read_some(&mut stream).await;
        let status = if request.starts_with(b"GET ") { "404 Not Found" } else { "400 Bad Request" };
        let response = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        send(&mut stream, response.as_bytes()).await;
    });
    let report = peer.await.verify().await;
    assert_eq!(failed(&report), ["TLS 1.2"], "{}", report.to_text());
    assert!(found(&report, "TLS 1.2").contains("plain HTTP"), "{}", report.to_text());
    assert!(skipped(&report).contains(&"TLS 1.3"));
}

#[tokio::test]
async fn a_server_that_closes_every_connection_fails_the_handshake() {
    let report = Peer::start_raw(|stream| async move { drop(stream) }).await.verify().await;
    assert_eq!(failed(&report), ["TLS 1.2"], "{}", report.to_text());
}

#[tokio::test]
async fn a_server_that_never_answers_times_out() {
    let begin = Instant::now();
    let peer = Peer::start_raw(|stream| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(stream);
    });
    let report = peer.await.verify().await;
    assert_eq!(failed(&report), ["TLS 1.2"], "{}", report.to_text());
    assert!(found(&report, "TLS 1.2").contains("no answer"), "{}", report.to_text());
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn a_server_that_stops_answering_after_the_handshake_times_out() {
    let report = Peer::start_silent(LeafCertificate::default().config()).await.verify().await;
    assert_eq!(failed(&report), ["metadata"], "{}", report.to_text());
    assert!(found(&report, "metadata").contains("no answer within 5 s"), "{}", report.to_text());
}

#[tokio::test]
async fn another_web_server_fails_the_metadata() {
    for response in [(404, json!("nothing here")), (200, json!({"hello": "world"}))] {
        let config = LeafCertificate::default().config();
        let report = Peer::start(config, move |_, _| response.clone()).await.verify().await;
        assert_eq!(failed(&report), ["metadata"], "{}", report.to_text());
        assert_eq!(skipped(&report), ["issuer", "keys", "database clock", "web users"]);
    }
}

#[tokio::test]
async fn another_issuer_fails_only_the_issuer() {
    let report = with_metadata(|metadata| metadata["issuer"] = json!("https://other")).await;
    assert_eq!(failed(&report), ["issuer"], "{}", report.to_text());
    assert_eq!(skipped(&report), ["keys"]);
    assert!(found(&report, "issuer").contains("https://other"));
}

#[tokio::test]
async fn an_endpoint_on_another_host_fails_only_the_issuer() {
    let report = with_metadata(|metadata| {
        metadata["introspection_endpoint"] = json!("https://other/oauth2/introspect");
    });
    let report = report.await;
    assert_eq!(failed(&report), ["issuer"], "{}", report.to_text());
    assert!(found(&report, "issuer").contains("introspection_endpoint"));
}

#[tokio::test]
async fn published_keys_are_fetched() {
    let usable = json!({"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": "A".repeat(43)});
    assert_eq!(with_keys(json!({"keys": [usable]})).await, [""; 0]);
    assert_eq!(with_keys(json!({"keys": []})).await, ["keys"]);
    assert_eq!(with_keys(json!("no set of keys")).await, ["keys"]);
    let mut private = usable;
    private["d"] = json!("A".repeat(43));
    assert_eq!(with_keys(json!({"keys": [private]})).await, ["keys"]);
}

#[tokio::test]
async fn a_database_clock_an_hour_off_fails_only_the_clock() {
    for seconds in [-3600, 3600] {
        let config = LeafCertificate::default().config();
        let response = move |request: &str, url: &str| match request.contains("/health/ready") {
            true => (
                200,
                json!({"status": "ready", "database_time": time(seconds), "web_token_seconds": 1200}),
            ),
            false => auth_server(request, url),
        };
        let report = Peer::start(config, response).await.verify().await;
        assert_eq!(failed(&report), ["database clock"], "{}", report.to_text());
        let side = if seconds < 0 { "min behind" } else { "min ahead" };
        assert!(found(&report, "database clock").contains(side), "{}", report.to_text());
    }
}

#[tokio::test]
async fn web_users_whose_tokens_have_no_lifetime_are_reported() {
    let response = move |request: &str, url: &str| match request.contains("/health/ready") {
        true => (200, json!({"status": "ready", "database_time": time(0)})),
        false => auth_server(request, url),
    };
    let report = Peer::start(LeafCertificate::default().config(), response).await.verify().await;
    assert_eq!(failed(&report), ["web users"], "{}", report.to_text());
    assert!(found(&report, "web users").contains("no borrower can log in"));
}

#[tokio::test]
async fn an_unavailable_database_fails_the_clock_and_skips_introspection() {
    let unavailable = json!({
        "error": "temporarily_unavailable",
        "error_description": "the database cannot be reached"
    });
    let response = move |request: &str, url: &str| match request.contains("/.well-known/") {
        true => auth_server(request, url),
        false => (503, unavailable.clone()),
    };
    let peer = Peer::start(LeafCertificate::default().config(), response).await;
    let report = peer.with_client("right").verify().await;
    assert_eq!(failed(&report), ["database clock"], "{}", report.to_text());
    assert_eq!(skipped(&report), ["web users", "introspection"]);
    assert!(found(&report, "database clock").contains("the database cannot be reached"));
}

#[tokio::test]
async fn a_junk_token_is_introspected_with_the_clients_credentials() {
    let peer =
        Peer::start(LeafCertificate::default().config(), auth_server).await.with_client("ri+ght");
    let report = peer.verify().await;
    assert!(report.holds(), "{}", report.to_text());
    assert_eq!(check(&report, "introspection").outcome, Outcome::Passed);
}

#[tokio::test]
async fn a_wrong_secret_fails_the_introspection_and_is_not_shown() {
    let peer =
        Peer::start(LeafCertificate::default().config(), auth_server).await.with_client("mistaken");
    let report = peer.verify().await;
    assert_eq!(failed(&report), ["introspection"], "{}", report.to_text());
    assert!(found(&report, "introspection").contains("401"), "{}", report.to_text());
    assert!(!report.to_json().contains("mistaken"));
}

#[tokio::test]
async fn every_wrong_response_to_a_junk_token_fails_the_introspection() {
    let live = json!({
        "active": true, "iss": "x", "sub": "core:1", "username": "x", "client_id": "x",
        "scope": "core", "token_type": "Bearer", "iat": 0, "exp": 1, "user_kind": "core"
    });
    let wrong = [
        (403, json!({"error": "access_denied"}), "resource server"),
        (503, json!({"error": "temporarily_unavailable"}), "database"),
        (200, live, "accepts any token"),
        (200, json!({"active": false, "more": 1}), "release"),
    ];
    for (status, body, advice) in wrong {
        let response = move |request: &str, url: &str| match request.contains("/introspect ") {
            true => (status, body.clone()),
            false => auth_server(request, url),
        };
        let peer =
            Peer::start(LeafCertificate::default().config(), response).await.with_client("right");
        let report = peer.verify().await;
        assert_eq!(failed(&report), ["introspection"], "{}", report.to_text());
        let own_advice = check(&report, "introspection").advice.as_ref().unwrap();
        assert!(own_advice.contains(advice), "{own_advice}");
    }
}

#[tokio::test]
async fn server_responses_cannot_break_the_lines_of_the_report() {
    let report = with_metadata(|metadata| metadata["issuer"] = json!("a\nok\u{1b}[2J")).await;
    assert_eq!(report.to_text().lines().count(), report.checks.len() + 1);
    assert!(!report.to_text().contains('\u{1b}'));
}

async fn with_metadata(change: fn(&mut Value)) -> Report {
    let response = move |request: &str, url: &str| {
        let (status, mut body) = auth_server(request, url);
        if request.contains("/.well-known/") {
            change(&mut body);
        }
        (status, body)
    };
    Peer::start(LeafCertificate::default().config(), response).await.verify().await
}

/// The checks that fail when these keys are served.
async fn with_keys(keys: Value) -> Vec<&'static str> {
    let response = move |request: &str, url: &str| {
        let (status, mut body) = auth_server(request, url);
        if request.contains("/.well-known/") {
            body["jwks_uri"] = json!(format!("{url}/oauth2/jwks"));
        }
        if request.starts_with("GET /oauth2/jwks ") { (200, keys.clone()) } else { (status, body) }
    };
    failed(&Peer::start(LeafCertificate::default().config(), response).await.verify().await)
}

fn failed(report: &Report) -> Vec<&'static str> {
    with_outcome(report, Outcome::Failed)
}

fn skipped(report: &Report) -> Vec<&'static str> {
    with_outcome(report, Outcome::Skipped)
}

fn with_outcome(report: &Report, outcome: Outcome) -> Vec<&'static str> {
    let checks = report.checks.iter().filter(|check| check.outcome == outcome);
    assert_eq!(report.holds(), report.checks.iter().all(|it| it.outcome == Outcome::Passed));
    checks.map(|check| check.name).collect()
}

fn check<'a>(report: &'a Report, name: &str) -> &'a Check {
    report.checks.iter().find(|check| check.name == name).unwrap()
}

fn found<'a>(report: &'a Report, name: &str) -> &'a str {
    &check(report, name).found
}
