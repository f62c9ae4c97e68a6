//! Listener of both servers: TLS, HTTP/1.1 and HTTP/2, and a limit on everything that an
//! unauthenticated client can hold open.
//!
//! Over HTTP/2, hyper cannot send a 100 (RFC 9110, 10.1.1) to a client with `Expect: 100-continue`. Most
//! send their body after a second without one. The stream of one that does not is reset with
//! HTTP_1_1_REQUIRED (RFC 9113, 8.1.1), so that it fails with a reason instead of timing out.
//!
//! It drives hyper directly rather than through poem's server, because poem's server cannot close a
//! connection that never finishes its headers, cannot limit connections, does not set `TCP_NODELAY`
//! (which adds some 40 ms to the slowest HTTP/2 responses), and spins when the process is out of file
//! descriptors.

mod outgoing;

pub use outgoing::SharedBody;

use crate::keyed_permits::{KeyedPermit, KeyedPermits};
use crate::networks::{Networks, network_of};
use crate::shutdown::{Shutdown, stop_signal};
use futures_util::{FutureExt, StreamExt};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use ipnet::IpNet;
use outgoing::{Held, Outgoing};
use poem::http::StatusCode;
use poem::http::header::{CONNECTION, EXPECT, HeaderValue, RETRY_AFTER, USER_AGENT};
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Body, Endpoint, Response};
use rustls::ServerConfig;
use std::future::{Future, ready};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Limits of one listener, and their durations.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Open connections; further ones wait in the kernel's queue.
    pub connections_max: u32,
    /// Open connections from one source network; further ones are closed.
    pub connections_per_network: u32,
    /// Proxies; connections from them are exempt from the limit per network.
    pub proxies: Networks,
    /// Time from the TCP connection to the end of the TLS handshake.
    pub handshake: Duration,
    /// Time to receive a request's headers, and until a new connection sends any.
    pub headers: Duration,
    /// How long a connection without a request in flight is kept.
    pub idle: Duration,
    /// Time for a client to acknowledge sent data, such as a download.
    pub unacknowledged: Duration,
    /// Time for a client to receive 64 KiB of a response, or the rest of it.
    pub progress: Duration,
    /// Time for the requests in flight to finish after the stop signal.
    pub drain: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections_max: 4096,
            connections_per_network: 1024,
            proxies: Networks::default(),
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(20),
            idle: Duration::from_secs(75),
            unacknowledged: Duration::from_secs(60),
            progress: Duration::from_secs(60),
            drain: Duration::from_secs(30),
        }
    }
}

/// Request data: the client's certificate, with proof of possession of its key.
#[derive(Clone, Debug)]
pub struct PeerCertificate(pub Arc<[u8]>);

/// Response data that marks an authenticated resource server: its connection no longer counts
/// against the limit of its network.
#[derive(Clone, Copy, Debug)]
pub struct TrustedPeer;

/// How much of a response hyper may buffer if the client does not read it.
const STREAM_BYTES_BUFFERED: usize = 32 * 1024;
const HEADER_BYTES_MAX: usize = 32 * 1024;
/// Concurrent requests on one HTTP/2 connection, and on one that is accepted while there are many.
const STREAMS_MAX: u32 = 128;
const STREAMS_MAX_CROWDED: u32 = 16;
const CONNECTIONS_CROWDED: usize = 256;
/// HTTP/2 windows: how far a client may send ahead of what is read, per request and per connection.
/// A request that is not being read yet leaves room for all others.
const STREAM_BYTES_AHEAD: u32 = 256 * 1024;
const CONNECTION_BYTES_AHEAD: u32 = STREAMS_MAX * STREAM_BYTES_AHEAD;
/// Unfinished requests of all connections. One source network may have half of what is free, so
/// however many of them it stalls, another network finds room.
const REQUESTS_MAX: u32 = 4096;
/// Time for a client to send its body without the 100 that it would wait for: .NET, Go and curl wait a
/// second.
const EXPECT_WAIT: Duration = Duration::from_millis(1500);
/// User agents that do not get this time: curl sends the request again over HTTP/1.1 by itself, Java's
/// client would never send the body.
const RESET_AT_ONCE: [&str; 2] = ["curl/", "Java-http-client/"];
/// Pause after a failed accept (out of file descriptors, for example).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` resolves, then finishes the requests in flight and returns. Each connection
/// uses the TLS configuration current when it is accepted.
pub async fn serve<E>(
    listener: TcpListener,
    tls: watch::Receiver<Arc<ServerConfig>>,
    endpoint: E,
    limits: ServerLimits,
    stopping: Shutdown,
    stop: impl Future<Output = ()>,
) where
    E: Endpoint<Output = Response> + 'static,
{
    let endpoint = Arc::new(endpoint);
    let permits = Arc::new(Semaphore::new(limits.connections_max as usize));
    let network_permits = KeyedPermits::default();
    let requests = Arc::new(KeyedPermits::default());
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
        let network_permit = match limits.proxies.contain(peer.ip()) {
            true => None,
            false => {
                let network_permit =
                    network_permits.take(network_of(peer.ip()), limits.connections_per_network);
                if network_permit.is_none() {
                    tracing::debug!(%peer, "too many connections from this network");
                    continue;
                }
                network_permit
            }
        };
        let connections = limits.connections_max as usize - permits.available_permits();
        let connection = Connection {
            streams_max: match connections > CONNECTIONS_CROWDED {
                true => STREAMS_MAX_CROWDED,
                false => STREAMS_MAX,
            },
            network_permit: Arc::new(Mutex::new(network_permit)),
            requests: Arc::clone(&requests),
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
    // All permits are back once every connection has ended.
    let all_closed = permits.acquire_many(limits.connections_max);
    tokio::select! {
        _ = timeout(limits.drain, all_closed) => {}
        () = stop_signal() => tracing::warn!("second stop signal: aborting the requests in flight"),
    }
}

struct Connection<E> {
    streams_max: u32,
    /// None if its network has no limit, or no longer one.
    network_permit: Arc<Mutex<Option<KeyedPermit<IpNet>>>>,
    /// Requests of all connections.
    requests: Arc<KeyedPermits<IpNet>>,
    outgoing: Arc<Outgoing>,
    acceptor: TlsAcceptor,
    endpoint: Arc<E>,
    limits: ServerLimits,
    stopping: Shutdown,
    stopped: watch::Receiver<bool>,
}

impl<E: Endpoint<Output = Response> + 'static> Connection<E> {
    /// Shakes hands. Returns the stream, whether it is for HTTP/2, and the client's certificate.
    async fn accept(
        &self,
        stream: TcpStream,
    ) -> Option<(TlsStream<TcpStream>, bool, Option<PeerCertificate>)> {
        // Without it, small HTTP/2 frames wait for the peer's delayed acknowledgement.
        let _ = stream.set_nodelay(true);
        limit_unacknowledged(&stream, self.limits.unacknowledged);
        let handshake = timeout(self.limits.handshake, self.acceptor.accept(stream));
        let stream = handshake.await.ok()?.ok()?;
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2".as_slice());
        let certificates = stream.get_ref().1.peer_certificates();
        let certificate = certificates
            .and_then(|chain| chain.first())
            .map(|certificate| PeerCertificate(certificate.as_ref().into()));
        Some((stream, http2, certificate))
    }

    async fn run(self, stream: TcpStream, peer: SocketAddr) {
        let local = stream.local_addr().ok();
        let Some((stream, http2, certificate)) = self.accept(stream).await else { return };
        let requests = Arc::new(Requests::default());
        let outgoing = Arc::clone(&self.outgoing);
        let service = {
            let requests = Arc::clone(&requests);
            let local = LocalAddr(local.map(Into::into).unwrap_or_default());
            service_fn(move |request: hyper::Request<Incoming>| {
                let waits = http2 && request.headers().contains_key(EXPECT);
                let outgoing = Arc::clone(&self.outgoing);
                let permit = take_request_permit(&self.requests, &self.network_permit, peer);
                let Some(request_permit) = permit else {
                    let refusal = hyper::Response::from(overloaded());
                    let refusal = refusal.map(|body| outgoing.track(body, true, None));
                    return ready(Ok::<_, h2::Error>(refusal)).left_future();
                };
                let exchange = Exchange {
                    endpoint: Arc::clone(&self.endpoint),
                    network_permit: Arc::clone(&self.network_permit),
                    stopping: (!http2).then(|| self.stopping.clone()),
                    _in_flight: requests.begin(),
                };
                let peer = RemoteAddr(peer.into());
                let mut request: poem::Request =
                    (request, local.clone(), peer, Scheme::HTTPS).into();
                if let Some(certificate) = &certificate {
                    request.set_data(certificate.clone());
                }
                // Boxed, so that the handler's state is freed while the body waits to be sent.
                Box::pin(async move {
                    if waits {
                        wait_for_body(&mut request).await?;
                    }
                    outgoing.wait_for_room().await;
                    let response = exchange.respond(request).await;
                    let shared = response.data::<SharedBody>().is_some();
                    let response = hyper::Response::from(response);
                    Ok(response.map(|body| outgoing.track(body, shared, Some(request_permit))))
                })
                .right_future()
            })
        };
        let connection = builder(http2, self.streams_max, &self.limits);
        let bytes = Arc::new(AtomicU64::new(0));
        let stream = CountedReads { stream, bytes: Arc::clone(&bytes) };
        let connection = connection.serve_connection(TokioIo::new(stream), service);
        let (mut connection, mut stopped) = (pin!(connection), self.stopped);
        // HTTP/2 has frames that are not a request's.
        let bytes = (!http2).then_some(bytes);
        let idle = Arc::clone(&requests).idle(self.limits.headers, self.limits.idle, bytes);
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = stopped.wait_for(|stopped| *stopped) => {}
            () = idle => {}
            // Dropped without a GOAWAY, which would wait for the client too.
            () = outgoing.stalled(self.limits.progress) => return,
        }
        // A peer that has sent nothing, not even HTTP/2's preface, cannot be told goodbye.
        if requests.begun.load(Ordering::Relaxed) == 0 {
            return;
        }
        // No new requests; the ones in flight are finished.
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

struct Exchange<E> {
    endpoint: Arc<E>,
    /// The connection's own permit.
    network_permit: Arc<Mutex<Option<KeyedPermit<IpNet>>>>,
    /// Shutdown flag, for HTTP/1.1 only.
    stopping: Option<Shutdown>,
    _in_flight: InFlight,
}

impl<E: Endpoint<Output = Response>> Exchange<E> {
    async fn respond(self, request: poem::Request) -> Response {
        let mut response = self.endpoint.get_response(request).await;
        if response.data::<TrustedPeer>().is_some() {
            drop(lock(&self.network_permit).take());
        }
        // Otherwise the client's next request could cross with the close. HTTP/2 says which request
        // was its last.
        if self.stopping.is_some_and(|stopping| stopping.has_begun()) {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Waits until the body of a request with `Expect: 100-continue` begins without a 100.
async fn wait_for_body(request: &mut poem::Request) -> Result<(), h2::Error> {
    let agent = request.header(USER_AGENT).unwrap_or_default();
    let wait = match RESET_AT_ONCE.iter().any(|prefix| agent.starts_with(prefix)) {
        true => Duration::ZERO,
        false => EXPECT_WAIT,
    };
    let mut chunks = Box::pin(request.take_body().into_bytes_stream().peekable());
    if timeout(wait, chunks.as_mut().peek()).await.is_err() {
        return Err(h2::Reason::HTTP_1_1_REQUIRED.into());
    }
    request.set_body(Body::from_bytes_stream(chunks));
    Ok(())
}

/// Takes a permit for a request from this address, if there is one. A connection without its own
/// permit belongs to a proxy or a resource server.
fn take_request_permit(
    requests: &KeyedPermits<IpNet>,
    network_permit: &Mutex<Option<KeyedPermit<IpNet>>>,
    peer: SocketAddr,
) -> Option<KeyedPermit<IpNet>> {
    let is_limited = lock(network_permit).is_some();
    requests.take_of(network_of(peer.ip()), |all| match REQUESTS_MAX.saturating_sub(all) {
        0 => 0,
        free if is_limited => free.div_ceil(2),
        _ => REQUESTS_MAX,
    })
}

/// 503 without a body, because a client that reads nothing would leave a body here.
fn overloaded() -> Response {
    let response = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE);
    response.header(RETRY_AFTER, "1").finish()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a connection whose client has stopped reading: nothing else is waiting for it.
#[cfg(target_os = "linux")]
fn limit_unacknowledged(stream: &TcpStream, duration: Duration) {
    let _ = socket2::SockRef::from(stream).set_tcp_user_timeout(Some(duration));
}

#[cfg(not(target_os = "linux"))]
fn limit_unacknowledged(_stream: &TcpStream, _duration: Duration) {}

/// Returns the connection builder. The protocol is known from the handshake (ALPN), so nothing
/// waits for the first byte to detect it.
fn builder(http2: bool, streams_max: u32, limits: &ServerLimits) -> auto::Builder<TokioExecutor> {
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut builder = if http2 { builder.http2_only() } else { builder.http1_only() };
    builder
        .http1()
        .timer(TokioTimer::new())
        // It runs while the connection is idle, too: see `Requests::idle`.
        .header_read_timeout(limits.idle.max(limits.headers))
        .max_buf_size(HEADER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(streams_max)
        .max_send_buf_size(STREAM_BYTES_BUFFERED)
        .initial_stream_window_size(STREAM_BYTES_AHEAD)
        .initial_connection_window_size(CONNECTION_BYTES_AHEAD)
        .max_header_list_size(HEADER_BYTES_MAX as u32)
        .keep_alive_interval(limits.headers)
        .keep_alive_timeout(limits.headers);
    builder
}

/// Counts of one connection's requests, to tell when it is idle.
#[derive(Debug, Default)]
struct Requests {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Requests {
    fn begin(self: &Arc<Self>) -> InFlight {
        self.begun.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::clone(self))
    }

    /// Resolves once the connection is to be closed: no request has been in flight for `idle_max`; or
    /// none has begun although the connection was accepted, or bytes have arrived, `headers_max` ago.
    async fn idle(
        self: Arc<Self>,
        headers_max: Duration,
        idle_max: Duration,
        bytes: Option<Arc<AtomicU64>>,
    ) {
        let count = || bytes.as_ref().map_or(0, |bytes| bytes.load(Ordering::Relaxed));
        let (mut since, mut begun, mut seen) = (Instant::now(), 0, 0);
        let mut arriving_since = None;
        loop {
            sleep(headers_max.min(idle_max) / 4).await;
            let begun_before = std::mem::replace(&mut begun, self.begun.load(Ordering::Relaxed));
            if begun != begun_before || begun != self.ended.load(Ordering::Relaxed) {
                (since, seen, arriving_since) = (Instant::now(), count(), None);
                continue;
            }
            let kept = if begun == 0 { headers_max.min(idle_max) } else { idle_max };
            if begun > 0 && count() != seen {
                arriving_since.get_or_insert(Instant::now());
            }
            if since.elapsed() >= kept
                || arriving_since.is_some_and(|arriving| arriving.elapsed() >= headers_max)
            {
                return;
            }
        }
    }
}

/// A stream that counts the bytes that are read.
struct CountedReads {
    stream: TlsStream<TcpStream>,
    bytes: Arc<AtomicU64>,
}

impl AsyncRead for CountedReads {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.bytes.fetch_add((buffer.filled().len() - before) as u64, Ordering::Relaxed);
        read
    }
}

impl AsyncWrite for CountedReads {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Counts its request as ended when dropped, even if the client disconnected first.
#[derive(Debug)]
struct InFlight(Arc<Requests>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}
