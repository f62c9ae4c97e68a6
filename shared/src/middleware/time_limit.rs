//! Request timeout.

use poem::http::{Method, Uri};
use poem::{Endpoint, IntoResponse, Request, Response, Result};
use std::time::Duration;

/// Request timeout. Without it, a database that neither responds nor disconnects would hold a
/// request forever. A write that has begun continues after the response, and can be found by its
/// `Idempotency-Key`.
pub const REQUEST_TIME_MAX: Duration = Duration::from_secs(30);

/// True for requests with streamed bodies, which have no time limit.
pub type IsStreamed = fn(&Method, &Uri) -> bool;

type TooLate = Box<dyn Fn(&Uri) -> poem::Error + Send + Sync>;

/// Middleware that aborts requests that take too long; `too_late` is the response.
pub struct TimeLimit<E> {
    inner: E,
    is_streamed: IsStreamed,
    too_late: TooLate,
}

impl<E> TimeLimit<E> {
    /// Wraps the routes.
    pub fn new(
        inner: E,
        is_streamed: IsStreamed,
        too_late: impl Fn(&Uri) -> poem::Error + Send + Sync + 'static,
    ) -> Self {
        Self { inner, is_streamed, too_late: Box::new(too_late) }
    }
}

impl<E: Endpoint> Endpoint for TimeLimit<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let uri = request.uri().clone();
        let streamed = (self.is_streamed)(request.method(), &uri);
        let answer = self.inner.call(request);
        let answer = match streamed {
            true => answer.await,
            false => match tokio::time::timeout(REQUEST_TIME_MAX, answer).await {
                Ok(answer) => answer,
                Err(_) => return Err((self.too_late)(&uri)),
            },
        };
        answer.map(IntoResponse::into_response)
    }
}
