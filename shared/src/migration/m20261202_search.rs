//! Columns, keys and indexes by which loans and contacts are searched.
//!
//! Indexes lead with the columns that decide who may see a row, so that a search reads no rows of
//! other officers. `modified_date` is kept by the database, whichever program writes the row.

use super::steps::Steps;
use super::table::{Table, choice, id, key, string, string_type};
use crate::contact_search::{KEY_CHARACTERS_MAX, KIND_WORDS, SOURCE_CHARACTERS_MAX, is_stale};
use crate::db;
use sea_orm::DbBackend;
use sea_orm::sea_query::{ColumnDef, Expr, ExprTrait};

/// Function that triggers call on PostgreSQL to keep `modified_date`.
pub const TRIGGER_FUNCTION: &str = "set_modified_date()";

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let source = string_type(steps.backend(), SOURCE_CHARACTERS_MAX);
    let source = ColumnDef::new("search_source").custom(source).null().take();
    steps.add_column("contacts", "search_source", source);
    let officer = ColumnDef::new("search_officer_user_id").big_integer().null().take();
    steps.add_column("contacts", "search_officer_user_id", officer);
    let stale = ColumnDef::new("search_stale").boolean().take();
    add_generated(steps, "contacts", "search_stale", stale, is_stale(steps.backend()));
    steps.add_index("contacts", &["search_stale", "contact_id"], false);
    steps.create(&search_keys());
    if steps.backend() == DbBackend::Postgres {
        let body = "BEGIN NEW.modified_date := clock_timestamp(); RETURN NEW; END";
        let language = "RETURNS trigger LANGUAGE plpgsql";
        let sql = format!("CREATE FUNCTION {TRIGGER_FUNCTION} {language} AS '{body}'");
        steps.run_sql(&sql, "create a function");
    }
    modified_date(steps, "contacts", "contact_id");
    modified_date(steps, "loans", "loan_id");
    past_due(steps);
    for columns in LOAN_INDEXES {
        steps.add_index("loans", columns, false);
    }
    for column in LOAN_KEYS {
        steps.drop_index_of_key("loans", column);
    }
    for columns in CONTACT_INDEXES {
        steps.add_index("contacts", columns, false);
    }
    for column in CONTACT_KEYS {
        steps.drop_index_of_key("contacts", column);
    }
}

const LOAN_INDEXES: [&[&str]; 12] = [
    &["loan_officer_user_id", "collection_officer_user_id", "loan_id"],
    &["loan_officer_user_id", "collection_officer_user_id", "maturity_date", "loan_id"],
    &["loan_officer_user_id", "collection_officer_user_id", "modified_date", "loan_id"],
    &["loan_officer_user_id", "collection_officer_user_id", "next_due_date", "loan_id"],
    &["collection_officer_user_id", "loan_id"],
    &["status_code_id", "loan_id"],
    &["loan_group_id", "loan_id"],
    &["portfolio_id", "loan_id"],
    &["maturity_date", "loan_id"],
    &["modified_date", "loan_id"],
    &["next_due_date", "loan_id"],
    // Open loans past maturity.
    &["closed_date", "maturity_date", "loan_id"],
];

const CONTACT_INDEXES: [&[&str]; 4] = [
    &["contact_officer_user_id", "contact_id"],
    &["contact_officer_user_id", "modified_date", "contact_id"],
    &["contact_type_id", "contact_id"],
    &["modified_date", "contact_id"],
];

/// Foreign keys that the indexes serve.
const LOAN_KEYS: [&str; 5] = [
    "loan_officer_user_id",
    "collection_officer_user_id",
    "loan_group_id",
    "portfolio_id",
    "status_code_id",
];

const CONTACT_KEYS: [&str; 2] = ["contact_officer_user_id", "contact_type_id"];

/// Names, phones, e-mail addresses and tax ids in the form in which they are compared. A program
/// that deletes a contact knows nothing of its keys.
fn search_keys() -> Table {
    Table::new("contact_search_keys")
        .columns([
            key("row_id"),
            id("contact_id").references("contacts", "contact_id").cascading(),
            id("contact_officer_user_id").optional(),
            choice("kind", KIND_WORDS),
            string("search_key", KEY_CHARACTERS_MAX),
        ])
        .unique(&["contact_id", "kind", "search_key"])
        .index(&["kind", "search_key", "contact_id"])
        .index(&["contact_officer_user_id", "kind", "search_key", "contact_id"])
}

/// The date of a due row that is not fully paid.
fn past_due(steps: &mut Steps) {
    let unpaid = ColumnDef::new("unpaid_date").date().take();
    let is_unpaid = Expr::col("interest_due")
        .gt(Expr::col("interest_paid"))
        .or(Expr::col("principal_due").gt(Expr::col("principal_paid")));
    let expression = Expr::case(is_unpaid, Expr::col("due_date")).into();
    add_generated(steps, "payments_due", "unpaid_date", unpaid, expression);
    steps.add_index("payments_due", &["unpaid_date", "loan_id"], false);
    steps.add_index("payments_due", &["loan_id", "unpaid_date"], false);
}

/// Adds a column that the database computes. PostgreSQL indexes only stored ones; MariaDB's recovery
/// after a crash is not safe with indexes of others; SQLite adds no others to a table.
fn add_generated(
    steps: &mut Steps,
    table: &'static str,
    name: &'static str,
    mut column: ColumnDef,
    expression: Expr,
) {
    let is_stored = steps.backend() != DbBackend::Sqlite;
    steps.add_column(table, name, column.generated(expression, is_stored).take());
}

/// Adds the time of a row's last change. A change of a contact's search columns alone does not
/// count.
fn modified_date(steps: &mut Steps, table: &'static str, key: &str) {
    let searched = match table {
        "contacts" => "OLD.search_source IS NOT DISTINCT FROM NEW.search_source AND ",
        _ => "",
    };
    match steps.backend() {
        DbBackend::Postgres => {
            // Existing rows get the time of the upgrade without being rewritten.
            let column = ColumnDef::new("modified_date")
                .custom("timestamptz")
                .not_null()
                .default(Expr::cust("now()"))
                .take();
            steps.add_column(table, "modified_date", column);
            let sql = "ALTER COLUMN modified_date SET DEFAULT clock_timestamp()";
            steps.run_sql(&format!("ALTER TABLE {table} {sql}"), "set a default");
            let sql = format!(
                "CREATE TRIGGER {table}_modified BEFORE UPDATE ON {table} FOR EACH ROW WHEN \
                 ({searched}OLD.modified_date IS NOT DISTINCT FROM NEW.modified_date) \
                 EXECUTE FUNCTION {TRIGGER_FUNCTION}"
            );
            steps.run_sql(&sql, "create a trigger");
        }
        DbBackend::MySql => {
            // Not DATETIME, whose automatic values are in the time zone of each session.
            let column = ColumnDef::new("modified_date")
                .custom("timestamp(6)")
                .not_null()
                .default(Expr::cust("current_timestamp(6)"))
                .extra("ON UPDATE current_timestamp(6)")
                .take();
            steps.add_column(table, "modified_date", column);
        }
        _ => {
            let column = ColumnDef::new("modified_date").custom("text").null().take();
            steps.add_column(table, "modified_date", column);
            let set = format!("SET modified_date = {}", db::sqlite_instant(""));
            steps.run_sql(&format!("UPDATE {table} {set}"), "write rows");
            let searched = searched.replace("IS NOT DISTINCT FROM", "IS");
            for (name, event, unless_set) in [
                ("created", "INSERT", "NEW.modified_date IS NULL".to_owned()),
                ("modified", "UPDATE", searched + "OLD.modified_date IS NEW.modified_date"),
            ] {
                let sql = format!(
                    "CREATE TRIGGER {table}_{name} AFTER {event} ON {table} WHEN {unless_set} \
                     BEGIN UPDATE {table} {set} WHERE {key} = NEW.{key}; END"
                );
                steps.run_sql(&sql, "create a trigger");
            }
        }
    }
}
