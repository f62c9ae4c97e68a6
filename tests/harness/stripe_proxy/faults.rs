//! Faults that can happen to a request at the proxy.

use super::recorded_request::{RecordedRequest, Reply};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The longest a test waits for an expected request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What happens to one request.
pub(super) enum Fault {
    /// The request is lost on the way to the provider.
    Refuse,
    /// The answer is lost on the way back.
    LoseReply,
    /// The request waits before the provider sees it.
    HoldBefore(Hold),
    /// The answer waits.
    HoldAfter(Hold),
    /// The proxy answers, and the provider never sees the request.
    ReplyWith(Reply),
    /// The provider carries out the request, and the proxy answers something else.
    ReplaceReply(Reply),
    /// The answer breaks off in the middle.
    TruncateReply,
    /// The answer arrives byte by byte, with this pause before each.
    DripReply(Duration),
    /// The provider carries out the request, and the answer has no end.
    EndlessReply,
}

/// The proxy's end of a held request.
pub(super) struct Hold {
    arrived: oneshot::Sender<RecordedRequest>,
    decided: oneshot::Receiver<oneshot::Sender<()>>,
}

impl Hold {
    /// Tells the test and waits for its decision; `None` if the request is lost. The sender
    /// returned is to be used when the request has been passed on.
    pub(super) async fn wait(self, request: RecordedRequest) -> Option<oneshot::Sender<()>> {
        // A test may decide without looking at the request.
        let _ = self.arrived.send(request);
        self.decided.await.ok()
    }
}

/// The test's end of a held request. Dropping it loses the request.
pub struct HeldRequest {
    arrived: oneshot::Receiver<RecordedRequest>,
    decide: oneshot::Sender<oneshot::Sender<()>>,
}

impl HeldRequest {
    pub(super) fn new() -> (Self, Hold) {
        let (arrived, arrival) = oneshot::channel();
        let (decide, decided) = oneshot::channel();
        (Self { arrived: arrival, decide }, Hold { arrived, decided })
    }

    /// Waits until the request has arrived or, if its answer is held, until the provider has
    /// answered. To be called once.
    pub async fn arrived(&mut self) -> RecordedRequest {
        let arrived = timeout(TIMEOUT, &mut self.arrived).await.expect("a request in time");
        arrived.expect("the proxy is there")
    }

    /// Lets the request proceed, even if its sender no longer waits for the answer, and waits until
    /// the provider has answered.
    pub async fn forward(self) {
        let (done, delivered) = oneshot::channel();
        assert!(self.decide.send(done).is_ok(), "the proxy is there");
        timeout(TIMEOUT, delivered).await.expect("passed on in time").expect("passed on");
    }

    /// Closes the connection, which loses the request if it is held before the provider, otherwise
    /// the answer.
    pub fn lose(self) {}
}
