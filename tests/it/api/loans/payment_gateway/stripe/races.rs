//! Concurrency: requests under one key, requests for one loan, the recovery next to a request still
//! in flight, and clients that do not wait.

use super::fixture::{
    CANCEL, CONFIRM, LOOK_UP, PREPARE, Payment, PaymentEnd, RECOVERY, REFUND, with_stripe,
};
use acceptance::localstripe::AUTHENTICATED_CARD;
use acceptance::stripe_proxy::Reply;
use futures_util::future::join_all;

/// The recovery runs all the time.
const ALL_THE_TIME: [(&str, &str); 1] = [(RECOVERY, "1")];

#[tokio::test]
async fn concurrent_clients_with_one_key_charge_once() {
    with_stripe(&[], 1, async |fixture| {
        let payment = fixture.payment();
        let responses = join_all((0..8).map(|_| fixture.begin(&payment))).await;
        let responses =
            responses.into_iter().map(|response| response.expect("it ran").expect("a response"));
        let statuses: Vec<u16> = responses.map(|response| response.status.as_u16()).collect();
        assert!(statuses.contains(&201), "{statuses:?}");
        assert!(statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
        let texts = join_all((0..8).map(|_| fixture.pay(&payment))).await;
        assert!(texts.iter().all(|text| text.text == texts[0].text), "{texts:?}");
        assert_eq!(fixture.provider().proxy.requests_to(CONFIRM).len(), 1);
        fixture.expect_end(&payment, PaymentEnd::Posted).await;
    })
    .await;
}

#[tokio::test]
async fn of_two_conflicting_charges_one_is_refunded() {
    with_stripe(&[], 2, async |fixture| {
        let (first, second) = (fixture.payment(), fixture.payment());
        // Two keys are two payments, even for the same amount at the same time.
        let both = [first.clone(), Payment { key: "other".to_owned(), ..first.clone() }];
        for response in join_all(both.iter().map(|payment| fixture.pay(payment))).await {
            assert_eq!(response.expect(201).json()["State"], "posted");
        }
        // Neither is on the loan yet when the other is checked.
        let proxy = &fixture.provider().proxy;
        let mut held = [proxy.hold_after(CONFIRM), proxy.hold_after(CONFIRM)];
        let named = |key: &str| Payment {
            key: key.to_owned(),
            external_id: Some("X-1".to_owned()),
            ..second.clone()
        };
        let (first_response, other) = (named("one"), named("two"));
        let (first_response, other) = (fixture.begin(&first_response), fixture.begin(&other));
        for held in &mut held {
            held.arrived().await;
        }
        for held in held {
            held.forward().await;
        }
        let responses = [first_response, other]
            .map(async |first_response| first_response.await.expect("it ran").expect("a response"));
        let mut statuses: Vec<_> =
            join_all(responses).await.iter().map(|a| (a.status.as_u16(), a.problem())).collect();
        statuses.sort();
        assert_eq!(statuses, [(201, String::new()), (422, "charge-voided".to_owned())]);
        assert_eq!(fixture.provider().proxy.requests_to(REFUND).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_late_request_does_not_charge_a_cancelled_payment() {
    with_stripe(&ALL_THE_TIME, 2, async |fixture| {
        let payment = fixture.payment();
        let mut held = fixture.provider().proxy.hold_before(CONFIRM);
        let response = fixture.begin(&payment);
        held.arrived().await;
        fixture.age_attempts().await;
        fixture.wait_for_state(&payment, "failed").await;
        held.forward().await;
        let response = response.await.expect("it ran").expect("a response");
        response.expect_problem(422, "card-declined");
        fixture.expect_end(&payment, PaymentEnd::Failed).await;
        // Stripe repeats the stored answer to a key, even if it was an error; so cancelling uses
        // none.
        assert_eq!(fixture.provider().proxy.requests_to(CANCEL)[0].idempotency_key(), None);

        // Nor is an intent that is created too late.
        let payment = fixture.payment();
        fixture.provider().proxy.forget_requests();
        let mut held = fixture.provider().proxy.hold_before(PREPARE);
        let response = fixture.begin(&payment);
        held.arrived().await;
        fixture.age_attempts().await;
        fixture.wait_for_state(&payment, "failed").await;
        held.forward().await;
        let response = response.await.expect("it ran").expect("a response");
        response.expect_problem(422, "card-declined");
        fixture.expect_end(&payment, PaymentEnd::Failed).await;
        assert_eq!(fixture.provider().proxy.requests_to(CONFIRM).len(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_charge_that_precedes_the_cancellation_is_posted() {
    with_stripe(&ALL_THE_TIME, 1, async |fixture| {
        let payment = fixture.payment();
        let proxy = &fixture.provider().proxy;
        let (mut charge, mut cancel) = (proxy.hold_before(CONFIRM), proxy.hold_before(CANCEL));
        let response = fixture.begin(&payment);
        charge.arrived().await;
        fixture.age_attempts().await;
        cancel.arrived().await;
        charge.forward().await;
        response.await.expect("it ran").expect("a response").expect(201);
        cancel.forward().await;
        fixture.expect_end(&payment, PaymentEnd::Posted).await;
    })
    .await;
}

#[tokio::test]
async fn a_request_and_the_recovery_refund_a_charge_once() {
    with_stripe(&ALL_THE_TIME, 1, async |fixture| {
        let payment = fixture.payment();
        let proxy = &fixture.provider().proxy;
        proxy.remember_keys();
        let (mut charge, mut refund) = (proxy.hold_after(CONFIRM), proxy.hold_before(REFUND));
        let response = fixture.begin(&payment);
        charge.arrived().await;
        fixture.close_loan(&payment).await;
        charge.forward().await;
        refund.arrived().await;
        fixture.age_attempts().await;
        fixture.wait_for_state(&payment, "voided").await;
        refund.forward().await;
        let response = response.await.expect("it ran").expect("a response");
        response.expect_problem(422, "charge-voided");
        assert_eq!(fixture.provider().proxy.requests_to(REFUND).len(), 2);
        fixture.expect_end(&payment, PaymentEnd::Voided).await;
    })
    .await;
}

#[tokio::test]
async fn a_disconnected_clients_payment_is_completed() {
    with_stripe(&[], 2, async |fixture| {
        for pattern in [PREPARE, CONFIRM] {
            let payment = fixture.payment();
            let mut held = fixture.provider().proxy.hold_before(pattern);
            let client = fixture.begin(&payment);
            held.arrived().await;
            client.abort();
            assert!(client.await.is_err_and(|ended| ended.is_cancelled()));
            let busy = fixture.pay(&payment).await.expect_problem(409, "idempotency-in-progress");
            assert_eq!(busy.header("retry-after"), "1");
            held.forward().await;
            fixture.wait_for_state(&payment, "posted").await;
            fixture.expect_end(&payment, PaymentEnd::Posted).await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_unresponsive_provider_times_out_and_is_asked_later() {
    with_stripe(&[], 2, async |fixture| {
        let (slow, lost) = (fixture.payment(), fixture.payment());
        let proxy = &fixture.provider().proxy;
        let (mut charge, mut response) = (proxy.hold_before(CONFIRM), proxy.hold_after(CONFIRM));
        let first = fixture.begin(&slow);
        charge.arrived().await;
        let second = fixture.begin(&lost);
        response.arrived().await;
        for sent in [first, second] {
            let response = sent.await.expect("it ran").expect("a response");
            let response = response.expect_problem(503, "gateway-outcome-unknown");
            assert_eq!(response.header("retry-after"), "5");
        }
        assert_eq!(fixture.state(&slow).await, "unknown");
        // As long as the provider does not say what happened to the charge, no client is told that
        // there was none.
        let proxy = &fixture.provider().proxy;
        for status in [404, 400, 401, 500] {
            proxy.reply_with(
                LOOK_UP,
                1,
                &Reply::error(status, "invalid_request_error", None, "No."),
            );
            let response = fixture.pay(&slow).await;
            response.expect_problem(503, "gateway-outcome-unknown");
        }
        proxy.reply_with(CANCEL, 1, &Reply::error(404, "invalid_request_error", None, "No."));
        let response = fixture.pay(&slow).await;
        response.expect_problem(503, "gateway-outcome-unknown");
        proxy.down().await;
        fixture.pay(&slow).await.expect_problem(503, "gateway-outcome-unknown");
        let proxy = &fixture.provider().proxy;
        proxy.up().await;
        assert_eq!((proxy.clear_faults(), fixture.state(&slow).await), (0, "unknown".to_owned()));
        fixture.expect_end(&lost, PaymentEnd::Posted).await;
        fixture.expect_end(&slow, PaymentEnd::Failed).await;
        charge.forward().await;
        fixture.expect_end(&slow, PaymentEnd::Failed).await;
    })
    .await;
}

#[tokio::test]
async fn a_card_requiring_authentication_is_charged_only_if_already_authenticated() {
    with_stripe(&[], 2, async |fixture| {
        for (agrees, end) in [(false, PaymentEnd::Failed), (true, PaymentEnd::Posted)] {
            let mut payment = fixture.payment();
            payment.card = fixture.add_card(payment.loan, AUTHENTICATED_CARD).await;
            let mut cancel = fixture.provider().proxy.hold_before(CANCEL);
            let response = fixture.begin(&payment);
            cancel.arrived().await;
            let stripe = &fixture.provider().stripe;
            if agrees {
                let intents = stripe.intents().await;
                stripe.authenticate(&intents.last().expect("an intent").id, true).await;
            }
            cancel.forward().await;
            let response = response.await.expect("it ran").expect("a response");
            if !agrees {
                let declined = response.expect_problem(422, "card-declined");
                assert_eq!(declined.json()["declineCode"], "authentication_required");
            }
            fixture.expect_end(&payment, end).await;
        }
    })
    .await;
}
