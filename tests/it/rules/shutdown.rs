//! Stopping a server behind a load balancer, and replacing its certificate: no connected client
//! notices.

use crate::PROGRAM;
use acceptance::servers::{TestServer, send_signal};
use acceptance::world::Environment;
use acceptance::{Database, World};
use installer::installation::certificates::{self, TlsFiles};
use rcgen::{CertificateParams, KeyPair};
use reqwest::{Certificate, Client, ClientBuilder, Response, StatusCode, Version};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

/// A client that trusts the authority in this file.
fn client(files: &TlsFiles) -> ClientBuilder {
    let pem = std::fs::read(&files.authority).expect("an authority");
    let authority = Certificate::from_pem(&pem).expect("a certificate");
    Client::builder().tls_certs_only([authority]).no_proxy().tls_info(true)
}

/// A world whose servers have these settings.
async fn world(settings: impl Fn(&str) -> Vec<(String, String)>) -> World {
    let environment = Environment {
        auth: settings("AUTH").into_iter().collect(),
        api: settings("API").into_iter().collect(),
        ..Environment::default()
    };
    World::new(PROGRAM, Database::Sqlite, environment).await
}

fn servers(world: &mut World) -> [(String, &mut TestServer); 2] {
    let World { client, auth, api, .. } = world;
    [(client.auth_url.clone(), auth), (client.api_url.clone(), api)]
}

async fn get(client: &Client, url: &str, path: &str) -> Response {
    client.get(format!("{url}{path}")).send().await.expect("a response")
}

fn is_closed(response: &Response) -> bool {
    response.headers().get("connection").is_some_and(|value| value == "close")
}

#[tokio::test]
async fn a_stopping_server_is_unready_and_still_accepts_requests_during_the_drain_delay() {
    let settings = |prefix: &str| vec![(format!("{prefix}_DRAIN_DELAY_SECONDS"), "8".to_owned())];
    let mut world = world(settings).await;
    let files = world.tls.clone();
    let http1 = client(&files).http1_only().build().expect("a client");
    let http2 = world.client.http.clone();
    for (url, process) in servers(&mut world) {
        let before = get(&http1, &url, "/health/ready").await;
        assert!(before.status() == StatusCode::OK && !is_closed(&before), "{before:?}");
        let signalled_at = Instant::now();
        process.signal("TERM").expect("told");
        let response = loop {
            let response = get(&http1, &url, "/health/ready").await;
            if response.status() != StatusCode::OK {
                break response;
            }
            assert!(signalled_at.elapsed() < Duration::from_secs(5), "it says nothing");
            sleep(Duration::from_millis(10)).await;
        };
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(is_closed(&response), "{response:?}");
        let text = response.text().await.expect("a body");
        assert!(text.contains("server is stopping"), "{text}");
        // New connections too, over either protocol.
        let fresh = client(&files).build().expect("a client");
        for http in [&http1, &http2, &fresh] {
            let response = get(http, &url, "/health/live").await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(is_closed(&response), response.version() == Version::HTTP_11);
        }
        assert!(process.wait_for_end().await, "{}", process.log());
        let elapsed = signalled_at.elapsed();
        assert!(
            elapsed >= Duration::from_secs(8) && elapsed < Duration::from_secs(20),
            "{elapsed:?}"
        );
        assert!(http1.get(format!("{url}/health/live")).send().await.is_err());
    }
    world.discard().await;
}

#[tokio::test]
async fn a_second_signal_skips_the_drain_delay() {
    let settings = |prefix: &str| vec![(format!("{prefix}_DRAIN_DELAY_SECONDS"), "300".to_owned())];
    let mut world = world(settings).await;
    let http = world.client.http.clone();
    for (url, process) in servers(&mut world) {
        let signalled_at = Instant::now();
        process.signal("TERM").expect("told");
        while get(&http, &url, "/health/ready").await.status() == StatusCode::OK {
            sleep(Duration::from_millis(10)).await;
        }
        // The second signal counts from when readiness turns red, or a moment later.
        sleep(Duration::from_millis(100)).await;
        process.signal("TERM").expect("told");
        assert!(process.wait_for_end().await, "{}", process.log());
        assert!(signalled_at.elapsed() < Duration::from_secs(20), "{:?}", signalled_at.elapsed());
    }
    world.discard().await;
}

#[tokio::test]
async fn a_further_signal_skips_waiting_for_requests() {
    let mut world = world(|_| Vec::new()).await;
    let url = format!("{}/oauth2/token", world.client.auth_url);
    // A form that never ends.
    let form =
        reqwest::Body::wrap_stream(futures_util::stream::pending::<Result<Vec<u8>, String>>());
    let request = world.client.http.post(url).body(form);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let pending = tokio::spawn(request.send());
    sleep(Duration::from_millis(500)).await;
    world.auth.signal("TERM").expect("told");
    let auth = &world.auth;
    wait_until("draining", || async { auth.log().contains("finishing the requests in flight") })
        .await;
    sleep(Duration::from_secs(1)).await;
    assert!(!pending.is_finished(), "{}", world.auth.log());
    let signalled_at = Instant::now();
    world.auth.signal("TERM").expect("told");
    assert!(world.auth.wait_for_end().await, "{}", world.auth.log());
    assert!(signalled_at.elapsed() < Duration::from_secs(10), "{:?}", signalled_at.elapsed());
    assert!(pending.await.expect("an end").is_err());
    world.discard().await;
}

#[tokio::test]
async fn a_reload_does_not_end_a_server_waiting_for_its_database() {
    let world = world(|_| Vec::new()).await;
    let unresponsive = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = unresponsive.local_addr().expect("its address");
    let mut auth = tokio::process::Command::new(PROGRAM)
        .args(["serve-auth", "--env-file"])
        .arg(world.folder.path().join("auth-server.env"))
        .env("AUTH_DATABASE_URL", format!("postgres://x@{address}/x"))
        .env("AUTH_LISTEN", "127.0.0.1:0")
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("a process");
    let (_connection, _) = unresponsive.accept().await.expect("its connection");
    send_signal("HUP", &[auth.id().expect("an id")]).expect("told");
    let ended = tokio::time::timeout(Duration::from_secs(2), auth.wait()).await;
    assert!(ended.is_err(), "{ended:?}");
    auth.kill().await.expect("killed");
    world.close().await;
}

/// The leaf certificate that the server presents on a new connection.
async fn presented_certificate(files: &TlsFiles, url: &str) -> Option<Vec<u8>> {
    let http = client(files).pool_max_idle_per_host(0).build().expect("a client");
    let response = http.get(format!("{url}/health/live")).send().await.ok()?;
    let info = response.extensions().get::<reqwest::tls::TlsInfo>()?;
    info.peer_certificate().map(<[u8]>::to_vec)
}

async fn wait_until<F: Future<Output = bool>>(what: &str, holds: impl Fn() -> F) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds().await {
        assert!(Instant::now() < deadline, "not {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_certificate_is_reported_before_it_expires_and_makes_the_server_unready_afterwards() {
    let folder = TempDir::new().expect("a folder");
    let default_files = acceptance::world::tls_files();
    let [certificate, key] = ["server.pem", "server.key"].map(|name| folder.path().join(name));
    std::fs::copy(&default_files.certificate, &certificate).expect("copied");
    std::fs::copy(&default_files.key, &key).expect("copied");
    let settings = |prefix: &str| {
        [("CERTIFICATE", &certificate), ("KEY", &key)]
            .map(|(name, path)| (format!("{prefix}_TLS_{name}"), path.display().to_string()))
            .into()
    };
    let mut world = world(settings).await;
    // Connections that are open already are unaffected.
    let connected = world.client.http.clone();
    for (url, process) in servers(&mut world) {
        let ready = async || {
            let ready = connected.get(format!("{url}/health/ready")).send().await;
            let ready = ready.expect("a response");
            (ready.status().as_u16(), ready.text().await.expect("a body"))
        };
        for (days, logged, status) in [
            (10_i64, "the server's certificate expires soon", 200),
            (-1, "the server's certificate expired at", 503),
        ] {
            let pair = KeyPair::generate().expect("a key");
            let mut next = CertificateParams::new(["localhost".to_owned()]).expect("a name");
            let day = std::time::Duration::from_secs(days.unsigned_abs() * 86_400);
            let now = std::time::SystemTime::now();
            next.not_after = (if days < 0 { now - day } else { now + day }).into();
            let next = next.self_signed(&pair).expect("a certificate");
            std::fs::write(&certificate, next.pem()).expect("written");
            std::fs::write(&key, pair.serialize_pem()).expect("written");
            process.signal("HUP").expect("told");
            wait_until("reported", || async { process.log().contains(logged) }).await;
            let (found, text) = ready().await;
            assert_eq!(found, status, "{text}");
            assert_eq!(text.contains("certificate expired at"), status == 503, "{text}");
        }
    }
    world.close().await;
}

#[tokio::test]
async fn a_new_certificate_is_loaded_without_a_restart_and_a_broken_one_ignored() {
    let folder = TempDir::new().expect("a folder");
    let files = certificates::local(folder.path()).expect("certificates");
    let file = |path: &std::path::Path| path.display().to_string();
    let settings = |prefix: &str| {
        vec![
            (format!("{prefix}_TLS_CERTIFICATE"), file(&files.certificate)),
            (format!("{prefix}_TLS_KEY"), file(&files.key)),
            ("API_AUTH_CA".to_owned(), file(&files.authority)),
        ]
    };
    // The harness trusts its own authority, and polls until the servers are ready.
    let default_files = acceptance::world::tls_files();
    for (from, to) in [
        (&default_files.certificate, &files.certificate),
        (&default_files.key, &files.key),
        (&default_files.authority, &files.authority),
    ] {
        std::fs::copy(from, to).expect("copied");
    }
    let mut world = world(settings).await;
    let connected = world.client.http.clone();
    for (url, process) in servers(&mut world) {
        for (from, to) in
            [(&default_files.certificate, &files.certificate), (&default_files.key, &files.key)]
        {
            std::fs::copy(from, to).expect("copied");
        }
        process.signal("HUP").expect("told");
        let own_leaf = presented_certificate(&default_files, &url).await.expect("its certificate");
        let next_folder = TempDir::new().expect("a folder");
        let next = certificates::local(next_folder.path()).expect("certificates");
        std::fs::copy(&next.certificate, &files.certificate).expect("copied");
        process.signal("HUP").expect("told");
        wait_until("refused", || async { process.log().contains("the files cannot be used") })
            .await;
        assert_eq!(
            presented_certificate(&default_files, &url).await.as_ref(),
            Some(&own_leaf),
            "{}",
            process.log()
        );
        std::fs::copy(&next.key, &files.key).expect("copied");
        process.signal("HUP").expect("told");
        wait_until("taken", || async { presented_certificate(&next, &url).await.is_some() }).await;
        assert_ne!(presented_certificate(&next, &url).await, Some(own_leaf));
        assert!(
            presented_certificate(&default_files, &url).await.is_none(),
            "the older one is gone"
        );
        // Existing connections stay open.
        assert_eq!(get(&connected, &url, "/health/live").await.status(), StatusCode::OK);
    }
    world.close().await;
}
