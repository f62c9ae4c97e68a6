//! `/loans/{loan_id}/credit-lines` and `/loans/credit-lines`

use super::loan_ids;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file, web_access};
use acceptance::{World, on_each_database};
use serde_json::json;

/// Books this many borrowers with a loan of this type each; the first borrower may log in.
async fn book(world: &World, admin: &str, count: u32, loan_type: &str) -> Vec<i64> {
    let terms = format!("{OPEN_TERMS} LoanType=\"{loan_type}\"");
    let records: String = (1..=count).map(|number| borrower_with_loan(number, &terms)).collect();
    loan_ids(&world.import(admin, &file(&(records + web_access(1).as_str()))).await)
}

/// Adds a credit line: its transaction code, and its limit and drawn amount in 1/10,000.
async fn line(world: &World, loan_id: i64, code: i32, limit: i64, drawn: i64) -> i64 {
    let columns = "loan_id, name, transaction_code, credit_line_limit, draw_until_type, \
                   draw_count, draw_total";
    let row = format!("{loan_id}, 'Line', {code}, {limit}, 'none', 2, {drawn}");
    world.insert("credit_lines", "creditline_id", columns, [row]).await[0]
}

/// Adds transactions with these codes to a line, each with a different amount.
async fn transactions(world: &World, loan_id: i64, line: &str, codes: &[i32]) -> Vec<i64> {
    let columns = "loan_id, transaction_reference_no, transaction_code, transaction_description, \
                   transaction_date, effective_date, gl_date, transaction_amount, creditline_id, \
                   user_reference, entered_by_user_id, reversed_flag, nsf_flag";
    let rows = codes.iter().enumerate().map(|(index, code)| {
        let amount = (index + 1) * 10_000;
        format!(
            "{loan_id}, 1, {code}, 'Draw', NOW, '2024-01-02', '2024-01-02', {amount}, {line}, \
             'for tools', 1, {}, false",
            index % 2 == 1
        )
    });
    world.insert("loan_transactions", "transaction_id", columns, rows).await
}

#[tokio::test]
async fn a_borrower_sees_the_credit_lines_of_own_and_linked_loans() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, 4, "revolving").await;
        let mut lines = Vec::new();
        for loan_id in &loans {
            lines.push(line(&world, *loan_id, 0, 50_000_000, 0).await);
            let line = lines[lines.len() - 1].to_string();
            transactions(&world, *loan_id, &line, &[110]).await;
        }
        let linked = "INSERT INTO loan_contacts (loan_id, contact_id, relationship_code, \
                      web_access_flag) SELECT ";
        let borrower =
            format!("contact_id, 'COBORROWER', true FROM loans WHERE loan_id = {}", loans[0]);
        world.sql(&format!("{linked} {}, {borrower}", loans[1])).await;
        let hidden = borrower.replace("true", "false");
        world.sql(&format!("{linked} {}, {hidden}", loans[2])).await;
        let web = world.web_token(1).await;
        for ((loan, line), seen) in loans.iter().zip(&lines).zip([true, true, false, false]) {
            for path in [
                format!("/loans/{loan}/credit-lines"),
                format!("/loans/credit-lines/{line}/credit-used"),
                format!("/loans/credit-lines/{line}/draws"),
            ] {
                let response = world.client.get(&web, &path).await;
                match seen {
                    true => drop(response.expect(200)),
                    false => drop(response.expect_problem(404, "not-found")),
                }
                world.client.get(&admin, &path).await.expect(200);
            }
        }
        let list = world.client.get(&web, &format!("/loans/{}/credit-lines", loans[1])).await;
        assert_eq!(list.expect(200).column("Creditline_ID"), [lines[1]]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_credit_line_shows_its_terms_and_omits_absent_ones() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, 1, "revolving").await;
        let id = line(&world, loans[0], 0, 12_345_678, 5).await;
        let list = world.client.get(&admin, &format!("/loans/{}/credit-lines", loans[0])).await;
        let expected = json!([{
            "Creditline_ID": id, "Loan_ID": loans[0], "Name": "Line", "Transaction_Code": 0,
            "Credit_Line_Limit": "1234.5678", "Draw_Until_Type": "none", "Draw_Count": 2,
            "Draw_Total": "0.0005",
        }]);
        assert_eq!(list.expect(200).json(), expected);
        world
    })
    .await;
}

#[tokio::test]
async fn a_revolving_main_line_uses_the_principal_and_others_the_amount_drawn() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for (number, loan_type) in [(1, "revolving"), (2, "non_revolving"), (3, "term")] {
            let terms = format!("{OPEN_TERMS} LoanType=\"{loan_type}\"");
            let records = file(&borrower_with_loan(number, &terms));
            let loan_id = loan_ids(&world.import(&admin, &records).await)[0];
            let main = line(&world, loan_id, 0, 150_000_000, 30_000_000).await;
            let sub = line(&world, loan_id, 110, 150_000_000, 20_000_000).await;
            let exhausted = line(&world, loan_id, 111, 10_000_000, 20_000_000).await;
            let used = async |line: i64| {
                let path = format!("/loans/credit-lines/{line}/credit-used");
                let response = world.client.get(&admin, &path).await.expect(200).json();
                assert_eq!(response["Creditline_ID"], line);
                assert_eq!(response["Draw_Count"], 2);
                [response["Credit_Used"].clone(), response["Credit_Available"].clone()]
            };
            let revolving = loan_type == "revolving";
            let expected =
                if revolving { ["10000.00", "5000.00"] } else { ["3000.00", "12000.00"] };
            assert_eq!(used(main).await, expected, "{loan_type}");
            assert_eq!(used(sub).await, ["2000.00", "13000.00"], "{loan_type}");
            assert_eq!(used(exhausted).await, ["2000.00", "0.00"], "never below zero");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn the_draws_of_a_line_include_reversed_ones() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, 1, "revolving").await;
        let this = line(&world, loans[0], 0, 50_000_000, 0).await;
        let other = line(&world, loans[0], 0, 50_000_000, 0).await;
        let path = format!("/loans/credit-lines/{this}/draws");
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), json!([]));
        let rows = transactions(&world, loans[0], &this.to_string(), &[110, 110, 111, 100]).await;
        transactions(&world, loans[0], &other.to_string(), &[110]).await;
        transactions(&world, loans[0], "NULL", &[110]).await;
        for token in [admin, world.token("viewer").await, world.web_token(1).await] {
            let draws = world.client.get(&token, &path).await.expect(200);
            assert_eq!(draws.column("Transaction_ID"), rows[..2]);
            assert_eq!(draws.column("Reversed_Flag"), [false, true]);
            let first = json!({
                "Transaction_ID": rows[0], "Creditline_ID": this, "Loan_ID": loans[0],
                "Transaction_Date": "2020-01-01T00:00:00Z", "Effective_Date": "2024-01-02",
                "Amount": "1.00", "Description": "Draw", "User_Reference": "for tools",
                "Reversed_Flag": false,
            });
            assert_eq!(draws.json()[0], first);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn trustees_of_the_draw_code_restrict_users_but_not_borrowers() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, 1, "revolving").await;
        let line = line(&world, loans[0], 0, 50_000_000, 0).await;
        transactions(&world, loans[0], &line.to_string(), &[110, 110]).await;
        let trustee = "INSERT INTO trustees (object_type, object_id, user_id) \
                       SELECT 'transaction_code', 110, user_id FROM users WHERE user_name = ";
        world.sql(&format!("{trustee}'teller'")).await;
        let path = format!("/loans/credit-lines/{line}/draws");
        let count = async |token: &str| {
            world.client.get(token, &path).await.expect(200).column("Transaction_ID").len()
        };
        assert_eq!(count(&world.token("viewer").await).await, 0);
        assert_eq!(count(&world.token("teller").await).await, 2);
        assert_eq!(count(&admin).await, 2);
        assert_eq!(count(&world.web_token(1).await).await, 2);
        world
    })
    .await;
}
