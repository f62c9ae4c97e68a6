//! `/loans/…/payment-gateway/credit-cards`, and what the tests of cards share.

mod card_numbers;
mod card_payments;
mod convenience_fee;
mod random_card_scan;
mod saved_cards;
mod stripe;

use super::loan_ids;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file, web_access};
use acceptance::world::in_processes_on_each_database;
use acceptance::{World, on_each_database};
use serde_json::json;

/// Books loans of as many borrowers, who may all log in. Returns the ids of the loans and of the
/// borrowers.
async fn book(world: &World, admin: &str, count: u32) -> (Vec<i64>, Vec<i64>) {
    let record = |number| borrower_with_loan(number, OPEN_TERMS) + web_access(number).as_str();
    let records: String = (1..=count).map(record).collect();
    let loans = loan_ids(&world.import(admin, &file(&records)).await);
    let mut contacts = Vec::new();
    for loan in &loans {
        let sql = format!("SELECT contact_id FROM loans WHERE loan_id = {loan}");
        contacts.push(world.count(&sql).await);
    }
    (loans, contacts)
}

/// Inserts a card: its contact, its loan, and what distinguishes it from others.
async fn card(
    world: &World,
    contact: i64,
    loan: i64,
    [brand, entry, forgotten, used]: [&str; 4],
) -> i64 {
    let columns = "brand_type, entry_type, forget_flag, contact_id, loan_id, last_four, \
                   expiry_month, expiry_year, gateway, created_date, used_count";
    let row = format!(
        "'{brand}', '{entry}', {forgotten}, {contact}, {loan}, '4242', 12, 2099, 'sandbox', NOW, \
         {used}"
    );
    let key = "payment_gateway_token_id";
    world.insert("payment_gateway_tokens", key, columns, [row]).await[0]
}

/// Adds a card of the sandbox to a loan, and returns its id.
pub async fn add_card(world: &World, token: &str, loan: i64, gateway_token: &str) -> i64 {
    let path = format!("/loans/{loan}/payment-gateway/credit-cards");
    let body = json!({"Gateway_Token": gateway_token});
    let added = world.client.post(token, &path, &body, None).await.expect(201).json();
    added["PaymentGatewayTokenID"].as_i64().expect("an id")
}

const USED: [&str; 4] = ["visa", "wallet", "false", "1"];

async fn link(world: &World, loan: i64, contact: i64, web: bool) {
    let columns = "loan_id, contact_id, relationship_code, web_access_flag";
    let row = format!("{loan}, {contact}, 'COBORROWER', {web}");
    world.insert("loan_contacts", "row_id", columns, [row]).await;
}

#[tokio::test]
async fn used_cards_are_listed_unless_forgotten_or_one_time() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let make = async |what| card(&world, contacts[0], loans[0], what).await;
        let used = make(USED).await;
        let unused = make(["amex", "wallet", "false", "0"]).await;
        let forgotten = make(["visa", "wallet", "true", "3"]).await;
        let forgotten_unused = make(["visa", "wallet", "true", "0"]).await;
        let one_time = make(["discover", "one_time", "false", "1"]).await;
        let never = make(["other", "one_time", "false", "0"]).await;
        let often = make(["mastercard", "wallet", "false", "12"]).await;
        let path = format!("/loans/{}/payment-gateway/credit-cards", loans[0]);
        for token in [&admin, &world.web_token(1).await] {
            let list = async |query: &str| {
                let response = world.client.get(token, &format!("{path}{query}")).await.expect(200);
                response.column("PaymentGatewayTokenID")
            };
            assert_eq!(list("").await, [used, often]);
            assert_eq!(list("?includeUnused=false").await, [used, often]);
            assert_eq!(list("?includeUnused=true").await, [used, unused, often]);
            for id in [used, unused, forgotten, forgotten_unused, one_time, never, often] {
                let path = format!("/loans/payment-gateway/credit-cards/{id}");
                let shown = world.client.get(token, &path).await.expect(200).json();
                assert_eq!(shown["ForgetFlag"], [forgotten, forgotten_unused].contains(&id));
                assert_eq!(shown["EntryType"] == "one_time", [one_time, never].contains(&id));
            }
        }
        let one = world.client.get(&admin, &format!("{path}?limit=1")).await.expect(200).json();
        let expected = json!([{
            "PaymentGatewayTokenID": used, "BrandType": "visa", "EntryType": "wallet",
            "ForgetFlag": false, "Contact_ID": contacts[0], "Loan_ID": loans[0],
            "Last_Four": "4242", "Expiry_Month": 12, "Expiry_Year": 2099, "Gateway": "sandbox",
            "Created_Date": "2020-01-01T00:00:00Z", "Used_Count": 1,
        }]);
        assert_eq!(one, expected);
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_lists_the_cards_of_its_borrower_and_linked_contacts() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 4).await;
        link(&world, loans[0], contacts[1], true).await;
        link(&world, loans[0], contacts[2], false).await;
        // What counts is the card's contact, not the loan it was added on.
        let mut cards = Vec::new();
        for (contact, loan) in [(0, 0), (0, 3), (1, 1), (2, 2), (3, 3), (3, 0)] {
            cards.push(card(&world, contacts[contact], loans[loan], USED).await);
        }
        let list = async |token: &str, loan: i64| {
            let path = format!("/loans/{loan}/payment-gateway/credit-cards");
            world.client.get(token, &path).await
        };
        let all = list(&admin, loans[0]).await.expect(200);
        assert_eq!(all.column("PaymentGatewayTokenID"), cards[..4]);
        let expected = [&cards[..2], &cards[2..3], &[], &[]];
        for (number, expected) in expected.into_iter().enumerate() {
            let web = world.web_token(number as u32 + 1).await;
            let response = list(&web, loans[0]).await;
            // The third is linked without web access, the fourth is not linked.
            match number {
                0 | 1 => {
                    assert_eq!(response.expect(200).column("PaymentGatewayTokenID"), *expected)
                }
                _ => drop(response.expect_problem(404, "not-found")),
            }
            for (card, contact_index) in cards.iter().zip([0, 0, 1, 2, 3, 3]) {
                let path = format!("/loans/payment-gateway/credit-cards/{card}");
                let status = if contact_index == number { 200 } else { 404 };
                world.client.get(&web, &path).await.expect(status);
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_is_visible_with_its_loan_or_its_contact() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 2).await;
        let mut cards = Vec::new();
        for (contact, loan) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            cards.push(card(&world, contacts[contact], loans[loan], USED).await);
        }
        let teller = "(SELECT user_id FROM users WHERE user_name = 'teller')";
        world
            .sql(&format!(
                "UPDATE contacts SET contact_officer_user_id = {teller} WHERE contact_id = {}",
                contacts[1]
            ))
            .await;
        world
            .sql(&format!(
                "UPDATE loans SET loan_officer_user_id = {teller} WHERE loan_id = {}",
                loans[1]
            ))
            .await;
        let officer = world.token("officer").await;
        for (card, seen) in cards.iter().zip([true, true, true, false]) {
            let path = format!("/loans/payment-gateway/credit-cards/{card}");
            world.client.get(&officer, &path).await.expect(if seen { 200 } else { 404 });
        }
        link(&world, loans[0], contacts[1], false).await;
        let path = format!("/loans/{}/payment-gateway/credit-cards", loans[0]);
        let list = world.client.get(&officer, &path).await.expect(200);
        assert_eq!(list.column("PaymentGatewayTokenID"), cards[..3]);
        let path = format!("/loans/{}/payment-gateway/credit-cards", loans[1]);
        world.client.get(&officer, &path).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_number_in_a_query_is_refused_and_neither_echoed_nor_logged() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let id = card(&world, contacts[0], loans[0], USED).await;
        let gateway = format!("/loans/{}/payment-gateway", loans[0]);
        for path in [
            format!("{gateway}/credit-cards"),
            format!("{gateway}/convenience-fee"),
            format!("/loans/payment-gateway/credit-cards/{id}"),
        ] {
            for query in [
                "amount=4242424242424242",
                "amount=10.00&note=4242-4242+4242%204242",
                "tokenId=5555555555554444",
                "limit=378282246310005",
                "after=x&note=n%3A378282246310005",
                "4242424242424242=1&4242424242424242=2",
            ] {
                let refused = world.client.get(&admin, &format!("{path}?{query}")).await;
                let refused = refused.expect_problem(422, "card-number-refused");
                let text = refused.text.replace(refused.header("x-request-id"), "");
                assert!(!text.contains("4242") && !text.contains("5555"), "{text}");
            }
        }
        for number in ["42424242424242", "4242-4242", "5555555555554444", "378282246310005"] {
            assert!(!world.api.log().contains(number), "{number} is in the log");
        }
        // Elsewhere such digits are an ordinary id.
        let path = format!("/loans/{}/transactions?referenceNo=4242424242424242", loans[0]);
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), json!([]));
        world
    })
    .await;
}
