//! Whatever breaks during a card payment, in the end the card was charged and the payment is on the
//! loan, or the card was not charged or was refunded, and never twice; whether the client retries
//! under its key or the recovery finds the payment.

use super::till::{CONFIRM, End, PREPARE, Payment, REFUND, Till, at_the_till};
use acceptance::stripe_proxy::{Held, Reply};

/// What breaks at a request to the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The api-server is killed, and the request does not arrive.
    Killed,
    /// The api-server is killed, but the request still arrives.
    KilledOnTheWay,
    /// The api-server is killed before it receives the answer.
    KilledBehind,
    /// The request is lost.
    Lost,
    /// The answer is lost.
    AnswerLost,
    /// The provider cannot be reached.
    Down,
    /// The provider does not carry out the request, and answers this.
    Refused(u16),
    /// The provider carries out the request, and a different answer comes back.
    Spoilt(u16, &'static str),
    /// The provider carries out the request, and half of its answer comes back.
    Cut,
    /// The provider carries out the request, and its answer has no end.
    Endless,
}

use End::{Failed, Posted, Voided};
use Fault::*;

/// The request at which it happens, the fault, the problem that the client gets, and how the
/// payment ends: if the client retries, and if no one does.
type Case = (&'static str, Fault, &'static str, [End; 2]);

const AWAY: &str = "gateway-unavailable";
const UNKNOWN: &str = "gateway-outcome-unknown";
const NOTHING: &str = "";
/// No problem: the outcome is looked up after the lost answer.
const PAID: &str = "201";
const GIVEN_BACK: &str = "charge-voided";
/// An answer of the provider about another payment.
const ANOTHER: &str = "{\"id\": \"pi_other\", \"status\": \"succeeded\", \"amount\": 1, \
                       \"currency\": \"eur\", \"metadata\": {\"Card_Payment_ID\": \"1\"}}";

/// Nothing is charged yet: a client that retries pays, and otherwise no one does.
const PREPARING: [Case; 11] = [
    (PREPARE, Killed, NOTHING, [Posted, Failed]),
    (PREPARE, KilledOnTheWay, NOTHING, [Posted, Failed]),
    (PREPARE, KilledBehind, NOTHING, [Posted, Failed]),
    (PREPARE, Lost, AWAY, [Posted, Failed]),
    (PREPARE, AnswerLost, AWAY, [Posted, Failed]),
    (PREPARE, Down, AWAY, [Posted, Failed]),
    (PREPARE, Refused(500), AWAY, [Posted, Failed]),
    (PREPARE, Refused(429), AWAY, [Posted, Failed]),
    (PREPARE, Spoilt(200, "<html>"), AWAY, [Posted, Failed]),
    (PREPARE, Cut, AWAY, [Posted, Failed]),
    (PREPARE, Endless, AWAY, [Posted, Failed]),
];

/// What may have been charged is looked up, and is not charged later if it was not.
const CONFIRMING: [Case; 18] = [
    (CONFIRM, Killed, NOTHING, [Posted, Failed]),
    (CONFIRM, KilledOnTheWay, NOTHING, [Posted, Posted]),
    (CONFIRM, KilledBehind, NOTHING, [Posted, Posted]),
    (CONFIRM, Lost, UNKNOWN, [Failed, Failed]),
    (CONFIRM, AnswerLost, UNKNOWN, [Posted, Posted]),
    (CONFIRM, Refused(500), UNKNOWN, [Failed, Failed]),
    (CONFIRM, Refused(401), AWAY, [Posted, Failed]),
    (CONFIRM, Refused(429), AWAY, [Posted, Failed]),
    (CONFIRM, Spoilt(500, "{}"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Spoilt(408, "{}"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Spoilt(400, "{}"), PAID, [Posted, Posted]),
    (CONFIRM, Spoilt(402, "<html>"), PAID, [Posted, Posted]),
    (CONFIRM, Spoilt(402, "{\"error\": {\"code\": \"card_declined\"}}"), PAID, [Posted, Posted]),
    (CONFIRM, Spoilt(200, ANOTHER), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Spoilt(200, "<html>"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Spoilt(200, "{\"status\": \"processing\"}"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Cut, UNKNOWN, [Posted, Posted]),
    (CONFIRM, Endless, UNKNOWN, [Posted, Posted]),
];

/// The loan is closed after the charge, so the charge is refunded, once.
const GIVING_BACK: [Case; 13] = [
    (REFUND, Killed, NOTHING, [Voided, Voided]),
    (REFUND, KilledOnTheWay, NOTHING, [Voided, Voided]),
    (REFUND, KilledBehind, NOTHING, [Voided, Voided]),
    (REFUND, Lost, AWAY, [Voided, Voided]),
    (REFUND, AnswerLost, AWAY, [Voided, Voided]),
    (REFUND, Refused(500), GIVEN_BACK, [Voided, Voided]),
    (REFUND, Refused(429), AWAY, [Voided, Voided]),
    (REFUND, Refused(400), AWAY, [Voided, Voided]),
    (REFUND, Spoilt(500, "{}"), GIVEN_BACK, [Voided, Voided]),
    (REFUND, Spoilt(200, "{\"status\": \"failed\"}"), AWAY, [Voided, Voided]),
    (REFUND, Spoilt(200, "<html>"), AWAY, [Voided, Voided]),
    (REFUND, Cut, AWAY, [Voided, Voided]),
    (REFUND, Endless, AWAY, [Voided, Voided]),
];

#[tokio::test]
async fn whatever_breaks_while_a_charge_is_prepared() {
    try_cases(&PREPARING).await;
}

#[tokio::test]
async fn whatever_breaks_while_a_card_is_charged() {
    try_cases(&CONFIRMING).await;
}

#[tokio::test]
async fn whatever_breaks_while_a_charge_is_given_back() {
    try_cases(&GIVING_BACK).await;
}

/// Runs every case with a client that retries; then all of them together with none.
async fn try_cases(cases: &[Case]) {
    at_the_till(&[], 2 * cases.len(), async |till| {
        till.provider().proxy.remember_keys();
        for case in cases {
            println!("{case:?}, asked again");
            let payment = till.payment();
            try_case(till, case, &payment).await;
            till.expect_end(&payment, case.3[0]).await;
            till.check_books().await;
        }
        let mut left = Vec::new();
        for case in cases {
            println!("{case:?}, left alone");
            let payment = till.payment();
            try_case(till, case, &payment).await;
            left.push((payment, case.3[1]));
        }
        // Two api-servers start at the same time, and each tries to recover all payments.
        let mut replica = till.world.api_replica().await;
        till.let_time_pass().await;
        tokio::join!(till.restart(), replica.restart());
        till.wait_until_over().await;
        for (payment, end) in left {
            println!("{payment:?}");
            till.expect_end(&payment, end).await;
        }
        replica.close().await;
    })
    .await;
}

/// Runs a payment into this fault, until nothing drives it any further.
async fn try_case(till: &mut Till, (at, fault, problem, _): &Case, payment: &Payment) {
    let closed = *at == REFUND;
    let mut charged = closed.then(|| till.provider().proxy.hold_after(CONFIRM));
    let held = strike(till, at, *fault).await;
    let response = till.begin(payment);
    if let Some(mut charged) = charged.take() {
        charged.arrived().await;
        till.close_loan(payment).await;
        charged.forward().await;
    }
    if let Some(mut held) = held {
        held.arrived().await;
        till.world.api.kill().await;
        match fault {
            KilledOnTheWay => held.forward().await,
            _ => held.lose(),
        }
        till.world.api.restart(&till.world.client.http.clone()).await;
    }
    let response = response.await.expect("it ran");
    assert_eq!(till.provider().proxy.clear_faults(), 0, "it did not come to that");
    match *problem {
        NOTHING => assert!(response.is_none(), "{response:?}"),
        PAID => drop(response.expect("a response").expect(201)),
        GIVEN_BACK => drop(response.expect("a response").expect_problem(422, GIVEN_BACK)),
        problem => drop(response.expect("a response").expect_problem(503, problem)),
    }
    if *fault == Down {
        till.provider().proxy.up().await;
    }
}

/// Prepares a fault. Returns the request that is held until the server is killed.
async fn strike(till: &Till, at: &str, fault: Fault) -> Option<Held> {
    let proxy = &till.provider().proxy;
    match fault {
        Killed | KilledOnTheWay => return Some(proxy.hold_before(at)),
        KilledBehind => return Some(proxy.hold_after(at)),
        Lost => proxy.refuse(at, 1),
        AnswerLost => proxy.lose_reply(at, 1),
        Down => proxy.down().await,
        Refused(status) => proxy.reply_with(at, 1, &Reply::error(status, "api_error", None, "No.")),
        Spoilt(status, body) => proxy.replace_reply(at, 1, &Reply::new(status, body)),
        Cut => proxy.truncate_reply(at, 1),
        Endless => proxy.reply_endlessly(at, 1),
    }
    None
}
