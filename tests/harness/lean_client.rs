//! A client for load programs: HTTP/1.1 over TLS with little work per request, because the senders
//! use the cores of the servers that they measure.

use crate::response::TestResponse;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
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

/// A client of one server. Each of its connections has one request at a time.
pub struct LeanClient {
    /// Host and port.
    address: String,
    host: HeaderValue,
    connector: TlsConnector,
    idle: Mutex<Vec<SendRequest<Body>>>,
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
    pub fn new(url: &str, authority: &Path) -> Self {
        let address = url.trim_start_matches("https://").to_owned();
        let versions = [&rustls::version::TLS13, &rustls::version::TLS12];
        let tls = shared::tls::client_config(authority, &versions).expect("an authority");
        Self {
            host: HeaderValue::from_str(&address).expect("an address"),
            address,
            connector: TlsConnector::from(Arc::new(tls)),
            idle: Mutex::default(),
        }
    }

    /// Sends a request, whose URI is a path, and reads the response to the end.
    pub async fn send(
        &self,
        mut request: hyper::Request<Body>,
        time_max: Duration,
    ) -> Result<TestResponse, NoResponse> {
        request.headers_mut().insert(HOST, self.host.clone());
        timeout(time_max, self.exchange(request)).await.unwrap_or(Err(NoResponse::TimedOut))
    }

    async fn exchange(&self, request: hyper::Request<Body>) -> Result<TestResponse, NoResponse> {
        let mut connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        connection.ready().await.map_err(lost)?;
        let response = connection.send_request(request).await.map_err(lost)?;
        let (head, body) = response.into_parts();
        let text = String::from_utf8_lossy(&read(body).await.map_err(lost)?).into_owned();
        self.idle().push(connection);
        Ok(TestResponse { status: head.status, headers: head.headers, text })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SendRequest<Body>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection that the server has not closed.
    fn take_idle(&self) -> Option<SendRequest<Body>> {
        let mut idle = self.idle();
        idle.retain(|connection| !connection.is_closed());
        idle.pop()
    }

    async fn connect(&self) -> Result<SendRequest<Body>, NoResponse> {
        let stream = TcpStream::connect(&self.address).await.map_err(lost)?;
        stream.set_nodelay(true).map_err(lost)?;
        let name = ServerName::try_from("localhost").map_err(lost)?;
        let stream = self.connector.connect(name, stream).await.map_err(lost)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
        // It ends with the sender, or when the server closes the connection.
        tokio::spawn(connection);
        Ok(sender)
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
