//! Rules for the books of cash drawers, in SQL. A drawer's rows and counts get their ids under its
//! lock, so the order of the ids is the order in which they happened.

use acceptance::{Database, World};
use sea_orm::{EntityTrait, IdenStatic, Iterable};
use shared::entity::{cash_drawer_reconciliations as counts, cash_drawer_transactions as moved};

/// Each statement finds what is wrong: drawers, rows, transfers or counts by id.
pub const RULES: [(&str, &str); 12] = [
    (
        "a cash drawer that does not hold the sum of its rows",
        "SELECT d.drawer_id FROM cash_drawers d LEFT JOIN cash_drawer_transactions t \
         ON t.drawer_id = d.drawer_id GROUP BY d.drawer_id, cash_balance, check_balance \
         HAVING cash_balance <> COALESCE(SUM(CASE tender WHEN 'cash' THEN amount END), 0) \
         OR check_balance <> COALESCE(SUM(CASE tender WHEN 'check' THEN amount END), 0) \
         OR cash_balance < 0 OR check_balance < 0",
    ),
    (
        "a drawer's row with a balance that is not the sum up to it, or below zero",
        "SELECT drawer_transaction_id FROM (SELECT drawer_transaction_id, resulting_balance, \
         SUM(amount) OVER (PARTITION BY drawer_id, tender ORDER BY drawer_transaction_id) AS upto \
         FROM cash_drawer_transactions) r WHERE resulting_balance <> upto OR upto < 0",
    ),
    (
        "a drawer's row with the wrong sign for its type",
        "SELECT drawer_transaction_id FROM cash_drawer_transactions WHERE amount = 0 OR \
         CASE WHEN transaction_type IN ('bank_in', 'adjustment_in', 'transfer_in', 'payment') \
         THEN amount < 0 WHEN transaction_type IN ('bank_out', 'adjustment_out', 'transfer_out') \
         THEN amount > 0 ELSE transaction_type <> 'over_short' END",
    ),
    (
        "a transfer that is not out of one drawer and as much into another",
        "SELECT transfer_reference_no FROM cash_drawer_transactions \
         WHERE transfer_reference_no IS NOT NULL GROUP BY transfer_reference_no \
         HAVING SUM(amount) <> 0 OR COUNT(*) <> 2 OR COUNT(DISTINCT drawer_id) <> 2 \
         OR COUNT(DISTINCT tender) <> 1 OR COUNT(DISTINCT transaction_type) <> 2 \
         OR MIN(drawer_id) <> MIN(counter_drawer_id) OR MAX(drawer_id) <> MAX(counter_drawer_id) \
         OR COUNT(CASE WHEN drawer_id = counter_drawer_id THEN 1 END) > 0 \
         OR MIN(drawer_transaction_id) <> transfer_reference_no",
    ),
    (
        "a row of a transfer without its number, or another row with one",
        "SELECT drawer_transaction_id FROM cash_drawer_transactions \
         WHERE (transaction_type IN ('transfer_in', 'transfer_out')) \
         <> (transfer_reference_no IS NOT NULL) \
         OR (transfer_reference_no IS NULL) <> (counter_drawer_id IS NULL)",
    ),
    (
        "a payment's row in a drawer that is not what was paid",
        "SELECT drawer_transaction_id FROM cash_drawer_transactions d \
         LEFT JOIN loan_transactions t USING (transaction_id) \
         WHERE (transaction_type = 'payment') <> (transaction_id IS NOT NULL) \
         OR transaction_type = 'payment' AND (COALESCE(transaction_code, 0) <> 120 \
         OR transaction_amount <> amount OR t.loan_id <> COALESCE(d.loan_id, 0) \
         OR COALESCE(cash_drawer_id, 0) <> d.drawer_id OR tender <> 'cash')",
    ),
    (
        "a payment of cash without its one row in a drawer, or another one with a row",
        "SELECT transaction_id FROM loan_transactions t \
         LEFT JOIN cash_drawer_transactions d USING (transaction_id) WHERE transaction_code = 120 \
         GROUP BY transaction_id, payment_method_code HAVING COUNT(d.drawer_transaction_id) \
         <> CASE payment_method_code WHEN 'CASH' THEN 1 ELSE 0 END",
    ),
    (
        "a row that a count left out, or froze although it came later, or of another drawer",
        "SELECT drawer_transaction_id FROM (SELECT drawer_transaction_id, drawer_id, \
         reconciliation_id, MIN(COALESCE(reconciliation_id, 9223372036854775807)) OVER \
         (PARTITION BY drawer_id ORDER BY drawer_transaction_id ROWS BETWEEN 1 FOLLOWING \
         AND UNBOUNDED FOLLOWING) AS later FROM cash_drawer_transactions) t \
         LEFT JOIN cash_drawer_reconciliations c USING (reconciliation_id) \
         WHERE COALESCE(reconciliation_id, 9223372036854775807) > later \
         OR reconciliation_id IS NOT NULL AND COALESCE(c.drawer_id, 0) <> t.drawer_id",
    ),
    (
        "a row of what is over or short that is not the last of its count",
        "SELECT drawer_transaction_id FROM (SELECT drawer_transaction_id, transaction_type, \
         reconciliation_id, LEAD(transaction_type) OVER (PARTITION BY drawer_id, \
         reconciliation_id ORDER BY drawer_transaction_id) AS behind \
         FROM cash_drawer_transactions) t WHERE transaction_type = 'over_short' \
         AND (reconciliation_id IS NULL OR behind <> 'over_short')",
    ),
    (
        "a count that expected other sums than those of the rows then, or does not settle them",
        "SELECT reconciliation_id FROM (SELECT c.*, rest_cash, rest_check, \
         SUM(COALESCE(cash, 0)) OVER upto AS cash, SUM(COALESCE(checks, 0)) OVER upto AS checks \
         FROM cash_drawer_reconciliations c LEFT JOIN (SELECT reconciliation_id, \
         SUM(CASE tender WHEN 'cash' THEN amount END) AS cash, \
         SUM(CASE tender WHEN 'check' THEN amount END) AS checks, \
         SUM(CASE WHEN tender = 'cash' AND transaction_type = 'over_short' THEN amount END) \
         AS rest_cash, \
         SUM(CASE WHEN tender = 'check' AND transaction_type = 'over_short' THEN amount END) \
         AS rest_check FROM cash_drawer_transactions GROUP BY reconciliation_id) sums \
         USING (reconciliation_id) WINDOW upto AS (PARTITION BY drawer_id \
         ORDER BY reconciliation_id)) c WHERE counted_cash <> cash OR counted_check <> checks \
         OR over_short_cash <> COALESCE(rest_cash, 0) \
         OR over_short_check <> COALESCE(rest_check, 0) \
         OR expected_cash <> cash - COALESCE(rest_cash, 0) \
         OR expected_check <> checks - COALESCE(rest_check, 0) \
         OR status <> CASE WHEN over_short_cash = 0 AND over_short_check = 0 THEN 'balanced' \
         WHEN over_short_cash >= 0 AND over_short_check >= 0 THEN 'over' \
         WHEN over_short_cash <= 0 AND over_short_check <= 0 THEN 'short' ELSE 'mixed' END",
    ),
    (
        "a drawer with a wrong date of its last count",
        "SELECT drawer_id FROM (SELECT drawer_id, last_reconciled_date AS told, \
         (SELECT reconciled_date FROM cash_drawer_reconciliations c \
         WHERE c.drawer_id = d.drawer_id ORDER BY reconciliation_id DESC LIMIT 1) AS counted \
         FROM cash_drawers d) last WHERE told <> counted OR (told IS NULL) <> (counted IS NULL)",
    ),
    (
        "a drawer with more than one open session, or a reserve with one",
        "SELECT drawer_id FROM cash_drawer_sessions JOIN cash_drawers USING (drawer_id) \
         WHERE ended_date IS NULL GROUP BY drawer_id, drawer_type \
         HAVING COUNT(*) > 1 OR drawer_type = 'reserve'",
    ),
];

/// The counts so far, and the rows they froze, none of which may ever change.
pub struct FrozenRows {
    last_count: i64,
    rows: Vec<String>,
}

impl FrozenRows {
    /// Reads what is frozen now.
    pub async fn read(world: &World) -> Self {
        let last = "SELECT COALESCE(MAX(reconciliation_id), 0) FROM cash_drawer_reconciliations";
        Self::up_to(world, world.count(last).await).await
    }

    async fn up_to(world: &World, last_count: i64) -> Self {
        let moved = rows_up_to::<moved::Entity>(world, last_count).await;
        let counts = rows_up_to::<counts::Entity>(world, last_count).await;
        Self { last_count, rows: [moved, counts].concat() }
    }

    /// Reports if any of it has changed.
    pub async fn compare(&self, world: &World) -> Option<String> {
        let now = Self::up_to(world, self.last_count).await;
        (now.rows != self.rows).then(|| "rows that a count had frozen have changed".to_owned())
    }
}

/// All columns of the rows up to this count, by key.
async fn rows_up_to<E: EntityTrait>(world: &World, last_count: i64) -> Vec<String> {
    let columns: Vec<&str> = E::Column::iter().map(|column| column.as_str()).collect();
    let (table, key) = (E::default().table_name().to_owned(), columns[0]);
    // MariaDB cannot concatenate texts with different collations.
    let plain = |column: &&str| match world.database.name() {
        "mysql" => format!("CAST({column} AS BINARY)"),
        _ => (*column).to_owned(),
    };
    let columns = columns.iter().map(plain).collect::<Vec<_>>().join(", ");
    // SQLite has no such function.
    let hash = if world.database == Database::Sqlite { "" } else { "MD5" };
    let rows = format!(
        "SELECT {hash}(CONCAT_WS('|', {columns})) FROM {table} \
         WHERE reconciliation_id <= {last_count} ORDER BY {key}"
    );
    world.texts(&rows).await
}
