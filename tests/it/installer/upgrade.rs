//! `installer upgrade`: completes the schema of a database without losing data.

mod interrupted;

use super::{command, run};
use acceptance::databases::temporary_folder;
use acceptance::table_contents::{self, TableContents};
use acceptance::{Database, catalogue};
use sea_orm::{ConnectionTrait, DatabaseConnection};
use shared::database::migration::{self, MIGRATIONS, SchemaState};
use shared::{database, tls};
use std::collections::BTreeSet;
use tempfile::TempDir;

/// Takes away parts of the schema, as if its migration had not come to them.
const UNFINISHED: [&str; 5] = [
    "UPDATE schema_migrations SET finished_date = NULL",
    "DROP TABLE loan_snapshots",
    "DROP TABLE sandbox_payments",
    "DELETE FROM transaction_codes WHERE transaction_code >= 160",
    "DELETE FROM settings WHERE name = 'readiness_probe'",
];

/// A database, the test's own, to which nothing is connected.
pub struct InstalledDatabase {
    pub database: Database,
    pub url: String,
    pub folder: TempDir,
}

impl InstalledDatabase {
    /// A database with schema, users and clients.
    pub async fn create(database: Database) -> Self {
        tls::install_provider();
        let folder = temporary_folder();
        let url = database.create(folder.path()).await;
        Self { database, url, folder }
    }

    /// A database whose schema lacks some tables, indexes, triggers and rows.
    async fn unfinished(database: Database) -> Self {
        let created = Self::create(database).await;
        for sql in UNFINISHED {
            created.sql(sql).await;
        }
        let trigger = match created.database.name() {
            "sqlite" => "DROP TRIGGER loans_modified",
            // There, indexes are created with their table, and nothing has triggers.
            "mysql" => return created,
            _ => "DROP TRIGGER loans_modified ON loans",
        };
        created.sql(trigger).await;
        created.sql("DROP INDEX loans_maturity_date_loan_id").await;
        created
    }

    pub async fn upgrade(&self, extra: &[&str]) -> super::CommandOutput {
        let mut command = command(&["upgrade", "--database-url", &self.url]);
        command.args(extra);
        run(command).await
    }

    pub async fn with<T>(&self, work: impl AsyncFnOnce(&DatabaseConnection) -> T) -> T {
        let db = database::connect(&self.url, 1).await.expect("a connection");
        let result = work(&db).await;
        db.close().await.expect("closed");
        result
    }

    pub async fn sql(&self, sql: &str) {
        self.with(async |db| db.execute_unprepared(sql).await.map(drop)).await.expect(sql);
    }

    async fn state(&self) -> SchemaState {
        self.with(async |db| migration::schema_state(db).await).await.expect("a state")
    }

    pub async fn all(&self) -> (BTreeSet<String>, TableContents) {
        self.with(async |db| (catalogue::read(db).await, table_contents::rows(db).await)).await
    }

    /// Checks that the schema equals that of a new database.
    async fn check_schema_is_current(&self) {
        self.with(async |db| catalogue::assert_new(&self.database, db).await).await;
        assert_eq!(self.state().await, SchemaState::Current);
    }

    /// Checks that all rows are there, and those that every installation has.
    async fn check_rows_are_kept(&self, before: &TableContents) {
        let after = self.all().await.1;
        for (table, rows) in before.iter().filter(|(table, _)| table.0 != "schema_migrations") {
            let missing: Vec<_> = rows.iter().filter(|row| !after[table].contains(row)).collect();
            assert!(missing.is_empty(), "{table:?}: {missing:#?}");
            let may_grow = ["settings", "transaction_codes"].contains(&table.0.as_str());
            assert!(may_grow || rows.len() == after[table].len(), "{table:?}");
        }
        let codes = after.iter().find(|((table, _), _)| table == "transaction_codes");
        assert_eq!(codes.map(|(_, rows)| rows.len()), Some(38));
    }

    /// A date long past, as SQL.
    pub fn long_ago(&self) -> &'static str {
        match &self.database {
            Database::Sqlite => "'2020-01-01T00:00:00+00:00'",
            Database::Server(_) => "'2020-01-01 00:00:00'",
        }
    }

    pub async fn drop(self) {
        self.database.drop(&self.url).await;
    }
}

#[tokio::test]
async fn an_unfinished_schema_is_completed_with_all_its_rows() {
    for database in Database::all() {
        let unfinished = InstalledDatabase::unfinished(database).await;
        let before = unfinished.all().await;
        let pending: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name).collect();
        assert_eq!(unfinished.state().await, SchemaState::Older(pending.clone()));
        let output = unfinished.upgrade(&["--dry-run"]).await.expect_success();
        assert!(pending.iter().all(|name| output.contains(name)), "{output}");
        let is_mariadb = unfinished.database.name() == "mysql";
        let test_run = if is_mariadb { "MariaDB cannot" } else { "all of it works" };
        assert!(output.contains(test_run) && output.contains("no one else"), "{output}");
        assert_eq!(unfinished.all().await, before, "a dry run changes nothing");
        let unasked = unfinished.upgrade(&[]).await;
        assert!(unasked.stderr.contains("pass --yes"), "{}", unasked.stderr);
        assert_eq!(unfinished.all().await, before);

        let output = unfinished.upgrade(&["--yes"]).await.expect_success();
        assert!(
            output.contains("is the only way back") && output.contains("start the servers"),
            "{output}"
        );
        unfinished.check_schema_is_current().await;
        unfinished.check_rows_are_kept(&before.1).await;
        let after = unfinished.all().await;
        let output = unfinished.upgrade(&["--yes"]).await.expect_success();
        assert!(output.contains("nothing to do"), "{output}");
        assert_eq!(unfinished.all().await, after);
        unfinished.drop().await;
    }
}
