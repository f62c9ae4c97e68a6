//! Token introspection by the api-server: concurrent requests share calls, and no answer is older
//! than its request.

use api_server::auth::auth_client::AuthClient;
use api_server::config::Config;
use futures_util::future::join_all;
use installer::installation::certificates;
use poem::{Request, Response, endpoint};
use serde_json::{Value, json};
use shared::problem::ProblemType;
use shared::server::{ServerLimits, serve};
use shared::shutdown::Shutdown;
use shared::tls::{self, Identity};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

/// A slow auth server that counts introspection requests and can be made to report tokens as logged
/// out.
struct SlowAuthServer {
    client: Arc<AuthClient>,
    introspections: Arc<AtomicUsize>,
    logged_out: Arc<AtomicBool>,
    _folder: TempDir,
}

/// Describes a token: live, of a user named like the token, or logged out.
fn introspection(token: &str, logged_out: bool) -> Value {
    match logged_out {
        true => json!({"active": false}),
        false => json!({
            "active": true, "iss": "x", "sub": "core:1", "username": token, "client_id": "c",
            "scope": "core", "token_type": "Bearer", "iat": 1, "exp": 2, "user_kind": "core",
            "user_id": 1,
        }),
    }
}

impl SlowAuthServer {
    async fn start() -> Self {
        tls::install_provider();
        let folder = tempfile::tempdir().unwrap();
        let files = certificates::local(folder.path()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (certificate, key) = (files.certificate.as_path(), files.key.as_path());
        let config = Identity { certificate, key, client_certificates: false }.server_config();
        let (_, tls) = watch::channel(Arc::new(config.unwrap()));
        let introspections = Arc::new(AtomicUsize::new(0));
        let logged_out = Arc::new(AtomicBool::new(false));
        let (count, forgotten) = (Arc::clone(&introspections), Arc::clone(&logged_out));
        let response = endpoint::make(move |mut request: Request| {
            count.fetch_add(1, Ordering::Relaxed);
            // Decided when the request arrives, sent later.
            let logged_out = forgotten.load(Ordering::Relaxed);
            async move {
                let many = request.uri().path() == "/oauth2/introspect-many";
                let form = request.take_body().into_vec().await.expect("a form");
                let form: Vec<(String, String)> = serde_urlencoded::from_bytes(&form).expect("one");
                let token = &form[0].1;
                let tokens = token.split(' ').map(|token| introspection(token, logged_out));
                let body = if many { tokens.collect() } else { introspection(token, logged_out) };
                sleep(Duration::from_millis(200)).await;
                Ok::<_, poem::Error>(Response::builder().body(body.to_string()))
            }
        });
        let stop = std::future::pending();
        let stopping = Shutdown::default();
        tokio::spawn(serve(listener, tls, response, ServerLimits::default(), stopping, stop));
        let env_file = folder.path().join("api-server.env");
        let (certificate, key) = (files.certificate.display(), files.key.display());
        let settings = format!(
            "API_DATABASE_URL=sqlite://none\nAPI_TLS_CERTIFICATE={certificate}\nAPI_TLS_KEY={key}\n\
             API_AUTH_URL=https://localhost:{port}\nAPI_AUTH_CA={}\nAPI_AUTH_CLIENT_SECRET=x\n\
             API_MASTER_KEYS=k1:{}\n",
            files.authority.display(),
            "0".repeat(64),
        );
        std::fs::write(&env_file, settings).unwrap();
        let config = Config::read(Some(&env_file)).unwrap();
        let Config { auth_url, auth_ca, auth_client_id, auth_client_secret, .. } = &config;
        let client =
            AuthClient::new(auth_url, auth_ca, auth_client_id, auth_client_secret).unwrap();
        Self { client, introspections, logged_out, _folder: folder }
    }
}

#[tokio::test]
async fn requests_with_one_token_share_a_call() {
    let server = SlowAuthServer::start().await;
    let one_token = (0..64).map(|_| server.client.introspect("lsa_one"));
    let introspected = join_all(one_token).await;
    assert!(introspected.iter().all(Result::is_ok), "{introspected:?}");
    let calls = server.introspections.swap(0, Ordering::Relaxed);
    assert!(calls <= 2, "one in flight and one for all that arrived then, not {calls}");
}

#[tokio::test]
async fn requests_with_different_tokens_share_calls_and_each_gets_its_own_answer() {
    let server = SlowAuthServer::start().await;
    let tokens: Vec<String> = (0..100).map(|number| format!("lsa_{number}")).collect();
    let introspections = tokens.iter().map(|token| server.client.introspect(token));
    for (token, introspected) in tokens.iter().zip(join_all(introspections).await) {
        assert_eq!(&introspected.unwrap().username, token);
    }
    let calls = server.introspections.load(Ordering::Relaxed);
    assert!(calls <= 5, "{calls} calls");
}

#[tokio::test]
async fn a_malformed_token_is_refused_without_a_call() {
    let server = SlowAuthServer::start().await;
    for token in ["", "a b", "lsa_\u{e4}", "lsa%20", "lsa_a&client_id=x", &"x".repeat(257)] {
        let refused = server.client.introspect(token).await;
        assert_eq!(refused.unwrap_err().kind(), ProblemType::TokenInvalid, "{token:?}");
    }
    assert_eq!(server.introspections.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_request_after_log_out_does_not_reuse_an_earlier_introspection() {
    let server = SlowAuthServer::start().await;
    let client = Arc::clone(&server.client);
    let early = tokio::spawn(async move { client.introspect("lsa_one").await });
    sleep(Duration::from_millis(100)).await;
    server.logged_out.store(true, Ordering::Relaxed);
    let late = server.client.introspect("lsa_one").await;
    assert_eq!(late.unwrap_err().kind(), ProblemType::TokenInvalid);
    assert!(early.await.unwrap().is_ok());
    let again = server.client.introspect("lsa_one").await;
    assert_eq!(again.unwrap_err().kind(), ProblemType::TokenInvalid, "nothing is cached");
}

#[tokio::test]
async fn a_cancelled_request_does_not_cancel_the_shared_introspection() {
    let server = SlowAuthServer::start().await;
    let client = Arc::clone(&server.client);
    let first = tokio::spawn(async move { client.introspect("lsa_one").await });
    sleep(Duration::from_millis(50)).await;
    let client = Arc::clone(&server.client);
    let second = tokio::spawn(async move { client.introspect("lsa_one").await });
    sleep(Duration::from_millis(50)).await;
    first.abort();
    assert!(second.await.unwrap().is_ok());
}
