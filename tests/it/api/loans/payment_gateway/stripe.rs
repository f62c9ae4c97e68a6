//! The operations of the payment gateway with an independent implementation of the provider, whose
//! own state is checked afterwards. Failures between it and the api-server are in the submodules.

mod books;
mod database_faults;
mod fixture;
mod provider_faults;
mod races;
mod secrets;
mod webhooks;

use acceptance::localstripe::{AUTHENTICATED_CARD, DECLINED_CARD, GOOD_CARD, REJECTED_CARD};
use acceptance::stripe_proxy::Reply;
use acceptance::{Database, TestResponse};
use fixture::{CONFIRM, PaymentEnd, StripeFixture, with_stripe};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const SECRETS: &str = "SELECT COUNT(*) FROM payment_gateway_secrets";

/// Adds a card with this token to a loan.
async fn add(fixture: &StripeFixture, token: &str, loan: i64, body: Value) -> TestResponse {
    let path = format!("/loans/{loan}/payment-gateway/credit-cards");
    fixture.world.client.post(token, &path, &body, None).await
}

/// Creates a card at the provider that belongs to no customer yet.
async fn unattached_card(fixture: &StripeFixture, number: &str) -> Value {
    json!({ "Gateway_Token": fixture.provider().stripe.create_card(number).await })
}

async fn forget(fixture: &StripeFixture, token: &str, card: i64) -> TestResponse {
    let path = format!("/loans/payment-gateway/credit-cards/{card}/forget");
    let request = fixture.world.client.request(Method::POST, token, &path);
    fixture.world.client.send(request).await.expect("a response")
}

async fn contact(fixture: &StripeFixture, loan: i64) -> i64 {
    fixture.world.count(&format!("SELECT contact_id FROM loans WHERE loan_id = {loan}")).await
}

/// How many cards are attached to customers at the provider.
async fn attached(fixture: &StripeFixture) -> usize {
    let mut count = 0;
    for customer in fixture.provider().stripe.customers().await {
        count += fixture.provider().stripe.payment_methods(&customer.id).await.len();
    }
    count
}

#[tokio::test]
async fn a_card_is_saved_charged_to_the_cent_and_forgotten() {
    with_stripe(&[], 1, async |fixture| {
        let payment = fixture.payment();
        let (client, admin) = (fixture.world.client.clone(), fixture.admin.clone());
        let contact = contact(fixture, payment.loan).await;
        let customers = fixture.provider().stripe.customers().await;
        assert_eq!(customers.len(), 1);
        assert_eq!(customers[0].metadata.get("Contact_ID"), Some(&contact.to_string()));

        let path = format!("/loans/payment-gateway/credit-cards/{}", payment.card);
        let card = client.get(&admin, &path).await.expect(200).json();
        for (member, value) in [
            ("BrandType", json!("visa")),
            ("Last_Four", json!("4242")),
            ("Expiry_Month", json!(12)),
            ("Expiry_Year", json!(2035)),
            ("Gateway", json!("stripe")),
            ("Contact_ID", json!(contact)),
            ("Used_Count", json!(0)),
        ] {
            assert_eq!(card[member], value, "{member}");
        }
        let gateway = format!("/loans/{}/payment-gateway", payment.loan);
        let list = format!("{gateway}/credit-cards");
        assert_eq!(client.get(&admin, &list).await.expect(200).json(), json!([]));
        let all = client.get(&admin, &format!("{list}?includeUnused=true")).await.expect(200);
        assert_eq!(all.json(), json!([card]));
        let fee = format!("{gateway}/convenience-fee?amount=100.07&tokenId={}", payment.card);
        let fee = client.get(&admin, &fee).await.expect(200).json();
        assert_eq!((&fee["Fee"], &fee["Total"]), (&json!("2.25"), &json!("102.32")));

        let paid = fixture.pay(&payment).await.expect(201).json();
        assert_eq!(paid["Total_Charged"], "102.32");
        let reference = paid["Gateway_Reference"].as_str().expect("a reference");
        fixture.provider().stripe.assert_settled(reference, 10_232, 0).await;
        let requests_before = &fixture.provider().proxy.requests_to(CONFIRM)[0];
        assert_eq!(requests_before.field("off_session").as_deref(), Some("true"));
        let key = format!("core-{}", paid["Card_Payment_ID"]);
        assert_eq!(requests_before.idempotency_key(), Some(key.as_str()));
        for row in paid["Transactions"].as_array().expect("rows") {
            assert_eq!(row["PaymentGatewayTokenID"], payment.card);
            assert_eq!(row["Payment_Method_Reference"], reference);
        }
        assert_eq!(client.get(&admin, &list).await.expect(200).json()[0]["Used_Count"], 1);

        let forgotten = forget(fixture, &admin, payment.card).await.expect(200);
        assert_eq!(forgotten.json()["ForgetFlag"], true);
        assert_eq!((attached(fixture).await, fixture.world.count(SECRETS).await), (0, 0));
        let requests_before = fixture.provider().proxy.requests().len();
        let repeated = forget(fixture, &admin, payment.card).await.expect(200);
        assert_eq!(repeated.text, forgotten.text);
        assert_eq!(fixture.provider().proxy.requests().len(), requests_before);
        let other = fixture::Payment { key: "after".to_owned(), ..payment };
        fixture.pay(&other).await.expect_problem(422, "card-forgotten");
    })
    .await;
}

#[tokio::test]
async fn a_borrower_can_add_only_their_own_cards() {
    with_stripe(&[], 2, async |fixture| {
        let (mine, others) = (fixture.payment(), fixture.payment());
        let web = fixture.world.web_token(1).await;
        let contacts = [contact(fixture, mine.loan).await, contact(fixture, others.loan).await];
        let client = fixture.world.client.clone();
        let body = unattached_card(fixture, GOOD_CARD).await;
        let requests_before = fixture.provider().proxy.requests().len();
        let refused = add(fixture, &web, others.loan, body.clone()).await;
        refused.expect_problem(404, "not-found");
        let mut for_other = body.clone();
        for_other["Contact_ID"] = json!(contacts[1]);
        let refused = add(fixture, &web, mine.loan, for_other).await;
        refused.expect_problem(422, "invalid-value");
        assert_eq!(fixture.provider().proxy.requests().len(), requests_before);

        let added = add(fixture, &web, mine.loan, body).await.expect(201).json();
        assert_eq!(added["Contact_ID"], contacts[0]);
        let card = added["PaymentGatewayTokenID"].as_i64().expect("an id");
        let gateway = format!("/loans/{}/payment-gateway", mine.loan);
        let list = format!("{gateway}/credit-cards?includeUnused=true");
        let list = client.get(&web, &list).await.expect(200);
        assert_eq!(list.column("PaymentGatewayTokenID"), [mine.card, card]);
        let fee = format!("{gateway}/convenience-fee?amount=1.00&tokenId={card}");
        assert_eq!(client.get(&web, &fee).await.expect(200).json()["Fee"], "1.26");
        let path = format!("{gateway}/payments");
        let payment = json!({"PaymentGatewayTokenID": card, "Amount": "1.00"});
        let refused = client.post(&web, &path, &payment, None).await;
        refused.expect_problem(403, "core-user-only");

        for (card, status) in [(card, 200), (mine.card, 200), (others.card, 404)] {
            let path = format!("/loans/payment-gateway/credit-cards/{card}");
            client.get(&web, &path).await.expect(status);
            forget(fixture, &web, card).await.expect(status);
        }
        assert_eq!((attached(fixture).await, fixture.world.count(SECRETS).await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn declined_cards_report_the_reason_and_are_never_charged() {
    with_stripe(&[], 2, async |fixture| {
        let admin = fixture.admin.clone();
        let saved = fixture.world.count(SECRETS).await;
        let loan = fixture.payment().loan;
        let rejected = unattached_card(fixture, REJECTED_CARD).await;
        let refused = add(fixture, &admin, loan, rejected).await;
        let refused = refused.expect_problem(422, "card-declined");
        assert_eq!(refused.json()["declineCode"], "card_declined");
        assert_eq!(fixture.world.count(SECRETS).await, saved);

        let base = fixture.payment();
        for (number, reason, status) in [
            (DECLINED_CARD, "card_declined", "requires_payment_method"),
            (AUTHENTICATED_CARD, "authentication_required", "canceled"),
        ] {
            let card = fixture.add_card(base.loan, number).await;
            let payment = fixture::Payment { card, key: reason.to_owned(), ..base.clone() };
            let refused = fixture.pay(&payment).await.expect_problem(422, "card-declined");
            assert_eq!(refused.json()["declineCode"], reason);
            let intents = fixture.provider().stripe.intents().await;
            assert_eq!(intents.last().expect("an intent").status, status);
            let repeated = fixture.pay(&payment).await.expect_problem(422, "card-declined");
            assert_eq!(repeated.header("idempotency-replayed"), "true");
            assert_eq!(repeated.json()["declineCode"], reason);
        }
        fixture.wait_until_over().await;
        assert_eq!(fixture.provider().stripe.settlement_of_all().await.charges, 0);
    })
    .await;
}

#[tokio::test]
async fn tokens_of_other_contacts_or_of_no_card_are_refused() {
    with_stripe(&[], 2, async |fixture| {
        let admin = fixture.admin.clone();
        let (mine, others) = (fixture.payment(), fixture.payment());
        let requests_before = fixture.provider().proxy.requests().len();
        for token in [
            "tok_visa",
            "pm_",
            "pm_1/../../customers",
            "../pm_1",
            "pm_1?expand[]=customer",
            "pm_1%2F",
            "pm_1 cus_1",
            "pm_ü",
            "pm_1\r\nX-Y: z",
            "PM_1",
            &format!("pm_{}", "x".repeat(200)),
        ] {
            let refused = add(fixture, &admin, mine.loan, json!({ "Gateway_Token": token })).await;
            let refused = refused.expect_problem(422, "invalid-value");
            assert_eq!(refused.json()["errors"][0]["field"], "Gateway_Token");
            assert!(token == "pm_" || !refused.text.contains(token), "{}", refused.text);
        }
        assert_eq!(fixture.provider().proxy.requests().len(), requests_before, "nothing is sent");

        let refuse = async |token: &str, loan: i64| {
            let refused = add(fixture, &admin, loan, json!({ "Gateway_Token": token })).await;
            refused.expect_problem(422, "invalid-value")
        };
        refuse("pm_of_nobody", mine.loan).await;
        let stripe = &fixture.provider().stripe;
        // A customer that the api-server did not create.
        let card = stripe.create_card(GOOD_CARD).await;
        let customer = stripe.create_customer("Of another program").await;
        assert!(stripe.attach(&card, &customer).await);
        refuse(&card, mine.loan).await;
        // A card already on file, for the same contact and for another.
        let card = stripe.create_card(GOOD_CARD).await;
        let added = add(fixture, &admin, mine.loan, json!({ "Gateway_Token": card })).await;
        let id = &added.expect(201).json()["PaymentGatewayTokenID"];
        let second_refusal = refuse(&card, mine.loan).await;
        assert!(
            second_refusal.text.contains(&format!("PaymentGatewayTokenID {id}")),
            "{}",
            second_refusal.text
        );
        refuse(&card, others.loan).await;
        assert_eq!(fixture.world.count(SECRETS).await, 3);
    })
    .await;
}

#[tokio::test]
async fn a_card_added_twice_concurrently_is_saved_once() {
    with_stripe(&[], 1, async |fixture| {
        let loan = fixture.payment().loan;
        let body = unattached_card(fixture, GOOD_CARD).await;
        let (before, customers) =
            (fixture.world.count(SECRETS).await, fixture.provider().stripe.customers().await.len());
        // One request has attached the card; the other finds it attached to the same contact.
        let proxy = &fixture.provider().proxy;
        let mut attached = proxy.hold_after("/attach");
        let mut found = proxy.hold_after("GET /v1/payment_methods/*");
        let let_them = async {
            found.arrived().await;
            found.forward().await;
            attached.arrived().await;
            let mut found = proxy.hold_after("GET /v1/payment_methods/*");
            let adding = add(fixture, &fixture.admin, loan, body.clone());
            let let_both = async {
                found.arrived().await;
                // Both reach the point at which inserting the card waits for its contact's row.
                let locked = match fixture.world.database {
                    Database::Sqlite => None,
                    Database::Server(_) => Some(fixture.lock("contacts").await),
                };
                found.forward().await;
                attached.forward().await;
                tokio::time::sleep(Duration::from_millis(500)).await;
                if let Some(locked) = locked {
                    locked.rollback().await.expect("free");
                }
            };
            tokio::join!(adding, let_both).0
        };
        let (one, other) = tokio::join!(add(fixture, &fixture.admin, loan, body.clone()), let_them);
        let mut statuses =
            [one, other].map(|response| (response.status.as_u16(), response.problem()));
        statuses.sort();
        assert_eq!(statuses, [(201, String::new()), (422, "invalid-value".to_owned())]);
        add(fixture, &fixture.admin, loan, body).await.expect_problem(422, "invalid-value");
        assert_eq!(fixture.world.count(SECRETS).await, before + 1);
        assert_eq!(fixture.provider().stripe.customers().await.len(), customers + 1);
    })
    .await;
}

#[tokio::test]
async fn a_card_forgotten_during_an_outage_is_detached_later() {
    with_stripe(&[], 1, async |fixture| {
        let payment = fixture.payment();
        fixture.provider().proxy.down().await;
        let forgotten = forget(fixture, &fixture.admin, payment.card).await.expect(200);
        assert_eq!(forgotten.json()["ForgetFlag"], true);
        assert_eq!((attached(fixture).await, fixture.world.count(SECRETS).await), (1, 1));
        fixture.pay(&payment).await.expect_problem(422, "card-forgotten");
        // A recovery pass that finds the provider away leaves the card to the next one.
        fixture.restart().await;
        fixture.provider().proxy.up().await;
        fixture.provider().proxy.lose_reply("/detach", 1);
        fixture.restart().await;
        fixture.provider().proxy.wait_for("/detach", 1).await;
        fixture.restart().await;
        fixture.wait_for_count(SECRETS, 0).await;
        assert_eq!(attached(fixture).await, 0);
        let repeated = forget(fixture, &fixture.admin, payment.card).await.expect(200);
        assert_eq!(repeated.text, forgotten.text);
    })
    .await;
}

#[tokio::test]
async fn a_failing_detach_does_not_block_others() {
    with_stripe(&[], 3, async |fixture| {
        let cards = [fixture.payment().card, fixture.payment().card, fixture.payment().card];
        let customers = fixture.provider().stripe.customers().await;
        let mut saved = Vec::new();
        for customer in &customers {
            saved.extend(fixture.provider().stripe.payment_methods(&customer.id).await);
        }
        fixture.provider().proxy.down().await;
        for card in cards {
            forget(fixture, &fixture.admin, card).await.expect(200);
        }
        fixture.world.api.kill().await;
        fixture.provider().proxy.up().await;
        let detach = format!("/v1/payment_methods/{}/detach", saved[0].id);
        fixture.provider().proxy.reply_with(
            &detach,
            9,
            &Reply::error(500, "api_error", None, "No."),
        );
        fixture.restart().await;
        fixture.wait_for_count(SECRETS, 1).await;
        assert_eq!(attached(fixture).await, 1);
        fixture.provider().proxy.clear_faults();
        fixture.restart().await;
        fixture.wait_for_count(SECRETS, 0).await;
        assert_eq!(attached(fixture).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_pending_payment_with_a_forgotten_card_is_not_charged() {
    with_stripe(&[], 1, async |fixture| {
        let payment = fixture.payment();
        fixture.provider().proxy.refuse(fixture::PREPARE, 1);
        fixture.pay(&payment).await.expect_problem(503, "gateway-unavailable");
        forget(fixture, &fixture.admin, payment.card).await.expect(200);
        fixture.expect_end(&payment, PaymentEnd::Failed).await;
        assert_eq!(fixture.provider().stripe.intents().await.len(), 0);
    })
    .await;
}
