//! Whether the copy's books add up, asked in plain SQL that all three databases understand.

use crate::installation::checks::{CheckName, Report};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};

/// The checks' names, and what they expect.
pub(super) const CHECKS: [CheckName; 5] = [
    ("loan balances", "each is the sum of the loan's rows"),
    ("settled interest", "the sum of the loan's interest rows"),
    ("payments", "the parts of each add up to its total"),
    ("due rows", "each paid what was allocated to it, and no more than is due"),
    ("cash drawers", "each holds the sum of its rows"),
];

/// The queries that find the ids of faulty rows, in the order of the names.
const RULES: [&str; 5] = [
    "SELECT loan_id AS id FROM loans LEFT JOIN (SELECT t.loan_id AS owner, \
     SUM(CASE c.balance_name WHEN 'principal' THEN c.sign * transaction_amount END) AS principal, \
     SUM(CASE c.balance_name WHEN 'late_charge' THEN c.sign * transaction_amount END) AS late, \
     SUM(CASE c.balance_name WHEN 'fees' THEN c.sign * transaction_amount END) AS fees, \
     SUM(CASE c.balance_name WHEN 'impound' THEN c.sign * transaction_amount END) AS impound, \
     SUM(CASE c.balance_name WHEN 'suspense' THEN c.sign * transaction_amount END) AS suspense \
     FROM loan_transactions t JOIN transaction_codes c \
     ON c.transaction_code = t.transaction_code GROUP BY t.loan_id) sums ON owner = loan_id \
     WHERE current_principal_balance <> COALESCE(principal, 0) \
     OR current_late_charge_balance <> COALESCE(late, 0) \
     OR current_fees_balance <> COALESCE(fees, 0) \
     OR current_impound_balance <> COALESCE(impound, 0) \
     OR current_suspense_balance <> COALESCE(suspense, 0)",
    "SELECT loan_id AS id FROM loans LEFT JOIN (SELECT t.loan_id AS owner, \
     SUM(-c.sign * transaction_amount) AS settled FROM loan_transactions t \
     JOIN transaction_codes c ON c.transaction_code = t.transaction_code \
     WHERE c.balance_name = 'interest' GROUP BY t.loan_id) sums ON owner = loan_id \
     WHERE interest_settled_total <> COALESCE(settled, 0)",
    "SELECT transaction_reference_no AS id FROM loan_transactions \
     WHERE transaction_code IN (120, 122, 124, 126, 128, 130, 132, 134) \
     AND transaction_reference_no IN (SELECT transaction_reference_no FROM loan_transactions \
     WHERE transaction_code IN (120, 122, 124, 126, 128)) GROUP BY transaction_reference_no \
     HAVING SUM(CASE transaction_code WHEN 120 THEN -transaction_amount \
     WHEN 134 THEN -transaction_amount ELSE transaction_amount END) <> 0 \
     OR SUM(CASE transaction_code WHEN 120 THEN 1 ELSE 0 END) <> 1 \
     OR COUNT(DISTINCT loan_id) <> 1",
    "SELECT d.row_id AS id FROM payments_due d LEFT JOIN (SELECT payment_due_id, \
     SUM(CASE transaction_code WHEN 124 THEN amount END) AS interest, \
     SUM(CASE transaction_code WHEN 122 THEN amount END) AS principal \
     FROM payment_allocations a JOIN loan_transactions t ON t.transaction_id = a.transaction_id \
     GROUP BY payment_due_id) sums ON payment_due_id = d.row_id \
     WHERE interest_paid <> COALESCE(interest, 0) OR principal_paid <> COALESCE(principal, 0) \
     OR interest_paid > interest_due OR principal_paid > principal_due",
    "SELECT d.drawer_id AS id FROM cash_drawers d LEFT JOIN cash_drawer_transactions t \
     ON t.drawer_id = d.drawer_id GROUP BY d.drawer_id, cash_balance, check_balance \
     HAVING cash_balance <> COALESCE(SUM(CASE tender WHEN 'cash' THEN amount END), 0) \
     OR check_balance <> COALESCE(SUM(CASE tender WHEN 'check' THEN amount END), 0)",
];

/// Runs all of these checks.
pub(super) async fn check(copy: &DatabaseConnection, report: &mut Report) {
    let advice = "restore the backup again; if the result is the same, take another backup, and \
                  check whether the live database has the same fault";
    for (check, rule) in CHECKS.into_iter().zip(RULES) {
        match find(copy, rule).await {
            Ok((0, _)) => report.pass(check, "all add up"),
            Ok((faulty_count, first)) => {
                let first = first.unwrap_or_default();
                let found = format!("{faulty_count} faulty, the first with id {first}");
                report.fail(check, found, advice);
            }
            Err(error) => report.fail(check, error.to_string(), advice),
        }
    }
}

async fn find(copy: &DatabaseConnection, rule: &str) -> Result<(i64, Option<i64>), DbErr> {
    let sql = format!("SELECT COUNT(*), MIN(id) FROM ({rule}) wrong");
    let row = copy.query_one_raw(Statement::from_string(copy.get_database_backend(), sql)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
    Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?))
}
