//! Payments that go into cash drawers.

use super::super::import_loan;
use super::reversals::reverse;
use crate::PROGRAM;
use acceptance::seeds::OPEN_TERMS;
use acceptance::{World, on_each_database};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use shared::database;
use std::time::Duration;

/// Adds a drawer of this kind with 100.00 in cash, assigned to the teller.
async fn drawer(world: &World, name: &str, kind: &str) -> i64 {
    let columns = "name, drawer_type, status, cash_balance, check_balance";
    let row = format!("'{name}', '{kind}', 'open', 1000000, 0");
    let drawer = world.insert("cash_drawers", "drawer_id", columns, [row]).await[0];
    let columns = "drawer_id, transaction_type, tender, amount, resulting_balance, user_id, \
                   transaction_date";
    let row = format!("{drawer}, 'bank_in', 'cash', 1000000, 1000000, 1, NOW");
    world.insert("cash_drawer_transactions", "drawer_transaction_id", columns, [row]).await;
    let teller = teller(world).await;
    let columns = "drawer_id, user_id, assigned_date, assigned_by_user_id";
    let row = format!("{drawer}, {teller}, NOW, {teller}");
    world.insert("cash_drawer_assignments", "row_id", columns, [row]).await;
    drawer
}

fn cash_into(drawer: i64) -> Value {
    json!({"Amount": "40.00", "Payment_Method_Code": "CASH", "Cash_Drawer_ID": drawer})
}

async fn teller(world: &World) -> i64 {
    world.count("SELECT user_id FROM users WHERE user_name = 'teller'").await
}

async fn open_session(world: &World, drawer: i64) {
    let columns = "drawer_id, user_id, opened_date, opening_cash_balance";
    let row = format!("{drawer}, {}, NOW, 1000000", teller(world).await);
    world.insert("cash_drawer_sessions", "row_id", columns, [row]).await;
}

async fn rows_of(world: &World, drawer: i64) -> Vec<Value> {
    let admin = world.token("admin").await;
    let path = format!("/cash-drawers/{drawer}/transactions");
    let rows = world.client.get(&admin, &path).await.expect(200).json();
    rows.as_array().expect("rows")[1..].to_vec()
}

#[tokio::test]
async fn cash_goes_into_the_callers_open_drawer() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        let cash = json!({"Amount": "25.01", "Payment_Method_Code": "CASH"});
        let (first, second) =
            (drawer(&world, "One", "individual").await, drawer(&world, "Two", "individual").await);
        let refused = world.pay(&teller, loan_id, cash.clone()).await;
        refused.expect_problem(422, "cash-drawer-required");
        open_session(&world, first).await;
        let rows = world.pay(&teller, loan_id, cash.clone()).await.expect(201).json();
        for row in rows.as_array().expect("rows") {
            assert_eq!(row["Cash_Drawer_ID"], first);
        }
        let [entered] = &rows_of(&world, first).await[..] else { panic!("one row") };
        assert_eq!(entered["Transaction_Type"], "payment");
        assert_eq!(entered["Tender"], "cash");
        assert_eq!(entered["Amount"], "25.01");
        assert_eq!(entered["Resulting_Balance"], "125.01");
        assert_eq!(entered["Loan_ID"], loan_id);
        assert_eq!(entered["Transaction_ID"], rows[0]["Transaction_ID"]);
        open_session(&world, second).await;
        let refused = world.pay(&teller, loan_id, cash.clone()).await;
        refused.expect_problem(422, "cash-drawer-required");
        let mut named = cash;
        named["Cash_Drawer_ID"] = json!(second);
        world.pay(&teller, loan_id, named).await.expect(201);
        assert_eq!(rows_of(&world, second).await.len(), 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_check_goes_into_the_named_drawer_and_opens_a_session() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        let drawer_id = drawer(&world, "One", "individual").await;
        let check = json!({"Amount": "40.00", "Payment_Method_Code": "CHECK",
            "Payment_Method_Reference": "4711"});
        world.pay(&teller, loan_id, check.clone()).await.expect(201);
        assert!(rows_of(&world, drawer_id).await.is_empty(), "none was named");
        let mut named = check;
        named["Cash_Drawer_ID"] = json!(drawer_id);
        let path = format!("/loans/{loan_id}/transactions/payments?test=true");
        let before = world.snapshot().await;
        world.client.post(&teller, &path, &named, None).await.expect(200);
        assert_eq!(world.snapshot().await, before, "a test run opens no session either");
        world.pay(&teller, loan_id, named).await.expect(201);
        let [entered] = &rows_of(&world, drawer_id).await[..] else { panic!("one row") };
        assert_eq!(entered["Tender"], "check");
        assert_eq!(entered["Check_Number"], "4711");
        let open = "SELECT COUNT(*) FROM cash_drawer_sessions WHERE ended_date IS NULL";
        assert_eq!(world.count(open).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn an_unsuitable_drawer_refuses_the_payment() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        let reserve = drawer(&world, "Vault", "reserve").await;
        let usual = drawer(&world, "One", "individual").await;
        let closed = drawer(&world, "Two", "individual").await;
        let hidden = drawer(&world, "Three", "individual").await;
        world
            .sql(&format!("UPDATE cash_drawers SET status = 'closed' WHERE drawer_id = {closed}"))
            .await;
        world.sql(&format!("DELETE FROM cash_drawer_assignments WHERE drawer_id = {hidden}")).await;
        let before = world.snapshot().await;
        for (method, drawer, status, kind) in [
            ("ACH", usual, 422, "drawer-not-usable"),
            ("CASH", reserve, 422, "drawer-not-usable"),
            ("CHECK", closed, 422, "drawer-not-usable"),
            ("CASH", hidden, 404, "not-found"),
            ("CASH", 999, 404, "not-found"),
        ] {
            let body = json!({"Amount": "1.00", "Payment_Method_Code": method,
                "Cash_Drawer_ID": drawer});
            world.pay(&teller, loan_id, body).await.expect_problem(status, kind);
        }
        // A payment that the loan refuses leaves nothing in the drawer.
        let too_much = json!({"Amount": "99999.00", "Payment_Method_Code": "CASH",
            "Cash_Drawer_ID": usual});
        world.pay(&teller, loan_id, too_much).await.expect_problem(422, "overpayment");
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_reversed_payment_is_taken_out_of_its_drawer() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        let drawer_id = drawer(&world, "One", "individual").await;
        let body = cash_into(drawer_id);
        let rows = world.pay(&teller, loan_id, body).await.expect(201).json();
        let reference = rows[0]["Transaction_ID"].as_i64().expect("an id");
        let undoing = reverse(&world, reference, None).await.expect(201).json();
        let entered = rows_of(&world, drawer_id).await;
        assert_eq!(entered.len(), 2);
        assert_eq!(entered[1]["Transaction_Type"], "payment_reversal");
        assert_eq!(entered[1]["Amount"], "-40.00");
        assert_eq!(entered[1]["Resulting_Balance"], "100.00");
        assert_eq!(entered[1]["Transaction_ID"], undoing[0]["Transaction_ID"]);
        world
    })
    .await;
}

#[tokio::test]
async fn an_imported_payment_goes_into_the_drawer_it_names() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let drawer_id = drawer(&world, "One", "individual").await;
        let columns = "form, field_name, label, data_type, size, pick_list, required_flag, \
                       hidden_flag, read_only_flag, web_visible_flag, sequence";
        let row = "'transaction_entry', 'userdef05', 'Window', 'text', 9, '[]', false, false, \
                   false, false, 5";
        let row = [row.to_owned()];
        world.insert("user_defined_fields", "field_id", columns, row).await;
        let file = format!(
            "<Core CommitBlock=\"1\" EnforceTagExistence=\"1\"><Transactions>\
             <Payment LoanID=\"{loan_id}\" Amount=\"12.34\" EffectiveDate=\"2022-01-01\" \
             PaymentMethodCode=\"CASH\" CashDrawerID=\"{drawer_id}\" Userdef05=\"north\"/>\
             </Transactions></Core>"
        );
        world.import(&admin, &file).await;
        let [entered] = &rows_of(&world, drawer_id).await[..] else { panic!("one row") };
        assert_eq!(entered["Amount"], "12.34");
        let path = format!("/loans/{loan_id}/transactions?transactionCode=120");
        let total = world.client.get(&admin, &path).await.expect(200).json();
        assert_eq!(total[0]["Userdef05"], "north");
        let without_drawer = file.replace(&format!("CashDrawerID=\"{drawer_id}\""), "");
        let failed = world.client.import(&admin, false, &without_drawer, None).await.expect(200);
        assert_eq!(failed.json()["Failed"], 1, "the admin account works with no drawer");
        world
    })
    .await;
}

#[tokio::test]
async fn a_payment_no_longer_in_its_drawer_cannot_be_reversed() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let drawer_id = drawer(&world, "One", "individual").await;
        let body = cash_into(drawer_id);
        let rows = world.pay(&admin, loan_id, body).await.expect(201).json();
        let reference = rows[0]["Transaction_ID"].as_i64().expect("an id");
        let deposit = json!({"Transaction_Type": "bank_out", "Amount": "100.01"});
        let path = format!("/cash-drawers/{drawer_id}/transactions");
        world.client.post(&admin, &path, &deposit, None).await.expect(201);
        let before = world.snapshot().await;
        let refused = reverse(&world, reference, None).await;
        let refused = refused.expect_problem(422, "drawer-negative");
        assert!(refused.text.contains("39.99"), "{}", refused.text);
        world.sql("UPDATE cash_drawers SET status = 'closed'").await;
        let refused = reverse(&world, reference, None).await;
        refused.expect_problem(422, "drawer-not-usable");
        world.sql("UPDATE cash_drawers SET status = 'open'").await;
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_lock_timeout_names_the_lock() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        let drawer_id = drawer(&world, "One", "individual").await;
        let body = cash_into(drawer_id);
        let before = world.snapshot().await;
        // SQLite has a single write lock.
        let embedded = world.database.name() == "sqlite";
        let held_by_drawer = if embedded { "loan-locked" } else { "drawer-locked" };
        for (table, key, id, expected) in [
            ("loans", "loan_id", loan_id, "loan-locked"),
            ("cash_drawers", "drawer_id", drawer_id, held_by_drawer),
        ] {
            let locking_tx = database::begin_write(&world.db).await.expect("a transaction");
            let touch = format!("UPDATE {table} SET {key} = {id} WHERE {key} = {id}");
            locking_tx.execute_unprepared(&touch).await.expect("a lock");
            let path = format!("/loans/{loan_id}/transactions/payments");
            let started = std::time::Instant::now();
            // The second waits for the first, and then for the lock: both waits have one deadline.
            let (first, second) = tokio::join!(
                world.client.post(&teller, &path, &body, Some("one")),
                world.client.post(&teller, &path, &body, Some("two"))
            );
            assert!(started.elapsed().as_secs() < 6, "{:?}", started.elapsed());
            let problems = [first, second].map(|refused| {
                assert_eq!(refused.header("retry-after"), "1");
                refused.expect(423).problem()
            });
            // The first to wait for the lock may keep the other in the queue of either row.
            assert!(problems.contains(&expected.to_owned()), "{problems:?}");
            let waits = ["loan-locked", "drawer-locked"];
            assert!(problems.iter().all(|it| waits.contains(&it.as_str())), "{problems:?}");
            locking_tx.rollback().await.expect("let go");
            // Nothing of it is left, not even the key.
            assert_eq!(world.snapshot().await, before);
        }
        world.pay(&teller, loan_id, body).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn a_drawer_that_the_caller_may_not_see_is_not_found_even_while_it_is_locked() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        let hidden = drawer(&world, "Hidden", "individual").await;
        world.sql(&format!("DELETE FROM cash_drawer_assignments WHERE drawer_id = {hidden}")).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let item = json!([{"Loan_ID": loan_id, "Key": "k", "Payment": cash_into(hidden)}]);
        // SQLite has a single write lock: no row can be locked by itself.
        if world.database.name() == "sqlite" {
            world.client.post(&teller, &path, &cash_into(hidden), None).await.expect(404);
            return world;
        }
        let locking_tx = database::begin_write(&world.db).await.expect("a transaction");
        let touch =
            format!("UPDATE cash_drawers SET drawer_id = {hidden} WHERE drawer_id = {hidden}");
        locking_tx.execute_unprepared(&touch).await.expect("a lock");
        let started = std::time::Instant::now();
        let payment = world.client.post(&teller, &path, &cash_into(hidden), Some("one")).await;
        payment.expect_problem(404, "not-found");
        let payments =
            world.client.post(&teller, "/loans/transactions/payments", &item, None).await;
        assert_eq!(payments.expect(200).json()[0]["Status"], 404);
        assert!(started.elapsed() < database::LOCK_WAIT, "{:?}", started.elapsed());
        locking_tx.rollback().await.expect("let go");
        world
    })
    .await;
}

/// While a posting waits for its loan, midnight may pass, and another server post on the next day.
#[tokio::test]
async fn today_is_that_of_the_moment_at_which_the_loan_is_locked() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let set_zone = |zone: &str| {
            format!("UPDATE settings SET value = '{zone}' WHERE name = 'business_time_zone'")
        };
        // The two are on different days at any time.
        world.sql(&set_zone("Etc/GMT+12")).await;
        let later_today = (chrono::Utc::now() + chrono::TimeDelta::hours(14)).date_naive();
        let path = format!("/loans/{loan_id}/transactions/adjustments");
        let locking_tx = database::begin_write(&world.db).await.expect("a transaction");
        let post = format!(
            "UPDATE loans SET accrual_base_date = '{later_today}', \
                            interest_accrued_thru_date = '{later_today}' WHERE loan_id = {loan_id}"
        );
        locking_tx.execute_unprepared(&post).await.expect("a lock");
        locking_tx.execute_unprepared(&set_zone("Etc/GMT-14")).await.expect("a day later");
        let body = json!({"Kind": "advance", "Amount": "5.00"});
        let waiting = world.client.post(&admin, &path, &body, None);
        let let_go = async {
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            locking_tx.commit().await.expect("let go");
        };
        let (posted, ()) = tokio::join!(waiting, let_go);
        let rows = posted.expect(201).json();
        assert_eq!(rows[0]["Effective_Date"], later_today.to_string());
        world
    })
    .await;
}

#[tokio::test]
async fn an_imported_payment_with_a_locked_drawer_is_retried() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        import_loan(&world, &admin, OPEN_TERMS).await;
        let drawer_id = drawer(&world, "One", "individual").await;
        let payment = format!(
            "<Transactions><Payment LoanNumber=\"L-1\" Amount=\"40.00\" \
             EffectiveDate=\"2022-01-01\" PaymentMethodCode=\"CASH\" \
             CashDrawerID=\"{drawer_id}\"/></Transactions>"
        );
        let before = world.snapshot().await;
        let hold = async || {
            let locking_tx = database::begin_write(&world.db).await.expect("a transaction");
            let touch = format!("UPDATE cash_drawers SET drawer_id = {drawer_id}");
            locking_tx.execute_unprepared(&touch).await.expect("a lock");
            locking_tx
        };
        let locking_tx = hold().await;
        let block = format!("<Core CommitBlock=\"1\">{payment}</Core>");
        let refused = world.client.import(&admin, false, &block, None).await;
        refused.expect_problem(503, "database-unavailable");
        locking_tx.rollback().await.expect("let go");
        assert_eq!(world.snapshot().await, before);
        let locking_tx = hold().await;
        let import = async {
            let records = format!("<Core>{payment}</Core>");
            world.client.import(&admin, false, &records, None).await.expect(200).json()
        };
        let let_go = async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            locking_tx.rollback().await.expect("let go");
        };
        let (result, ()) = tokio::join!(import, let_go);
        assert_eq!(result["Failed"], 0, "{result:#}");
        assert_eq!(rows_of(&world, drawer_id).await[0]["Amount"], "40.00");
        world
    })
    .await;
}
