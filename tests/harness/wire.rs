//! Raw requests, byte for byte, that no HTTP client would send.

use crate::world::World;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// An HTTP/1.1 connection to the api-server.
pub struct Wire(TlsStream<TcpStream>);

impl Wire {
    /// Connects to the api-server of a world.
    pub async fn to_api(world: &World) -> Self {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_file(&world.tls.authority).expect("an authority");
        roots.add(authority).expect("an authority");
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let address = world.client.api_url.trim_start_matches("https://");
        let stream = TcpStream::connect(address).await.expect("a connection");
        let name = ServerName::try_from("localhost").expect("a name");
        let connected = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
        Self(connected.expect("a handshake"))
    }

    /// Sends these bytes; false if the other side has gone.
    pub async fn send(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).await.is_ok() && self.0.flush().await.is_ok()
    }

    /// Closes the sending side.
    pub async fn close_writing(&mut self) {
        let _ = self.0.shutdown().await;
    }

    /// Receives until the other side closes, or is silent for this long.
    pub async fn receive(&mut self, pause: Duration) -> String {
        let mut received = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(Ok(count @ 1..)) = timeout(pause, self.0.read(&mut buffer)).await {
            received.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&received).into_owned()
    }
}
