//! `POST /cash-drawers/{drawer_id}/transactions`, except transfers.

use super::{
    assign, balances, check_books, count_drawer, drawer, drawer_with_balances, grant, make_teller,
    post, user,
};
use crate::PROGRAM;
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// The users with an open session on a drawer.
async fn active(world: &World, token: &str, drawer: i64) -> Vec<Value> {
    let path = format!("/cash-drawers/{drawer}/active-users");
    world.client.get(token, &path).await.expect(200).column("User_Name")
}

fn body(kind: &str, amount: &str, members: Value) -> Value {
    let mut body = json!({"Transaction_Type": kind, "Amount": amount});
    body.as_object_mut()
        .expect("an object")
        .extend(members.as_object().expect("an object").clone());
    body
}

#[tokio::test]
async fn each_transaction_is_a_row_with_its_resulting_balance() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 0, 0).await;
        let token = make_teller(&world, "teller").await;
        for privilege in ["Cash Drawer > Funding", "Cash Drawer > Supervise"] {
            grant(&world, "teller", privilege, "Allow").await;
        }
        assign(&world, this, "teller").await;
        let teller = user(&world, "teller").await;
        let mut listed = Vec::new();
        for (kind, members, amount, after) in [
            ("bank_in", json!({"Reference": "Order 7 ä"}), "100.00", "100.00"),
            ("bank_in", json!({"Tender": "check", "Check_Number": "0042"}), "25.50", "25.50"),
            ("bank_out", json!({"Tender": "cash"}), "-30.00", "70.00"),
            ("bank_out", json!({"Tender": "check"}), "-0.50", "25.00"),
            ("adjustment_in", json!({"Reference": "Found"}), "0.01", "70.01"),
            ("adjustment_out", json!({"Reference": "Lost"}), "-70.01", "0.00"),
        ] {
            let mut body = members.clone();
            body["Transaction_Type"] = json!(kind);
            body["Amount"] = json!(amount.trim_start_matches('-'));
            let rows = post(&world, &token, this, body).await.expect(201).json();
            let row = rows[0].clone();
            let mut expected = members;
            expected["Drawer_Transaction_ID"] = row["Drawer_Transaction_ID"].clone();
            expected["Transaction_Date"] = row["Transaction_Date"].clone();
            expected["Drawer_ID"] = json!(this);
            expected["Transaction_Type"] = json!(kind);
            expected["Tender"] = expected.get("Tender").cloned().unwrap_or(json!("cash"));
            expected["Amount"] = json!(amount);
            expected["Resulting_Balance"] = json!(after);
            expected["User_ID"] = json!(teller);
            assert_eq!(rows, json!([expected]));
            listed.push(row);
        }
        let path = format!("/cash-drawers/{this}/transactions");
        let list = world.client.get(&token, &path).await.expect(200).json();
        assert_eq!(list, json!(listed), "the answers are what the list shows");
        assert_eq!(balances(&world, this).await, (0, 250_000));
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn funding_and_corrections_each_need_their_privilege() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 1_000_000, 0).await;
        let token = make_teller(&world, "teller").await;
        assign(&world, this, "teller").await;
        let before = world.snapshot().await;
        for (kind, privilege) in [
            ("bank_in", "Cash Drawer > Funding > Allow"),
            ("bank_out", "Cash Drawer > Funding > Allow"),
            ("adjustment_in", "Cash Drawer > Supervise > Allow"),
            ("adjustment_out", "Cash Drawer > Supervise > Allow"),
        ] {
            // Privileges are checked before rules: the amount is zero and there is no reference.
            let body = json!({"Transaction_Type": kind, "Amount": "0.00"});
            let refused = post(&world, &token, this, body).await;
            let refused = refused.expect_problem(403, "privilege-missing");
            assert!(refused.text.contains(privilege), "{}", refused.text);
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn drawer_rule_violations_are_refused_and_change_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let this = drawer_with_balances(&world, "One", "individual", 123_400, 5_000).await;
        let other = drawer_with_balances(&world, "Two", "individual", 0, 0).await;
        let none = || json!({});
        let before = world.snapshot().await;
        for (body, kind, expected) in [
            (body("bank_in", "0.00", none()), "invalid-value", "Amount"),
            (body("bank_in", "-1.00", none()), "invalid-value", "Amount"),
            (body("bank_in", "1.001", none()), "invalid-value", "too many decimals"),
            (body("bank_in", "900000000000000.01", none()), "invalid-value", "Amount"),
            (body("bank_in", "900000000000000", none()), "invalid-value", "exceeds"),
            (body("bank_out", "12.35", none()), "drawer-negative", "holds 12.34 in cash"),
            (
                body("bank_out", "0.51", json!({"Tender": "check"})),
                "drawer-negative",
                "holds 0.50 in checks",
            ),
            (
                body("adjustment_out", "12.35", json!({"Reference": "r"})),
                "drawer-negative",
                "holds 12.34 in cash",
            ),
            (body("adjustment_in", "1", none()), "required-field", "Reference"),
            (body("adjustment_out", "1", json!({"Reference": " "})), "required-field", "Reference"),
            (body("transfer", "1", none()), "required-field", "Counter_Drawer_ID"),
            (body("bank_in", "1", json!({"Check_Number": "7"})), "invalid-value", "Check_Number"),
            (
                body("bank_in", "1", json!({"Tender": "cash", "Check_Number": "7"})),
                "invalid-value",
                "Check_Number",
            ),
            (
                body("bank_in", "1", json!({"Tender": "check", "Check_Number": "7".repeat(26)})),
                "invalid-value",
                "Check_Number",
            ),
            (
                body("bank_in", "1", json!({"Reference": "ä".repeat(101)})),
                "invalid-value",
                "at most 100",
            ),
            (body("bank_in", "1", json!({"Reference": "a\0"})), "invalid-value", "U+0000"),
            (
                body("bank_in", "1", json!({"Counter_Drawer_ID": other})),
                "invalid-value",
                "Counter_Drawer_ID",
            ),
        ] {
            let refused = post(&world, &admin, this, body.clone()).await;
            let refused = refused.expect_problem(422, kind);
            assert!(refused.text.contains(expected), "{body}: {}", refused.text);
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn malformed_drawer_transactions_name_the_member_at_fault() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let this = drawer_with_balances(&world, "One", "individual", 123_400, 5_000).await;
        let none = || json!({});
        let before = world.snapshot().await;
        for (body, field) in [
            (body("theft", "1", none()), "Transaction_Type"),
            (body("payment", "1", none()), "Transaction_Type"),
            (body("over_short", "1", none()), "Transaction_Type"),
            (body("transfer_in", "1", none()), "Transaction_Type"),
            (body("bank_in", "1", json!({"Tender": "gold"})), "Tender"),
            (body("bank_in", "1", json!({"Loan_ID": 1})), "Loan_ID"),
            (body("bank_in", "1", json!({"Counter_Drawer_ID": "1"})), "Counter_Drawer_ID"),
            (json!({"Transaction_Type": "bank_in", "Amount": 1}), "Amount"),
            (json!({"Transaction_Type": "bank_in", "Amount": "1,5"}), "Amount"),
            (json!({"Transaction_Type": "bank_in"}), "Amount"),
            (json!({"Transaction_Type": 7, "Amount": "1"}), "Transaction_Type"),
            (json!({"Transaction_Type": null, "Amount": "1"}), "Transaction_Type"),
            (json!({"Amount": "1"}), "Transaction_Type"),
        ] {
            let refused = post(&world, &admin, this, body.clone()).await;
            let refused = refused.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], field, "{body}: {}", refused.text);
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn an_invisible_drawer_is_not_found_and_a_closed_one_accepts_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let open = drawer_with_balances(&world, "One", "individual", 10_000, 0).await;
        let closed = drawer(&world, "Old", "individual", "closed").await;
        let token = make_teller(&world, "teller").await;
        grant(&world, "teller", "Cash Drawer > Funding", "Allow").await;
        assign(&world, closed, "teller").await;
        let before = world.snapshot().await;
        let fund = || json!({"Transaction_Type": "bank_in", "Amount": "1.00"});
        let counted = || json!({"Counted_Cash": "1.00", "Counted_Check": "0.00"});
        // Errors in the body are reported only for drawers that exist.
        let unsound = || json!({"Transaction_Type": "bank_in", "Amount": "0"});
        for unseen in [open, 999_999, -1] {
            for body in [fund(), unsound()] {
                post(&world, &token, unseen, body).await.expect_problem(404, "not-found");
            }
            let refused = count_drawer(&world, &token, unseen, counted()).await;
            refused.expect_problem(404, "not-found");
        }
        let admin = world.token("admin").await;
        for token in [&token, &admin] {
            let refused = post(&world, token, closed, fund()).await;
            refused.expect_problem(422, "drawer-not-usable");
            let refused = count_drawer(&world, token, closed, counted()).await;
            refused.expect_problem(422, "drawer-not-usable");
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn the_first_assigned_user_to_post_has_exclusive_use_of_the_drawer() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 500_000, 0).await;
        let (first, second) =
            (make_teller(&world, "teller").await, make_teller(&world, "officer").await);
        for name in ["teller", "officer"] {
            assign(&world, this, name).await;
            grant(&world, name, "Cash Drawer > Funding", "Allow").await;
        }
        let admin = world.token("admin").await;
        let fund = || json!({"Transaction_Type": "bank_in", "Amount": "1.00"});
        let counted = |cash: &str, close: bool| {
            json!({"Counted_Cash": cash, "Counted_Check": "0", "Close_Drawer": close})
        };
        // Neither a supervisor who is not assigned nor a count opens a session.
        post(&world, &admin, this, fund()).await.expect(201);
        count_drawer(&world, &second, this, counted("51.00", true)).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, [Value::Null; 0]);
        post(&world, &first, this, fund()).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, ["teller"]);
        let before = world.snapshot().await;
        let refused = post(&world, &second, this, fund()).await;
        refused.expect_problem(422, "drawer-in-use");
        let refused = count_drawer(&world, &second, this, counted("52.00", true)).await;
        refused.expect_problem(422, "drawer-in-use");
        assert_eq!(world.snapshot().await, before);
        post(&world, &first, this, fund()).await.expect(201);
        post(&world, &admin, this, fund()).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, ["teller"]);
        // Without `Close_Drawer` a count leaves the session open.
        count_drawer(&world, &first, this, counted("54.00", false)).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, ["teller"]);
        count_drawer(&world, &first, this, counted("54.00", true)).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, [Value::Null; 0]);
        post(&world, &second, this, fund()).await.expect(201);
        post(&world, &first, this, fund()).await.expect_problem(422, "drawer-in-use");
        let path = format!("/cash-drawers/{this}/active-users");
        let sessions = world.client.get(&admin, &path).await.expect(200);
        assert_eq!(sessions.column("Opening_Cash_Balance"), ["54.00"], "before his first row");
        // A supervisor's count can end the active user's session.
        count_drawer(&world, &admin, this, counted("55.00", true)).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, [Value::Null; 0]);
        // A supervisor who is assigned to the drawer opens a session like any other user.
        grant(&world, "officer", "Cash Drawer > Supervise", "Allow").await;
        post(&world, &second, this, fund()).await.expect(201);
        assert_eq!(active(&world, &admin, this).await, ["officer"]);
        let ended = "SELECT COUNT(*) FROM cash_drawer_sessions WHERE ended_date >= opened_date";
        assert_eq!(world.count(ended).await, 2);
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_reserve_is_shared_by_its_assigned_users() {
    on_each_database(PROGRAM, |world| async move {
        let vault = drawer_with_balances(&world, "Vault", "reserve", 0, 0).await;
        for name in ["teller", "officer"] {
            let token = make_teller(&world, name).await;
            assign(&world, vault, name).await;
            grant(&world, name, "Cash Drawer > Funding", "Allow").await;
            let fund = json!({"Transaction_Type": "bank_in", "Amount": "1.00"});
            post(&world, &token, vault, fund).await.expect(201);
            let counted = json!({"Counted_Cash": "1.00", "Counted_Check": "0"});
            count_drawer(&world, &token, vault, counted).await.expect(201);
        }
        assert_eq!(world.count("SELECT COUNT(*) FROM cash_drawer_sessions").await, 0);
        check_books(&world).await;
        world
    })
    .await;
}
