//! Outermost middleware of both servers: request id, span, metric, security headers, HEAD, an error
//! body for every failure including panics, and reading the rest of a refused body.

mod time_limit;
mod unread;

pub use time_limit::{REQUEST_TIME_MAX, TimeLimit};

use crate::problem::Problem;
use crate::telemetry::{Metrics, OperationName, RequestId};
use futures_util::FutureExt;
use poem::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, HOST, HeaderName};
use poem::http::{HeaderValue, Method, StatusCode, Uri, Version};
use poem::{Endpoint, IntoResponse, PathPattern, Request, Response, Result};
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::Instrument;

/// The response header with the request id, always generated here, never taken from the request.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Request data that marks a HEAD request, which is handled as GET and answered without the body.
#[derive(Clone, Copy, Debug)]
pub struct HeadOnly;

/// Converts the framework's own errors to problems; method and path identify the operation.
type ToProblem = Box<dyn Fn(poem::Error, &Method, &Uri) -> Problem + Send + Sync>;

/// Returns a request's path as responses and logs may show it.
pub type ShowPath = for<'a> fn(&'a str) -> Cow<'a, str>;

/// The outermost middleware of a server.
pub struct RequestMiddleware<E> {
    inner: E,
    metrics: Arc<Metrics>,
    to_problem: ToProblem,
    show_path: ShowPath,
}

impl<E> RequestMiddleware<E> {
    /// Wraps the routes.
    pub fn new(
        inner: E,
        metrics: Arc<Metrics>,
        to_problem: impl Fn(poem::Error, &Method, &Uri) -> Problem + Send + Sync + 'static,
        show_path: ShowPath,
    ) -> Self {
        Self { inner, metrics, to_problem: Box::new(to_problem), show_path }
    }
}

impl<E: Endpoint> Endpoint for RequestMiddleware<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        let started = Instant::now();
        let id = RequestId::random();
        request.set_data(id.clone());
        let method = request.method().clone();
        let version = request.version();
        let uri = request.uri().clone();
        if method == Method::HEAD {
            request.set_method(Method::GET);
            request.set_data(HeadOnly);
        }
        let path = (self.show_path)(uri.path());
        let span = tracing::info_span!("request", id = id.as_str(), %method, path = &*path,
            caller = tracing::field::Empty);
        let unread = unread::take(&mut request);
        let client_waits = unread::client_waits(&request);
        let call = async {
            let outcome = match has_one_host(&request) {
                true => AssertUnwindSafe(self.inner.call(request)).catch_unwind().await,
                false => {
                    let problem =
                        Problem::bad_request("an HTTP/1.1 request must have one Host header");
                    Ok(Err(poem::Error::from(problem)))
                }
            };
            let response = self.respond(outcome, &method, &uri, &path, &id);
            let status = response.status().as_u16();
            match unread.filter(unread::Unread::is_unfinished) {
                // The client gets the response while it is still sending.
                Some(unread) if version == Version::HTTP_2 => {
                    drop(tokio::spawn(unread.read_to_end()))
                }
                Some(unread) => unread.read_to_end().await,
                None => {}
            }
            // Three decimals: a longer fraction's digits could pass for a card number.
            let milliseconds = started.elapsed().as_micros() as f64 / 1000.0;
            tracing::info!(status, milliseconds, "answered");
            response
        };
        let mut response = id.clone().within(call.instrument(span)).await;
        self.count(&method, &response, started.elapsed());
        if let Ok(value) = HeaderValue::from_str(id.as_str()) {
            response.headers_mut().insert(X_REQUEST_ID, value);
        }
        if client_waits && response.status().as_u16() >= 400 {
            // The body may still arrive or not, so nothing can follow it on this connection (RFC
            // 9110, 10.1.1).
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        add_security_headers(&mut response);
        if method == Method::HEAD {
            strip_body(&mut response).await;
        }
        Ok(response)
    }
}

/// True if the request has a valid number of Host headers. HTTP/1.1 requires exactly one, or a
/// proxy and this server could read different ones (RFC 9112, 3.2).
fn has_one_host(request: &Request) -> bool {
    let hosts = request.headers().get_all(HOST).iter().count();
    match request.version() {
        Version::HTTP_11 => hosts == 1,
        _ => hosts <= 1,
    }
}

impl<E: Endpoint> RequestMiddleware<E> {
    fn respond(
        &self,
        outcome: std::thread::Result<Result<E::Output>>,
        method: &Method,
        uri: &Uri,
        path: &str,
        id: &RequestId,
    ) -> Response {
        match outcome {
            Ok(Ok(output)) => output.into_response(),
            Ok(Err(error)) => {
                let pattern = error.data::<PathPattern>().cloned();
                let mut response = if error.is_from_response() {
                    error.into_response()
                } else {
                    let problem = match error.downcast_ref::<Problem>() {
                        Some(problem) => problem.clone(),
                        None => (self.to_problem)(error, method, uri),
                    };
                    problem.render(path, id.as_str())
                };
                if let Some(pattern) = pattern {
                    response.set_data(pattern);
                }
                response
            }
            // The panic message is on standard error already.
            Err(_) => Problem::internal("a handler panicked").render(path, id.as_str()),
        }
    }

    fn count(&self, method: &Method, response: &Response, duration: Duration) {
        let pattern = response.data::<PathPattern>().map(|PathPattern(pattern)| pattern);
        let operation = OperationName::of(method, pattern);
        self.metrics.count_request(operation, response.status().as_u16(), duration);
    }
}

/// Adds the security headers: responses must not be cached, framed or sniffed.
fn add_security_headers(response: &mut Response) {
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set("x-content-type-options", "nosniff");
    set("referrer-policy", "no-referrer");
    set("x-frame-options", "DENY");
    set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    set("strict-transport-security", "max-age=31536000");
    set(CACHE_CONTROL.as_str(), "no-store");
}

/// Strips the body of a HEAD response; it has the headers of GET, including the length. A 304's
/// length would be that of the corresponding 200 (RFC 9110, 8.6), which is not known here.
async fn strip_body(response: &mut Response) {
    let body = response.take_body();
    if response.status() == StatusCode::NOT_MODIFIED
        || response.headers().contains_key(CONTENT_LENGTH)
    {
        return;
    }
    if let Ok(bytes) = body.into_bytes().await {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    }
}

/// Converts the framework errors that mean the same on both servers.
pub fn framework_problem(error: &poem::Error) -> Problem {
    use crate::problem::ProblemType as Type;
    match error.status() {
        StatusCode::NOT_FOUND => Problem::not_found(),
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(Type::MethodNotAllowed),
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(Type::TooLarge),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Problem::new(Type::UnsupportedMediaType),
        StatusCode::UNAUTHORIZED => Problem::new(Type::TokenMissing),
        status if status.is_client_error() => {
            tracing::info!(%error, "refused by the framework");
            Problem::bad_request("the request cannot be read")
        }
        _ => Problem::internal(error),
    }
}
