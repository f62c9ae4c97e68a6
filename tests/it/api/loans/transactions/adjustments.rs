//! `/loans/{loan_id}/transactions/adjustments`

use super::super::{import_loan, loan_ids};
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::{TestResponse, World, on_each_database};
use serde_json::{Value, json};

pub async fn post(world: &World, token: &str, loan_id: i64, body: &Value) -> TestResponse {
    let path = format!("/loans/{loan_id}/transactions/adjustments");
    world.client.post(token, &path, body, None).await
}

/// Posts an adjustment as the admin account. Returns its id.
pub async fn adjust(world: &World, loan_id: i64, kind: &str, amount: &str, day: &str) -> i64 {
    let body = json!({"Kind": kind, "Amount": amount, "Effective_Date": day});
    let rows = post(world, &world.token("admin").await, loan_id, &body).await.expect(201).json();
    rows[0]["Transaction_ID"].as_i64().expect("an id")
}

/// Grants a privilege to a user.
pub async fn grant(world: &World, user: &str, path: &str, verb: &str) {
    let user_id = format!("SELECT user_id FROM users WHERE user_name = '{user}'");
    let user_id = world.count(&user_id).await;
    let listed = format!("FROM privileges WHERE path = '{path}' AND verb = '{verb}'");
    if world.count(&format!("SELECT COUNT(*) {listed}")).await == 0 {
        world
            .sql(&format!("INSERT INTO privileges (path, verb) VALUES ('{path}', '{verb}')"))
            .await;
    }
    world
        .sql(&format!(
            "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, {user_id} \
             {listed}"
        ))
        .await;
}

/// Adds a credit line with these limits in further columns.
async fn credit_line(world: &World, loan_id: i64, columns: &str, values: &str) -> i64 {
    let columns = format!(
        "loan_id, name, transaction_code, credit_line_limit, draw_count, draw_total{columns}"
    );
    let row = format!("{loan_id}, 'Line', 110, 50000000, 0, 0{values}");
    world.insert("credit_lines", "creditline_id", &columns, [row]).await[0]
}

#[tokio::test]
async fn each_kind_moves_its_balance_alone() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let impound = json!({"Amount": "50.00", "Effective_Date": "2024-02-15",
            "Impound_Amount": "50.00"});
        world.pay(&admin, loan_id, impound).await.expect(201);
        // The balances before and after: each kind moves one.
        let balances = async || {
            let path = format!("/loans/{loan_id}");
            let loan = world.client.get(&admin, &path).await.expect(200).json();
            let names = ["Principal", "Late_Charge", "Fees", "Impound", "Suspense"];
            names.map(|name| loan[format!("Current_{name}_Balance")].clone())
        };
        for (kind, code, amount, after) in [
            ("late_charge", 140, "25.00", ["28000.00", "25.00", "0.00", "50.00"]),
            ("fee", 142, "10.00", ["28000.00", "25.00", "10.00", "50.00"]),
            ("late_charge_waived", 156, "5.00", ["28000.00", "20.00", "10.00", "50.00"]),
            ("fee_waived", 158, "10.00", ["28000.00", "20.00", "0.00", "50.00"]),
            ("impound_disbursement", 154, "30.00", ["28000.00", "20.00", "0.00", "20.00"]),
            ("interest_reduction", 150, "100.00", ["28000.00", "20.00", "0.00", "20.00"]),
            ("principal_write_off", 152, "1000.00", ["27000.00", "20.00", "0.00", "20.00"]),
            ("advance", 100, "500.00", ["27500.00", "20.00", "0.00", "20.00"]),
        ] {
            let body = json!({"Kind": kind, "Amount": amount, "Effective_Date": "2024-02-15",
                "User_Reference": "desk 7"});
            let path = format!("/loans/{loan_id}/transactions/adjustments");
            let before = world.snapshot().await;
            let dry_run = format!("{path}?test=true");
            let tried = world.client.post(&admin, &dry_run, &body, None).await.expect(200);
            assert_eq!(world.snapshot().await, before, "{kind}");
            let posted = world.client.post(&admin, &path, &body, Some(kind)).await.expect(201);
            let again = world.client.post(&admin, &path, &body, Some(kind)).await.expect(201);
            assert_eq!(again.text, posted.text);
            assert_eq!(again.header("idempotency-replayed"), "true");
            for rows in [tried.json(), posted.json()] {
                assert_eq!(rows.as_array().map(Vec::len), Some(1), "{kind}");
                assert_eq!(rows[0]["Transaction_Code"], code);
                assert_eq!(rows[0]["Transaction_Amount"], amount);
                assert_eq!(rows[0]["Effective_Date"], "2024-02-15");
                assert_eq!(rows[0]["User_Reference"], "desk 7");
            }
            let resulting = |rows: Value| rows[0]["Resulting_Balance"].clone();
            assert_eq!(resulting(tried.json()), resulting(posted.json()));
            assert_eq!(balances().await[..4], after, "{kind}");
        }
        for (body, kind) in [
            (json!({"Kind": "fee", "Amount": "0.00"}), "amount-not-positive"),
            (json!({"Kind": "fee", "Amount": "1.00", "Creditline_ID": 1}), "invalid-value"),
            (json!({"Kind": "draw", "Amount": "1.00"}), "required-field"),
            (json!({"Kind": "draw", "Amount": "1.00", "Creditline_ID": 99}), "invalid-value"),
            (json!({"Kind": "late_charge_waived", "Amount": "20.01"}), "split-exceeds-balance"),
            (json!({"Kind": "principal_write_off", "Amount": "99999.00"}), "split-exceeds-balance"),
            (
                json!({"Kind": "advance", "Amount": "1.00", "Effective_Date": "2024-02-14"}),
                "effective-date-too-early",
            ),
            (
                json!({"Kind": "fee", "Amount": "1.00", "Effective_Date": "2031-01-01"}),
                "effective-date-in-future",
            ),
        ] {
            post(&world, &admin, loan_id, &body).await.expect_problem(422, kind);
        }
        let payoff = json!({"Amount": "50000.00", "Payoff": true, "Excess_Handling": "suspense"});
        world.pay(&admin, loan_id, payoff).await.expect(201);
        let body = json!({"Kind": "fee", "Amount": "1.00"});
        post(&world, &admin, loan_id, &body).await.expect_problem(422, "loan-closed");
        world
    })
    .await;
}

#[tokio::test]
async fn each_kind_has_its_privilege_and_its_trustees() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let kinds = [
            ("Charge", ["late_charge", "fee"].as_slice()),
            ("Waive", &["late_charge_waived", "fee_waived", "interest_reduction"]),
            ("Waive", &["principal_write_off"]),
            ("Disburse", &["impound_disbursement", "suspense_disbursement", "advance", "draw"]),
        ];
        let body = |kind: &str| json!({"Kind": kind, "Amount": "1.00"});
        for held in ["", "Charge", "Waive", "Disburse"] {
            world.sql("DELETE FROM privilege_grants WHERE user_id IS NOT NULL").await;
            grant(&world, "viewer", "Loan > Access to Other Officers", "Allow").await;
            grant(&world, "viewer", "Loan > Adjustments", held).await;
            let viewer = world.token("viewer").await;
            for (verb, kind) in
                kinds.iter().flat_map(|(verb, all)| all.iter().map(move |kind| (verb, kind)))
            {
                let response = post(&world, &viewer, loan_id, &body(kind)).await;
                if *verb == held {
                    assert!([201, 422].contains(&response.status.as_u16()), "{}", response.text);
                } else {
                    let refused = response.expect_problem(403, "privilege-missing");
                    let named = format!("Loan > Adjustments > {verb}");
                    assert!(refused.text.contains(&named), "{kind}: {}", refused.text);
                }
            }
        }
        let yesterday =
            json!({"Kind": "advance", "Amount": "1.00", "Effective_Date": "2022-01-01"});
        let viewer = world.token("viewer").await;
        let refused = post(&world, &viewer, loan_id, &yesterday).await;
        let refused = refused.expect_problem(403, "privilege-missing");
        assert!(refused.text.contains("Loan > Payments > Backdate"), "{}", refused.text);
        post(&world, &viewer, 999_999, &body("advance")).await.expect_problem(404, "not-found");
        world
            .sql(
                "INSERT INTO trustees (object_type, object_id, user_id) \
                 SELECT 'transaction_code', 100, user_id FROM users WHERE user_name = 'teller'",
            )
            .await;
        let refused = post(&world, &viewer, loan_id, &body("advance")).await;
        let refused = refused.expect_problem(403, "privilege-missing");
        assert!(refused.text.contains("transaction code 100"), "{}", refused.text);
        world
    })
    .await;
}

#[tokio::test]
async fn money_that_a_closed_loan_holds_for_its_borrower_is_quoted_found_and_paid_out() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let parts = json!({"Amount": "200.00", "Effective_Date": "2022-01-01",
            "Impound_Amount": "120.00", "Suspense_Amount": "80.00"});
        world.pay(&admin, loan_id, parts).await.expect(201);
        let get = async |path: &str| world.client.get(&admin, path).await.expect(200).json();
        let quote = get(&format!("/loans/{loan_id}/payoff-quote")).await["Quotes"][0].clone();
        assert_eq!(quote["Suspense_Applied"], "80.00");
        assert_eq!([&quote["Impound_Held"], &quote["Suspense_Held"]], ["120.00", "0.00"]);
        let found = async || get("/loans?holdsMoney=true").await.as_array().map(Vec::len);
        assert_eq!(found().await, Some(0), "an open loan");
        // The bank rounds up, and the borrower pays 30.00 too much.
        let payoff: f64 =
            quote["Payoff_Amount"].as_str().and_then(|it| it.parse().ok()).expect("it");
        let paid = json!({"Amount": format!("{:.2}", payoff + 30.0), "Payoff": true,
            "Excess_Handling": "suspense"});
        let paid = world.pay(&admin, loan_id, paid).await.expect(201).json();
        let payoff_id = &paid[0]["Transaction_Reference_No"];
        assert_eq!(found().await, Some(1));
        assert_eq!(get("/loans?holdsMoney=false").await, json!([]));
        let refund = |kind: &str, amount: &str| json!({"Kind": kind, "Amount": amount});
        let too_much = refund("suspense_disbursement", "30.01");
        let too_much = post(&world, &admin, loan_id, &too_much).await;
        too_much.expect_problem(422, "split-exceeds-balance");
        let advance = post(&world, &admin, loan_id, &refund("advance", "1.00")).await;
        advance.expect_problem(422, "loan-closed");
        let reverse = async |id: &Value| {
            let path = format!("/loans/{loan_id}/transactions/{id}/reversal");
            world.client.post(&admin, &path, &json!({"Reason": "error"}), None).await
        };
        for (kind, code, amount) in
            [("impound_disbursement", 154, "120.00"), ("suspense_disbursement", 160, "30.00")]
        {
            let paid_out = refund(kind, amount);
            let row = post(&world, &admin, loan_id, &paid_out).await.expect(201).json()[0].clone();
            assert_eq!(row["Transaction_Code"], code);
            assert_eq!(row["Resulting_Balance"], "0.00");
            let reversed = reverse(&row["Transaction_ID"]).await.expect(201).json();
            assert_eq!(reversed[0]["Transaction_Code"], code + 1);
            assert_eq!(reversed[0]["Resulting_Balance"], amount);
            post(&world, &admin, loan_id, &paid_out).await.expect(201);
        }
        assert_eq!(found().await, Some(0));
        let status = async || get("/loans").await[0]["Status_Code"].clone();
        assert_eq!(status().await, "PAID_OFF", "not reopened");
        // What was paid out stays paid out.
        reverse(payoff_id).await.expect(201);
        assert_eq!(status().await, "ACTIVE");
        let loan = get(&format!("/loans/{loan_id}")).await;
        assert_eq!(loan["Current_Suspense_Balance"], "50.00");
        assert_eq!(loan["Current_Impound_Balance"], "0.00");
        world
    })
    .await;
}

#[tokio::test]
async fn draws_stay_within_the_limits_of_their_line() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let draw = async |line: i64, amount: &str, day: &str| {
            let body = json!({"Kind": "draw", "Amount": amount, "Effective_Date": day,
                "Creditline_ID": line});
            post(&world, &admin, loan_id, &body).await
        };
        let refused = async |line: i64, amount: &str, day: &str, detail: &str| {
            let before = world.snapshot().await;
            let refused = draw(line, amount, day).await.expect_problem(422, "draw-refused");
            assert!(refused.text.contains(detail), "{}", refused.text);
            assert_eq!(world.snapshot().await, before);
        };
        let columns = ", credit_total_draw_limit, min_draw_amount, max_draw_amount, \
                       max_number_of_draws, draw_until_type, draw_until_date";
        let values = ", 3000000, 500000, 2000000, 3, 'fixed_date', '2022-03-31'";
        let line = credit_line(&world, loan_id, columns, values).await;
        refused(line, "49.99", "2022-01-01", "at least 50.00").await;
        refused(line, "200.01", "2022-01-01", "at most 200.00").await;
        refused(line, "100.00", "2022-04-01", "until 2022-03-31").await;
        draw(line, "200.00", "2022-01-01").await.expect(201);
        refused(line, "100.01", "2022-01-02", "100.00 is available").await;
        draw(line, "50.00", "2022-01-02").await.expect(201);
        let last = draw(line, "50.00", "2022-03-31").await.expect(201).json();
        refused(line, "50.00", "2022-03-31", "0.00 is available").await;
        world.sql("UPDATE credit_lines SET credit_total_draw_limit = NULL").await;
        refused(line, "50.00", "2022-03-31", "all 3 draws").await;
        // A reversed draw no longer counts.
        let last = last[0]["Transaction_ID"].as_i64().expect("an id");
        super::reversals::reverse(&world, last, None).await.expect(201);
        draw(line, "60.00", "2022-03-31").await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn draws_end_a_number_of_periods_after_origination_or_the_first_draw() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let draw = async |line: i64, day: &str| {
            let body = json!({"Kind": "draw", "Amount": "10.00", "Effective_Date": day,
                "Creditline_ID": line});
            post(&world, &admin, loan_id, &body).await
        };
        let columns = ", draw_until_type, draw_until_period, number_of_periods";
        let values = ", 'from_origination', 'monthly', 2";
        let line = credit_line(&world, loan_id, columns, values).await;
        draw(line, "2021-12-25").await.expect(201);
        let refused = draw(line, "2021-12-26").await.expect_problem(422, "draw-refused");
        assert!(refused.text.contains("2021-12-25"), "{}", refused.text);
        let values = ", 'from_first_draw', 'weekly', 1";
        let line = credit_line(&world, loan_id, columns, values).await;
        draw(line, "2022-02-01").await.expect(201);
        draw(line, "2022-02-08").await.expect(201);
        let refused = draw(line, "2022-02-09").await.expect_problem(422, "draw-refused");
        assert!(refused.text.contains("2022-02-08"), "{}", refused.text);
        world
    })
    .await;
}

#[tokio::test]
async fn the_main_line_of_a_revolving_loan_is_used_by_its_principal() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        world.sql("UPDATE loans SET loan_type = 'revolving'").await;
        let line = credit_line(&world, loan_id, ", draw_until_type", ", 'none'").await;
        world
            .sql("UPDATE credit_lines SET transaction_code = 0, credit_line_limit = 101000000")
            .await;
        let draw = async |amount: &str| {
            let body = json!({"Kind": "draw", "Amount": amount, "Creditline_ID": line});
            post(&world, &admin, loan_id, &body).await
        };
        let refused = draw("100.01").await.expect_problem(422, "draw-refused");
        assert!(refused.text.contains("100.00 is available"), "{}", refused.text);
        draw("100.00").await.expect(201);
        draw("0.01").await.expect_problem(422, "draw-refused");
        // What is paid back can be drawn again.
        world
            .pay(&admin, loan_id, json!({"Amount": "40.00", "Principal_Amount": "40.00"}))
            .await
            .expect(201);
        draw("40.00").await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn a_draw_on_a_sub_line_obeys_the_limit_of_the_main_line() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        // The principal is 10,000.00, which a revolving main line has lent already.
        let loans: String = (1..=2).map(|number| borrower_with_loan(number, OPEN_TERMS)).collect();
        let loans = loan_ids(&world.import(&admin, &file(&loans)).await);
        let types = [("revolving", 101_000_000), ("non_revolving", 1_000_000)];
        for (loan_id, (loan_type, limit)) in loans.into_iter().zip(types) {
            world.sql(&format!("UPDATE loans SET loan_type = '{loan_type}'")).await;
            let main = credit_line(&world, loan_id, ", draw_until_type", ", 'none'").await;
            let set =
                format!("transaction_code = 0, credit_line_limit = {limit}, name = 'Facility'");
            world.sql(&format!("UPDATE credit_lines SET {set} WHERE creditline_id = {main}")).await;
            let sub = credit_line(&world, loan_id, ", draw_until_type", ", 'none'").await;
            let draw = async |line: i64, amount: &str| {
                let body = json!({"Kind": "draw", "Amount": amount, "Creditline_ID": line});
                post(&world, &admin, loan_id, &body).await
            };
            let refused = draw(sub, "100.01").await.expect_problem(422, "draw-refused");
            assert!(refused.text.contains("100.00 is available on Facility"), "{}", refused.text);
            draw(sub, "60.00").await.expect(201);
            draw(main, "40.01").await.expect_problem(422, "draw-refused");
            draw(main, "40.00").await.expect(201);
            draw(sub, "0.01").await.expect_problem(422, "draw-refused");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn draws_at_once_do_not_exceed_the_limit() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let line = credit_line(&world, loan_id, ", draw_until_type", ", 'none'").await;
        let body = json!({"Kind": "draw", "Amount": "1000.00", "Creditline_ID": line});
        let sent = (0..8).map(|_| post(&world, &admin, loan_id, &body));
        let responses = futures_util::future::join_all(sent).await;
        let drawn = responses.iter().filter(|response| response.status == 201).count();
        assert_eq!(drawn, 5);
        for response in responses.into_iter().filter(|response| response.status != 201) {
            response.expect_problem(422, "draw-refused");
        }
        let used = world.count("SELECT draw_total FROM credit_lines").await;
        assert_eq!(used, 50_000_000);
        world
    })
    .await;
}
