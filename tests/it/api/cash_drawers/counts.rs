//! `POST /cash-drawers/{drawer_id}/reconciliations`

use super::{
    assign, balances, check_books, count_drawer, drawer_with_balances, grant, make_teller, post,
    user,
};
use crate::PROGRAM;
use acceptance::{World, on_each_database};
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use shared::entity::cash_drawer_transactions;

async fn reconciled_rows(world: &World) -> Vec<cash_drawer_transactions::Model> {
    let rows = cash_drawer_transactions::Entity::find().all(&world.db).await.expect("rows");
    let mut rows: Vec<_> = rows.into_iter().filter(|row| row.reconciliation_id.is_some()).collect();
    rows.sort_by_key(|row| row.drawer_transaction_id);
    rows
}

/// Checks that what the counts below found over and short was entered by tender, with the balance
/// after it.
async fn check_differences(world: &World, token: &str, drawer: i64) {
    let path = format!("/cash-drawers/{drawer}/transactions");
    let entered = world.client.get(token, &path).await.expect(200).json();
    let over_short = entered.as_array().expect("rows").iter();
    let over_short: Vec<Value> = over_short
        .filter(|row| row["Transaction_Type"] == "over_short")
        .map(|row| json!([row["Tender"], row["Amount"], row["Resulting_Balance"]]))
        .collect();
    assert_eq!(
        json!(over_short),
        json!([
            ["cash", "0.01", "100.01"],
            ["check", "-1.00", "19.00"],
            ["cash", "-100.01", "0.00"],
            ["check", "6.00", "25.00"],
            ["cash", "5.00", "5.00"],
            ["check", "1.00", "26.00"],
        ])
    );
}

/// A drawer as the admin account sees it.
async fn read_drawer(world: &World, drawer: i64) -> Value {
    let admin = world.token("admin").await;
    world.client.get(&admin, &format!("/cash-drawers/{drawer}")).await.expect(200).json()
}

#[tokio::test]
async fn a_count_sets_the_balance_and_freezes_earlier_rows() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 1_000_000, 200_000).await;
        let other = drawer_with_balances(&world, "Two", "individual", 1_000_000, 0).await;
        let teller = make_teller(&world, "teller").await;
        assign(&world, this, "teller").await;
        grant(&world, "teller", "Cash Drawer > Funding", "Allow").await;
        let other_before = read_drawer(&world, other).await;
        let mut before: Vec<cash_drawer_transactions::Model> = Vec::new();
        let mut counts = Vec::new();
        // Counted cash and checks, amounts over or short, status, number of rows entered.
        for (cash, check, over_cash, over_check, status, entered) in [
            ("100.00", "20.00", "0.00", "0.00", "balanced", 0),
            ("100.01", "20.00", "0.01", "0.00", "over", 1),
            ("100.01", "19.00", "0.00", "-1.00", "short", 1),
            ("0.00", "25.00", "-100.01", "6.00", "mixed", 2),
            ("5.00", "26.00", "5.00", "1.00", "over", 2),
        ] {
            let expected = balances(&world, this).await;
            let rows = world.count("SELECT COUNT(*) FROM cash_drawer_transactions").await;
            let body = json!({"Counted_Cash": cash, "Counted_Check": check});
            let count = count_drawer(&world, &teller, this, body).await.expect(201).json();
            let money = |units: i64| format!("{}.{:02}", units / 10_000, units / 100 % 100);
            assert_eq!(
                count,
                json!({
                    "Reconciliation_ID": count["Reconciliation_ID"], "Drawer_ID": this,
                    "User_ID": user(&world, "teller").await,
                    "Reconciled_Date": count["Reconciled_Date"],
                    "Expected_Cash": money(expected.0), "Counted_Cash": cash,
                    "Expected_Check": money(expected.1), "Counted_Check": check,
                    "Over_Short_Cash": over_cash, "Over_Short_Check": over_check,
                    "Denominations": [], "Status": status,
                })
            );
            let now = world.count("SELECT COUNT(*) FROM cash_drawer_transactions").await;
            assert_eq!(now - rows, entered);
            let held = balances(&world, this).await;
            assert_eq!((money(held.0), money(held.1)), (cash.to_owned(), check.to_owned()));
            let drawer = world.client.get(&teller, &format!("/cash-drawers/{this}")).await;
            assert_eq!(drawer.expect(200).json()["Last_Reconciled_Date"], count["Reconciled_Date"]);
            let rows = reconciled_rows(&world).await;
            assert_eq!(rows[..before.len()], before, "frozen rows stay as they are");
            let of_this = rows[before.len()..].iter();
            assert!(of_this.clone().all(|row| {
                json!(row.reconciliation_id) == count["Reconciliation_ID"] && row.drawer_id == this
            }));
            let of_drawer = format!(
                "SELECT COUNT(*) FROM cash_drawer_transactions WHERE drawer_id = {this} \
                 AND reconciliation_id IS NULL"
            );
            assert_eq!(world.count(&of_drawer).await, 0, "over_short rows are frozen too");
            before = rows;
            let fund = json!({"Transaction_Type": "bank_in", "Amount": "1.00"});
            let out = json!({"Transaction_Type": "bank_out", "Amount": "1.00"});
            for body in [fund, out] {
                post(&world, &teller, this, body).await.expect(201);
            }
            counts.push(count);
        }
        let path = format!("/cash-drawers/{this}/reconciliations");
        let listed = world.client.get(&teller, &path).await.expect(200).json();
        assert_eq!(listed, json!(counts), "the answers are what the list shows");
        check_differences(&world, &teller, this).await;
        assert_eq!(balances(&world, other).await, (1_000_000, 0));
        assert_eq!(read_drawer(&world, other).await, other_before);
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn denominations_are_stored_as_counted() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "reserve", 0, 0).await;
        let admin = world.token("admin").await;
        let comment = "ä".repeat(32 * 1024);
        let counted = json!([
            {"Value": "20.00", "Count": 3}, {"Value": "0.25", "Count": 1},
            {"Value": "500000000.00", "Count": 0}, {"Value": "0.01", "Count": 2_000_000_000},
        ]);
        let body = json!({
            "Counted_Cash": "20000060.25", "Counted_Check": "0.00", "Denominations": counted,
            "Comment": comment, "Close_Drawer": null,
        });
        let count = count_drawer(&world, &admin, this, body).await.expect(201).json();
        assert_eq!(count["Denominations"], counted);
        assert_eq!(count["Comment"], comment);
        assert_eq!(count["Status"], "over");
        let path = format!("/cash-drawers/{this}/reconciliations");
        let listed = world.client.get(&admin, &path).await.expect(200).json();
        assert_eq!(listed, json!([count]));
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_count_whose_denominations_do_not_sum_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 600_000, 0).await;
        let admin = world.token("admin").await;
        let count_with = |member: &str, value: Value| {
            let mut body = json!({"Counted_Cash": "60.00", "Counted_Check": "0"});
            body[member] = value;
            body
        };
        let notes = |list: Value| count_with("Denominations", list);
        let denomination = |value: &str, count: i64| json!({"Value": value, "Count": count});
        let many: Vec<Value> = (1..=101).map(|n| denomination(&format!("{n}"), 0)).collect();
        let before = world.snapshot().await;
        for (body, expected) in [
            (count_with("Counted_Cash", json!("-0.01")), "Counted_Cash"),
            (count_with("Counted_Cash", json!("1.005")), "too many decimals"),
            (count_with("Counted_Check", json!("-1")), "Counted_Check"),
            (count_with("Counted_Check", json!("900000000000000.01")), "Counted_Check"),
            (notes(json!([denomination("20.00", 2)])), "sum to 40.00, not to Counted_Cash 60.00"),
            (notes(json!([])), "sum to 0.00"),
            (notes(json!([denomination("20.00", 1), denomination("20", 2)])), "twice"),
            (notes(json!([denomination("0", 1), denomination("20", 3)])), "above zero"),
            (notes(json!([denomination("-20", 1), denomination("20", 4)])), "above zero"),
            (notes(json!([denomination("20", 4), denomination("10", -2)])), "must not be negative"),
            (notes(json!([denomination("0.005", 12_000)])), "too many decimals"),
            (notes(json!([denomination("900000000000000", 2_000_000_000)])), "Denominations"),
            (notes(json!(many)), "at most 100"),
            (count_with("Comment", json!("ä".repeat(32 * 1024 + 1))), "Comment"),
            (count_with("Comment", json!("a\0")), "U+0000"),
        ] {
            let refused = count_drawer(&world, &admin, this, body.clone()).await;
            let refused = refused.expect_problem(422, "invalid-value");
            assert!(refused.text.contains(expected), "{refused:?}");
        }
        for (body, field) in [
            (json!({"Counted_Cash": "1"}), "Counted_Check"),
            (json!({"Counted_Check": "1"}), "Counted_Cash"),
            (count_with("Counted_Cash", json!(60)), "Counted_Cash"),
            (count_with("Close_Drawer", json!("yes")), "Close_Drawer"),
            (count_with("Expected_Cash", json!("1")), "Expected_Cash"),
            (notes(json!({})), "Denominations"),
            (notes(json!([{"Value": "20.00"}])), "Denominations[0].Count"),
            (notes(json!([{"Value": 20, "Count": 3}])), "Denominations[0].Value"),
            (notes(json!([{"Value": "20", "Count": 3.5}])), "Denominations[0].Count"),
            (notes(json!([{"Value": "20", "Count": 3, "Kind": "note"}])), "Denominations[0].Kind"),
            (notes(json!([denomination("20", 2_147_483_648)])), "Denominations[0].Count"),
        ] {
            let refused = count_drawer(&world, &admin, this, body.clone()).await;
            let refused = refused.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], field, "{body}: {}", refused.text);
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_count_takes_the_same_number_of_statements_for_any_number_of_rows() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let mut statement_counts = Vec::new();
        for rows in [1, 300] {
            let this =
                drawer_with_balances(&world, &format!("Of {rows}"), "individual", 10_000, 0).await;
            let columns = "drawer_id, transaction_type, tender, amount, resulting_balance, \
                           user_id, transaction_date";
            let row = format!("{this}, 'bank_in', 'cash', 0, 10000, 1, NOW");
            let key = "drawer_transaction_id";
            let more = (1..rows).map(|_| row.clone());
            world.insert("cash_drawer_transactions", key, columns, more).await;
            let before = world.settled_statements().await;
            let body = json!({"Counted_Cash": "1.00", "Counted_Check": "0.00"});
            count_drawer(&world, &admin, this, body).await.expect(201);
            statement_counts.push(world.settled_statements().await - before);
            let unreconciled = "SELECT COUNT(*) FROM cash_drawer_transactions \
                        WHERE reconciliation_id IS NULL";
            assert_eq!(world.count(unreconciled).await, 0);
        }
        assert_eq!(statement_counts[0], statement_counts[1]);
        assert!(statement_counts[0] <= 14, "{statement_counts:?}");
        println!("{statement_counts:?}");
        world
    })
    .await;
}
