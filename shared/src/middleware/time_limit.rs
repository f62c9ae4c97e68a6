//! Request timeout.

use poem::http::{Method, Uri};
use poem::{Endpoint, IntoResponse, Request, Response, Result};
use std::time::Duration;

/// Request timeout. Without it, a database that neither responds nor disconnects would hold a
/// request forever. A write that has begun continues after the response, and can be found by its
/// `Idempotency-Key`.
pub const REQUEST_TIME_MAX: Duration = Duration::from_secs(30);

/// True for requests with streamed bodies, which have no time limit.
pub(super) type IsStreamed = fn(&Method, &Uri) -> bool;

type TimeoutError = Box<dyn Fn(&Uri) -> poem::Error + Send + Sync>;

/// Middleware that aborts requests that take too long; `timeout_error` is the response.
pub struct TimeLimit<E> {
    inner: E,
    is_streamed: IsStreamed,
    timeout_error: TimeoutError,
}

impl<E> TimeLimit<E> {
    /// Wraps the routes.
    pub fn new(
        inner: E,
        is_streamed: IsStreamed,
        timeout_error: impl Fn(&Uri) -> poem::Error + Send + Sync + 'static,
    ) -> Self {
        Self { inner, is_streamed, timeout_error: Box::new(timeout_error) }
    }
}

impl<E: Endpoint> Endpoint for TimeLimit<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let uri = request.uri().clone();
        let streamed = (self.is_streamed)(request.method(), &uri);
        let response = self.inner.call(request);
        let response = match streamed {
            true => response.await,
            false => match tokio::time::timeout(REQUEST_TIME_MAX, response).await {
                Ok(response) => response,
                Err(_) => return Err((self.timeout_error)(&uri)),
            },
        };
        response.map(IntoResponse::into_response)
    }
}
