//! Concurrency: requests under one key, requests for one loan, the recovery next to a request still
//! in flight, and clients that do not wait.

use super::till::{CANCEL, CONFIRM, End, LOOK_UP, PREPARE, Payment, RECOVERY, REFUND, at_the_till};
use acceptance::localstripe::AUTHENTICATED_CARD;
use acceptance::stripe_proxy::Reply;
use futures_util::future::join_all;

/// The recovery runs all the time.
const ALL_THE_TIME: [(&str, &str); 1] = [(RECOVERY, "1")];

#[tokio::test]
async fn eight_clients_with_one_key_charge_once() {
    at_the_till(&[], 1, async |till| {
        let payment = till.payment();
        let responses = join_all((0..8).map(|_| till.begin(&payment))).await;
        let responses =
            responses.into_iter().map(|response| response.expect("it ran").expect("a response"));
        let statuses: Vec<u16> = responses.map(|response| response.status.as_u16()).collect();
        assert!(statuses.contains(&201), "{statuses:?}");
        assert!(statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
        let texts = join_all((0..8).map(|_| till.pay(&payment))).await;
        assert!(texts.iter().all(|text| text.text == texts[0].text), "{texts:?}");
        assert_eq!(till.provider().proxy.requests_to(CONFIRM).len(), 1);
        till.expect_end(&payment, End::Posted).await;
    })
    .await;
}

#[tokio::test]
async fn of_two_charges_that_cannot_both_be_posted_one_is_given_back() {
    at_the_till(&[], 2, async |till| {
        let (first, second) = (till.payment(), till.payment());
        // Two keys are two payments, even for the same amount at the same time.
        let both = [first.clone(), Payment { key: "other".to_owned(), ..first.clone() }];
        for response in join_all(both.iter().map(|payment| till.pay(payment))).await {
            assert_eq!(response.expect(201).json()["State"], "posted");
        }
        // Neither is on the loan yet when the other is checked.
        let proxy = &till.provider().proxy;
        let mut held = [proxy.hold_after(CONFIRM), proxy.hold_after(CONFIRM)];
        let named = |key: &str| Payment {
            key: key.to_owned(),
            external_id: Some("X-1".to_owned()),
            ..second.clone()
        };
        let (one, other) = (named("one"), named("two"));
        let (one, other) = (till.begin(&one), till.begin(&other));
        for held in &mut held {
            held.arrived().await;
        }
        for held in held {
            held.forward().await;
        }
        let responses =
            [one, other].map(async |one| one.await.expect("it ran").expect("a response"));
        let mut statuses: Vec<_> =
            join_all(responses).await.iter().map(|a| (a.status.as_u16(), a.problem())).collect();
        statuses.sort();
        assert_eq!(statuses, [(201, String::new()), (422, "charge-voided".to_owned())]);
        assert_eq!(till.provider().proxy.requests_to(REFUND).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_the_recovery_has_cancelled_is_not_charged_by_a_request_that_comes_late() {
    at_the_till(&ALL_THE_TIME, 2, async |till| {
        let payment = till.payment();
        let mut late = till.provider().proxy.hold_before(CONFIRM);
        let response = till.begin(&payment);
        late.arrived().await;
        till.let_time_pass().await;
        till.wait_for_state(&payment, "failed").await;
        late.forward().await;
        let response = response.await.expect("it ran").expect("a response");
        response.expect_problem(422, "card-declined");
        till.expect_end(&payment, End::Failed).await;
        // Stripe repeats the stored answer to a key, even if it was an error; so cancelling uses
        // none.
        assert_eq!(till.provider().proxy.requests_to(CANCEL)[0].idempotency_key(), None);

        // Nor is an intent that is created too late.
        let payment = till.payment();
        till.provider().proxy.forget_requests();
        let mut late = till.provider().proxy.hold_before(PREPARE);
        let response = till.begin(&payment);
        late.arrived().await;
        till.let_time_pass().await;
        till.wait_for_state(&payment, "failed").await;
        late.forward().await;
        let response = response.await.expect("it ran").expect("a response");
        response.expect_problem(422, "card-declined");
        till.expect_end(&payment, End::Failed).await;
        assert_eq!(till.provider().proxy.requests_to(CONFIRM).len(), 0);
    })
    .await;
}

#[tokio::test]
async fn what_was_charged_before_the_recovery_cancels_it_is_posted() {
    at_the_till(&ALL_THE_TIME, 1, async |till| {
        let payment = till.payment();
        let proxy = &till.provider().proxy;
        let (mut charge, mut cancel) = (proxy.hold_before(CONFIRM), proxy.hold_before(CANCEL));
        let response = till.begin(&payment);
        charge.arrived().await;
        till.let_time_pass().await;
        cancel.arrived().await;
        charge.forward().await;
        response.await.expect("it ran").expect("a response").expect(201);
        cancel.forward().await;
        till.expect_end(&payment, End::Posted).await;
    })
    .await;
}

#[tokio::test]
async fn a_request_and_the_recovery_give_a_charge_back_once() {
    at_the_till(&ALL_THE_TIME, 1, async |till| {
        let payment = till.payment();
        let proxy = &till.provider().proxy;
        proxy.remember_keys();
        let (mut charge, mut refund) = (proxy.hold_after(CONFIRM), proxy.hold_before(REFUND));
        let response = till.begin(&payment);
        charge.arrived().await;
        till.close_loan(&payment).await;
        charge.forward().await;
        refund.arrived().await;
        till.let_time_pass().await;
        till.wait_for_state(&payment, "voided").await;
        refund.forward().await;
        let response = response.await.expect("it ran").expect("a response");
        response.expect_problem(422, "charge-voided");
        assert_eq!(till.provider().proxy.requests_to(REFUND).len(), 2);
        till.expect_end(&payment, End::Voided).await;
    })
    .await;
}

#[tokio::test]
async fn a_client_that_hangs_up_has_paid() {
    at_the_till(&[], 2, async |till| {
        for at in [PREPARE, CONFIRM] {
            let payment = till.payment();
            let mut held = till.provider().proxy.hold_before(at);
            let client = till.begin(&payment);
            held.arrived().await;
            client.abort();
            assert!(client.await.is_err_and(|ended| ended.is_cancelled()));
            let busy = till.pay(&payment).await.expect_problem(409, "idempotency-in-progress");
            assert_eq!(busy.header("retry-after"), "1");
            held.forward().await;
            till.wait_for_state(&payment, "posted").await;
            till.expect_end(&payment, End::Posted).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_provider_that_is_silent_is_given_up_and_asked_later() {
    at_the_till(&[], 2, async |till| {
        let (slow, lost) = (till.payment(), till.payment());
        let proxy = &till.provider().proxy;
        let (mut charge, mut response) = (proxy.hold_before(CONFIRM), proxy.hold_after(CONFIRM));
        let first = till.begin(&slow);
        charge.arrived().await;
        let second = till.begin(&lost);
        response.arrived().await;
        for sent in [first, second] {
            let response = sent.await.expect("it ran").expect("a response");
            let response = response.expect_problem(503, "gateway-outcome-unknown");
            assert_eq!(response.header("retry-after"), "5");
        }
        assert_eq!(till.state(&slow).await, "unknown");
        // As long as the provider does not say what happened to the charge, no client is told that
        // there was none.
        let proxy = &till.provider().proxy;
        for status in [404, 400, 401, 500] {
            proxy.reply_with(
                LOOK_UP,
                1,
                &Reply::error(status, "invalid_request_error", None, "No."),
            );
            let response = till.pay(&slow).await;
            response.expect_problem(503, "gateway-outcome-unknown");
        }
        proxy.reply_with(CANCEL, 1, &Reply::error(404, "invalid_request_error", None, "No."));
        let response = till.pay(&slow).await;
        response.expect_problem(503, "gateway-outcome-unknown");
        proxy.down().await;
        till.pay(&slow).await.expect_problem(503, "gateway-outcome-unknown");
        let proxy = &till.provider().proxy;
        proxy.up().await;
        assert_eq!((proxy.clear_faults(), till.state(&slow).await), (0, "unknown".to_owned()));
        till.expect_end(&lost, End::Posted).await;
        till.expect_end(&slow, End::Failed).await;
        charge.forward().await;
        till.expect_end(&slow, End::Failed).await;
    })
    .await;
}

#[tokio::test]
async fn a_card_that_asks_its_holder_is_not_charged_unless_he_was_faster() {
    at_the_till(&[], 2, async |till| {
        for (agrees, end) in [(false, End::Failed), (true, End::Posted)] {
            let mut payment = till.payment();
            payment.card = till.add_card(payment.loan, AUTHENTICATED_CARD).await;
            let mut cancel = till.provider().proxy.hold_before(CANCEL);
            let response = till.begin(&payment);
            cancel.arrived().await;
            let stripe = &till.provider().stripe;
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
            till.expect_end(&payment, end).await;
        }
    })
    .await;
}
