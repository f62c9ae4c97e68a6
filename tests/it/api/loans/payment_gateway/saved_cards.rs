//! `POST /loans/{loan_id}/payment-gateway/credit-cards` and
//! `POST /loans/payment-gateway/credit-cards/{token_id}/forget`, with the sandbox.

use super::{add_card, book, link};
use crate::PROGRAM;
use acceptance::world::in_processes_on_each_database;
use acceptance::{TestResponse, World, on_each_database};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::time::Duration;

async fn add(
    world: &World,
    token: &str,
    loan: i64,
    body: Value,
    key: Option<&str>,
) -> TestResponse {
    let path = format!("/loans/{loan}/payment-gateway/credit-cards");
    world.client.post(token, &path, &body, key).await
}

async fn forget(world: &World, token: &str, card: i64) -> TestResponse {
    let path = format!("/loans/payment-gateway/credit-cards/{card}/forget");
    let request = world.client.request(reqwest::Method::POST, token, &path);
    world.client.send(request).await.expect("a response")
}

async fn secrets(world: &World) -> Vec<String> {
    world.texts("SELECT gateway_token FROM payment_gateway_secrets").await
}

#[tokio::test]
async fn a_card_shows_the_gateways_details_and_its_token_is_sealed() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        for (token, brand, last_four, year) in [
            ("tok_visa", "visa", "4242", 2099),
            ("tok_mastercard", "mastercard", "4444", 2099),
            ("tok_amex", "amex", "8431", 2099),
            ("tok_discover", "discover", "1117", 2099),
            ("tok_expired", "visa", "0069", 2020),
        ] {
            let body = json!({"Gateway_Token": token, "Cardholder_Name": "Ana Rivera"});
            let added = add(&world, &admin, loans[0], body, None).await.expect(201).json();
            let expected = json!({
                "PaymentGatewayTokenID": added["PaymentGatewayTokenID"], "BrandType": brand,
                "EntryType": "wallet", "ForgetFlag": false, "Contact_ID": contacts[0],
                "Loan_ID": loans[0], "Last_Four": last_four, "Expiry_Month": 12,
                "Expiry_Year": year, "Cardholder_Name": "Ana Rivera", "Gateway": "sandbox",
                "Created_Date": added["Created_Date"], "Used_Count": 0,
            });
            assert_eq!(added, expected);
            let id = &added["PaymentGatewayTokenID"];
            let path = format!("/loans/payment-gateway/credit-cards/{id}");
            assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), added);
        }
        let secrets = secrets(&world).await;
        assert_eq!(secrets.len(), 5);
        assert!(secrets.iter().all(|secret| secret.starts_with("k1:") && !secret.contains("tok")));
        assert!(!world.api.log().contains("tok_"));
        // Both histories record that there is a token, but not its value.
        for owner in [format!("loans/{}", loans[0]), format!("contacts/{}", contacts[0])] {
            let path = format!("/{owner}/field-history?limit=1000");
            let history = world.client.get(&admin, &path).await.expect(200);
            assert!(!history.text.contains("tok_"));
            let changes = history.json();
            let changes = changes.as_array().expect("changes").iter();
            let tokens: Vec<_> =
                changes.filter(|change| change["Field_Name"] == "Gateway_Token").collect();
            assert_eq!(tokens.len(), 5);
            assert!(tokens.iter().all(|change| change["New_Value"] == "(changed)"));
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_is_added_once_per_key() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let body = || json!({"Gateway_Token": "tok_visa", "EntryType": "one_time"});
        let first = add(&world, &admin, loans[0], body(), Some("k")).await.expect(201);
        assert_eq!(first.json()["EntryType"], "one_time");
        let repeated = add(&world, &admin, loans[0], body(), Some("k")).await.expect(201);
        assert_eq!(
            (&repeated.text, repeated.header("idempotency-replayed")),
            (&first.text, "true")
        );
        let other = json!({"Gateway_Token": "tok_amex"});
        let other = add(&world, &admin, loans[0], other, Some("k")).await;
        other.expect_problem(422, "idempotency-mismatch");
        assert_eq!(secrets(&world).await.len(), 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_cards_contact_must_belong_to_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 3).await;
        link(&world, loans[0], contacts[1], true).await;
        let for_contact =
            |contact: i64| json!({"Gateway_Token": "tok_visa", "Contact_ID": contact});
        for (contact, accepted) in [(contacts[0], true), (contacts[1], true), (contacts[2], false)]
        {
            let added = add(&world, &admin, loans[0], for_contact(contact), None).await;
            match accepted {
                true => assert_eq!(added.expect(201).json()["Contact_ID"], contact),
                false => drop(added.expect_problem(422, "invalid-value")),
            }
        }
        // The second borrower is linked to the first loan and may log in.
        let web = world.web_token(2).await;
        let plain = || json!({"Gateway_Token": "tok_visa"});
        let added = add(&world, &web, loans[0], plain(), None).await.expect(201).json();
        assert_eq!(
            (&added["Contact_ID"], &added["Loan_ID"]),
            (&json!(contacts[1]), &json!(loans[0]))
        );
        add(&world, &web, loans[0], for_contact(contacts[1]), None).await.expect(201);
        let another = add(&world, &web, loans[0], for_contact(contacts[0]), None).await;
        another.expect_problem(422, "invalid-value");
        let foreign_loan = add(&world, &web, loans[2], plain(), None).await;
        foreign_loan.expect_problem(404, "not-found");
        // The history attributes a borrower's changes to their contact.
        let path = format!("/contacts/{}/field-history?limit=1000", contacts[1]);
        let history = world.client.get(&admin, &path).await.expect(200);
        assert!(history.text.contains(&format!("web user of contact {}", contacts[1])));
        let card_id = added["PaymentGatewayTokenID"].as_i64().expect("an id");
        let web_of_first = world.web_token(1).await;
        forget(&world, &web_of_first, card_id).await.expect_problem(404, "not-found");
        assert_eq!(forget(&world, &web, card_id).await.expect(200).json()["ForgetFlag"], true);
        world
    })
    .await;
}

#[tokio::test]
async fn invalid_cards_are_refused_and_not_stored() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let before = world.snapshot().await;
        for (body, status, kind) in [
            (json!({}), 400, "bad-request"),
            (json!({"Gateway_Token": 1}), 400, "bad-request"),
            (json!({"Gateway_Token": "tok_visa", "BrandType": "visa"}), 400, "bad-request"),
            (json!({"Gateway_Token": "tok_visa", "EntryType": "both"}), 400, "bad-request"),
            (json!({"Gateway_Token": ""}), 422, "required-field"),
            (json!({"Gateway_Token": "tok_nobody"}), 422, "invalid-value"),
            (json!({"Gateway_Token": "TOK_VISA"}), 422, "invalid-value"),
            (json!({"Gateway_Token": "x".repeat(256)}), 422, "invalid-value"),
            (json!({"Gateway_Token": "tok_visa\0"}), 422, "invalid-value"),
            (
                json!({"Gateway_Token": "tok_visa", "Cardholder_Name": "x".repeat(81)}),
                422,
                "invalid-value",
            ),
        ] {
            add(&world, &admin, loans[0], body, None).await.expect_problem(status, kind);
        }
        let body = json!({"Gateway_Token": "tok_visa"});
        add(&world, &admin, 0, body.clone(), None).await.expect_problem(404, "not-found");
        assert_eq!(world.snapshot().await, before);
        world.sql("UPDATE loan_groups SET payment_gateway_flag = false").await;
        add(&world, &admin, loans[0], body, None).await.expect_problem(422, "gateway-disabled");
        world
    })
    .await;
}

#[tokio::test]
async fn a_forgotten_card_cannot_be_charged_and_its_automated_payments_are_disabled() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let columns = "loan_id, description, payment_type, status, payment_gateway_token_id, \
                       amount_type, amount, debit_or_credit, billing_type, billing_period, \
                       start_date, temp_grace_period";
        let automated_payments = |status: &str| {
            format!(
                "{}, 'by card', 'card', '{status}', {card}, 'fixed', 500000, 'debit', 'recurring', \
                 'monthly', '2024-01-15', 0",
                loans[0]
            )
        };
        let rows = [
            automated_payments("active"),
            automated_payments("expired"),
            automated_payments("active"),
        ];
        let automated_payments = world.insert("automated_payments", "row_id", columns, rows).await;
        let forgotten = forget(&world, &admin, card).await.expect(200);
        assert_eq!(forgotten.json()["ForgetFlag"], true);
        let after = world.snapshot().await;
        let repeated = forget(&world, &admin, card).await.expect(200);
        assert_eq!(repeated.text, forgotten.text);
        assert_eq!(world.snapshot().await, after);
        let status = "SELECT status FROM automated_payments ORDER BY row_id";
        assert_eq!(world.texts(status).await, ["disabled", "expired", "disabled"]);
        assert_eq!(secrets(&world).await, Vec::<String>::new());
        let repeated = format!(
            "<Core><Loan UpdateFlag=\"1\" LoanID=\"{}\"><AutomatedPayment UpdateFlag=\"1\" \
             RowID=\"{}\" Status=\"active\"/></Loan></Core>",
            loans[0], automated_payments[0]
        );
        let refused = world.client.import(&admin, false, &repeated, None).await.expect(200);
        assert!(refused.text.contains("its card was forgotten"), "{}", refused.text);
        assert_eq!(world.texts(status).await, ["disabled", "expired", "disabled"]);
        let path = format!("/loans/payment-gateway/credit-cards/{card}");
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json()["ForgetFlag"], true);
        let path = format!("/loans/{}/payment-gateway/payments", loans[0]);
        let body = json!({"PaymentGatewayTokenID": card, "Amount": "1.00"});
        let refused = world.client.post(&admin, &path, &body, None).await;
        refused.expect_problem(422, "card-forgotten");
        let path = format!("/loans/{}/field-history?limit=1000", loans[0]);
        let history = world.client.get(&admin, &path).await.expect(200).json();
        let changed = |table: &str, field: &str, record: i64| {
            let of = |change: &&Value| {
                change["Table_Name"] == table
                    && change["Field_Name"] == field
                    && change["Record_ID"] == record
                    && change.get("Old_Value").is_some()
            };
            history.as_array().expect("changes").iter().filter(of).count()
        };
        assert_eq!(changed("payment_gateway_tokens", "ForgetFlag", card), 1);
        assert_eq!(changed("payment_gateway_secrets", "Gateway_Token", card), 1);
        assert_eq!(
            automated_payments
                .iter()
                .map(|row| changed("automated_payments", "Status", *row))
                .sum::<usize>(),
            2
        );
        let _ = contacts;
        forget(&world, &admin, 0).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn tokens_are_resealed_under_a_new_master_key() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let old = format!("k1:{}", world.credentials.card_key);
        let new = format!("k2:{}", hex::encode([7; 32]));
        let path = format!("/loans/{}/payment-gateway/payments", loans[0]);
        let body = json!({"PaymentGatewayTokenID": card, "Amount": "1.00"});
        for keys in [format!("{new},{old}"), new] {
            world.api.kill().await;
            world.api.set("API_MASTER_KEYS", &keys);
            world.api.restart(&world.client.http).await;
            let mut attempts_left = 50;
            while !secrets(&world).await[0].starts_with("k2:") {
                attempts_left -= 1;
                assert!(attempts_left > 0, "{}", world.api.log());
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            world.client.post(&admin, &path, &body, None).await.expect(201);
        }
        // A server without the key of a sealed secret does nothing.
        world.api.kill().await;
        world.api.set("API_MASTER_KEYS", &format!("k3:{}", hex::encode([9; 32])));
        world.api.restart_unready(&world.client.http).await;
        let refused = world.client.post(&admin, &path, &body, None).await;
        let refused = refused.expect_problem(503, "database-unavailable");
        assert!(refused.text.contains("\\\"k2\\\" is not in the settings"), "{}", refused.text);
        world
    })
    .await;
}

#[tokio::test]
async fn an_import_deletes_neither_a_loan_nor_a_contact_that_has_cards() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 2).await;
        add_card(&world, &admin, loans[0], "tok_visa").await;
        let page = format!("/loans/{}/payment-gateway/add-payment-method-url", loans[1]);
        world.client.get(&admin, &page).await.expect(200);
        let delete = |elements: &str| format!("<Core>{elements}</Core>");
        let refused = async |xml: String, expected: &str| {
            let response = world.client.import(&admin, false, &xml, None).await.expect(200);
            let result = response.json();
            assert_eq!(result["Failed"], 1, "{result:#}");
            assert!(response.text.contains(expected), "{result:#}");
        };
        refused(delete(r#"<Loan UpdateFlag="2" LoanNumber="L-1"/>"#), "a loan with cards").await;
        // The card of a contact whose own loan is deleted.
        let foreign_loan = format!(
            "UPDATE payment_gateway_tokens SET contact_id = {}, loan_id = {}",
            contacts[1], loans[0]
        );
        world.sql(&foreign_loan).await;
        world.import(&admin, &delete(r#"<Loan UpdateFlag="2" LoanNumber="L-2"/>"#)).await;
        let contact = delete(r#"<Contact UpdateFlag="2" ContactNumber="C-2"/>"#);
        refused(contact.clone(), "a contact with cards").await;
        for table in ["payment_gateway_secrets", "payment_gateway_tokens"] {
            world.sql(&format!("DELETE FROM {table}")).await;
        }
        world.import(&admin, &contact).await;
        world
    })
    .await;
}

#[tokio::test]
async fn an_unread_body_does_not_delay_the_response() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let path = format!("/loans/payment-gateway/credit-cards/{card}/forget");
        let request = world.client.request(reqwest::Method::POST, &admin, &path);
        // Clients that read only after sending would not finish until all of it is read.
        let (sent, accepted) = tokio::sync::oneshot::channel();
        let pieces = stream::iter(0..80).map(|_| Ok::<_, std::io::Error>(vec![0; 65_536]));
        let end = stream::once(async move {
            sent.send(()).expect("somebody waits");
            Ok(Vec::new())
        });
        let request = request.body(reqwest::Body::wrap_stream(pieces.chain(end)));
        let response = world.client.send(request).await.expect("a response");
        let accepted = tokio::time::timeout(Duration::from_secs(20), accepted).await;
        accepted.expect("all of it is taken").expect("the body was sent");
        assert_eq!(response.expect(200).json()["ForgetFlag"], true);
        world
    })
    .await;
}
