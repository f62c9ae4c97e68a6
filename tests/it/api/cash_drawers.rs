//! `/cash-drawers`, and what its tests share.

mod concurrency;
mod counts;
mod random_sequences;
mod transactions;
mod transfers;

use crate::PROGRAM;
use acceptance::{TestResponse, World, on_each_database};
use serde_json::{Value, json};

/// Adds an empty drawer.
async fn drawer(world: &World, name: &str, kind: &str, status: &str) -> i64 {
    let columns = "name, drawer_type, status, cash_balance, check_balance";
    let row = format!("'{name}', '{kind}', '{status}', 1234500, 100");
    world.insert("cash_drawers", "drawer_id", columns, [row]).await[0]
}

async fn user(world: &World, name: &str) -> i64 {
    world.count(&format!("SELECT user_id FROM users WHERE user_name = '{name}'")).await
}

async fn assign(world: &World, drawer: i64, name: &str) -> i64 {
    let columns = "drawer_id, user_id, assigned_date, assigned_by_user_id";
    let row = format!("{drawer}, {}, NOW, 1", user(world, name).await);
    world.insert("cash_drawer_assignments", "row_id", columns, [row]).await[0]
}

async fn session(world: &World, drawer: i64, name: &str, ended: bool) -> i64 {
    let columns = "drawer_id, user_id, opened_date, opening_cash_balance, ended_date";
    let ended = if ended { "NOW" } else { "NULL" };
    let row = format!("{drawer}, {}, NOW, 1000000, {ended}", user(world, name).await);
    world.insert("cash_drawer_sessions", "row_id", columns, [row]).await[0]
}

/// Inserts a transaction dated at this instant.
async fn add_transaction(world: &World, drawer: i64, utc: &str) -> i64 {
    let columns = "drawer_id, transaction_type, tender, amount, resulting_balance, user_id, \
                   transaction_date";
    let instant = match world.database.name() {
        "sqlite" => format!("{utc}+00:00"),
        _ => utc.replace('T', " "),
    };
    let row = format!("{drawer}, 'adjustment_out', 'check', -10000, 20000, 1, '{instant}'");
    let key = "drawer_transaction_id";
    world.insert("cash_drawer_transactions", key, columns, [row]).await[0]
}

const TAILS: [&str; 5] =
    ["", "/active-users", "/assigned-users", "/reconciliations", "/transactions"];

async fn grant(world: &World, name: &str, path: &str, verb: &str) {
    world
        .sql(&format!(
            "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, user_id \
             FROM privileges, users WHERE user_name = '{name}' AND path = '{path}' AND \
             verb = '{verb}'"
        ))
        .await;
}

/// Adds a user with a teller's privileges: viewing drawers, and entering transactions and counts.
async fn make_teller(world: &World, name: &str) -> String {
    world
        .sql(&format!("DELETE FROM privilege_grants WHERE user_id = {}", user(world, name).await))
        .await;
    grant(world, name, "Cash Drawer", "View").await;
    grant(world, name, "Cash Drawer", "Add").await;
    world.token(name).await
}

/// Adds an open drawer with these balances of cash and checks, in ten-thousandths, and a row for
/// each.
async fn drawer_with_balances(world: &World, name: &str, kind: &str, cash: i64, check: i64) -> i64 {
    let columns = "name, drawer_type, status, cash_balance, check_balance";
    let row = format!("'{name}', '{kind}', 'open', {cash}, {check}");
    let drawer = world.insert("cash_drawers", "drawer_id", columns, [row]).await[0];
    let columns = "drawer_id, transaction_type, tender, amount, resulting_balance, user_id, \
                   transaction_date";
    let rows = [("cash", cash), ("check", check)];
    let rows = rows.into_iter().filter(|(_, amount)| *amount > 0);
    let rows = rows.map(|(tender, amount)| {
        format!("{drawer}, 'bank_in', '{tender}', {amount}, {amount}, 1, NOW")
    });
    world.insert("cash_drawer_transactions", "drawer_transaction_id", columns, rows).await;
    drawer
}

async fn post(world: &World, token: &str, drawer: i64, body: Value) -> TestResponse {
    let path = format!("/cash-drawers/{drawer}/transactions");
    world.client.post(token, &path, &body, None).await
}

async fn count_drawer(world: &World, token: &str, drawer: i64, body: Value) -> TestResponse {
    let path = format!("/cash-drawers/{drawer}/reconciliations");
    world.client.post(token, &path, &body, None).await
}

/// The drawer's balances as the API reports them: cash, checks.
async fn balances(world: &World, drawer: i64) -> (i64, i64) {
    let balance = async |tender: &str| {
        let balance = format!("SELECT {tender}_balance FROM cash_drawers");
        world.count(&format!("{balance} WHERE drawer_id = {drawer}")).await
    };
    (balance("cash").await, balance("check").await)
}

/// Fails unless every balance is the sum of its rows, each row carries the balance after it, and
/// none is below zero.
async fn check_books(world: &World) {
    for tender in ["cash", "check"] {
        let sum = format!(
            "(SELECT COALESCE(SUM(t.amount), 0) FROM cash_drawer_transactions t \
             WHERE t.drawer_id = d.drawer_id AND t.tender = '{tender}')"
        );
        let violations = format!(
            "SELECT COUNT(*) FROM cash_drawers d WHERE d.{tender}_balance <> {sum} \
             OR d.{tender}_balance < 0"
        );
        assert_eq!(world.count(&violations).await, 0, "balances of {tender}");
    }
    let before = "SELECT COALESCE(SUM(b.amount), 0) FROM cash_drawer_transactions b \
                  WHERE b.drawer_id = t.drawer_id AND b.tender = t.tender \
                  AND b.drawer_transaction_id <= t.drawer_transaction_id";
    let violations = format!(
        "SELECT COUNT(*) FROM cash_drawer_transactions t WHERE t.resulting_balance <> ({before})"
    );
    assert_eq!(world.count(&violations).await, 0, "resulting balances");
    let transfers = "SELECT COALESCE(CAST(SUM(amount) AS decimal(20)), 0) = 0 FROM \
                     cash_drawer_transactions WHERE transfer_reference_no IS NOT NULL";
    let sums_to_zero = format!("SELECT CASE WHEN ({transfers}) THEN 0 ELSE 1 END");
    assert_eq!(world.count(&sums_to_zero).await, 0, "transfers");
    let crowded = "SELECT COUNT(*) FROM (SELECT drawer_id FROM cash_drawer_sessions \
                   WHERE ended_date IS NULL GROUP BY drawer_id HAVING COUNT(*) > 1) crowded";
    assert_eq!(world.count(crowded).await, 0, "one session per drawer");
}

#[tokio::test]
async fn users_see_their_assigned_drawers_and_supervisors_see_all() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let mut drawers = Vec::new();
        for (name, kind, status) in [
            ("One", "individual", "open"),
            ("Vault", "reserve", "open"),
            ("Old", "individual", "closed"),
        ] {
            drawers.push(drawer(&world, name, kind, status).await);
        }
        assign(&world, drawers[0], "teller").await;
        assign(&world, drawers[2], "teller").await;
        assign(&world, drawers[1], "officer").await;
        let (teller, viewer) = (world.token("teller").await, world.token("viewer").await);
        grant(&world, "viewer", "Cash Drawer", "View").await;
        let visible_drawers = async |token: &str| {
            let list = world.client.get(token, "/cash-drawers").await.expect(200);
            let listed = list.column("Drawer_ID");
            for drawer in &drawers {
                let status = if listed.contains(&json!(drawer)) { 200 } else { 404 };
                for tail in TAILS {
                    let path = format!("/cash-drawers/{drawer}{tail}");
                    world.client.get(token, &path).await.expect(status);
                }
            }
            listed
        };
        assert_eq!(visible_drawers(&teller).await, [drawers[0], drawers[2]]);
        assert_eq!(visible_drawers(&viewer).await, [Value::Null; 0]);
        grant(&world, "viewer", "Cash Drawer > Supervise", "Allow").await;
        assert_eq!(visible_drawers(&viewer).await, drawers[..]);
        assert_eq!(visible_drawers(&admin).await, drawers[..]);
        let drawer_json = world.client.get(&teller, &format!("/cash-drawers/{}", drawers[0])).await;
        let expected = json!({
            "Drawer_ID": drawers[0], "Name": "One", "Drawer_Type": "individual", "Status": "open",
            "Cash_Balance": "123.45", "Check_Balance": "0.01",
        });
        assert_eq!(drawer_json.expect(200).json(), expected);
        world
    })
    .await;
}

#[tokio::test]
async fn active_users_are_those_with_an_open_session() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let this = drawer(&world, "One", "individual", "open").await;
        let other = drawer(&world, "Two", "individual", "open").await;
        session(&world, this, "officer", true).await;
        session(&world, other, "viewer", false).await;
        let open = session(&world, this, "teller", false).await;
        let path = format!("/cash-drawers/{this}/active-users");
        let expected = json!([{
            "Row_ID": open, "Drawer_ID": this, "User_ID": user(&world, "teller").await,
            "User_Name": "teller", "Opened_Date": "2020-01-01T00:00:00Z",
            "Opening_Cash_Balance": "100.00",
        }]);
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), expected);
        world
            .sql(&format!("UPDATE cash_drawer_sessions SET ended_date = {}", world.long_ago()))
            .await;
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), json!([]));
        world
    })
    .await;
}

#[tokio::test]
async fn assigned_users_are_listed_with_their_names() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let this = drawer(&world, "One", "individual", "open").await;
        let other = drawer(&world, "Two", "individual", "open").await;
        let rows = [assign(&world, this, "viewer").await, assign(&world, this, "teller").await];
        assign(&world, other, "officer").await;
        let list = world.client.get(&admin, &format!("/cash-drawers/{this}/assigned-users")).await;
        let list = list.expect(200);
        let row = |row_id: i64, user_id: i64, name: &str| {
            json!({
                "Row_ID": row_id, "Drawer_ID": this, "User_ID": user_id, "User_Name": name,
                "Assigned_Date": "2020-01-01T00:00:00Z", "Assigned_By_User_ID": 1,
            })
        };
        let (viewer, teller) = (user(&world, "viewer").await, user(&world, "teller").await);
        assert_eq!(
            list.json(),
            json!([row(rows[0], viewer, "viewer"), row(rows[1], teller, "teller")])
        );
        world
    })
    .await;
}

#[tokio::test]
async fn drawer_transactions_are_filtered_by_business_day() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let this = drawer(&world, "One", "individual", "open").await;
        let other = drawer(&world, "Two", "individual", "open").await;
        add_transaction(&world, other, "2024-11-03T12:00:00").await;
        let mut rows = Vec::new();
        // In New York the third of November has 25 hours, because the clocks go back.
        for utc in [
            "2024-11-03T03:59:59.999",
            "2024-11-03T04:00:00",
            "2024-11-04T04:59:59.999",
            "2024-11-04T05:00:00",
        ] {
            rows.push(add_transaction(&world, this, utc).await);
        }
        world
            .sql("UPDATE settings SET value = 'America/New_York' WHERE name = 'business_time_zone'")
            .await;
        let path = format!("/cash-drawers/{this}/transactions");
        for (query, expected) in [
            ("", &rows[..]),
            ("?from=2024-11-03&to=2024-11-03", &rows[1..3]),
            ("?from=2024-11-03", &rows[1..]),
            ("?to=2024-11-03", &rows[..3]),
            ("?from=2024-11-04&to=2024-11-03", &[]),
            ("?from=0001-01-01&to=9999-12-31", &rows),
            ("?from=1969-12-31&to=2038-01-20", &rows),
            ("?from=1900-01-01&to=2199-12-31", &rows),
        ] {
            let list = world.client.get(&admin, &format!("{path}{query}")).await.expect(200);
            assert_eq!(list.column("Drawer_Transaction_ID"), *expected, "{query}");
        }
        let first = &world.client.get(&admin, &path).await.expect(200).json()[0];
        let expected = json!({
            "Drawer_Transaction_ID": rows[0], "Drawer_ID": this, "Tender": "check",
            "Transaction_Type": "adjustment_out", "Amount": "-1.00", "Resulting_Balance": "2.00",
            "User_ID": 1, "Transaction_Date": "2024-11-03T03:59:59.999Z",
        });
        assert_eq!(*first, expected);
        world
    })
    .await;
}

#[tokio::test]
async fn a_count_lists_its_denominations() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let this = drawer(&world, "One", "individual", "open").await;
        let columns = "drawer_id, user_id, reconciled_date, expected_cash, counted_cash, \
                       expected_check, counted_check, over_short_cash, over_short_check, \
                       denominations, status, comment";
        let stored = "[{\"Value\":\"20.00\",\"Count\":3},{\"Value\":\"0.25\",\"Count\":0}]";
        let rows = [
            format!("{this}, 1, NOW, 600000, 600000, 0, 0, 0, 0, '{stored}', 'balanced', NULL"),
            format!(
                "{this}, 1, NOW, 600000, 590000, 0, 10000, -10000, 10000, '[]', 'mixed', 'Fünf'"
            ),
        ];
        let key = "reconciliation_id";
        let ids = world.insert("cash_drawer_reconciliations", key, columns, rows).await;
        let list = world.client.get(&admin, &format!("/cash-drawers/{this}/reconciliations")).await;
        let expected = json!([
            {
                "Reconciliation_ID": ids[0], "Drawer_ID": this, "User_ID": 1,
                "Reconciled_Date": "2020-01-01T00:00:00Z", "Expected_Cash": "60.00",
                "Counted_Cash": "60.00", "Expected_Check": "0.00", "Counted_Check": "0.00",
                "Over_Short_Cash": "0.00", "Over_Short_Check": "0.00", "Status": "balanced",
                "Denominations": [{"Value": "20.00", "Count": 3}, {"Value": "0.25", "Count": 0}],
            },
            {
                "Reconciliation_ID": ids[1], "Drawer_ID": this, "User_ID": 1,
                "Reconciled_Date": "2020-01-01T00:00:00Z", "Expected_Cash": "60.00",
                "Counted_Cash": "59.00", "Expected_Check": "0.00", "Counted_Check": "1.00",
                "Over_Short_Cash": "-1.00", "Over_Short_Check": "1.00", "Status": "mixed",
                "Denominations": [], "Comment": "Fünf",
            },
        ]);
        assert_eq!(list.expect(200).json(), expected);
        world
    })
    .await;
}
