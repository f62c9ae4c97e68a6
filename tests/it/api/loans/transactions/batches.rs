//! `/loans/transactions/payments`: many payments in one request.

use super::equal_loans::{books_by_loan, import_loans};
use super::groups::random_payment;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::test_seed::test_seed;
use acceptance::{TestResponse, World, on_each_database};
use fastrand::Rng;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

const PATH: &str = "/loans/transactions/payments";

/// A payment of a batch.
fn item(loan_id: i64, key: &str, payment: &Value) -> Value {
    json!({"Loan_ID": loan_id, "Key": key, "Payment": payment})
}

async fn post(world: &World, token: &str, items: &[Value]) -> TestResponse {
    world.client.post(token, PATH, &json!(items), None).await
}

/// The result that a payment posted alone would have in a batch.
fn result_of(response: &TestResponse) -> Value {
    let body = response.json();
    let member = if body.is_array() { "Transactions" } else { "Problem" };
    comparable(json!({"Status": response.status.as_u16(), member: body}))
}

/// A result without what differs from loan to loan and from request to request.
fn comparable(mut result: Value) -> Value {
    for row in result["Transactions"].as_array_mut().into_iter().flatten() {
        for member in [
            "Transaction_ID",
            "Loan_ID",
            "Transaction_Reference_No",
            "Transaction_Date",
            "Paid_By_Contact_ID",
        ] {
            row.as_object_mut().expect("a row").remove(member);
        }
    }
    if let Some(problem) = result["Problem"].as_object_mut() {
        for member in ["instance", "requestId"] {
            assert!(problem.remove(member).is_some(), "{member}");
        }
        if problem["type"].as_str().is_some_and(|kind| kind.ends_with("duplicate-external-id")) {
            problem.remove("detail");
            problem.remove("errors");
        }
    }
    let members = result.as_object_mut().expect("a result");
    members.retain(|_, value| !value.is_null());
    members.remove("Replayed_Flag");
    result
}

#[tokio::test]
async fn a_batch_equals_the_same_payments_posted_one_by_one() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..25).await;
        let (alone, together) = loan_ids.split_at(12);
        let mut random = Rng::with_seed(test_seed());
        let mut refused = 0;
        for round in 0..5 {
            let payments: Vec<(usize, Value)> = (0..60)
                .map(|_| (random.usize(..alone.len()), random_payment(&mut random, round)))
                .collect();
            let mut one_by_one = Vec::new();
            for (loan, payment) in &payments {
                one_by_one.push(result_of(&world.pay(&admin, alone[*loan], payment.clone()).await));
            }
            let items: Vec<Value> = payments
                .iter()
                .enumerate()
                .map(|(n, (loan, payment))| item(together[*loan], &format!("{round} {n}"), payment))
                .collect();
            let before = world.snapshot().await;
            let dry_run = format!("{PATH}?test=true");
            let tried = world.client.post(&admin, &dry_run, &json!(items), None).await.expect(200);
            assert_eq!(world.snapshot().await, before);
            let posted = post(&world, &admin, &items).await.expect(200).json();
            let posted = posted.as_array().expect("results");
            let tried = tried.json();
            let tried = tried.as_array().expect("results");
            assert_eq!(posted.len(), payments.len());
            for (n, expected) in one_by_one.iter().enumerate() {
                let payment = &payments[n];
                assert_eq!(&comparable(posted[n].clone()), expected, "{round} {n}: {payment:?}");
                let mut would_be = comparable(tried[n].clone());
                if would_be["Status"] == 200 {
                    would_be["Status"] = json!(201);
                }
                assert_eq!(&would_be, expected, "{round} {n}: dry run of {payment:?}");
                refused += usize::from(posted[n]["Status"] == 422);
            }
            // A lost batch is sent again.
            let again = post(&world, &admin, &items).await.expect(200).json();
            for (first, again) in posted.iter().zip(again.as_array().expect("results")) {
                if first["Status"] == 201 {
                    assert_eq!(again["Replayed_Flag"], true);
                    assert_eq!(again["Transactions"], first["Transactions"]);
                    assert_eq!(first.get("Replayed_Flag"), None);
                }
            }
        }
        assert!(refused > 20, "{refused} payments were refused");
        let books = books_by_loan(&world).await;
        for (alone, together) in alone.iter().zip(together) {
            assert_eq!(books[alone], books[together]);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_item_and_the_same_payment_posted_alone_find_each_others_response() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..3).await;
        let alone = async |loan_id: i64, key: &str, body: &str| {
            let path = format!("/loans/{loan_id}/transactions/payments");
            let request = world.client.request(Method::POST, &admin, &path);
            let request = request.header("content-type", "application/json");
            let request = request.header("Idempotency-Key", key).body(body.to_owned());
            world.client.send(request).await.expect("a response")
        };
        let batch = async |text: String| {
            let request = world.client.request(Method::POST, &admin, PATH);
            let request = request.header("content-type", "application/json").body(text);
            world.client.send(request).await.expect("a response")
        };
        // Members in an unusual order, an escaped name, spaces: the JSON as sent counts.
        let (first, second) =
            (r#"{"User_Reference" : "a", "Amount":"10.00"}"#, r#"{ "\u0041mount": "11.00" }"#);
        let one_item = |key: &str, payment: &str| {
            format!(
                "[ {{\"Payment\":\n {payment} , \"Key\": {}, \"Loan_ID\": {}}} ]",
                json!(key),
                loan_ids[0]
            )
        };
        let posted = alone(loan_ids[0], "one", first).await.expect(201);
        let found = batch(one_item("one", first)).await.expect(200).json();
        assert_eq!(found[0]["Status"], 201);
        assert_eq!(found[0]["Replayed_Flag"], true);
        assert_eq!(found[0]["Transactions"], posted.json());
        let posted = batch(one_item("two", second)).await.expect(200).json();
        assert_eq!(posted[0].get("Replayed_Flag"), None);
        let found = alone(loan_ids[0], "two", second).await.expect(201);
        assert_eq!(found.header("idempotency-replayed"), "true");
        assert_eq!(found.json(), posted[0]["Transactions"]);
        // Another body, or another loan, is another request.
        for (loan_id, body) in [(loan_ids[0], first), (loan_ids[1], second)] {
            alone(loan_id, "two", body).await.expect_problem(422, "idempotency-mismatch");
        }
        let other = batch(one_item("one", second)).await.expect(200).json();
        assert_eq!(other[0]["Status"], 422);
        let kind = other[0]["Problem"]["type"].as_str().expect("a type");
        assert!(kind.ends_with("idempotency-mismatch"), "{other}");
        assert_eq!(
            other[0]["Problem"]["instance"],
            format!("/loans/{}/transactions/payments", loan_ids[0])
        );
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, 2);
        world
    })
    .await;
}

#[tokio::test]
async fn equal_batches_at_once_post_each_payment_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..6).await;
        let items: Vec<Value> = (0..40)
            .map(|n| {
                let payment = json!({"Amount": format!("{}.00", n + 1)});
                item(loan_ids[n % loan_ids.len()], &format!("key {n}"), &payment)
            })
            .collect();
        let sent = (0..4).map(|_| post(&world, &admin, &items));
        let responses = join_all(sent).await;
        let last = post(&world, &admin, &items).await.expect(200).json();
        let last = last.as_array().expect("results");
        for result in last {
            assert_eq!(result["Status"], 201, "{result}");
            assert_eq!(result["Replayed_Flag"], true);
        }
        for response in responses {
            let results = response.expect(200).json();
            for (result, stored) in results.as_array().expect("results").iter().zip(last) {
                if result["Status"] == 201 {
                    assert_eq!(result["Transactions"], stored["Transactions"]);
                } else {
                    assert!(
                        [409, 423].contains(&result["Status"].as_i64().expect("a status")),
                        "{result}"
                    );
                }
            }
        }
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, 40);
        world
    })
    .await;
}

#[tokio::test]
async fn payments_on_one_loan_are_posted_in_order_cash_among_them() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..3).await;
        let columns = "name, drawer_type, status, cash_balance, check_balance";
        let row = "'Till', 'individual', 'open', 0, 0".to_owned();
        let drawer = world.insert("cash_drawers", "drawer_id", columns, [row]).await[0];
        let payment = |n: usize| {
            let mut payment = json!({"Amount": format!("{}.01", n + 1)});
            if n.is_multiple_of(7) {
                payment["Payment_Method_Code"] = json!("CASH");
                payment["Cash_Drawer_ID"] = json!(drawer);
            }
            if n % 9 == 1 {
                payment["External_ID"] = json!(format!("x{}", n / 18));
            }
            payment
        };
        let items: Vec<Value> =
            (0..70).map(|n| item(loan_ids[0], &format!("key {n}"), &payment(n))).collect();
        let results = post(&world, &admin, &items).await.expect(200).json();
        let mut latest = 0;
        for (n, result) in results.as_array().expect("results").iter().enumerate() {
            let alone = world.pay(&admin, loan_ids[1], payment(n)).await;
            assert_eq!(comparable(result.clone()), result_of(&alone), "{n}");
            if result["Status"] == 201 {
                let id = result["Transactions"][0]["Transaction_ID"].as_i64().expect("an id");
                assert!(id > latest, "{n} is before an earlier one");
                latest = id;
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_thousand_payments_take_few_statements() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records: String = (1..201).map(|n| borrower_with_loan(n, OPEN_TERMS)).collect();
        let imported = world.import(&admin, &file(&records)).await;
        let loan_ids = super::super::loan_ids(&imported);
        let items: Vec<Value> = (0..1000)
            .map(|n| {
                let payment = json!({"Amount": "1.00"});
                item(loan_ids[n % loan_ids.len()], &format!("key {n}"), &payment)
            })
            .collect();
        let before = world.statements().await;
        let results = post(&world, &admin, &items).await.expect(200).json();
        let statements = world.statements().await - before;
        println!("{}: {statements} statements", world.database.name());
        for result in results.as_array().expect("results") {
            assert_eq!(result["Status"], 201, "{result}");
        }
        assert!(statements < 4000, "{statements} statements");
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, 1000);
        world
    })
    .await;
}

#[tokio::test]
async fn requests_that_are_no_batch_are_refused_whole() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loans(&world, &admin, 1..2).await[0];
        let payment = json!({"Amount": "1.00"});
        let before = world.snapshot().await;
        let good = item(loan_id, "a", &payment);
        let wrong = |item: Value| json!([good, item]);
        let many: Vec<Value> =
            (0..1001).map(|n| item(loan_id, &format!("key {n}"), &payment)).collect();
        for (body, told) in [
            (json!([]), "1 to 1000 payments"),
            (json!(many), "1 to 1000 payments"),
            (json!({}), "must be a JSON array"),
            (json!([good, good]), "[1].Key"),
            (wrong(item(loan_id, "", &payment)), "[1].Key"),
            (wrong(item(loan_id, " b", &payment)), "[1].Key"),
            (wrong(item(loan_id, "b\u{e9}", &payment)), "[1].Key"),
            (wrong(item(loan_id, &"k".repeat(256), &payment)), "[1].Key"),
            (wrong(item(loan_id, "b", &json!({}))), "[1].Payment.Amount"),
            (wrong(item(loan_id, "b", &json!({"Amount": 1}))), "[1].Payment.Amount"),
            (wrong(json!({"Loan_ID": loan_id, "Key": "b"})), "[1].Payment"),
            (wrong(json!(7)), "[1]"),
        ] {
            let refused = world.client.post(&admin, PATH, &body, None).await;
            let refused = refused.expect_problem(400, "bad-request");
            assert!(refused.text.contains(told), "{told}: {}", refused.text);
        }
        let long = json!([item(
            loan_id,
            "a",
            &json!({"Amount": "1.00", "User_Reference": "x".repeat(1 << 20)})
        )]);
        world.client.post(&admin, PATH, &long, None).await.expect_problem(413, "too-large");
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn rights_are_those_of_each_payment() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..3).await;
        let officer = world.count("SELECT user_id FROM users WHERE user_name = 'officer'").await;
        world
            .sql(&format!(
                "UPDATE loans SET loan_officer_user_id = {officer} WHERE loan_id = {}",
                loan_ids[1]
            ))
            .await;
        world
            .sql(
                "DELETE FROM privilege_grants WHERE privilege_id IN (SELECT privilege_id FROM \
                 privileges WHERE verb = 'Allow' OR verb = 'Split')",
            )
            .await;
        let teller = world.token("teller").await;
        let plain = json!({"Amount": "1.00"});
        let split = json!({"Amount": "1.00", "Principal_Amount": "1.00"});
        let items = [
            item(loan_ids[0], "a", &plain),
            item(loan_ids[1], "b", &plain),
            item(999_999, "c", &plain),
            item(loan_ids[0], "d", &split),
            item(loan_ids[0], "e", &plain),
        ];
        let results = post(&world, &teller, &items).await.expect(200);
        assert_eq!(results.column("Status"), [201, 404, 404, 403, 201]);
        let refused = results.json()[3]["Problem"]["detail"].clone();
        assert!(refused.as_str().expect("a text").contains("Loan > Payments > Split"), "{refused}");
        // As the admin, the refused ones are posted under the same keys, which are another user's.
        let results = post(&world, &admin, &items).await.expect(200);
        assert_eq!(results.column("Status"), [201, 201, 404, 201, 201]);
        assert_eq!(
            results.column("Replayed_Flag"),
            [Value::Null, Value::Null, Value::Null, Value::Null, Value::Null]
        );
        world
    })
    .await;
}
