//! The operations of the payment gateway with an independent implementation of the provider, whose
//! own state is checked afterwards. Failures between it and the api-server are in the submodules.

mod books;
mod database;
mod faults;
mod races;
mod secrecy;
mod till;
mod webhooks;

use acceptance::localstripe::{AUTHENTICATED_CARD, DECLINED_CARD, GOOD_CARD, REJECTED_CARD};
use acceptance::stripe_proxy::Reply;
use acceptance::{Database, TestResponse};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use till::{CONFIRM, End, Till, at_the_till};

const SECRETS: &str = "SELECT COUNT(*) FROM payment_gateway_secrets";

/// Adds a card with this token to a loan.
async fn add(till: &Till, token: &str, loan: i64, body: Value) -> TestResponse {
    let path = format!("/loans/{loan}/payment-gateway/credit-cards");
    till.world.client.post(token, &path, &body, None).await
}

/// Creates a card at the provider that belongs to no customer yet.
async fn card_of_nobody(till: &Till, number: &str) -> Value {
    json!({ "Gateway_Token": till.provider().stripe.create_card(number).await })
}

async fn forget(till: &Till, token: &str, card: i64) -> TestResponse {
    let path = format!("/loans/payment-gateway/credit-cards/{card}/forget");
    let request = till.world.client.request(Method::POST, token, &path);
    till.world.client.send(request).await.expect("a response")
}

async fn contact(till: &Till, loan: i64) -> i64 {
    till.world.count(&format!("SELECT contact_id FROM loans WHERE loan_id = {loan}")).await
}

/// How many cards are attached to customers at the provider.
async fn attached(till: &Till) -> usize {
    let mut count = 0;
    for customer in till.provider().stripe.customers().await {
        count += till.provider().stripe.payment_methods(&customer.id).await.len();
    }
    count
}

#[tokio::test]
async fn a_card_is_kept_charged_to_the_cent_and_forgotten() {
    at_the_till(&[], 1, async |till| {
        let payment = till.payment();
        let (client, admin) = (till.world.client.clone(), till.admin.clone());
        let contact = contact(till, payment.loan).await;
        let customers = till.provider().stripe.customers().await;
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

        let paid = till.pay(&payment).await.expect(201).json();
        assert_eq!(paid["Total_Charged"], "102.32");
        let reference = paid["Gateway_Reference"].as_str().expect("a reference");
        till.provider().stripe.assert_settled(reference, 10_232, 0).await;
        let asked = &till.provider().proxy.requests_to(CONFIRM)[0];
        assert_eq!(asked.field("off_session").as_deref(), Some("true"));
        let key = format!("core-{}", paid["Card_Payment_ID"]);
        assert_eq!(asked.idempotency_key(), Some(key.as_str()));
        for row in paid["Transactions"].as_array().expect("rows") {
            assert_eq!(row["PaymentGatewayTokenID"], payment.card);
            assert_eq!(row["Payment_Method_Reference"], reference);
        }
        assert_eq!(client.get(&admin, &list).await.expect(200).json()[0]["Used_Count"], 1);

        let forgotten = forget(till, &admin, payment.card).await.expect(200);
        assert_eq!(forgotten.json()["ForgetFlag"], true);
        assert_eq!((attached(till).await, till.world.count(SECRETS).await), (0, 0));
        let asked = till.provider().proxy.requests().len();
        let again = forget(till, &admin, payment.card).await.expect(200);
        assert_eq!(again.text, forgotten.text);
        assert_eq!(till.provider().proxy.requests().len(), asked);
        let other = till::Payment { key: "after".to_owned(), ..payment };
        till.pay(&other).await.expect_problem(422, "card-forgotten");
    })
    .await;
}

#[tokio::test]
async fn a_borrower_keeps_cards_of_his_own_and_no_others() {
    at_the_till(&[], 2, async |till| {
        let (mine, others) = (till.payment(), till.payment());
        let web = till.world.web_token(1).await;
        let contacts = [contact(till, mine.loan).await, contact(till, others.loan).await];
        let client = till.world.client.clone();
        let body = card_of_nobody(till, GOOD_CARD).await;
        let asked = till.provider().proxy.requests().len();
        let refused = add(till, &web, others.loan, body.clone()).await;
        refused.expect_problem(404, "not-found");
        let mut for_other = body.clone();
        for_other["Contact_ID"] = json!(contacts[1]);
        let refused = add(till, &web, mine.loan, for_other).await;
        refused.expect_problem(422, "invalid-value");
        assert_eq!(till.provider().proxy.requests().len(), asked);

        let added = add(till, &web, mine.loan, body).await.expect(201).json();
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
            forget(till, &web, card).await.expect(status);
        }
        assert_eq!((attached(till).await, till.world.count(SECRETS).await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn declined_cards_are_told_with_the_reason_and_never_charged() {
    at_the_till(&[], 2, async |till| {
        let admin = till.admin.clone();
        let kept = till.world.count(SECRETS).await;
        let loan = till.payment().loan;
        let rejected = card_of_nobody(till, REJECTED_CARD).await;
        let refused = add(till, &admin, loan, rejected).await;
        let refused = refused.expect_problem(422, "card-declined");
        assert_eq!(refused.json()["declineCode"], "card_declined");
        assert_eq!(till.world.count(SECRETS).await, kept);

        let base = till.payment();
        for (number, reason, status) in [
            (DECLINED_CARD, "card_declined", "requires_payment_method"),
            (AUTHENTICATED_CARD, "authentication_required", "canceled"),
        ] {
            let card = till.add_card(base.loan, number).await;
            let payment = till::Payment { card, key: reason.to_owned(), ..base.clone() };
            let refused = till.pay(&payment).await.expect_problem(422, "card-declined");
            assert_eq!(refused.json()["declineCode"], reason);
            let intents = till.provider().stripe.intents().await;
            assert_eq!(intents.last().expect("an intent").status, status);
            let again = till.pay(&payment).await.expect_problem(422, "card-declined");
            assert_eq!(again.header("idempotency-replayed"), "true");
            assert_eq!(again.json()["declineCode"], reason);
        }
        till.wait_until_over().await;
        assert_eq!(till.provider().stripe.settlement_of_all().await.charges, 0);
    })
    .await;
}

#[tokio::test]
async fn tokens_that_are_no_cards_of_this_contact_are_refused() {
    at_the_till(&[], 2, async |till| {
        let admin = till.admin.clone();
        let (mine, others) = (till.payment(), till.payment());
        let asked = till.provider().proxy.requests().len();
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
            let refused = add(till, &admin, mine.loan, json!({ "Gateway_Token": token })).await;
            let refused = refused.expect_problem(422, "invalid-value");
            assert_eq!(refused.json()["errors"][0]["field"], "Gateway_Token");
            assert!(token == "pm_" || !refused.text.contains(token), "{}", refused.text);
        }
        assert_eq!(till.provider().proxy.requests().len(), asked, "nothing is sent");

        let refuse = async |token: &str, loan: i64| {
            let refused = add(till, &admin, loan, json!({ "Gateway_Token": token })).await;
            refused.expect_problem(422, "invalid-value")
        };
        refuse("pm_of_nobody", mine.loan).await;
        let stripe = &till.provider().stripe;
        // A customer that the api-server did not create.
        let card = stripe.create_card(GOOD_CARD).await;
        let customer = stripe.create_customer("Of another program").await;
        assert!(stripe.attach(&card, &customer).await);
        refuse(&card, mine.loan).await;
        // A card already on file, for the same contact and for another.
        let card = stripe.create_card(GOOD_CARD).await;
        let added = add(till, &admin, mine.loan, json!({ "Gateway_Token": card })).await;
        let id = &added.expect(201).json()["PaymentGatewayTokenID"];
        let twice = refuse(&card, mine.loan).await;
        assert!(twice.text.contains(&format!("PaymentGatewayTokenID {id}")), "{}", twice.text);
        refuse(&card, others.loan).await;
        assert_eq!(till.world.count(SECRETS).await, 3);
    })
    .await;
}

#[tokio::test]
async fn a_card_that_is_added_twice_at_once_is_kept_once() {
    at_the_till(&[], 1, async |till| {
        let loan = till.payment().loan;
        let body = card_of_nobody(till, GOOD_CARD).await;
        let (before, customers) =
            (till.world.count(SECRETS).await, till.provider().stripe.customers().await.len());
        // One request has attached the card; the other finds it attached to the same contact.
        let proxy = &till.provider().proxy;
        let mut attached = proxy.hold_after("/attach");
        let mut found = proxy.hold_after("GET /v1/payment_methods/*");
        let let_them = async {
            found.arrived().await;
            found.forward().await;
            attached.arrived().await;
            let mut found = proxy.hold_after("GET /v1/payment_methods/*");
            let adding = add(till, &till.admin, loan, body.clone());
            let let_both = async {
                found.arrived().await;
                // Both reach the point at which inserting the card waits for its contact's row.
                let locked = match till.world.database {
                    Database::Sqlite => None,
                    Database::Server(_) => Some(till.lock("contacts").await),
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
        let (one, other) = tokio::join!(add(till, &till.admin, loan, body.clone()), let_them);
        let mut statuses =
            [one, other].map(|response| (response.status.as_u16(), response.problem()));
        statuses.sort();
        assert_eq!(statuses, [(201, String::new()), (422, "invalid-value".to_owned())]);
        add(till, &till.admin, loan, body).await.expect_problem(422, "invalid-value");
        assert_eq!(till.world.count(SECRETS).await, before + 1);
        assert_eq!(till.provider().stripe.customers().await.len(), customers + 1);
    })
    .await;
}

#[tokio::test]
async fn a_card_is_forgotten_while_the_provider_is_away_and_detached_later() {
    at_the_till(&[], 1, async |till| {
        let payment = till.payment();
        till.provider().proxy.down().await;
        let forgotten = forget(till, &till.admin, payment.card).await.expect(200);
        assert_eq!(forgotten.json()["ForgetFlag"], true);
        assert_eq!((attached(till).await, till.world.count(SECRETS).await), (1, 1));
        till.pay(&payment).await.expect_problem(422, "card-forgotten");
        // A recovery pass that finds the provider away leaves the card to the next one.
        till.restart().await;
        till.provider().proxy.up().await;
        till.provider().proxy.lose_reply("/detach", 1);
        till.restart().await;
        till.provider().proxy.wait_for("/detach", 1).await;
        till.restart().await;
        till.wait_for_count(SECRETS, 0).await;
        assert_eq!(attached(till).await, 0);
        let again = forget(till, &till.admin, payment.card).await.expect(200);
        assert_eq!(again.text, forgotten.text);
    })
    .await;
}

#[tokio::test]
async fn a_card_that_the_provider_does_not_detach_keeps_it_from_no_other() {
    at_the_till(&[], 3, async |till| {
        let cards = [till.payment().card, till.payment().card, till.payment().card];
        let customers = till.provider().stripe.customers().await;
        let mut kept = Vec::new();
        for customer in &customers {
            kept.extend(till.provider().stripe.payment_methods(&customer.id).await);
        }
        till.provider().proxy.down().await;
        for card in cards {
            forget(till, &till.admin, card).await.expect(200);
        }
        till.world.api.kill().await;
        till.provider().proxy.up().await;
        let detach = format!("/v1/payment_methods/{}/detach", kept[0].id);
        till.provider().proxy.reply_with(&detach, 9, &Reply::error(500, "api_error", None, "No."));
        till.restart().await;
        till.wait_for_count(SECRETS, 1).await;
        assert_eq!(attached(till).await, 1);
        till.provider().proxy.clear_faults();
        till.restart().await;
        till.wait_for_count(SECRETS, 0).await;
        assert_eq!(attached(till).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_payment_whose_card_is_forgotten_meanwhile_is_not_charged_later() {
    at_the_till(&[], 1, async |till| {
        let payment = till.payment();
        till.provider().proxy.refuse(till::PREPARE, 1);
        till.pay(&payment).await.expect_problem(503, "gateway-unavailable");
        forget(till, &till.admin, payment.card).await.expect(200);
        till.expect_end(&payment, End::Failed).await;
        assert_eq!(till.provider().stripe.intents().await.len(), 0);
    })
    .await;
}
