//! Imports that are resumed and replayed, however long their answers are: totals in a row of
//! `import_runs`, results in rows of `import_records`. What unfinished imports have done so far is
//! taken along.

use super::table::{Table, drop_index};
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

#[derive(DeriveMigrationName)]
pub struct Migration;

const BEFORE: &str = "import_records_before";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_index(manager, "import_records", &["scope_hash", "record_index"]).await?;
        let mut rename = sea_orm_migration::prelude::Table::rename();
        manager.rename_table(rename.table("import_records", BEFORE).to_owned()).await?;
        Table::new("import_runs")
            .key("import_id")
            .string("scope_hash", 64)
            .string("body_hash", 64)
            .time("started_date")
            .flag("committed_flag")
            .optional()
            .long("read_count")
            .long("inserted_count")
            .long("updated_count")
            .long("deleted_count")
            .long("failed_count")
            .unique(&["scope_hash"])
            .create(manager)
            .await?;
        Table::new("import_records")
            .key("row_id")
            .id("import_id")
            .references("import_runs", "import_id")
            .long("record_index")
            .int("record_count")
            .int("part")
            .text("result")
            .unique(&["import_id", "record_index", "part"])
            .create(manager)
            .await?;
        let connection = manager.get_connection();
        let array = match connection.get_database_backend() {
            DbBackend::MySql => "CONCAT('[', done.result, ']')",
            _ => "'[' || done.result || ']'",
        };
        for statement in [
            "INSERT INTO import_runs (scope_hash, body_hash, started_date, read_count, \
             inserted_count, updated_count, deleted_count, failed_count) SELECT scope_hash, \
             fingerprint, created_date, 0, 0, 0, 0, 0 FROM idempotency_records WHERE scope_hash IN \
             (SELECT scope_hash FROM import_records_before)",
            &format!(
                "INSERT INTO import_records (import_id, record_index, record_count, part, result) \
                 SELECT import_id, record_index, 1, 0, {array} FROM import_records_before done JOIN \
                 import_runs ON import_runs.scope_hash = done.scope_hash ORDER BY done.row_id"
            ),
        ] {
            connection.execute_unprepared(statement).await?;
        }
        let drop = sea_orm_migration::prelude::Table::drop().table(BEFORE).to_owned();
        manager.drop_table(drop).await
    }
}
