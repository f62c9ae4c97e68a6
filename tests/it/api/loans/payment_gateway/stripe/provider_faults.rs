//! Whatever breaks during a card payment, in the end the card was charged and the payment is on the
//! loan, or the card was not charged or was refunded, and never twice; whether the client retries
//! under its key or the recovery finds the payment.

use super::fixture::{CONFIRM, PREPARE, Payment, PaymentEnd, REFUND, StripeFixture, with_stripe};
use acceptance::stripe_proxy::{HeldRequest, Reply};

/// What breaks at a request to the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProviderFault {
    /// The api-server is killed, and the request does not arrive.
    Killed,
    /// The api-server is killed, but the request still arrives.
    KilledInFlight,
    /// The api-server is killed before it receives the answer.
    KilledAfter,
    /// The request is lost.
    Lost,
    /// The answer is lost.
    ReplyLost,
    /// The provider cannot be reached.
    Down,
    /// The provider does not carry out the request, and answers this.
    Refused(u16),
    /// The provider carries out the request, and a different answer comes back.
    Replaced(u16, &'static str),
    /// The provider carries out the request, and half of its answer comes back.
    Truncated,
    /// The provider carries out the request, and its answer has no end.
    Endless,
}

use PaymentEnd::{Failed, Posted, Voided};
use ProviderFault::*;

/// The request at which it happens, the fault, the problem that the client gets, and how the
/// payment ends: if the client retries, and if no one does.
type FaultCase = (&'static str, ProviderFault, &'static str, [PaymentEnd; 2]);

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
const PREPARING: [FaultCase; 11] = [
    (PREPARE, Killed, NOTHING, [Posted, Failed]),
    (PREPARE, KilledInFlight, NOTHING, [Posted, Failed]),
    (PREPARE, KilledAfter, NOTHING, [Posted, Failed]),
    (PREPARE, Lost, AWAY, [Posted, Failed]),
    (PREPARE, ReplyLost, AWAY, [Posted, Failed]),
    (PREPARE, Down, AWAY, [Posted, Failed]),
    (PREPARE, Refused(500), AWAY, [Posted, Failed]),
    (PREPARE, Refused(429), AWAY, [Posted, Failed]),
    (PREPARE, Replaced(200, "<html>"), AWAY, [Posted, Failed]),
    (PREPARE, Truncated, AWAY, [Posted, Failed]),
    (PREPARE, Endless, AWAY, [Posted, Failed]),
];

/// What may have been charged is looked up, and is not charged later if it was not.
const CONFIRMING: [FaultCase; 18] = [
    (CONFIRM, Killed, NOTHING, [Posted, Failed]),
    (CONFIRM, KilledInFlight, NOTHING, [Posted, Posted]),
    (CONFIRM, KilledAfter, NOTHING, [Posted, Posted]),
    (CONFIRM, Lost, UNKNOWN, [Failed, Failed]),
    (CONFIRM, ReplyLost, UNKNOWN, [Posted, Posted]),
    (CONFIRM, Refused(500), UNKNOWN, [Failed, Failed]),
    (CONFIRM, Refused(401), AWAY, [Posted, Failed]),
    (CONFIRM, Refused(429), AWAY, [Posted, Failed]),
    (CONFIRM, Replaced(500, "{}"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Replaced(408, "{}"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Replaced(400, "{}"), PAID, [Posted, Posted]),
    (CONFIRM, Replaced(402, "<html>"), PAID, [Posted, Posted]),
    (CONFIRM, Replaced(402, "{\"error\": {\"code\": \"card_declined\"}}"), PAID, [Posted, Posted]),
    (CONFIRM, Replaced(200, ANOTHER), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Replaced(200, "<html>"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Replaced(200, "{\"status\": \"processing\"}"), UNKNOWN, [Posted, Posted]),
    (CONFIRM, Truncated, UNKNOWN, [Posted, Posted]),
    (CONFIRM, Endless, UNKNOWN, [Posted, Posted]),
];

/// The loan is closed after the charge, so the charge is refunded, once.
const GIVING_BACK: [FaultCase; 13] = [
    (REFUND, Killed, NOTHING, [Voided, Voided]),
    (REFUND, KilledInFlight, NOTHING, [Voided, Voided]),
    (REFUND, KilledAfter, NOTHING, [Voided, Voided]),
    (REFUND, Lost, AWAY, [Voided, Voided]),
    (REFUND, ReplyLost, AWAY, [Voided, Voided]),
    (REFUND, Refused(500), GIVEN_BACK, [Voided, Voided]),
    (REFUND, Refused(429), AWAY, [Voided, Voided]),
    (REFUND, Refused(400), AWAY, [Voided, Voided]),
    (REFUND, Replaced(500, "{}"), GIVEN_BACK, [Voided, Voided]),
    (REFUND, Replaced(200, "{\"status\": \"failed\"}"), AWAY, [Voided, Voided]),
    (REFUND, Replaced(200, "<html>"), AWAY, [Voided, Voided]),
    (REFUND, Truncated, AWAY, [Voided, Voided]),
    (REFUND, Endless, AWAY, [Voided, Voided]),
];

#[tokio::test]
async fn faults_while_a_charge_is_prepared_are_recovered() {
    try_cases(&PREPARING).await;
}

#[tokio::test]
async fn faults_while_a_card_is_charged_are_recovered() {
    try_cases(&CONFIRMING).await;
}

#[tokio::test]
async fn faults_while_a_charge_is_refunded_are_recovered() {
    try_cases(&GIVING_BACK).await;
}

/// Runs every case with a client that retries; then all of them together with none.
async fn try_cases(cases: &[FaultCase]) {
    with_stripe(&[], 2 * cases.len(), async |fixture| {
        fixture.provider().proxy.remember_keys();
        for case in cases {
            println!("{case:?}, asked again");
            let payment = fixture.payment();
            try_case(fixture, case, &payment).await;
            fixture.expect_end(&payment, case.3[0]).await;
            fixture.check_books().await;
        }
        let mut remaining = Vec::new();
        for case in cases {
            println!("{case:?}, left alone");
            let payment = fixture.payment();
            try_case(fixture, case, &payment).await;
            remaining.push((payment, case.3[1]));
        }
        // Two api-servers start at the same time, and each tries to recover all payments.
        let mut replica = fixture.world.api_replica().await;
        fixture.age_attempts().await;
        tokio::join!(fixture.restart(), replica.restart());
        fixture.wait_until_over().await;
        for (payment, end) in remaining {
            println!("{payment:?}");
            fixture.expect_end(&payment, end).await;
        }
        replica.close().await;
    })
    .await;
}

/// Runs a payment into this fault, until nothing drives it any further.
async fn try_case(
    fixture: &mut StripeFixture,
    (pattern, fault, problem, _): &FaultCase,
    payment: &Payment,
) {
    let closed = *pattern == REFUND;
    let mut charged = closed.then(|| fixture.provider().proxy.hold_after(CONFIRM));
    let held = inject(fixture, pattern, *fault).await;
    let response = fixture.begin(payment);
    if let Some(mut charged) = charged.take() {
        charged.arrived().await;
        fixture.close_loan(payment).await;
        charged.forward().await;
    }
    if let Some(mut held) = held {
        held.arrived().await;
        fixture.world.api.kill().await;
        match fault {
            KilledInFlight => held.forward().await,
            _ => held.lose(),
        }
        fixture.world.api.restart(&fixture.world.client.http.clone()).await;
    }
    let response = response.await.expect("it ran");
    assert_eq!(fixture.provider().proxy.clear_faults(), 0, "it did not come to that");
    match *problem {
        NOTHING => assert!(response.is_none(), "{response:?}"),
        PAID => drop(response.expect("a response").expect(201)),
        GIVEN_BACK => drop(response.expect("a response").expect_problem(422, GIVEN_BACK)),
        problem => drop(response.expect("a response").expect_problem(503, problem)),
    }
    if *fault == Down {
        fixture.provider().proxy.up().await;
    }
}

/// Prepares a fault. Returns the request that is held until the server is killed.
async fn inject(
    fixture: &StripeFixture,
    pattern: &str,
    fault: ProviderFault,
) -> Option<HeldRequest> {
    let proxy = &fixture.provider().proxy;
    match fault {
        Killed | KilledInFlight => return Some(proxy.hold_before(pattern)),
        KilledAfter => return Some(proxy.hold_after(pattern)),
        Lost => proxy.refuse(pattern, 1),
        ReplyLost => proxy.lose_reply(pattern, 1),
        Down => proxy.down().await,
        Refused(status) => {
            proxy.reply_with(pattern, 1, &Reply::error(status, "api_error", None, "No."))
        }
        Replaced(status, body) => proxy.replace_reply(pattern, 1, &Reply::new(status, body)),
        Truncated => proxy.truncate_reply(pattern, 1),
        Endless => proxy.reply_endlessly(pattern, 1),
    }
    None
}
