//! The demo portfolio: its mix, a larger one, and a second run.

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::world::on_embedded_database;
use acceptance::{World, on_each_database};
use api_server::router::operations;
use installer::demo::{self, examples::examples};
use installer::seed::standing_rows;
use sea_orm::EntityTrait;
use serde_json::Value;
use shared::entity::*;
use std::collections::{BTreeMap, BTreeSet};

/// The loans of the file twice, and some of them once more.
const LOANS: u32 = 130;
const PASSWORD: &str = "words of a borrower";

async fn fill(world: &World, loans: u32) {
    demo::fill(&world.db, &world.documents(), &world.master_keys(), loans, PASSWORD)
        .await
        .expect("a portfolio");
}

/// Row counts of the tables that the portfolio fills.
async fn counts(world: &World, condition: &str) -> Vec<(&'static str, i64)> {
    let mut counts = Vec::new();
    for (table, loan) in [
        ("loans", "loan_id"),
        ("loan_contacts", "loan_id"),
        ("loan_interest_rates", "loan_id"),
        ("payments_due", "loan_id"),
        ("loan_transactions", "loan_id"),
        ("recurring_transactions", "loan_id"),
        ("credit_lines", "loan_id"),
        ("loan_collaterals", "loan_id"),
        ("comments", "loan_id"),
        ("user_defined_values", "field_id < 10 AND record_id"),
    ] {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE {loan} {condition}");
        counts.push((table, world.count(&sql).await));
    }
    counts
}

/// Fails the test if there are such rows.
async fn assert_no_rows(world: &World, description: &str, sql: &str) {
    assert_eq!(world.count(&format!("SELECT COUNT(*) FROM {sql}")).await, 0, "{description}");
}

#[tokio::test]
async fn further_loans_equal_the_first_ones_and_the_system_works_afterwards() {
    on_each_database(PROGRAM, |world| async {
        fill(&world, LOANS).await;
        assert_eq!(world.count("SELECT COUNT(DISTINCT loan_number) FROM loans").await, 130);
        let contacts = world.count("SELECT COUNT(DISTINCT contact_number) FROM contacts").await;
        assert_eq!(contacts, 60 + 60 + 36);
        let longest = "SELECT MAX(CHAR_LENGTH(loan_number)) FROM loans";
        let longest = if world.database.name() == "sqlite" {
            longest.replace("CHAR_LENGTH", "LENGTH")
        } else {
            longest.to_owned()
        };
        assert!(world.count(&longest).await <= 25);
        let original = counts(&world, "BETWEEN 2 AND 50").await;
        assert!(original.iter().all(|(_, count)| *count > 0), "{original:?}");
        assert_eq!(counts(&world, "BETWEEN 52 AND 100").await, original);
        let admin = world.token("admin").await;
        let loan = async |id: i64| {
            let mut loan =
                world.client.get(&admin, &format!("/loans/{id}")).await.expect(200).json();
            for name in ["Loan_ID", "Loan_Number", "Contact_ID"] {
                loan[name].take();
            }
            loan
        };
        // The first one has payments by card.
        for number in [3, 42, 46, 49] {
            assert_eq!(loan(number + 50).await, loan(number).await, "loan {number}");
        }
        check_balances(&world).await;
        check_links(&world).await;
        check_file_contents(&world, &admin).await;
        let file = file(&borrower_with_loan(1, OPEN_TERMS));
        world.import(&admin, &file).await;
        assert_eq!(world.count("SELECT MAX(loan_id) FROM loans").await, 131);
        demo::fill(&world.db, &world.documents(), &world.master_keys(), LOANS, PASSWORD)
            .await
            .expect("nothing to do");
        assert_eq!(world.count("SELECT COUNT(*) FROM loans").await, 131);
        world
    })
    .await;
}

/// The server compares whole downloads with their hashes, so a download that completes is intact.
async fn check_file_contents(world: &World, admin: &str) {
    let files = world.count("SELECT MAX(file_id) FROM document_files").await;
    assert!(files > 10, "{files}");
    let mut found = 0;
    for id in 1..=files {
        let response = world.client.get(admin, &format!("/files/{id}")).await;
        if response.status != 404 {
            assert!(response.expect(200).text.ends_with("This text is made up.\n"));
            found += 1;
        }
    }
    assert_eq!(world.count("SELECT COUNT(*) FROM document_files").await, found);
}

/// Checks loans, including copies, and cash drawers.
async fn check_balances(world: &World) {
    for balance in ["principal", "late_charge", "fees", "impound", "suspense"] {
        let violations = format!(
            "loans l WHERE current_{balance}_balance <> (SELECT COALESCE(SUM(t.transaction_amount \
             * c.sign), 0) FROM loan_transactions t JOIN transaction_codes c ON \
             c.transaction_code = t.transaction_code WHERE t.loan_id = l.loan_id AND \
             t.balance_name = '{balance}')"
        );
        assert_no_rows(world, balance, &violations).await;
    }
    let settled = "loans l WHERE interest_settled_total <> (SELECT COALESCE(SUM(-c.sign * \
         t.transaction_amount), 0) FROM loan_transactions t JOIN transaction_codes c ON \
         c.transaction_code = t.transaction_code WHERE t.loan_id = l.loan_id AND t.balance_name = \
         'interest')";
    assert_no_rows(world, "interest", settled).await;
    let drawn = "credit_lines l WHERE draw_total <> (SELECT SUM(t.transaction_amount) FROM \
         loan_transactions t WHERE t.creditline_id = l.creditline_id) OR draw_count <> (SELECT \
         COUNT(*) FROM loan_transactions t WHERE t.creditline_id = l.creditline_id)";
    assert_no_rows(world, "credit lines", drawn).await;
    for tender in ["cash", "check"] {
        let violations = format!(
            "cash_drawers d WHERE {tender}_balance <> (SELECT COALESCE(SUM(t.amount), 0) FROM \
             cash_drawer_transactions t WHERE t.drawer_id = d.drawer_id AND tender = '{tender}')"
        );
        assert_no_rows(world, tender, &violations).await;
    }
    assert_no_rows(world, "below zero", "cash_drawer_transactions WHERE resulting_balance < 0")
        .await;
    let transfers = "SELECT COALESCE(SUM(amount), 1) FROM cash_drawer_transactions WHERE \
         transfer_reference_no IS NOT NULL";
    assert_eq!(world.text(&as_text(world, transfers)).await, "0");
    let frozen = "SELECT COUNT(DISTINCT reconciliation_id) FROM cash_drawer_transactions";
    assert_eq!(world.count(frozen).await, 2);
}

/// Casts to text, because sums are not 64-bit integers on every database.
fn as_text(world: &World, select: &str) -> String {
    let text = if world.database.name() == "mysql" { "CHAR" } else { "TEXT" };
    format!("SELECT CAST(({select}) AS {text})")
}

/// Checks that rows refer only to rows of the same fifty loans, for every kind of owner.
async fn check_links(world: &World) {
    let block =
        |id: &str| format!("CASE WHEN {id} <= 50 THEN 1 WHEN {id} <= 100 THEN 2 ELSE 3 END");
    let contacts = "CASE WHEN contact_id <= 60 THEN 1 WHEN contact_id <= 120 THEN 2 ELSE 3 END";
    for table in ["loans", "loan_contacts", "payment_gateway_tokens"] {
        let violations = format!("{table} WHERE {} <> {contacts}", block("loan_id"));
        assert_no_rows(world, table, &violations).await;
    }
    for (description, violations) in [
        (
            "references",
            "loan_transactions t JOIN loan_transactions r ON r.transaction_id = \
             t.transaction_reference_no WHERE r.loan_id <> t.loan_id",
        ),
        (
            "credit lines",
            "loan_transactions t JOIN credit_lines l ON l.creditline_id = t.creditline_id WHERE \
             l.loan_id <> t.loan_id",
        ),
        (
            "allocations",
            "payment_allocations a JOIN loan_transactions t ON t.transaction_id = \
             a.transaction_id JOIN payments_due d ON d.row_id = a.payment_due_id WHERE \
             d.loan_id <> t.loan_id",
        ),
        (
            "drawers",
            "loan_transactions t LEFT JOIN cash_drawer_transactions d ON d.transaction_id = \
             t.transaction_reference_no WHERE t.cash_drawer_id IS NOT NULL AND \
             d.transaction_id IS NULL",
        ),
        (
            "cards",
            "automated_payments a JOIN payment_gateway_tokens c ON c.payment_gateway_token_id = \
             a.payment_gateway_token_id WHERE c.loan_id <> a.loan_id",
        ),
        (
            "documents of comments",
            "documents d LEFT JOIN comments c ON c.comment_id = d.owner_id WHERE d.owner_type = \
             'collateral_comment' AND c.collateral_id IS NULL",
        ),
        (
            "values of contacts",
            "user_defined_values v JOIN user_defined_fields f ON f.field_id = v.field_id LEFT \
             JOIN contacts c ON c.contact_id = v.record_id WHERE f.form = 'contact_detail' AND \
             c.contact_id IS NULL",
        ),
    ] {
        assert_no_rows(world, description, violations).await;
    }
}

#[tokio::test]
async fn the_demo_portfolio_covers_every_kind_of_row_and_every_read() {
    on_each_database(PROGRAM, |world| async {
        fill(&world, demo::LOANS).await;
        check_kinds_of_rows(&world).await;
        check_reads_of_the_admin(&world).await;
        check_reads_of_the_web_user(&world).await;
        world
    })
    .await;
}

async fn check_kinds_of_rows(world: &World) {
    let admin = world.token("admin").await;
    for (loan, days) in [(3, 10), (4, 35), (5, 95), (6, 0), (49, 95)] {
        let loan = world.client.get(&admin, &format!("/loans/{loan}")).await.expect(200).json();
        assert_eq!(loan["Days_Past_Due"], days, "{loan:#}");
    }
    let ahead = world.client.get(&admin, "/loans/2").await.expect(200).json();
    assert_eq!(ahead["Paid_Ahead_Amount"], ahead["Payment_Amount"], "{ahead:#}");
    for (table, column, expected) in [
        ("recurring_transactions", "event_type", 6),
        ("automated_payments", "payment_type", 2),
        ("payment_gateway_tokens", "entry_type", 2),
        ("collaterals", "collateral_code", 3),
        ("comments", "priority", 3),
        ("documents", "owner_type", 8),
        ("user_defined_fields", "form", 9),
        ("trustees", "object_type", 5),
        ("credit_profiles", "report_id", 5),
        ("batch_runs", "kind", 2),
        ("cash_drawers", "drawer_type", 2),
        ("cash_drawer_reconciliations", "status", 2),
        ("web_credentials", "contact_id", 3),
    ] {
        let sql = format!("SELECT COUNT(DISTINCT {column}) FROM {table}");
        assert_eq!(world.count(&sql).await, expected, "{table} {column}");
    }
}

/// Operations with the members that the interface names in their responses.
const NAMED: [(&str, &[&str]); 8] = [
    ("list_cards", &["EntryType", "BrandType", "ForgetFlag", "PaymentGatewayTokenID"]),
    ("get_card", &["EntryType", "BrandType", "ForgetFlag", "PaymentGatewayTokenID"]),
    ("get_collateral_comment", &["versionHash"]),
    ("get_automated_payment", &["Temp_Grace_Period", "PaymentGatewayTokenID"]),
    ("get_contact", &["IDExpiryDate1", "IDExpiryDate2"]),
    ("get_loan", &["ContractualJurisdiction"]),
    ("list_recurring_transactions", &["Numerator", "Denominator"]),
    ("list_relationship_codes", &["Auto_Prev_Addr"]),
];

async fn check_reads_of_the_admin(world: &World) {
    let admin = world.token("admin").await;
    let examples = examples(&world.db).await.expect("examples");
    let examples: BTreeMap<&str, String> = examples.into_iter().collect();
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    for (path, described) in document["paths"].as_object().expect("paths") {
        let Some(id) = described["get"]["operationId"].as_str() else { continue };
        let example = examples.get(id).unwrap_or_else(|| panic!("{id} has no example"));
        let path_only = example.split('?').next().unwrap_or_default();
        let operation = operations().find(&reqwest::Method::GET, path_only);
        assert_eq!(operation.map(|found| &found.path), Some(path), "{id}");
        let response = world.client.get(&admin, example).await.expect(200);
        let bytes = id == "download_file" && !response.text.is_empty();
        assert!(bytes || !is_empty(&response.json()), "{id} {example}: {}", response.text);
        // The members that the interface names.
        let named = NAMED.iter().find(|(named, _)| *named == id);
        for name in named.map_or(&[][..], |(_, names)| names) {
            assert!(response.text.contains(&format!("\"{name}\":")), "{id} {example}: {name}");
        }
    }
}

async fn check_reads_of_the_web_user(world: &World) {
    let web = world.client.log_in("web", installer::seed::WEB_USER_NAME, PASSWORD).await;
    let web = web.expect("the web user logs in");
    let examples = examples(&world.db).await.expect("examples");
    for id in [
        "list_contact_detail",
        "list_credit_lines",
        "get_credit_used",
        "list_draws",
        "list_cards",
        "get_card",
        "get_convenience_fee",
    ] {
        let (_, path) = examples.iter().find(|(operation_id, _)| *operation_id == id).expect(id);
        let response = world.client.get(&web, path).await.expect(200).json();
        assert!(!is_empty(&response), "{id} {path}: {response}");
    }
}

fn is_empty(response: &Value) -> bool {
    response.as_array().is_some_and(Vec::is_empty) || response.is_null()
}

#[tokio::test]
async fn the_smallest_portfolio_has_data_for_every_operation_but_those_on_due_dates() {
    on_embedded_database(PROGRAM, |world| async {
        fill(&world, 1).await;
        let examples = examples(&world.db).await.expect("examples");
        let has_data = |id: &str| examples.iter().any(|(operation, _)| *operation == id);
        let reads = operations().all().filter(|operation| operation.method == reqwest::Method::GET);
        let without = reads.map(|operation| operation.id).filter(|id| !has_data(id));
        let without: BTreeSet<_> = without.collect();
        // The only loan is a credit line.
        assert_eq!(without, BTreeSet::from(["get_loan_schedule", "list_payments_due"]));
        world
    })
    .await;
}

#[tokio::test]
async fn a_demo_portfolio_is_refused_if_loans_exist() {
    on_embedded_database(PROGRAM, |world| async {
        let admin = world.token("admin").await;
        let users = world.count("SELECT COUNT(*) FROM users").await;
        world.import(&admin, &file(&borrower_with_loan(1, PUBLISHED_TERMS))).await;
        fill(&world, LOANS).await;
        assert_eq!(world.count("SELECT COUNT(*) FROM loans").await, 1, "somebody else's");
        assert_eq!(world.count("SELECT COUNT(*) FROM users").await, users);
        world.sql("INSERT INTO settings (name, value) VALUES ('demo_portfolio', 'begun')").await;
        let refused =
            demo::fill(&world.db, &world.documents(), &world.master_keys(), LOANS, PASSWORD)
                .await
                .expect_err("interrupted")
                .0;
        assert!(refused.contains("start again with an empty database"), "{refused}");
        assert_eq!(refused.lines().count(), 1);
        world
    })
    .await;
}

#[tokio::test]
async fn changes_by_an_administrator_to_standing_rows_are_kept() {
    on_each_database(PROGRAM, |world| async {
        standing_rows::ensure(&world.db).await.expect("standing rows");
        let rule = "SELECT COUNT(*) FROM convenience_fee_rules WHERE loan_group_id IS NULL AND \
             brand_type IS NULL";
        assert_eq!(world.count(rule).await, 1);
        let drawer = "SELECT COUNT(*) FROM cash_drawers d JOIN cash_drawer_assignments a ON \
             a.drawer_id = d.drawer_id JOIN users u ON u.user_id = a.user_id WHERE u.user_name = \
             'teller' AND d.drawer_type = 'individual' AND d.status = 'open'";
        assert_eq!(world.count(drawer).await, 1);
        world.sql("UPDATE convenience_fee_rules SET active_flag = (1 = 0)").await;
        world.sql("UPDATE cash_drawers SET name = 'Window'").await;
        world.sql("UPDATE user_defined_fields SET label = 'Ours' WHERE sequence = 1").await;
        world.sql("DELETE FROM user_defined_fields WHERE sequence = 3").await;
        let before = standing_row_counts(&world).await;
        standing_rows::ensure(&world.db).await.expect("standing rows");
        assert_eq!(standing_row_counts(&world).await, before);
        world
    })
    .await;
}

async fn standing_row_counts(world: &World) -> [Vec<Value>; 4] {
    let db = &world.db;
    [
        convenience_fee_rules::Entity::find().into_json().all(db).await.expect("rows"),
        cash_drawers::Entity::find().into_json().all(db).await.expect("rows"),
        cash_drawer_assignments::Entity::find().into_json().all(db).await.expect("rows"),
        user_defined_fields::Entity::find().into_json().all(db).await.expect("rows"),
    ]
}
