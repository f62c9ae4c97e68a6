//! The provider's secret key and its ids of cards and customers appear in no log, no answer and,
//! unless sealed, in no row.

use super::fixture::{CONFIRM, PREPARE, REFUND, StripeFixture, with_stripe};
use super::{add, forget};
use acceptance::Database;
use acceptance::localstripe::{DECLINED_CARD, GOOD_CARD, SECRET_KEY};
use acceptance::provider::WEBHOOK_SECRET;
use acceptance::stripe_proxy::Reply;
use serde_json::json;

/// All files of an embedded database, or all rows of a server's.
async fn stored_bytes(fixture: &StripeFixture) -> Vec<u8> {
    let mut bytes = format!("{:?}", fixture.world.snapshot().await).into_bytes();
    if fixture.world.database == Database::Sqlite {
        let path = fixture.world.database_url.trim_start_matches("sqlite://");
        for suffix in ["", "-wal"] {
            bytes.extend(std::fs::read(format!("{path}{suffix}")).expect("the database's file"));
        }
    }
    bytes
}

#[tokio::test]
async fn card_secrets_are_sent_only_to_the_provider() {
    with_stripe(&[("API_LOG_FILTER", "trace")], 4, async |fixture| {
        let admin = fixture.admin.clone();
        let (paid, declined, voided, refused) =
            (fixture.payment(), fixture.payment(), fixture.payment(), fixture.payment());
        let mut responses = vec![fixture.pay(&paid).await];
        let card = fixture.add_card(declined.loan, DECLINED_CARD).await;
        responses.push(fixture.pay(&super::fixture::Payment { card, ..declined }).await);

        let proxy = &fixture.provider().proxy;
        let mut held = proxy.hold_after(CONFIRM);
        let response = fixture.begin(&voided);
        held.arrived().await;
        fixture.close_loan(&voided).await;
        proxy.refuse(REFUND, 1);
        held.forward().await;
        responses.extend(response.await.expect("it ran"));
        responses.push(fixture.pay_with_retries(&voided).await);

        // Stripe's refusals contain the ids they are about.
        let mut tokens = Vec::new();
        for customer in fixture.provider().stripe.customers().await {
            let cards = fixture.provider().stripe.payment_methods(&customer.id).await;
            tokens.extend(cards.into_iter().map(|card| card.id));
            tokens.push(customer.id);
        }
        let names = tokens.join("', '");
        let message = format!("No such things: '{names}'; a similar one exists, ({}).", tokens[0]);
        let refusal = Reply::error(400, "invalid_request_error", Some("no_such"), &message);
        proxy.reply_with(PREPARE, 1, &refusal);
        let response = fixture.pay(&refused).await.expect_problem(422, "card-declined");
        assert!(response.json()["detail"].as_str().expect("a text").contains("No such things"));
        responses.push(response);
        let fresh = fixture.provider().stripe.create_card(GOOD_CARD).await;
        proxy.reply_with("/attach", 1, &Reply::error(402, "card_error", Some("no"), &message));
        responses.push(add(fixture, &admin, refused.loan, json!({ "Gateway_Token": fresh })).await);
        tokens.push(fresh);
        proxy.down().await;
        responses.push(forget(fixture, &admin, refused.card).await);
        fixture.restart().await;
        fixture.provider().proxy.up().await;

        let kept = stored_bytes(fixture).await;
        let (kept, log) = (String::from_utf8_lossy(&kept), fixture.world.api.log());
        assert!(log.contains("TRACE"), "not everything is logged: {}", log.len());
        tokens.extend([SECRET_KEY, WEBHOOK_SECRET].map(str::to_owned));
        assert!(tokens.len() > 10, "{tokens:?}");
        for token in tokens {
            assert!(!kept.contains(&token), "{token} is in the database");
            if let Some(index) = log.find(&token) {
                let line = log[..index].rfind('\n').unwrap_or_default();
                panic!("{token} is in the log: {}", &log[line..index + token.len()]);
            }
            for response in &responses {
                assert!(!response.text.contains(&token), "{token}: {}", response.text);
            }
        }
    })
    .await;
}
