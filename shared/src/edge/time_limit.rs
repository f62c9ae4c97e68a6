//! No request is worked on for ever.

use poem::http::{Method, Uri};
use poem::{Endpoint, IntoResponse, Request, Response, Result};
use std::time::Duration;

/// How long a request is worked on. A database that neither answers nor hangs up would keep it for
/// ever. What has begun to write goes on behind it, and is found under its `Idempotency-Key`.
pub const REQUEST_TIME_MAX: Duration = Duration::from_secs(30);

/// Tells which requests have bodies that are streamed for as long as they take.
pub type IsStreamed = fn(&Method, &Uri) -> bool;

type TooLate = Box<dyn Fn(&Uri) -> poem::Error + Send + Sync>;

/// Gives up what takes too long; `too_late` is the answer then.
pub struct TimeLimit<E> {
    inner: E,
    is_streamed: IsStreamed,
    too_late: TooLate,
}

impl<E> TimeLimit<E> {
    /// Stands around the routes.
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
