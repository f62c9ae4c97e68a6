//! A client for load programs: HTTP over TLS with little work per request, because the senders use
//! the cores of the servers that they measure.

use crate::response::TestResponse;
use hyper::Response;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use reqwest::Body;
use reqwest::header::{HOST, HeaderValue};
use rustls::pki_types::ServerName;
use std::fmt;
use std::future::poll_fn;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// The version of HTTP that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpVersion {
    /// Each connection has one request at a time.
    Http1,
    /// All requests share one connection.
    Http2,
}

/// A client of one server.
pub struct LeanClient {
    /// Host and port.
    address: String,
    host: HeaderValue,
    connector: TlsConnector,
    version: HttpVersion,
    /// Connections that wait for a request; over HTTP/2 at most one is kept, which is cloned.
    idle: Mutex<Vec<LeanConnection>>,
}

enum LeanConnection {
    Http1(http1::SendRequest<Body>),
    Http2(http2::SendRequest<Body>),
}

impl LeanConnection {
    fn is_closed(&self) -> bool {
        match self {
            Self::Http1(sender) => sender.is_closed(),
            Self::Http2(sender) => sender.is_closed(),
        }
    }

    async fn send(&mut self, request: hyper::Request<Body>) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::Http1(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
            Self::Http2(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
        }
    }
}

/// Why there is no response.
#[derive(Debug)]
pub enum NoResponse {
    /// It did not arrive in time.
    TimedOut,
    /// The connection failed.
    Lost(String),
}

impl LeanClient {
    /// Creates a client of the server at `https://HOST:PORT`, whose certificate names `localhost`
    /// and is signed by this authority.
    pub fn new(url: &str, authority: &Path, version: HttpVersion) -> Self {
        let address = url.trim_start_matches("https://").to_owned();
        let versions = [&rustls::version::TLS13, &rustls::version::TLS12];
        let mut tls = shared::tls::client_config(authority, &versions).expect("an authority");
        if version == HttpVersion::Http2 {
            tls.alpn_protocols = vec![b"h2".to_vec()];
        }
        Self {
            host: HeaderValue::from_str(&address).expect("an address"),
            address,
            connector: TlsConnector::from(Arc::new(tls)),
            version,
            idle: Mutex::default(),
        }
    }

    /// Sends a request and reads the response to the end. Its URI is a path over HTTP/1.1, and whole
    /// over HTTP/2.
    pub async fn send(
        &self,
        mut request: hyper::Request<Body>,
        time_max: Duration,
    ) -> Result<TestResponse, NoResponse> {
        if self.version == HttpVersion::Http1 {
            request.headers_mut().insert(HOST, self.host.clone());
        }
        timeout(time_max, self.exchange(request)).await.unwrap_or(Err(NoResponse::TimedOut))
    }

    async fn exchange(&self, request: hyper::Request<Body>) -> Result<TestResponse, NoResponse> {
        let mut connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let response = connection.send(request).await.map_err(lost)?;
        let (head, body) = response.into_parts();
        let text = String::from_utf8_lossy(&read(body).await.map_err(lost)?).into_owned();
        if self.version == HttpVersion::Http1 {
            self.idle().push(connection);
        }
        Ok(TestResponse { status: head.status, headers: head.headers, text })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<LeanConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection that the server has not closed.
    fn take_idle(&self) -> Option<LeanConnection> {
        let mut idle = self.idle();
        idle.retain(|connection| !connection.is_closed());
        match idle.last() {
            Some(LeanConnection::Http2(sender)) => Some(LeanConnection::Http2(sender.clone())),
            _ => idle.pop(),
        }
    }

    async fn connect(&self) -> Result<LeanConnection, NoResponse> {
        let stream = TcpStream::connect(&self.address).await.map_err(lost)?;
        stream.set_nodelay(true).map_err(lost)?;
        let name = ServerName::try_from("localhost").map_err(lost)?;
        let stream = self.connector.connect(name, stream).await.map_err(lost)?;
        let stream = TokioIo::new(stream);
        // Connections end with their senders, or when the server closes them.
        match self.version {
            HttpVersion::Http1 => {
                let (sender, connection) = http1::handshake(stream).await.map_err(lost)?;
                tokio::spawn(connection);
                Ok(LeanConnection::Http1(sender))
            }
            HttpVersion::Http2 => {
                let executor = TokioExecutor::new();
                let (sender, connection) =
                    http2::handshake(executor, stream).await.map_err(lost)?;
                tokio::spawn(connection);
                self.idle().push(LeanConnection::Http2(sender.clone()));
                Ok(LeanConnection::Http2(sender))
            }
        }
    }
}

fn lost(error: impl fmt::Debug) -> NoResponse {
    NoResponse::Lost(format!("{error:?}"))
}

/// Reads a body to the end.
pub(crate) async fn read(mut body: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}
