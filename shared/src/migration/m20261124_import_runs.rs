//! Imports that can be resumed and replayed, however long their responses are: totals in
//! `import_runs`, results in `import_records`. The progress of unfinished imports is carried over.

use super::steps::Steps;
use super::table::{Table, flag, id, int, key, long, string, text, time};
use sea_orm::DbBackend;

const BEFORE: &str = "import_records_before";

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    steps.drop_index("import_records", &["scope_hash", "record_index"]);
    steps.rename_table("import_records", BEFORE);
    let runs = Table::new("import_runs")
        .columns([
            key("import_id"),
            string("scope_hash", 64),
            string("body_hash", 64),
            time("started_date"),
            flag("committed_flag").optional(),
            long("read_count"),
            long("inserted_count"),
            long("updated_count"),
            long("deleted_count"),
            long("failed_count"),
        ])
        .unique(&["scope_hash"]);
    steps.create(&runs);
    let records = Table::new("import_records")
        .columns([
            key("row_id"),
            id("import_id").references("import_runs", "import_id"),
            long("record_index"),
            int("record_count"),
            int("part"),
            text("result"),
        ])
        .unique(&["import_id", "record_index", "part"]);
    steps.create(&records);
    let array = match steps.backend() {
        DbBackend::MySql => "CONCAT('[', done.result, ']')",
        _ => "'[' || done.result || ']'",
    };
    steps.write_sql(
        "INSERT INTO import_runs (scope_hash, body_hash, started_date, read_count, \
         inserted_count, updated_count, deleted_count, failed_count) SELECT scope_hash, \
         fingerprint, created_date, 0, 0, 0, 0, 0 FROM idempotency_records WHERE scope_hash IN \
         (SELECT scope_hash FROM import_records_before)",
    );
    steps.write_sql(&format!(
        "INSERT INTO import_records (import_id, record_index, record_count, part, result) \
             SELECT import_id, record_index, 1, 0, {array} FROM import_records_before done JOIN \
             import_runs ON import_runs.scope_hash = done.scope_hash ORDER BY done.row_id"
    ));
    steps.drop_table(BEFORE);
}
