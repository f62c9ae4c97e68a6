//! `POST /cash-drawers/{drawer_id}/transactions`: transfers between drawers.

use super::{
    assign, balances, check_books, drawer, drawer_with_balances, grant, make_teller, post, session,
};
use crate::PROGRAM;
use acceptance::{World, on_each_database};
use futures_util::future::join_all;
use serde_json::{Value, json};

fn transfer(to: i64, amount: &str) -> Value {
    json!({"Transaction_Type": "transfer", "Counter_Drawer_ID": to, "Amount": amount})
}

#[tokio::test]
async fn a_transfer_is_two_rows_with_one_number_each_visible_with_its_drawer() {
    on_each_database(PROGRAM, |world| async move {
        let mine = drawer_with_balances(&world, "One", "individual", 500_000, 70_000).await;
        let other = drawer_with_balances(&world, "Two", "individual", 100_000, 0).await;
        // The target accepts the money even though another user has its session.
        session(&world, other, "officer", false).await;
        let teller = make_teller(&world, "teller").await;
        assign(&world, mine, "teller").await;
        let mut body = transfer(other, "20.00");
        body["Reference"] = json!("Change");
        let rows = post(&world, &teller, mine, body).await.expect(201);
        assert_eq!(rows.column("Transaction_Type"), ["transfer_out"], "the other is not his");
        let mut body = transfer(other, "7.00");
        body["Tender"] = json!("check");
        body["Check_Number"] = json!("42");
        let admin = world.token("admin").await;
        let rows = post(&world, &admin, mine, body).await.expect(201).json();
        let (out, into) = (&rows[0], &rows[1]);
        assert_eq!(rows.as_array().expect("rows").len(), 2);
        let number = &out["Drawer_Transaction_ID"];
        let expected = |row: &Value, drawer: i64, kind: &str, amount: &str, after: &str| {
            json!({
                "Drawer_Transaction_ID": row["Drawer_Transaction_ID"], "Drawer_ID": drawer,
                "Transaction_Type": kind, "Tender": "check", "Amount": amount,
                "Resulting_Balance": after, "Check_Number": "42",
                "Counter_Drawer_ID": if drawer == mine { other } else { mine },
                "Transfer_Reference_No": number, "User_ID": 1,
                "Transaction_Date": out["Transaction_Date"],
            })
        };
        assert_eq!(*out, expected(out, mine, "transfer_out", "-7.00", "0.00"));
        assert_eq!(*into, expected(into, other, "transfer_in", "7.00", "7.00"));
        assert_eq!(balances(&world, mine).await, (300_000, 0));
        assert_eq!(balances(&world, other).await, (300_000, 70_000));
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_closed_unknown_or_same_target_is_refused_the_same_way() {
    on_each_database(PROGRAM, |world| async move {
        let mine = drawer_with_balances(&world, "One", "individual", 500_000, 0).await;
        let closed = drawer(&world, "Old", "individual", "closed").await;
        let closed_reserve = drawer(&world, "Old vault", "reserve", "closed").await;
        let teller = make_teller(&world, "teller").await;
        assign(&world, mine, "teller").await;
        let before = world.snapshot().await;
        let mut responses = Vec::new();
        for target in [closed, closed_reserve, mine, 999_999, -7] {
            let refused = post(&world, &teller, mine, transfer(target, "1.00")).await;
            let mut refused = refused.expect_problem(422, "drawer-not-usable").json();
            assert_eq!(refused["errors"][0]["field"], "Counter_Drawer_ID");
            refused["requestId"].take();
            responses.push(refused);
        }
        assert!(responses.iter().all(|response| *response == responses[0]), "{responses:#?}");
        let open = drawer_with_balances(&world, "Two", "individual", 0, 0).await;
        let refused = post(&world, &teller, mine, transfer(open, "50.01")).await;
        let refused = refused.expect_problem(422, "drawer-negative");
        assert!(refused.text.contains("holds 50.00 in cash"), "{}", refused.text);
        world.sql(&format!("DELETE FROM cash_drawers WHERE drawer_id = {open}")).await;
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn transfers_into_or_out_of_a_reserve_need_the_funding_privilege() {
    on_each_database(PROGRAM, |world| async move {
        let mine = drawer_with_balances(&world, "One", "individual", 500_000, 0).await;
        let vault = drawer_with_balances(&world, "Vault", "reserve", 500_000, 0).await;
        let teller = make_teller(&world, "teller").await;
        assign(&world, mine, "teller").await;
        assign(&world, vault, "teller").await;
        let before = world.snapshot().await;
        // The target does not matter: the caller can see that their own drawer is a reserve.
        for (from, to) in [(mine, vault), (vault, mine), (vault, 999_999), (vault, vault)] {
            let refused = post(&world, &teller, from, transfer(to, "1.00")).await;
            let refused = refused.expect_problem(403, "privilege-missing");
            assert!(refused.text.contains("Cash Drawer > Funding > Allow"), "{}", refused.text);
        }
        assert_eq!(world.snapshot().await, before);
        grant(&world, "teller", "Cash Drawer > Funding", "Allow").await;
        for (from, to) in [(mine, vault), (vault, mine)] {
            let rows = post(&world, &teller, from, transfer(to, "1.00")).await.expect(201);
            assert_eq!(rows.column("Transaction_Type"), ["transfer_out", "transfer_in"]);
        }
        post(&world, &teller, vault, transfer(vault, "1.00"))
            .await
            .expect_problem(422, "drawer-not-usable");
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_opposite_transfers_do_not_deadlock_and_sum_to_zero() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let drawers = [
            drawer_with_balances(&world, "One", "individual", 1_000_000, 0).await,
            drawer_with_balances(&world, "Two", "individual", 1_000_000, 0).await,
            drawer_with_balances(&world, "Three", "reserve", 1_000_000, 0).await,
        ];
        let directions = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)];
        let moving = (0..48).map(|n| {
            let (from, to) = directions[n % directions.len()];
            let body = transfer(drawers[to], &format!("{}.0{}", n % 5 + 1, n % 10));
            post(&world, &admin, drawers[from], body)
        });
        let responses = join_all(moving).await;
        for response in &responses {
            match response.status.as_u16() {
                201 => assert_eq!(response.column("Drawer_ID").len(), 2),
                _ => drop(response.clone().expect_problem(423, "drawer-locked")),
            }
        }
        let posted = responses.iter().filter(|response| response.status == 201).count() as i64;
        assert!(posted > 0);
        let rows = "SELECT COUNT(*) FROM cash_drawer_transactions \
                    WHERE transfer_reference_no IS NOT NULL";
        assert_eq!(world.count(rows).await, 2 * posted);
        let mut sum = 0;
        for drawer in drawers {
            sum += balances(&world, drawer).await.0;
        }
        assert_eq!(sum, 3_000_000);
        check_books(&world).await;
        world
    })
    .await;
}

/// The rows of one reference are two, in two drawers, with opposite amounts.
#[tokio::test]
async fn both_rows_of_a_transfer_name_the_other_drawer() {
    on_each_database(PROGRAM, |world: World| async move {
        let admin = world.token("admin").await;
        let one = drawer_with_balances(&world, "One", "individual", 1_000_000, 0).await;
        let two = drawer_with_balances(&world, "Two", "individual", 1_000_000, 0).await;
        for (from, to) in [(one, two), (two, one)] {
            post(&world, &admin, from, transfer(to, "3.33")).await.expect(201);
        }
        let pairs = "SELECT COUNT(*) FROM cash_drawer_transactions o \
                     JOIN cash_drawer_transactions i \
                     ON i.transfer_reference_no = o.drawer_transaction_id \
                     WHERE o.transaction_type = 'transfer_out' \
                     AND i.transaction_type = 'transfer_in' AND o.amount = -i.amount \
                     AND o.transfer_reference_no = o.drawer_transaction_id \
                     AND o.counter_drawer_id = i.drawer_id AND i.counter_drawer_id = o.drawer_id";
        assert_eq!(world.count(pairs).await, 2);
        world
    })
    .await;
}
