//! What may happen to a request at the door.

use super::asked::{Asked, Reply};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The longest a test waits for a request that it expects.
const EXPECTED: Duration = Duration::from_secs(60);

/// What happens to one request.
pub(super) enum Fault {
    /// Lost on its way there.
    Refuse,
    /// Its answer is lost on the way back.
    LoseAnswer,
    /// It waits before the provider sees it.
    HoldBefore(Hold),
    /// Its answer waits.
    HoldAfter(Hold),
    /// The door answers, and the provider never hears of it.
    Answer(Reply),
    /// The provider does it, and the door answers something else.
    SpoilAnswer(Reply),
    /// The answer breaks off in its middle.
    CutAnswer,
    /// The answer comes byte by byte, with this pause before each.
    DripAnswer(Duration),
    /// The provider does it, and the answer has no end.
    EndlessAnswer,
}

/// The door's end of a request that is held.
pub(super) struct Hold {
    arrived: oneshot::Sender<Asked>,
    decided: oneshot::Receiver<oneshot::Sender<()>>,
}

impl Hold {
    /// Tells the test and waits for what it decides; `None`: the request is lost. Whatever is
    /// given is to be told when the request has been passed on.
    pub(super) async fn wait(self, asked: Asked) -> Option<oneshot::Sender<()>> {
        // A test that does not look at it may still decide.
        let _ = self.arrived.send(asked);
        self.decided.await.ok()
    }
}

/// The test's end of a request that is held. Whoever drops it loses the request.
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

    /// Waits until the request is there, for one held behind the provider: until that has
    /// answered. To be asked once.
    pub async fn arrived(&mut self) -> Asked {
        let arrived = timeout(EXPECTED, &mut self.arrived).await.expect("a request in time");
        arrived.expect("the door is there")
    }

    /// Lets it go on, even if nobody waits for its answer any more, and waits until the provider
    /// has answered it.
    pub async fn forward(self) {
        let (done, delivered) = oneshot::channel();
        assert!(self.decide.send(done).is_ok(), "the door is there");
        timeout(EXPECTED, delivered).await.expect("passed on in time").expect("passed on");
    }

    /// Closes the connection: before the provider, the request is lost, behind it, the answer.
    pub fn lose(self) {}
}
