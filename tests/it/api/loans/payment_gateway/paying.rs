//! `POST /loans/{loan_id}/payment-gateway/payments`, with the sandbox.

use super::{book, link};
use crate::PROGRAM;
use acceptance::{Answer, World, on_each_database};
use serde_json::{Value, json};

/// Adds a card of the sandbox on a loan; gives its id.
async fn add_card(world: &World, token: &str, loan: i64, gateway_token: &str) -> i64 {
    let path = format!("/loans/{loan}/payment-gateway/credit-cards");
    let added =
        world.client.post(token, &path, &json!({"Gateway_Token": gateway_token}), None).await;
    added.expect(201).json()["PaymentGatewayTokenID"].as_i64().expect("an id")
}

async fn pay(world: &World, token: &str, loan: i64, key: Option<&str>, body: &Value) -> Answer {
    let path = format!("/loans/{loan}/payment-gateway/payments");
    world.client.post(token, &path, body, key).await
}

#[tokio::test]
async fn a_card_is_charged_and_the_payment_is_on_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let body = json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
        let paid = pay(&world, &admin, loans[0], None, &body).await.expect(201).json();
        println!("{paid:#}");
        let _ = (contacts, link);
        world
    })
    .await;
}
