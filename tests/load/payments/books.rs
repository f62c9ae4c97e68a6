//! Do the books add up? Asked in plain SQL of the tables, with nothing of the servers' code in
//! between, and of what the senders know.

use super::sender::Payment;
use acceptance::World;
use sea_orm::{ConnectionTrait, Statement};
use std::collections::HashMap;

/// More than these of one kind are not listed.
const LISTED: usize = 3;

/// What each statement finds is wrong: loans, entries or rows by their ids.
const RULES: [(&str, &str); 9] = [
    (
        "a row on another balance than its code says",
        "SELECT transaction_id FROM loan_transactions JOIN transaction_codes c \
         USING (transaction_code) WHERE c.balance_name IS DISTINCT FROM \
         loan_transactions.balance_name OR transaction_amount <= 0",
    ),
    (
        "a balance that is not the sum of its transactions",
        "SELECT loan_id FROM loans LEFT JOIN (SELECT loan_id AS id, \
         SUM(sign * transaction_amount) FILTER (WHERE c.balance_name = 'principal') AS principal, \
         SUM(sign * transaction_amount) FILTER (WHERE c.balance_name = 'late_charge') AS late, \
         SUM(sign * transaction_amount) FILTER (WHERE c.balance_name = 'fees') AS fees, \
         SUM(sign * transaction_amount) FILTER (WHERE c.balance_name = 'impound') AS impound, \
         SUM(sign * transaction_amount) FILTER (WHERE c.balance_name = 'suspense') AS suspense \
         FROM loan_transactions JOIN transaction_codes c USING (transaction_code) \
         GROUP BY loan_id) sums ON id = loan_id \
         WHERE current_principal_balance <> COALESCE(principal, 0) \
         OR current_late_charge_balance <> COALESCE(late, 0) \
         OR current_fees_balance <> COALESCE(fees, 0) \
         OR current_impound_balance <> COALESCE(impound, 0) \
         OR current_suspense_balance <> COALESCE(suspense, 0)",
    ),
    (
        "settled interest that is not the sum of its transactions",
        "SELECT loan_id FROM loans LEFT JOIN (SELECT loan_id AS id, \
         -SUM(sign * transaction_amount) AS settled FROM loan_transactions \
         JOIN transaction_codes c USING (transaction_code) WHERE c.balance_name = 'interest' \
         GROUP BY loan_id) sums ON id = loan_id \
         WHERE interest_settled_total <> COALESCE(settled, 0)",
    ),
    (
        "an entry whose parts do not come to its total",
        "SELECT transaction_reference_no FROM loan_transactions \
         WHERE transaction_code IN (120, 122, 124, 126, 128, 130, 132, 134) \
         AND transaction_reference_no IN (SELECT transaction_reference_no FROM loan_transactions \
         WHERE transaction_code = 120) GROUP BY transaction_reference_no \
         HAVING SUM(CASE transaction_code WHEN 120 THEN -transaction_amount \
         WHEN 134 THEN -transaction_amount ELSE transaction_amount END) <> 0 \
         OR COUNT(*) FILTER (WHERE transaction_code = 120) <> 1 \
         OR COUNT(DISTINCT loan_id) <> 1 OR COUNT(DISTINCT transaction_code) <> COUNT(*)",
    ),
    (
        "a part of a payment without its total",
        "SELECT transaction_id FROM loan_transactions part \
         WHERE transaction_code IN (122, 124, 126, 128, 134) AND NOT EXISTS (SELECT 1 \
         FROM loan_transactions total WHERE total.transaction_code = 120 \
         AND total.transaction_id = part.transaction_reference_no)",
    ),
    (
        "a row that is allocated beyond its amount, or to another loan, or not by its kind",
        "SELECT t.transaction_id FROM payment_allocations a \
         JOIN loan_transactions t USING (transaction_id) \
         JOIN payments_due d ON d.row_id = a.payment_due_id \
         GROUP BY t.transaction_id, t.transaction_amount HAVING SUM(a.amount) > \
         t.transaction_amount OR MIN(a.amount) <= 0 OR BOOL_OR(d.loan_id <> t.loan_id) \
         OR BOOL_OR(t.transaction_code NOT IN (122, 124))",
    ),
    (
        "a due row that is paid beyond what is due",
        "SELECT row_id FROM payments_due WHERE interest_paid > interest_due \
         OR principal_paid > principal_due OR interest_paid < 0 OR principal_paid < 0",
    ),
    (
        "a due row that is not paid what was allocated to it",
        "SELECT d.row_id FROM payments_due d LEFT JOIN (SELECT payment_due_id, \
         SUM(amount) FILTER (WHERE transaction_code = 124) AS interest, \
         SUM(amount) FILTER (WHERE transaction_code = 122) AS principal \
         FROM payment_allocations JOIN loan_transactions USING (transaction_id) \
         GROUP BY payment_due_id) sums ON payment_due_id = d.row_id \
         WHERE interest_paid <> COALESCE(interest, 0) OR principal_paid <> COALESCE(principal, 0)",
    ),
    (
        "a cash drawer that does not hold the sum of its rows",
        "SELECT d.drawer_id FROM cash_drawers d LEFT JOIN cash_drawer_transactions t \
         ON t.drawer_id = d.drawer_id GROUP BY d.drawer_id, cash_balance, check_balance \
         HAVING cash_balance <> COALESCE(SUM(amount) FILTER (WHERE tender = 'cash'), 0) \
         OR check_balance <> COALESCE(SUM(amount) FILTER (WHERE tender = 'check'), 0) \
         OR cash_balance < 0 OR check_balance < 0",
    ),
];

/// What the books say of the payments that were sent.
pub struct Finding {
    /// Payments in the books.
    pub posted: usize,
    /// Of those that were never acknowledged, so many are in the books.
    pub unacknowledged: usize,
    /// What is wrong, a line each.
    pub faults: Vec<String>,
}

/// A payment in the books.
struct Total {
    id: i64,
    units: i64,
}

/// Checks everything. `all` payments must be there; else only those that were acknowledged.
pub async fn check(world: &World, payments: &[Payment], all: bool) -> Result<Finding, String> {
    let mut faults = Vec::new();
    for (rule, sql) in RULES {
        let ids = rows(world, sql).await?;
        let ids: Result<Vec<i64>, _> = ids.iter().map(|row| row.try_get_by_index(0)).collect();
        let ids = ids.map_err(|error| error.to_string())?;
        if !ids.is_empty() {
            let listed = &ids[..ids.len().min(LISTED)];
            faults.push(format!("{rule}: {} times, such as {listed:?}", ids.len()));
        }
    }
    let totals = totals(world).await?;
    let mut compared = compare(&totals, payments, all);
    faults.append(&mut compared.faults);
    Ok(Finding { faults, ..compared })
}

async fn rows(world: &World, sql: &str) -> Result<Vec<sea_orm::QueryResult>, String> {
    let statement = Statement::from_string(world.db.get_database_backend(), sql);
    world.db.query_all_raw(statement).await.map_err(|error| format!("{error}: {sql}"))
}

/// Every payment in the books, by loan and External_ID.
async fn totals(world: &World) -> Result<HashMap<(i64, String), Vec<Total>>, String> {
    let sql = "SELECT loan_id, COALESCE(external_id, ''), transaction_id, transaction_amount \
               FROM loan_transactions WHERE transaction_code = 120";
    let mut totals: HashMap<_, Vec<Total>> = HashMap::new();
    for row in rows(world, sql).await? {
        let read = || -> Result<_, sea_orm::DbErr> {
            let total = Total { id: row.try_get_by_index(2)?, units: row.try_get_by_index(3)? };
            Ok(((row.try_get_by_index(0)?, row.try_get_by_index(1)?), total))
        };
        let (name, total) = read().map_err(|error| error.to_string())?;
        totals.entry(name).or_default().push(total);
    }
    Ok(totals)
}

fn compare(
    totals: &HashMap<(i64, String), Vec<Total>>,
    payments: &[Payment],
    all: bool,
) -> Finding {
    let [mut lost, mut doubled, mut other] = [const { Vec::new() }; 3];
    let (mut unacknowledged, mut known) = (0, 0);
    let (mut in_books, mut acknowledged) = (0, 0);
    for payment in payments {
        let found = totals.get(&(payment.loan_id, payment.name.clone()));
        let found = found.map_or(&[][..], Vec::as_slice);
        known += found.len();
        match (found, payment.transaction_id) {
            ([], None) if !all => {}
            ([], _) => lost.push(&payment.name),
            ([total], id) => {
                // The database's amounts are in ten thousandths.
                if total.units != payment.cents * 100 || id.is_some_and(|id| id != total.id) {
                    other.push(&payment.name);
                }
                unacknowledged += usize::from(id.is_none());
                in_books += if id.is_some() || all { total.units } else { 0 };
            }
            _ => doubled.push(&payment.name),
        }
        let counts = payment.transaction_id.is_some() || all;
        acknowledged += if counts { payment.cents * 100 } else { 0 };
    }
    let posted: usize = totals.values().map(Vec::len).sum();
    let mut faults = Vec::new();
    for (what, names) in [("lost", lost), ("doubled", doubled), ("not what was sent", other)] {
        if !names.is_empty() {
            let listed = &names[..names.len().min(LISTED)];
            faults.push(format!("payments {what}: {}, such as {listed:?}", names.len()));
        }
    }
    if posted != known {
        faults.push(format!("payments that nobody has sent: {}", posted - known));
    }
    if in_books != acknowledged {
        faults.push(format!("{in_books} is in the books, and {acknowledged} was acknowledged"));
    }
    Finding { posted, unacknowledged, faults }
}
