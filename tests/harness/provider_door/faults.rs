//! Faults that can happen to a request at the door.

use super::asked::{Asked, Reply};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The longest a test waits for an expected request.
const EXPECTED: Duration = Duration::from_secs(60);

/// What happens to one request.
pub(super) enum Fault {
    /// The request is lost on the way to the provider.
    Refuse,
    /// The answer is lost on the way back.
    LoseAnswer,
    /// The request waits before the provider sees it.
    HoldBefore(Hold),
    /// The answer waits.
    HoldAfter(Hold),
    /// The door answers, and the provider never sees the request.
    Answer(Reply),
    /// The provider carries out the request, and the door answers something else.
    SpoilAnswer(Reply),
    /// The answer breaks off in the middle.
    CutAnswer,
    /// The answer arrives byte by byte, with this pause before each.
    DripAnswer(Duration),
    /// The provider carries out the request, and the answer has no end.
    EndlessAnswer,
}

/// The door's end of a held request.
pub(super) struct Hold {
    arrived: oneshot::Sender<Asked>,
    decided: oneshot::Receiver<oneshot::Sender<()>>,
}

impl Hold {
    /// Tells the test and waits for its decision; `None` if the request is lost. The sender
    /// returned is to be used when the request has been passed on.
    pub(super) async fn wait(self, asked: Asked) -> Option<oneshot::Sender<()>> {
        // A test may decide without looking at the request.
        let _ = self.arrived.send(asked);
        self.decided.await.ok()
    }
}

/// The test's end of a held request. Dropping it loses the request.
pub struct Held {
    arrived: oneshot::Receiver<Asked>,
    decide: oneshot::Sender<oneshot::Sender<()>>,
}

impl Held {
    pub(super) fn new() -> (Self, Hold) {
        let (arrived, arrival) = oneshot::channel();
        let (decide, decided) = oneshot::channel();
        (Self { arrived: arrival, decide }, Hold { arrived, decided })
    }

    /// Waits until the request has arrived or, if its answer is held, until the provider has
    /// answered. To be called once.
    pub async fn arrived(&mut self) -> Asked {
        let arrived = timeout(EXPECTED, &mut self.arrived).await.expect("a request in time");
        arrived.expect("the door is there")
    }

    /// Lets the request proceed, even if its sender no longer waits for the answer, and waits until
    /// the provider has answered.
    pub async fn forward(self) {
        let (done, delivered) = oneshot::channel();
        assert!(self.decide.send(done).is_ok(), "the door is there");
        timeout(EXPECTED, delivered).await.expect("passed on in time").expect("passed on");
    }

    /// Closes the connection, which loses the request if it is held before the provider, otherwise
    /// the answer.
    pub fn lose(self) {}
}
