//! Servers to verify, with made-to-order TLS certificates and answers.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use installer::installation::checks::Report;
use installer::verification::{VerificationArgs, verify};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, SupportedProtocolVersion};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A server's certificate and versions.
pub struct LeafCertificate {
    pub name: &'static str,
    /// From the first day of one year to the first day of another.
    pub valid: (i32, i32),
    /// An authority between the root and the server, valid for these years.
    pub intermediate: Option<(i32, i32)>,
    pub versions: Vec<&'static SupportedProtocolVersion>,
}

impl Default for LeafCertificate {
    fn default() -> Self {
        let versions = rustls::ALL_VERSIONS.to_vec();
        Self { name: "localhost", valid: (2020, 2090), intermediate: None, versions }
    }
}

/// What a server presents, and the PEM of the authority to trust for it.
pub type PresentedChain = (ServerConfig, String);

impl LeafCertificate {
    pub fn config(&self) -> PresentedChain {
        shared::tls::install_provider();
        let root = authority("Root", (2020, 2090));
        let root = CertifiedIssuer::self_signed(root, key()).unwrap();
        let pem = root.pem();
        let (issuer, intermediate) = match self.intermediate {
            None => (root, None),
            Some(years) => {
                let intermediate = authority("Between", years);
                let intermediate = CertifiedIssuer::signed_by(intermediate, key(), &root).unwrap();
                let der = intermediate.der().clone();
                (intermediate, Some(der))
            }
        };
        let mut params = CertificateParams::new([self.name.to_owned()]).unwrap();
        set_years(&mut params, self.valid);
        let key = key();
        let own = params.signed_by(&key, &issuer).unwrap();
        let chain = [own.der().clone()].into_iter().chain(intermediate).collect();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_protocol_versions(&self.versions)
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        (config, pem)
    }
}

fn authority(name: &str, years: (i32, i32)) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    set_years(&mut params, years);
    params
}

fn set_years(params: &mut CertificateParams, (first, last): (i32, i32)) {
    params.not_before = rcgen::date_time_ymd(first, 1, 1);
    params.not_after = rcgen::date_time_ymd(last, 1, 1);
}

fn key() -> KeyPair {
    KeyPair::generate().unwrap()
}

/// Builds an answer, status and body, from the request and the server's URL.
type PeerResponse = dyn Fn(&str, &str) -> (u16, Value) + Send + Sync;

/// A running server, and the settings to verify it with. It stops when dropped.
pub struct Peer {
    pub arguments: VerificationArgs,
    files: Vec<PathBuf>,
    task: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
    }
}

impl Peer {
    /// Answers requests over TLS.
    pub async fn start(
        presented: PresentedChain,
        response: impl Fn(&str, &str) -> (u16, Value) + Send + Sync + 'static,
    ) -> Self {
        Self::start_full(presented, |_| None, Some(Arc::new(response))).await
    }

    /// Like a correct server, but this function first answers the ClientHello.
    pub async fn start_with_prelude(
        presented: PresentedChain,
        intercept: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self::start_full(presented, intercept, Some(Arc::new(auth_server))).await
    }

    /// Completes handshakes and then stays silent.
    pub async fn start_silent(presented: PresentedChain) -> Self {
        Self::start_full(presented, |_| None, None).await
    }

    async fn start_full(
        (config, ca): PresentedChain,
        intercept: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static,
        response: Option<Arc<PeerResponse>>,
    ) -> Self {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let intercept = Arc::new(intercept);
        let mut peer = Self::start_raw(move |mut stream| {
            let (acceptor, intercept, response) =
                (acceptor.clone(), intercept.clone(), response.clone());
            async move {
                let port = stream.local_addr().unwrap().port();
                let mut hello = [0; 4096];
                let count = stream.peek(&mut hello).await.unwrap();
                if let Some(response) = intercept(&hello[..count]) {
                    return send(&mut stream, &response).await;
                }
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let request = read_request(&mut stream).await;
                let Some(response) = response else { return std::future::pending().await };
                if !request.is_empty() {
                    let (status, body) = response(&request, &format!("https://localhost:{port}"));
                    let body = body.to_string();
                    let head = format!(
                        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                        body.len()
                    );
                    stream.write_all((head + body.as_str()).as_bytes()).await.unwrap();
                    let _ = stream.shutdown().await;
                }
            }
        })
        .await;
        peer.arguments.ca = Some(peer.write("ca.pem", &ca));
        peer
    }

    /// Hands over each raw connection.
    pub async fn start_raw<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream));
            }
        });
        Self { arguments: arguments(&url), files: Vec::new(), task }
    }

    /// Lets the verification use a client with this secret.
    pub fn with_client(mut self, secret: &str) -> Self {
        self.arguments.client = Some("api".to_owned());
        self.arguments.secret_file = Some(self.write("secret", &format!("{secret}\n")));
        self
    }

    pub async fn verify(&self) -> Report {
        verify(&self.arguments).await
    }

    fn write(&mut self, name: &str, content: &str) -> PathBuf {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("verify-auth-server-{}-{count}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        self.files.push(path.clone());
        path
    }
}

pub fn arguments(url: &str) -> VerificationArgs {
    VerificationArgs { url: url.to_owned(), ..VerificationArgs::default() }
}

/// The answers of a correct auth server. Its client is `api`, the secret `ri+ght`.
pub fn auth_server(request: &str, url: &str) -> (u16, Value) {
    let path = request.split_whitespace().nth(1).unwrap();
    match path {
        "/.well-known/oauth-authorization-server" => {
            let metadata = json!({
                "issuer": url,
                "token_endpoint": format!("{url}/oauth2/token"),
                "introspection_endpoint": format!("{url}/oauth2/introspect"),
                "scopes_supported": ["core", "web"],
            });
            (200, metadata)
        }
        "/health/ready" => {
            (200, json!({"status": "ready", "database_time": time(0), "web_token_seconds": 1200}))
        }
        // The credentials are form-encoded before they are encoded in base64.
        "/oauth2/introspect" => match request.contains("Basic YXBpOnJpJTJCZ2h0\r\n") {
            true if request.contains("\r\n\r\ntoken=") => (200, json!({"active": false})),
            true => (400, json!({"error": "invalid_request"})),
            false => (401, json!({"error": "invalid_client"})),
        },
        _ => (404, json!({"error": "not_found"})),
    }
}

/// This machine's time, off by this many seconds.
pub fn time(seconds_off: i64) -> String {
    let time = DateTime::<Utc>::from(SystemTime::now()) + TimeDelta::seconds(seconds_off);
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// The version field of a ClientHello; TLS 1.3 leaves it at 1.2.
pub fn highest_version(hello: &[u8]) -> u16 {
    if hello.len() < 11 { u16::MAX } else { u16::from_be_bytes([hello[9], hello[10]]) }
}

/// The ciphers a ClientHello offers.
pub fn ciphers(hello: &[u8]) -> Vec<u16> {
    let list = 44 + usize::from(hello[43]);
    let length = usize::from(u16::from_be_bytes([hello[list], hello[list + 1]]));
    let ciphers = &hello[list + 2..list + 2 + length];
    ciphers.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

/// A record with a ServerHello: version, random, no session, cipher, no compression.
pub fn server_hello(version: u16, cipher: u16) -> Vec<u8> {
    let mut record = vec![22, 3, 1, 0, 42, 2, 0, 0, 38];
    record.extend(version.to_be_bytes());
    record.extend([7; 32]);
    record.push(0);
    record.extend(cipher.to_be_bytes());
    record.push(0);
    record
}

/// Reads the first bytes on a connection.
pub async fn read_some(stream: &mut TcpStream) -> Vec<u8> {
    let mut received = Vec::with_capacity(4096);
    let _ = stream.read_buf(&mut received).await;
    received
}

/// Sends, and waits until the other side closes the connection.
pub async fn send(stream: &mut TcpStream, response: &[u8]) {
    let _ = stream.write_all(response).await;
    let wait = async { while stream.read(&mut [0; 512]).await.is_ok_and(|count| count > 0) {} };
    let _ = tokio::time::timeout(Duration::from_secs(3), wait).await;
}

/// Reads a request with its body; empty if the connection ends.
async fn read_request(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            let length = lengths.next().map_or(0, |(_, value)| value.parse().unwrap());
            if body.len() >= length {
                return text;
            }
        }
        if !stream.read_buf(&mut received).await.is_ok_and(|count| count > 0) {
            return String::new();
        }
    }
}
