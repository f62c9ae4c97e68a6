//! The listener both servers stand on: TLS, HTTP/1.1 and HTTP/2, and a limit on everything a
//! stranger can hold open.
//!
//! It drives hyper itself rather than through poem's server, because that one cannot end a
//! connection that never finishes its headers, cannot limit connections, does not set
//! `TCP_NODELAY` (which costs HTTP/2 some 40 ms at the slow end), and spins when the process is
//! out of file descriptors.

mod outgoing;
mod places;

pub use outgoing::SharedBody;

use crate::networks::Networks;
use crate::process::{Stopping, stop_signal};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use outgoing::{Held, Outgoing};
use places::{Place, Places};
use poem::http::header::{CONNECTION, HeaderValue};
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Endpoint, Response};
use rustls::ServerConfig;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// What one listener may be made to hold, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections; further ones wait in the kernel's queue.
    pub connections_max: u32,
    /// Open connections from one source network; further ones are closed.
    pub connections_per_network: u32,
    /// Proxies, whose networks have no such limit.
    pub proxies: Networks,
    /// From the TCP connection to the end of the TLS handshake.
    pub handshake: Duration,
    /// For the headers of a request; also how long an idle connection is kept.
    pub headers: Duration,
    /// For a client to take what was sent to it, a download for one.
    pub unacknowledged: Duration,
    /// For a client to take 64 KiB of a response, or the rest of it.
    pub progress: Duration,
    /// For the requests in flight once the server is told to stop.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 4096,
            connections_per_network: 1024,
            proxies: Networks::default(),
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(20),
            unacknowledged: Duration::from_secs(60),
            progress: Duration::from_secs(60),
            drain: Duration::from_secs(30),
        }
    }
}

/// The certificate the other side has shown, and whose key it has: a request's data.
#[derive(Clone, Debug)]
pub struct PeerCertificate(pub Arc<[u8]>);

/// A response's data once its client has proven that it is no stranger: its connection takes no
/// place of its network any more.
#[derive(Clone, Copy, Debug)]
pub struct TrustedPeer;

/// What the engine may buffer of a response that the client does not take.
const STREAM_BYTES_BUFFERED: usize = 32 * 1024;
/// Header bytes of one request.
const HEADER_BYTES_MAX: usize = 32 * 1024;
/// Requests at once on one HTTP/2 connection.
const STREAMS_MAX: u32 = 128;
/// What a client may send ahead of what is read: of one request, and of all on a connection. A
/// request whose turn has not come, and which is not read yet, leaves room for all others.
const STREAM_BYTES_AHEAD: u32 = 256 * 1024;
const CONNECTION_BYTES_AHEAD: u32 = STREAMS_MAX * STREAM_BYTES_AHEAD;
/// After a failed accept (out of file descriptors, say) the next one waits a little.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` is ready, then finishes the requests in flight and returns. Each connection
/// gets the TLS that holds when it comes.
pub async fn serve<E>(
    listener: TcpListener,
    tls: watch::Receiver<Arc<ServerConfig>>,
    endpoint: E,
    limits: Limits,
    stopping: Stopping,
    stop: impl Future<Output = ()>,
) where
    E: Endpoint<Output = Response> + 'static,
{
    let endpoint = Arc::new(endpoint);
    let permits = Arc::new(Semaphore::new(limits.connections_max as usize));
    let places = Places::new(limits.connections_per_network, limits.proxies.clone());
    let held = Arc::new(Held::default());
    let (stop_all, stopped) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, stream, peer) = tokio::select! {
            () = &mut stop => break,
            (permit, accepted) = accepted => match accepted {
                Ok((stream, peer)) => (permit, stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            }
        };
        let Some(place) = places.take(peer.ip()) else {
            tracing::debug!(%peer, "too many connections from this network");
            continue;
        };
        let connection = Connection {
            place: Arc::new(Mutex::new(place)),
            outgoing: Outgoing::new(Arc::clone(&held)),
            acceptor: TlsAcceptor::from(Arc::clone(&tls.borrow())),
            endpoint: Arc::clone(&endpoint),
            limits: limits.clone(),
            stopping: stopping.clone(),
            stopped: stopped.clone(),
        };
        tokio::spawn(async move {
            connection.run(stream, peer).await;
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!("stopping: finishing the requests in flight");
    stop_all.send_replace(true);
    // All permits back: every connection has ended.
    let ended = permits.acquire_many(limits.connections_max);
    tokio::select! {
        _ = timeout(limits.drain, ended) => {}
        () = stop_signal() => tracing::warn!("told again: the requests in flight are cut off"),
    }
}

struct Connection<E> {
    place: Arc<Mutex<Place>>,
    outgoing: Arc<Outgoing>,
    acceptor: TlsAcceptor,
    endpoint: Arc<E>,
    limits: Limits,
    stopping: Stopping,
    stopped: watch::Receiver<bool>,
}

impl<E: Endpoint<Output = Response> + 'static> Connection<E> {
    async fn run(self, stream: TcpStream, peer: SocketAddr) {
        // Without it small HTTP/2 frames wait for the peer's delayed acknowledgement.
        let _ = stream.set_nodelay(true);
        limit_unacknowledged(&stream, self.limits.unacknowledged);
        let local = stream.local_addr().ok();
        let handshake = timeout(self.limits.handshake, self.acceptor.accept(stream));
        let Ok(Ok(stream)) = handshake.await else { return };
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2".as_slice());
        let certificates = stream.get_ref().1.peer_certificates();
        let certificate = certificates
            .and_then(|chain| chain.first())
            .map(|certificate| PeerCertificate(certificate.as_ref().into()));
        let requests = Arc::new(Requests::default());
        let outgoing = Arc::clone(&self.outgoing);
        let service = {
            let requests = Arc::clone(&requests);
            let local = LocalAddr(local.map(Into::into).unwrap_or_default());
            service_fn(move |request: hyper::Request<Incoming>| {
                let under_way = requests.begin();
                let endpoint = Arc::clone(&self.endpoint);
                let stopping = self.stopping.clone();
                let (place, outgoing) = (Arc::clone(&self.place), Arc::clone(&self.outgoing));
                let peer = RemoteAddr(peer.into());
                let mut request: poem::Request =
                    (request, local.clone(), peer, Scheme::HTTPS).into();
                if let Some(certificate) = &certificate {
                    request.set_data(certificate.clone());
                }
                async move {
                    outgoing.room().await;
                    let mut response = endpoint.get_response(request).await;
                    if response.data::<TrustedPeer>().is_some() {
                        place.lock().unwrap_or_else(PoisonError::into_inner).release();
                    }
                    // Or the next request could cross the end of the connection on its way. In
                    // HTTP/2 that cannot happen: it says which request was its last.
                    if stopping.has_begun() && !http2 {
                        response
                            .headers_mut()
                            .insert(CONNECTION, HeaderValue::from_static("close"));
                    }
                    drop(under_way);
                    let shared = response.data::<SharedBody>().is_some();
                    let response = hyper::Response::from(response);
                    Ok::<_, Infallible>(response.map(|body| outgoing.track(body, shared)))
                }
            })
        };
        let connection = builder(http2, &self.limits);
        let connection = connection.serve_connection(TokioIo::new(stream), service);
        let (mut connection, mut stopped) = (pin!(connection), self.stopped);
        let quiet = Arc::clone(&requests).quiet_for(self.limits.headers);
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = stopped.wait_for(|stopped| *stopped) => {}
            () = quiet => {}
            // Dropped: a goodbye would wait for the client, too.
            () = outgoing.stalled(self.limits.progress) => return,
        }
        // A peer that never said anything, not even HTTP/2's first words, cannot be told goodbye.
        if requests.begun.load(Ordering::Relaxed) == 0 {
            return;
        }
        // No new requests; what is being answered is answered to its end.
        connection.as_mut().graceful_shutdown();
        let drained = async {
            let _ = stopped.wait_for(|stopped| *stopped).await;
            sleep(self.limits.drain).await;
        };
        tokio::select! {
            _ = connection => {}
            () = drained => {}
            () = outgoing.stalled_or_done(self.limits.progress) => {}
        }
    }
}

/// Ends a connection whose client has stopped reading: nobody waits for it but the answer that it
/// does not take.
#[cfg(target_os = "linux")]
fn limit_unacknowledged(stream: &TcpStream, duration: Duration) {
    let _ = socket2::SockRef::from(stream).set_tcp_user_timeout(Some(duration));
}

#[cfg(not(target_os = "linux"))]
fn limit_unacknowledged(_stream: &TcpStream, _duration: Duration) {}

/// The protocol is known from the handshake, so nothing waits for a first byte to guess it.
fn builder(http2: bool, limits: &Limits) -> auto::Builder<TokioExecutor> {
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut builder = if http2 { builder.http2_only() } else { builder.http1_only() };
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        .max_buf_size(HEADER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_send_buf_size(STREAM_BYTES_BUFFERED)
        .initial_stream_window_size(STREAM_BYTES_AHEAD)
        .initial_connection_window_size(CONNECTION_BYTES_AHEAD)
        .max_header_list_size(HEADER_BYTES_MAX as u32)
        .keep_alive_interval(limits.headers)
        .keep_alive_timeout(limits.headers);
    builder
}

/// The requests of one connection, to tell when it has nothing to do.
#[derive(Debug, Default)]
struct Requests {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Requests {
    fn begin(self: &Arc<Self>) -> UnderWay {
        self.begun.fetch_add(1, Ordering::Relaxed);
        UnderWay(Arc::clone(self))
    }

    /// Ready once no request was under way for this long. It also ends a connection whose peer
    /// never says anything after the handshake.
    async fn quiet_for(self: Arc<Self>, duration: Duration) {
        loop {
            let begun = self.begun.load(Ordering::Relaxed);
            let idle = begun == self.ended.load(Ordering::Relaxed);
            sleep(duration).await;
            if idle && begun == self.begun.load(Ordering::Relaxed) {
                return;
            }
        }
    }
}

/// Counts its request as ended when it goes, also when the client went first.
#[derive(Debug)]
struct UnderWay(Arc<Requests>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}
