//! Payments on loans as far as drawers are concerned: which drawer, what row, and back again.

use super::{assign, check_books, drawer, filled, holds, make_teller, session, user};
use crate::PROGRAM;
use crate::api::loans::book;
use acceptance::seeds::OPEN_TERMS;
use acceptance::{World, on_each_database};
use api_server::access::Caller;
use api_server::drawers::{self, Paid};
use sea_orm::{EntityTrait, QuerySelect};
use serde_json::json;
use shared::amounts::Money;
use shared::db;
use shared::entity::{cash_drawers, payment_methods};
use shared::problem::{Problem, ProblemType};

/// A payment method with these flags.
fn method(cash_flag: bool, check_flag: bool) -> payment_methods::Model {
    payment_methods::Model {
        payment_method_id: 1,
        payment_method_code: "THIS".to_owned(),
        description: "This".to_owned(),
        active_flag: true,
        cash_flag,
        check_flag,
        default_flag: false,
    }
}

async fn caller(world: &World, name: &str) -> Caller {
    let user_id = user(world, name).await;
    let admin = name == "admin";
    Caller::core(&world.db, user_id, name, admin, false).await.expect("a caller").caller
}

/// The drawer that a payment by this method would go into.
async fn chosen(
    world: &World,
    name: &str,
    method: &payment_methods::Model,
    drawer_id: Option<i64>,
) -> Result<Option<i64>, ProblemType> {
    let caller = caller(world, name).await;
    let tx = db::begin_write(&world.db).await.expect("a transaction");
    let found = drawers::for_payment(&tx, &caller, method, drawer_id).await;
    tx.rollback().await.expect("rolled back");
    found.map(|drawer| drawer.map(|drawer| drawer.id())).map_err(|problem| problem.kind())
}

#[tokio::test]
async fn a_payment_goes_into_the_drawer_it_names_and_cash_into_the_one_that_its_user_works_with() {
    on_each_database(PROGRAM, |world| async move {
        make_teller(&world, "teller").await;
        let mine = filled(&world, "One", "individual", 0, 0).await;
        let second = filled(&world, "Two", "individual", 0, 0).await;
        let unseen = filled(&world, "Three", "individual", 0, 0).await;
        let vault = filled(&world, "Vault", "reserve", 0, 0).await;
        let closed = drawer(&world, "Old", "individual", "closed").await;
        for drawer in [mine, second, vault, closed] {
            assign(&world, drawer, "teller").await;
        }
        let (ach, cash, check) = (method(false, false), method(true, false), method(false, true));
        use ProblemType::{CashDrawerRequired, DrawerInUse, DrawerNotUsable, NotFound};
        for (method, named, expected) in [
            (&ach, None, Ok(None)),
            (&check, None, Ok(None)),
            (&cash, None, Err(CashDrawerRequired)),
            (&ach, Some(mine), Err(DrawerNotUsable)),
            (&ach, Some(unseen), Err(NotFound)),
            (&cash, Some(unseen), Err(NotFound)),
            (&cash, Some(999_999), Err(NotFound)),
            (&cash, Some(vault), Err(DrawerNotUsable)),
            (&check, Some(closed), Err(DrawerNotUsable)),
            (&cash, Some(mine), Ok(Some(mine))),
            (&check, Some(mine), Ok(Some(mine))),
        ] {
            let found = chosen(&world, "teller", method, named).await;
            assert_eq!(found, expected, "{method:?} {named:?}");
        }
        // A session on a drawer that is no longer his does not count.
        session(&world, unseen, "teller", false).await;
        session(&world, mine, "teller", true).await;
        assert_eq!(chosen(&world, "teller", &cash, None).await, Err(CashDrawerRequired));
        session(&world, mine, "teller", false).await;
        assert_eq!(chosen(&world, "teller", &cash, None).await, Ok(Some(mine)));
        assert_eq!(chosen(&world, "teller", &check, None).await, Ok(None));
        session(&world, second, "teller", false).await;
        assert_eq!(chosen(&world, "teller", &cash, None).await, Err(CashDrawerRequired));
        assert_eq!(chosen(&world, "teller", &cash, Some(mine)).await, Ok(Some(mine)));
        make_teller(&world, "officer").await;
        assign(&world, mine, "officer").await;
        assert_eq!(chosen(&world, "officer", &cash, Some(mine)).await, Err(DrawerInUse));
        assert_eq!(chosen(&world, "admin", &cash, Some(mine)).await, Ok(Some(mine)));
        assert_eq!(chosen(&world, "admin", &cash, None).await, Err(CashDrawerRequired));
        world
    })
    .await;
}

#[tokio::test]
async fn a_payment_waits_for_its_drawer_no_longer_than_for_its_loan() {
    on_each_database(PROGRAM, |world| async move {
        // SQLite has one lock for everything: there nobody gets as far as to the drawer.
        if world.database.name() == "sqlite" {
            return world;
        }
        let this = filled(&world, "One", "individual", 0, 0).await;
        let tx = db::begin_write(&world.db).await.expect("a transaction");
        let held = cash_drawers::Entity::find_by_id(this).lock_exclusive().one(&tx).await;
        assert!(held.expect("a row").is_some());
        let found = chosen(&world, "admin", &method(true, false), Some(this)).await;
        assert_eq!(found, Err(ProblemType::DrawerLocked));
        tx.rollback().await.expect("rolled back");
        world
    })
    .await;
}

/// Enters a payment as the teller.
async fn take(
    world: &World,
    drawer_id: i64,
    method: &payment_methods::Model,
    reference: Option<&str>,
    (amount, loan_id, transaction_id): (&str, i64, i64),
) -> Result<(), Problem> {
    let caller = caller(world, "teller").await;
    let tx = db::begin_write(&world.db).await?;
    let now = db::time(&tx).await?;
    let drawer = drawers::for_payment(&tx, &caller, method, Some(drawer_id)).await?;
    let amount: Money = amount.parse().expect("an amount");
    let paid = Paid { method, reference, amount, loan_id, transaction_id, now };
    drawer.expect("a drawer").enter_payment(&tx, paid).await?;
    tx.commit().await.map_err(Problem::from)
}

/// Reverses a payment as somebody to whom no drawer is assigned.
async fn reverse(world: &World, transaction_id: i64, reversal_id: i64) -> Result<(), Problem> {
    let user_id = user(world, "viewer").await;
    let tx = db::begin_write(&world.db).await?;
    let now = db::time(&tx).await?;
    drawers::reverse_payment(&tx, user_id, now, transaction_id, reversal_id).await?;
    tx.commit().await.map_err(Problem::from)
}

#[tokio::test]
async fn a_payment_is_a_row_of_its_drawer_and_its_reversal_is_the_opposite_one() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = book(&world, &admin, OPEN_TERMS).await;
        let mut totals = Vec::new();
        for _ in 0..4 {
            let rows = world.pay(&admin, loan_id, json!({"Amount": "1.00"})).await.expect(201);
            totals.push(rows.json()[0]["Transaction_ID"].as_i64().expect("an id"));
        }
        make_teller(&world, "teller").await;
        let this = filled(&world, "One", "individual", 500_000, 0).await;
        assign(&world, this, "teller").await;
        let number = "Nummer ä 0123456789 0123456789 0123456789";
        let cut: String = number.chars().take(25).collect();
        let cash = method(true, false);
        take(&world, this, &cash, None, ("0.00", loan_id, totals[0])).await.expect("nothing");
        assert_eq!(world.count("SELECT COUNT(*) FROM cash_drawer_sessions").await, 0);
        for (method, amount, total) in [
            (method(true, false), "10.25", totals[0]),
            (method(false, true), "20.00", totals[1]),
            (method(true, true), "30.00", totals[2]),
        ] {
            let entered = take(&world, this, &method, Some(number), (amount, loan_id, total));
            entered.await.expect("entered");
        }
        let opening = "SELECT opening_cash_balance FROM cash_drawer_sessions \
                       WHERE ended_date IS NULL";
        assert_eq!(world.count(opening).await, 500_000, "before the first payment");
        assert_eq!(holds(&world, this).await, (902_500, 200_000));
        reverse(&world, totals[0], totals[3]).await.expect("reversed");
        reverse(&world, totals[1], totals[3]).await.expect("reversed");
        reverse(&world, totals[3], totals[0]).await.expect("it went into no drawer");
        let path = format!("/cash-drawers/{this}/transactions");
        let rows = world.client.get(&admin, &path).await.expect(200).json();
        let (teller, viewer) = (user(&world, "teller").await, user(&world, "viewer").await);
        let row = |n: usize, kind: &str, tender: &str, figures: [&str; 2], number: Option<&str>| {
            let reversal = kind == "payment_reversal";
            let mut row = json!({
                "Drawer_Transaction_ID": rows[n]["Drawer_Transaction_ID"], "Drawer_ID": this,
                "Transaction_Type": kind, "Tender": tender, "Amount": figures[0],
                "Resulting_Balance": figures[1], "Loan_ID": loan_id,
                "Transaction_ID": if reversal { totals[3] } else { totals[n - 1] },
                "User_ID": if reversal { viewer } else { teller },
                "Transaction_Date": rows[n]["Transaction_Date"],
            });
            if let Some(number) = number {
                row["Check_Number"] = json!(number);
            }
            row
        };
        let expected = [
            row(1, "payment", "cash", ["10.25", "60.25"], None),
            row(2, "payment", "check", ["20.00", "20.00"], Some(&cut)),
            row(3, "payment", "cash", ["30.00", "90.25"], None),
            row(4, "payment_reversal", "cash", ["-10.25", "80.00"], None),
            row(5, "payment_reversal", "check", ["-20.00", "0.00"], Some(&cut)),
        ];
        assert_eq!(rows.as_array().expect("rows")[1..], expected);
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_payment_that_is_no_longer_in_its_drawer_cannot_be_taken_out_of_it() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = book(&world, &admin, OPEN_TERMS).await;
        let rows = world.pay(&admin, loan_id, json!({"Amount": "1.00"})).await.expect(201).json();
        let total = rows[0]["Transaction_ID"].as_i64().expect("an id");
        make_teller(&world, "teller").await;
        let this = filled(&world, "One", "individual", 0, 0).await;
        assign(&world, this, "teller").await;
        let cash = method(true, false);
        take(&world, this, &cash, None, ("1.00", loan_id, total)).await.expect("entered");
        let out = json!({"Transaction_Type": "bank_out", "Amount": "0.01"});
        super::post(&world, &admin, this, out).await.expect(201);
        let before = world.snapshot().await;
        let refused = reverse(&world, total, total).await.expect_err("too little");
        assert_eq!(refused.kind(), ProblemType::DrawerNegative);
        assert!(refused.message().contains("holds 0.99 in cash"), "{refused}");
        assert_eq!(world.snapshot().await, before);
        world.sql("UPDATE cash_drawers SET status = 'closed'").await;
        let refused = reverse(&world, total, total).await.expect_err("closed");
        assert_eq!(refused.kind(), ProblemType::DrawerNotUsable);
        world
    })
    .await;
}
