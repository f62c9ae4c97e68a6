//! Reconciliation of the books, in SQL that the databases share, without any of the servers' code,
//! and against what the senders know.

use super::jobs::{Job, State, Work};
use super::{card_books, drawer_books};
use acceptance::{Database, World};
use sea_orm::{ConnectionTrait, Statement};
use std::collections::HashMap;

/// The most faults of one kind listed.
const LISTED: usize = 3;

/// Each statement finds what is wrong: loans, entries or rows by id.
const RULES: [(&str, &str); 8] = [
    (
        "a row on another balance than its code says",
        "SELECT transaction_id FROM loan_transactions JOIN transaction_codes c \
         USING (transaction_code) WHERE COALESCE(c.balance_name, '') <> \
         COALESCE(loan_transactions.balance_name, '') OR transaction_amount <= 0",
    ),
    (
        "a balance that is not the sum of its transactions",
        "SELECT loan_id FROM loans LEFT JOIN (SELECT loan_id AS id, \
         SUM(CASE c.balance_name WHEN 'principal' THEN sign * transaction_amount END) AS principal, \
         SUM(CASE c.balance_name WHEN 'late_charge' THEN sign * transaction_amount END) AS late, \
         SUM(CASE c.balance_name WHEN 'fees' THEN sign * transaction_amount END) AS fees, \
         SUM(CASE c.balance_name WHEN 'impound' THEN sign * transaction_amount END) AS impound, \
         SUM(CASE c.balance_name WHEN 'suspense' THEN sign * transaction_amount END) AS suspense \
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
        "an entry whose parts do not add up to its total",
        "SELECT transaction_reference_no FROM loan_transactions \
         WHERE transaction_code IN (120, 122, 124, 126, 128, 130, 132, 134) \
         AND transaction_reference_no IN (SELECT transaction_reference_no FROM loan_transactions \
         WHERE transaction_code = 120) GROUP BY transaction_reference_no \
         HAVING SUM(CASE transaction_code WHEN 120 THEN -transaction_amount \
         WHEN 134 THEN -transaction_amount ELSE transaction_amount END) <> 0 \
         OR COUNT(CASE transaction_code WHEN 120 THEN 1 END) <> 1 \
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
         t.transaction_amount OR MIN(a.amount) <= 0 \
         OR COUNT(CASE WHEN d.loan_id <> t.loan_id THEN 1 END) > 0 \
         OR COUNT(CASE WHEN t.transaction_code NOT IN (122, 124) THEN 1 END) > 0",
    ),
    (
        "a due row that is paid beyond what is due",
        "SELECT row_id FROM payments_due WHERE interest_paid > interest_due \
         OR principal_paid > principal_due OR interest_paid < 0 OR principal_paid < 0",
    ),
    (
        "a due row that is not paid what was allocated to it",
        "SELECT d.row_id FROM payments_due d LEFT JOIN (SELECT payment_due_id, \
         SUM(CASE transaction_code WHEN 124 THEN amount END) AS interest, \
         SUM(CASE transaction_code WHEN 122 THEN amount END) AS principal \
         FROM payment_allocations JOIN loan_transactions USING (transaction_id) \
         GROUP BY payment_due_id) sums ON payment_due_id = d.row_id \
         WHERE interest_paid <> COALESCE(interest, 0) OR principal_paid <> COALESCE(principal, 0)",
    ),
];

/// Every row that a job leaves, by the name of the job, in the format of [`Job::lines`]. An amount
/// that is not in whole cents is followed by its remainder.
const LINES: &str = "SELECT name, id, line FROM (\
    SELECT 1 AS part, external_id AS name, transaction_id AS id, CONCAT_WS('', 'loan ', loan_id, \
    ', ', FLOOR(transaction_amount / 100), NULLIF(transaction_amount % 100, 0), \
    CASE WHEN cash_drawer_id IS NOT NULL THEN CONCAT(', drawer ', cash_drawer_id) END, \
    CASE payment_method_code WHEN 'CASH' THEN ', CASH' END, \
    CASE WHEN payment_gateway_token_id IS NOT NULL \
    THEN CONCAT(', card ', payment_gateway_token_id) END) AS line FROM loan_transactions \
    WHERE transaction_code = 120 \
    UNION ALL SELECT 2, COALESCE(external_id, reference), drawer_transaction_id, \
    CONCAT_WS('', 'drawer ', drawer_id, ', ', transaction_type, ', ', tender, ', ', \
    FLOOR(amount / 100), NULLIF(amount % 100, 0)) FROM cash_drawer_transactions \
    LEFT JOIN loan_transactions USING (transaction_id) WHERE transaction_type <> 'over_short' \
    UNION ALL SELECT 3, comment, reconciliation_id, CONCAT_WS('', 'count of ', drawer_id, \
    ', cash ', FLOOR(counted_cash / 100), NULLIF(counted_cash % 100, 0), ', check ', \
    FLOOR(counted_check / 100), NULLIF(counted_check % 100, 0)) \
    FROM cash_drawer_reconciliations) found ORDER BY part, id";

/// What the books show about the jobs sent.
pub struct BooksCheck {
    /// The number of jobs in the books.
    pub posted: usize,
    /// The number of jobs in the books that were never acknowledged.
    pub unacknowledged: usize,
    /// What is wrong, one line each.
    pub faults: Vec<String>,
}

/// A row in the books, left by a job.
struct BookLine {
    id: i64,
    text: String,
}

/// Checks everything. With `all`, every job must be in the books except refused ones; otherwise
/// only acknowledged ones.
pub async fn check(world: &World, jobs: &[Job], all: bool) -> Result<BooksCheck, String> {
    let mut faults = Vec::new();
    let settled = if all { &card_books::RULES_ONCE_SETTLED[..] } else { &[] };
    let rules = RULES.iter().chain(&drawer_books::RULES).chain(&card_books::RULES).chain(settled);
    for (rule, sql) in rules {
        let ids = rows(world, sql).await?;
        let ids: Result<Vec<i64>, _> = ids.iter().map(|row| row.try_get_by_index(0)).collect();
        let ids = ids.map_err(|error| error.to_string())?;
        if !ids.is_empty() {
            let listed = &ids[..ids.len().min(LISTED)];
            faults.push(format!("{rule}: {} times, such as {listed:?}", ids.len()));
        }
    }
    let lines = lines(world).await?;
    let mut compared = compare(&lines, jobs, all);
    faults.append(&mut compared.faults);
    if all {
        faults.extend(compare_sum(world, jobs).await);
    }
    Ok(BooksCheck { faults, ..compared })
}

async fn rows(world: &World, sql: &str) -> Result<Vec<sea_orm::QueryResult>, String> {
    let sql = match world.database {
        // Its division of whole numbers has no fraction, and it has no such function.
        Database::Sqlite => &sql.replace("FLOOR", ""),
        Database::Server(_) => sql,
    };
    let statement = Statement::from_string(world.db.get_database_backend(), sql);
    world.db.query_all_raw(statement).await.map_err(|error| format!("{error}: {sql}"))
}

/// Every line in the books, by the name of its job.
async fn lines(world: &World) -> Result<HashMap<String, Vec<BookLine>>, String> {
    let mut lines: HashMap<_, Vec<BookLine>> = HashMap::new();
    for row in rows(world, LINES).await? {
        let read = || -> Result<_, sea_orm::DbErr> {
            let name: Option<String> = row.try_get_by_index(0)?;
            let line = BookLine { id: row.try_get_by_index(1)?, text: row.try_get_by_index(2)? };
            Ok((name.unwrap_or_default(), line))
        };
        let (name, line) = read().map_err(|error| error.to_string())?;
        lines.entry(name).or_default().push(line);
    }
    Ok(lines)
}

fn compare(lines: &HashMap<String, Vec<BookLine>>, jobs: &[Job], all: bool) -> BooksCheck {
    let [mut lost, mut duplicated, mut different, mut refused] = [const { Vec::new() }; 4];
    let (mut posted, mut unacknowledged) = (0, 0);
    for job in jobs {
        let found = lines.get(&job.name).map_or(&[][..], Vec::as_slice);
        let sent = job.lines();
        posted += usize::from(!found.is_empty());
        let has_right_id = |line: &BookLine| match job.state {
            State::Acknowledged(id) => id == line.id,
            _ => true,
        };
        match found {
            [] if job.state == State::Refused || job.state == State::Open && !all => {}
            [] => lost.push(&job.name),
            _ if job.state == State::Refused => refused.push(&job.name),
            _ if found.len() > sent.len() => duplicated.push(&job.name),
            [first, ..]
                if has_right_id(first) && found.iter().map(|line| &line.text).eq(sent.iter()) =>
            {
                unacknowledged += usize::from(job.state == State::Open);
            }
            _ => different.push(&job.name),
        }
    }
    let mut faults = Vec::new();
    for (what, names) in [
        ("lost", lost),
        ("duplicated", duplicated),
        ("not what was sent", different),
        ("refused but posted", refused),
    ] {
        if !names.is_empty() {
            let listed = &names[..names.len().min(LISTED)];
            faults.push(format!("{what}: {}, such as {listed:?}", names.len()));
        }
    }
    if posted != lines.len() {
        faults.push(format!("posted but never sent: {}", lines.len() - posted));
    }
    BooksCheck { posted, unacknowledged, faults }
}

/// Reports if the sum of all payments differs from what was acknowledged.
async fn compare_sum(world: &World, jobs: &[Job]) -> Option<String> {
    let integer = if world.database.name() == "mysql" { "signed" } else { "bigint" };
    let sum = format!(
        "SELECT CAST(COALESCE(SUM(transaction_amount), 0) AS {integer}) \
         FROM loan_transactions WHERE transaction_code = 120"
    );
    let in_books = world.count(&sum).await;
    let paid = jobs.iter().map(|job| match (&job.work, job.state) {
        // The database's amounts are in units of 1/10,000.
        (Work::Payment { cents, .. } | Work::CardPayment { cents, .. }, State::Acknowledged(_)) => {
            cents * 100
        }
        _ => 0,
    });
    let acknowledged: i64 = paid.sum();
    (in_books != acknowledged)
        .then(|| format!("{in_books} is in the books, but {acknowledged} was acknowledged"))
}
