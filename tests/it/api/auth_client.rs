//! Token introspection by the api-server: concurrent requests share an answer, which is never older
//! than the request.

use api_server::auth::auth_client::AuthClient;
use api_server::config::Config;
use futures_util::future::join_all;
use installer::installation::certificates;
use poem::{Response, endpoint};
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

/// A slow auth server that counts introspection requests and can be made to report the token as
/// logged out.
struct SlowAuthServer {
    client: Arc<AuthClient>,
    introspections: Arc<AtomicUsize>,
    logged_out: Arc<AtomicBool>,
    _folder: TempDir,
}

const ACTIVE: &str = r#"{"active":true,"iss":"x","sub":"core:1","username":"u","client_id":"c",
    "scope":"core","token_type":"Bearer","iat":1,"exp":2,"user_kind":"core","user_id":1}"#;

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
        let questions = Arc::new(AtomicUsize::new(0));
        let logged_out = Arc::new(AtomicBool::new(false));
        let (count, forgotten) = (Arc::clone(&questions), Arc::clone(&logged_out));
        let response = endpoint::make(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            // Decided when the request arrives, sent later.
            let body =
                if forgotten.load(Ordering::Relaxed) { r#"{"active":false}"# } else { ACTIVE };
            async move {
                sleep(Duration::from_millis(200)).await;
                Ok::<_, poem::Error>(Response::builder().body(body))
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
        Self { client, introspections: questions, logged_out, _folder: folder }
    }
}

#[tokio::test]
async fn concurrent_requests_with_one_token_share_an_introspection() {
    let server = SlowAuthServer::start().await;
    let one_token = (0..64).map(|_| server.client.introspect("lsa_one"));
    let introspected = join_all(one_token).await;
    assert!(introspected.iter().all(Result::is_ok), "{introspected:?}");
    let introspections = server.introspections.swap(0, Ordering::Relaxed);
    assert!(
        introspections <= 2,
        "one in flight and one for all who came meanwhile, not {introspections}"
    );
    let many_tokens = ["lsa_a", "lsa_b", "lsa_c"].map(|token| server.client.introspect(token));
    join_all(many_tokens).await;
    assert_eq!(server.introspections.load(Ordering::Relaxed), 3);
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
