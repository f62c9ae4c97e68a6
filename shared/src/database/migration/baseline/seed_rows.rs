//! Rows of every installation: privileges, transaction codes, default settings and a minimum of
//! each setup list.

#![expect(clippy::too_many_lines, reason = "lists of tables and rows, not logic")]

use crate::random::random_bytes;
use sea_orm::sea_query::{Expr, InsertStatement, OnConflict, Query};
use std::collections::BTreeSet;

/// Inserts the rows that do not exist.
pub(super) fn inserts() -> Vec<InsertStatement> {
    let mut inserts = vec![insert_privileges(), insert_transaction_codes()];
    inserts.extend(setup_rows());
    inserts
}

/// Verbs by parent path and comma-separated child paths.
type Verbs = [(&'static str, &'static str, &'static [&'static str])];

/// The privileges. A grant on a parent path applies to its children with the same verb, so each
/// parent has every verb of its children, too.
const PRIVILEGES: &Verbs = &[
    ("Contact", "Records,Credit Profiles,Field History,Tax ID", &["View"]),
    ("Contact", "Detail,Demographics,Financials,Comments", &["View", "Change"]),
    ("Contact", "Access to Other Officers", &["Allow"]),
    ("Loan", "Records,Transactions,Recurring Transactions,Credit Lines,Field History", &["View"]),
    ("Loan", "Detail 1,Detail 2,Comments", &["View", "Change"]),
    ("Loan", "Automated Payments", &["View", "View Account"]),
    ("Loan", "Payments", &["Add", "Backdate", "Split", "Payoff", "Reverse"]),
    ("Loan", "Adjustments", &["Charge", "Waive", "Disburse"]),
    ("Loan", "Access to Other Officers", &["Allow"]),
    ("Collateral", "Records", &["View"]),
    ("Collateral", "Comments", &["View", "Change", "Delete"]),
    ("Cash Drawer", "Drawers", &["View"]),
    ("Cash Drawer", "Transactions,Reconciliations", &["View", "Add"]),
    ("Cash Drawer", "Funding,Supervise", &["Allow"]),
    ("Payment Gateway", "Cards", &["View", "Add", "Forget"]),
    ("Payment Gateway", "Convenience Fee", &["View", "Waive"]),
    ("Payment Gateway", "Payments", &["Add"]),
    ("Setup", "Loan,Contact", &["View"]),
    ("Security", "Users,Privileges", &["View"]),
    ("Processing", "ACH Batch,Accrual", &["View"]),
];

/// Returns paths and verbs, those of the parents included.
fn with_parents(privileges: &Verbs) -> BTreeSet<(String, &'static str)> {
    let mut list = BTreeSet::new();
    for (parent, children, verbs) in privileges {
        for verb in *verbs {
            list.insert(((*parent).to_owned(), *verb));
            list.extend(children.split(',').map(|child| (format!("{parent} > {child}"), *verb)));
        }
    }
    list
}

/// A forward code: number, description, balance and sign. The code after it is its reversal.
type ForwardCode = (i32, &'static str, Option<&'static str>, i32);

const TRANSACTION_CODES: [ForwardCode; 19] = [
    (100, "Advance", Some("principal"), 1),
    (110, "Draw on credit line", Some("principal"), 1),
    (120, "Payment total", None, 0),
    (122, "Principal payment", Some("principal"), -1),
    (124, "Interest payment", Some("interest"), -1),
    (126, "Late charge payment", Some("late_charge"), -1),
    (128, "Fee payment", Some("fees"), -1),
    (130, "Impound payment", Some("impound"), 1),
    (132, "Suspense payment", Some("suspense"), 1),
    (134, "Suspense applied", Some("suspense"), -1),
    (140, "Late charge assessed", Some("late_charge"), 1),
    (142, "Fee assessed", Some("fees"), 1),
    (144, "Convenience fee", None, 0),
    (150, "Interest reduction", Some("interest"), -1),
    (152, "Principal write-off", Some("principal"), -1),
    (154, "Impound disbursement", Some("impound"), -1),
    (156, "Late charge waived", Some("late_charge"), -1),
    (158, "Fee waived", Some("fees"), -1),
    (160, "Suspense disbursement", Some("suspense"), -1),
];

fn insert_transaction_codes() -> InsertStatement {
    let codes = TRANSACTION_CODES.into_iter().flat_map(|(code, description, balance, sign)| {
        let row = |code: i32, text: String, sign: i32, reversal: Option<i32>| -> [Expr; 6] {
            let (code, text, balance) = (code.into(), text.into(), balance.into());
            [code, text, balance, sign.into(), reversal.into(), true.into()]
        };
        let reversal = format!("{description} reversed");
        [
            row(code, description.to_owned(), sign, Some(code + 1)),
            row(code + 1, reversal, -sign, None),
        ]
    });
    let columns =
        ["transaction_code", "description", "balance_name", "sign", "reversal_code", "active_flag"];
    insert("transaction_codes", columns, codes)
}

/// Inserts privileges, those on the parents included.
fn insert_privileges() -> InsertStatement {
    let rows = with_parents(PRIVILEGES).into_iter().map(|(path, verb)| [path.into(), verb.into()]);
    insert("privileges", ["path", "verb"], rows)
}

fn insert<const N: usize>(
    table: &'static str,
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = [Expr; N]>,
) -> InsertStatement {
    let mut insert = Query::insert();
    insert.into_table(table).columns(columns);
    for row in rows {
        insert.values_panic(row);
    }
    // MariaDB needs a column to leave as it is.
    insert.on_conflict(OnConflict::new().do_nothing_on(columns.into_iter().take(1)).to_owned());
    insert
}

fn setup_rows() -> Vec<InsertStatement> {
    let row =
        |code: &str, text: &str, flag: bool| [code.into(), text.into(), true.into(), flag.into()];
    let status = |code: &str, text: &str, closed: bool, stop: bool| {
        let (code, text): (Expr, Expr) = (code.into(), text.into());
        [code, text, true.into(), closed.into(), stop.into(), stop.into(), false.into()]
    };
    let method = |code: &str, text: &str, cash: bool, check: bool, default: bool| {
        [code.into(), text.into(), true.into(), cash.into(), check.into(), default.into()]
    };
    let relationship = |code: &str, text: &str, applies_to: &str, previous: bool| {
        [code.into(), text.into(), true.into(), applies_to.into(), previous.into()]
    };
    vec![
        insert(
            "settings",
            ["name", "value"],
            [
                ["web_inactivity_timeout", "20"],
                ["business_time_zone", "UTC"],
                // So that the servers of another database do not take its objects for orphans.
                ["document_store_id", &hex::encode(random_bytes::<16>())],
                // What readiness writes.
                ["readiness_probe", ""],
            ]
            .map(|pair| pair.map(Expr::from)),
        ),
        insert(
            "comment_categories",
            ["code", "description", "active_flag"],
            [["GENERAL".into(), "General".into(), true.into()]],
        ),
        insert(
            "loan_groups",
            ["code", "description", "active_flag", "payment_gateway_flag"],
            [row("CONSUMER", "Consumer loans", true), row("COMMERCIAL", "Commercial loans", false)],
        ),
        insert(
            "portfolios",
            ["code", "description", "active_flag"],
            [["MAIN".into(), "Main portfolio".into(), true.into()]],
        ),
        insert(
            "loan_status_codes",
            [
                "code",
                "description",
                "active_flag",
                "closed_flag",
                "stop_accrual_flag",
                "stop_late_charge_flag",
                "refuse_payments_flag",
            ],
            [
                status("ACTIVE", "Active", false, false),
                status("PAID_OFF", "Paid off", true, false),
                status("CHARGED_OFF", "Charged off", false, true),
                status("CLOSED", "Closed", true, false),
            ],
        ),
        insert(
            "risk_ratings",
            ["code", "description", "active_flag", "rank"],
            [("A", "Low risk", 1), ("B", "Medium risk", 2), ("C", "High risk", 3)]
                .map(|(code, text, rank)| [code.into(), text.into(), true.into(), rank.into()]),
        ),
        insert(
            "interest_plans",
            [
                "name",
                "active_flag",
                "interest_method",
                "interest_year_numerator",
                "interest_year_denominator",
                "rate_type",
                "starting_rate",
            ],
            [[
                "STANDARD".into(),
                true.into(),
                "SI".into(),
                "ACT".into(),
                "365".into(),
                "fixed".into(),
                1_000_000_000i64.into(),
            ]],
        ),
        insert(
            "entities",
            ["entity_code", "description", "active_flag", "person_flag"],
            [row("INDIVIDUAL", "Individual", true), row("COMPANY", "Company", false)],
        ),
        insert(
            "relationship_codes",
            ["relationship_code", "description", "active_flag", "applies_to", "auto_prev_addr"],
            [
                relationship("COBORROWER", "Co-borrower", "loan", false),
                relationship("PREVIOUS", "Previous address", "address", true),
            ],
        ),
        insert(
            "contact_types",
            ["code", "description", "active_flag"],
            [["BORROWER".into(), "Borrower".into(), true.into()]],
        ),
        insert(
            "payment_methods",
            [
                "payment_method_code",
                "description",
                "active_flag",
                "cash_flag",
                "check_flag",
                "default_flag",
            ],
            [
                method("ACH", "Bank transfer", false, false, true),
                method("CASH", "Cash", true, false, false),
                method("CHECK", "Check", false, true, false),
                method("CARD", "Card", false, false, false),
            ],
        ),
    ]
}
