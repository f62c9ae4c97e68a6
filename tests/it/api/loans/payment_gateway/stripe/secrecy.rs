//! The provider's secret key and its ids of cards and customers appear in no log, no answer and,
//! unless sealed, in no row.

use super::till::{CONFIRM, PREPARE, REFUND, Till, at_the_till};
use super::{add, forget};
use acceptance::Database;
use acceptance::localstripe::{DECLINED_CARD, GOOD_CARD, SECRET_KEY};
use acceptance::provider::WEBHOOK_SECRET;
use acceptance::stripe_proxy::Reply;
use serde_json::json;

/// All files of an embedded database, or all rows of a server's.
async fn kept(till: &Till) -> Vec<u8> {
    let mut bytes = format!("{:?}", till.world.snapshot().await).into_bytes();
    if till.world.database == Database::Sqlite {
        let path = till.world.database_url.trim_start_matches("sqlite://");
        for end in ["", "-wal"] {
            bytes.extend(std::fs::read(format!("{path}{end}")).expect("the database's file"));
        }
    }
    bytes
}

#[tokio::test]
async fn what_only_the_provider_may_know_is_nowhere_else() {
    at_the_till(&[("API_LOG_FILTER", "trace")], 4, async |till| {
        let admin = till.admin.clone();
        let (paid, declined, voided, told) =
            (till.payment(), till.payment(), till.payment(), till.payment());
        let mut responses = vec![till.pay(&paid).await];
        let card = till.add_card(declined.loan, DECLINED_CARD).await;
        responses.push(till.pay(&super::till::Payment { card, ..declined }).await);

        let proxy = &till.provider().proxy;
        let mut held = proxy.hold_after(CONFIRM);
        let response = till.begin(&voided);
        held.arrived().await;
        till.close_loan(&voided).await;
        proxy.refuse(REFUND, 1);
        held.forward().await;
        responses.extend(response.await.expect("it ran"));
        responses.push(till.insist(&voided).await);

        // Stripe's refusals contain the ids they are about.
        let mut tokens = Vec::new();
        for customer in till.provider().stripe.customers().await {
            let cards = till.provider().stripe.payment_methods(&customer.id).await;
            tokens.extend(cards.into_iter().map(|card| card.id));
            tokens.push(customer.id);
        }
        let names = tokens.join("', '");
        let message = format!("No such things: '{names}'; a similar one exists, ({}).", tokens[0]);
        let refusal = Reply::error(400, "invalid_request_error", Some("no_such"), &message);
        proxy.reply_with(PREPARE, 1, &refusal);
        let response = till.pay(&told).await.expect_problem(422, "card-declined");
        assert!(response.json()["detail"].as_str().expect("a text").contains("No such things"));
        responses.push(response);
        let fresh = till.provider().stripe.create_card(GOOD_CARD).await;
        proxy.reply_with("/attach", 1, &Reply::error(402, "card_error", Some("no"), &message));
        responses.push(add(till, &admin, told.loan, json!({ "Gateway_Token": fresh })).await);
        tokens.push(fresh);
        proxy.down().await;
        responses.push(forget(till, &admin, told.card).await);
        till.restart().await;
        till.provider().proxy.up().await;

        let kept = kept(till).await;
        let (kept, log) = (String::from_utf8_lossy(&kept), till.world.api.log());
        assert!(log.contains("TRACE"), "not everything is logged: {}", log.len());
        tokens.extend([SECRET_KEY, WEBHOOK_SECRET].map(str::to_owned));
        assert!(tokens.len() > 10, "{tokens:?}");
        for token in tokens {
            assert!(!kept.contains(&token), "{token} is in the database");
            if let Some(place) = log.find(&token) {
                let line = log[..place].rfind('\n').unwrap_or_default();
                panic!("{token} is in the log: {}", &log[line..place + token.len()]);
            }
            for response in &responses {
                assert!(!response.text.contains(&token), "{token}: {}", response.text);
            }
        }
    })
    .await;
}
