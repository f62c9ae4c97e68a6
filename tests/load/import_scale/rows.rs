//! The rows that an import leaves: how many there are, and whether each contact and loan exists
//! once.

use super::import_result::ImportResult;
use super::portfolio::Portfolio;
use acceptance::World;

/// A table that the import fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilledTable {
    pub name: &'static str,
    /// The column of its primary key.
    pub key: &'static str,
}

const fn table(name: &'static str, key: &'static str) -> FilledTable {
    FilledTable { name, key }
}

/// Tables that the import fills, each after those it refers to.
pub const TABLES: [FilledTable; 5] = [
    table("contacts", "contact_id"),
    table("loans", "loan_id"),
    table("loan_interest_rates", "row_id"),
    table("loan_transactions", "transaction_id"),
    table("field_changes", "row_id"),
];

/// The rows of a table above a key.
#[derive(Clone, Copy, Debug)]
pub struct WrittenRows {
    pub table: FilledTable,
    /// The highest key before the import.
    pub key_before: i64,
    /// The number of rows above it.
    pub rows: u64,
}

impl WrittenRows {
    /// Notes where the rows of the import begin in each table.
    pub async fn before_import(world: &World) -> Vec<Self> {
        let mut all = Vec::new();
        for table in TABLES {
            let FilledTable { name, key } = table;
            let sql = format!("SELECT COALESCE(MAX({key}), 0) FROM {name}");
            all.push(Self { table, key_before: world.count(&sql).await, rows: 0 });
        }
        all
    }

    pub async fn count(all: &mut [Self], world: &World) {
        for written in all {
            let sql = format!("SELECT COUNT(*) FROM {}", written.source());
            written.rows = u64::try_from(world.count(&sql).await).unwrap_or_default();
        }
    }

    /// The FROM clause that selects them.
    pub fn source(&self) -> String {
        let Self { table: FilledTable { name, key }, key_before, .. } = self;
        format!("{name} WHERE {key} > {key_before}")
    }
}

/// Differences between the database and the file, one line each.
pub async fn faults(world: &World, portfolio: &Portfolio, result: &ImportResult) -> Vec<String> {
    let integer = if world.database.name() == "mysql" { "SIGNED" } else { "BIGINT" };
    let contacts = i64::try_from(portfolio.contacts).unwrap_or_default();
    let sum = |key: &str, table: &str| {
        format!("SELECT CAST(COALESCE(SUM({key}), 0) AS {integer}) FROM {table}")
    };
    let checks = [
        ("contacts", "SELECT COUNT(*) FROM contacts".into(), contacts),
        (
            "numbers of contacts",
            "SELECT COUNT(DISTINCT contact_number) FROM contacts".into(),
            contacts,
        ),
        ("loans", "SELECT COUNT(*) FROM loans".into(), contacts),
        ("numbers of loans", "SELECT COUNT(DISTINCT loan_number) FROM loans".into(), contacts),
        (
            "loans of the right contact",
            "SELECT COUNT(*) FROM loans JOIN contacts ON loans.contact_id = contacts.contact_id \
             WHERE SUBSTR(loan_number, 3) = SUBSTR(contact_number, 3)"
                .into(),
            contacts,
        ),
        (
            "loans with their first rate",
            "SELECT COUNT(*) FROM loan_interest_rates JOIN loans \
             ON loans.loan_id = loan_interest_rates.loan_id AND effective_date = origination_date"
                .into(),
            contacts,
        ),
        ("advances", "SELECT COUNT(*) FROM loan_transactions".into(), contacts),
        (
            "histories that begin",
            "SELECT COUNT(*) FROM field_changes \
             WHERE field_name IN ('Contact_Number', 'Loan_Number') AND old_value IS NULL"
                .into(),
            2 * contacts,
        ),
        ("the sum of the ids of contacts", sum("contact_id", "contacts"), result.ids[0]),
        ("the sum of the ids of loans", sum("loan_id", "loans"), result.ids[1]),
    ];
    let mut faults = Vec::new();
    for (what, sql, expected) in checks {
        let sql: String = sql;
        let found = world.count(&sql).await;
        if found != expected {
            faults.push(format!("{what}: {found} in the database, not {expected}"));
        }
    }
    faults
}
