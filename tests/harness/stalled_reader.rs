//! A client that sends requests and reads no answer: over HTTP/2 with closed windows, answering
//! PINGs so that it appears alive.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const ACKNOWLEDGED: u8 = 1;
/// END_STREAM and END_HEADERS.
const WHOLE_REQUEST: u8 = 5;

/// Opens connections of such clients.
#[derive(Clone)]
pub struct StalledReaders {
    connector: TlsConnector,
    server: SocketAddr,
}

impl StalledReaders {
    /// Readers of the server at this URL on loopback, whose certificate this authority signed.
    pub fn of(url: &str, authority: &Path) -> Self {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_file(authority).expect("an authority");
        roots.add(authority).expect("an authority");
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let mut config = config;
        config.alpn_protocols = vec![b"h2".to_vec()];
        let port = url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        Self {
            connector: TlsConnector::from(Arc::new(config)),
            server: SocketAddr::from(([127, 0, 0, 1], port)),
        }
    }

    /// Requests a path on this many streams, from this address, with windows of this many bytes.
    pub async fn send_requests(
        &self,
        from: IpAddr,
        path: &str,
        streams: u32,
        window: u32,
    ) -> io::Result<StalledReader> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(from, 0))?;
        let stream = socket.connect(self.server).await?;
        let name = ServerName::try_from("localhost").expect("a name");
        let mut stream = self.connector.connect(name, stream).await?;
        stream.write_all(PREFACE).await?;
        let initial_window = [&4u16.to_be_bytes()[..], &window.to_be_bytes()].concat();
        stream.write_all(&frame(SETTINGS, 0, 0, &initial_window)).await?;
        // Method GET, scheme https, path, authority; nothing indexed (RFC 7541, 6.2.2).
        let mut fields = vec![0x82, 0x87];
        for (name, value) in [(0x04, path), (0x01, "localhost")] {
            fields.extend([name, value.len() as u8]);
            fields.extend(value.as_bytes());
        }
        for number in 0..streams {
            stream.write_all(&frame(HEADERS, WHOLE_REQUEST, 2 * number + 1, &fields)).await?;
        }
        stream.flush().await?;
        Ok(StalledReader(stream))
    }
}

/// One such client.
pub struct StalledReader(TlsStream<TcpStream>);

impl StalledReader {
    /// Answers PINGs until the server closes the connection.
    pub async fn until_closed(mut self) {
        let mut head = [0; 9];
        while self.0.read_exact(&mut head).await.is_ok() {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            let mut payload = vec![0; length];
            if self.0.read_exact(&mut payload).await.is_err() {
                return;
            }
            if head[3] == PING && head[4] & ACKNOWLEDGED == 0 {
                let acknowledgement = frame(PING, ACKNOWLEDGED, 0, &payload);
                if self.0.write_all(&acknowledgement).await.is_err()
                    || self.0.flush().await.is_err()
                {
                    return;
                }
            }
        }
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}
