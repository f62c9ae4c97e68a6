//! The schema of the first release, and the rows of every installation.
//!
//! Until that is released, a change of the schema is made here; afterwards it is a migration of its own.

mod card_payments;
mod core_schema;
mod records;
mod seed_rows;
mod services;
mod sessions;

use super::steps::Steps;
use crate::database::clock::sqlite_instant;
use sea_orm::DbBackend;

/// Function that triggers call on PostgreSQL to keep `modified_date`.
pub const TRIGGER_FUNCTION: &str = "set_modified_date()";

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let tables = core_schema::tables()
        .chain(sessions::tables())
        .chain(records::tables())
        .chain(services::tables())
        .chain(card_payments::tables());
    for table in tables {
        steps.create(&table);
    }
    match steps.backend() {
        DbBackend::Postgres => triggers_on_postgres(steps),
        DbBackend::Sqlite => triggers_on_sqlite(steps),
        _ => {}
    }
    for insert in seed_rows::inserts() {
        steps.write(&insert);
    }
}

/// Tables with a `modified_date`, their keys, and what else has to be unchanged for a change of a row
/// to count: a change of a contact's search columns alone does not.
const MODIFIED: [(&str, &str, &str); 2] = [
    ("contacts", "contact_id", "OLD.search_source IS NOT DISTINCT FROM NEW.search_source AND "),
    ("loans", "loan_id", ""),
];

fn triggers_on_postgres(steps: &mut Steps) {
    let body = "BEGIN NEW.modified_date := clock_timestamp(); RETURN NEW; END";
    let function = format!("CREATE OR REPLACE FUNCTION {TRIGGER_FUNCTION} RETURNS trigger");
    steps.run_sql(&format!("{function} LANGUAGE plpgsql AS '{body}'"), "create a function");
    for (table, _, searched) in MODIFIED {
        let sql = format!(
            "CREATE OR REPLACE TRIGGER {table}_modified BEFORE UPDATE ON {table} FOR EACH ROW WHEN \
             ({searched}OLD.modified_date IS NOT DISTINCT FROM NEW.modified_date) \
             EXECUTE FUNCTION {TRIGGER_FUNCTION}"
        );
        steps.run_sql(&sql, "create a trigger");
    }
}

fn triggers_on_sqlite(steps: &mut Steps) {
    for (table, key, searched) in MODIFIED {
        let set = format!("SET modified_date = {}", sqlite_instant(""));
        let searched = searched.replace("IS NOT DISTINCT FROM", "IS");
        for (name, event, unless_set) in [
            ("created", "INSERT", "NEW.modified_date IS NULL".to_owned()),
            ("modified", "UPDATE", searched + "OLD.modified_date IS NEW.modified_date"),
        ] {
            let sql = format!(
                "CREATE TRIGGER IF NOT EXISTS {table}_{name} AFTER {event} ON {table} WHEN \
                 {unless_set} BEGIN UPDATE {table} {set} WHERE {key} = NEW.{key}; END"
            );
            steps.run_sql(&sql, "create a trigger");
        }
    }
}
