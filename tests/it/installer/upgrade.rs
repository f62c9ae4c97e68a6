//! `installer upgrade`: brings databases of earlier versions to the current schema without losing
//! data.

mod in_flight;
mod interrupted;

use super::{command, run};
use crate::PROGRAM;
use acceptance::world::Environment;
use acceptance::{Database, World, catalogue, upgrade_dumps};
use sea_orm::DatabaseConnection;
use serde_json::json;
use shared::migration::{self, MIGRATIONS, SchemaState};
use shared::{db, tls};
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;
use upgrade_dumps::TableContents;

/// The versions for which there are dumps, and the number of migrations each had.
const VERSIONS: [(&str, usize); 3] = [("first", 2), ("second", 10), ("third", 12)];
/// Tables to which migrations add rows.
const GROWN_TABLES: [&str; 4] = ["settings", "privileges", "seaql_migrations", "transaction_codes"];
/// The content of the second version's document.
const LETTER: &[u8] = b"Please write to me by e-mail.\n";

/// A database of an earlier version.
pub struct UpgradedDatabase {
    pub database: Database,
    pub url: String,
    pub folder: TempDir,
}

impl UpgradedDatabase {
    pub async fn load(database: Database, version: &str) -> Self {
        tls::install_provider();
        let folder = tempfile::tempdir().expect("a folder");
        let url = upgrade_dumps::load(&database, version, folder.path()).await;
        Self { database, url, folder }
    }

    pub async fn upgrade(&self, extra: &[&str]) -> super::CommandOutput {
        let mut command = command(&["upgrade", "--database-url", &self.url]);
        command.args(extra);
        run(command).await
    }

    pub async fn with<T>(&self, work: impl AsyncFnOnce(&DatabaseConnection) -> T) -> T {
        let db = db::connect(&self.url, 1, false).await.expect("a connection");
        let result = work(&db).await;
        db.close().await.expect("closed");
        result
    }

    pub async fn sql(&self, sql: &str) {
        use sea_orm::ConnectionTrait;
        self.with(async |db| db.execute_unprepared(sql).await.map(drop)).await.expect(sql);
    }

    async fn state(&self) -> SchemaState {
        self.with(async |db| migration::schema_state(db).await).await.expect("a state")
    }

    pub async fn all(&self) -> (BTreeSet<String>, TableContents) {
        self.with(async |db| (catalogue::read(db).await, upgrade_dumps::rows(db).await)).await
    }

    /// Checks that the schema equals that of a new database.
    async fn check_schema_is_current(&self) {
        self.with(async |db| catalogue::assert_new(&self.database, db).await).await;
        assert_eq!(self.state().await, SchemaState::Current);
    }

    /// Checks that all rows are unchanged in the columns they had.
    async fn check_rows_are_kept(&self, before: &TableContents) {
        for ((table, columns), rows) in before {
            // Converted to another form; see `check_import_is_kept`.
            if table == "import_records" && columns.contains(&"scope_hash".to_owned()) {
                continue;
            }
            let after = self.with(async |db| upgrade_dumps::texts(db, table, columns).await).await;
            let missing: Vec<_> = rows.iter().filter(|row| !after.contains(row)).collect();
            assert!(missing.is_empty(), "{table} {columns:?}: {missing:#?}");
            if !GROWN_TABLES.contains(&table.as_str()) {
                assert_eq!(rows.len(), after.len(), "{table}");
            }
        }
    }

    pub async fn drop(self) {
        self.database.drop(&self.url).await;
    }
}

#[tokio::test]
async fn a_database_of_every_version_is_upgraded_with_all_its_rows() {
    for database in Database::all() {
        for (version, migrations) in VERSIONS {
            println!("{version} on {}", database.name());
            let old_database = UpgradedDatabase::load(database.clone(), version).await;
            begin_import(&old_database, version).await;
            let before = old_database.all().await;
            let pending: Vec<_> = MIGRATIONS.iter().skip(migrations).map(|it| it.name).collect();
            assert_eq!(old_database.state().await, SchemaState::Older(pending.clone()));
            let output = old_database.upgrade(&["--dry-run"]).await.expect_success();
            assert!(pending.iter().all(|name| output.contains(name)), "{output}");
            let test_run =
                if database.name() == "mysql" { "MariaDB cannot" } else { "all of it works" };
            assert!(output.contains(test_run) && output.contains("no one else"), "{output}");
            assert_eq!(old_database.all().await, before, "a dry run changes nothing");
            let unasked = old_database.upgrade(&[]).await;
            assert!(unasked.stderr.contains("pass --yes"), "{}", unasked.stderr);
            assert_eq!(old_database.all().await, before);

            let output = old_database.upgrade(&["--yes"]).await.expect_success();
            assert!(
                output.contains("is the only way back") && output.contains("start the servers"),
                "{output}"
            );
            old_database.check_schema_is_current().await;
            old_database.check_rows_are_kept(&before.1).await;
            check_import_is_kept(&old_database, version).await;
            let after = old_database.all().await;
            let output = old_database.upgrade(&["--yes"]).await.expect_success();
            assert!(output.contains("nothing to do"), "{output}");
            assert_eq!(old_database.all().await, after);
            check_servers_work(old_database, version).await;
        }
    }
}

/// Adds an import that the first version did not finish.
async fn begin_import(old_database: &UpgradedDatabase, version: &str) {
    if version == "first" {
        let row = "INSERT INTO import_records (scope_hash, record_index, result) \
             SELECT scope_hash, 7, '{\"Index\":7}' FROM idempotency_records";
        old_database.sql(row).await;
    }
}

/// Checks that the import's progress was migrated.
async fn check_import_is_kept(old_database: &UpgradedDatabase, version: &str) {
    if version == "first" {
        let columns = ["record_index", "record_count", "part", "result"].map(str::to_owned);
        let joined = "import_records JOIN import_runs USING (import_id)";
        let rows =
            old_database.with(async |db| upgrade_dumps::texts(db, joined, &columns).await).await;
        assert_eq!(rows, [r#"7|1|0|[{"Index":7}]"#]);
    }
}

/// Checks that the servers work on it as on any other database.
async fn check_servers_work(old_database: UpgradedDatabase, version: &str) {
    let UpgradedDatabase { database, url, folder } = old_database;
    if version != "first" {
        put_letter(&url, folder.path()).await;
    }
    let credentials = upgrade_dumps::credentials();
    let world =
        World::on(PROGRAM, database, url, folder, credentials, Environment::default()).await;
    let admin = world.token("admin").await;
    let read = async |path: &str| world.client.get(&admin, path).await.expect(200).json();
    for (id, number, balance) in [(1, "L-2001", "27015.86"), (2, "L-2002", "9205.77")] {
        let loan = read(&format!("/loans/{id}")).await;
        assert_eq!(
            (&loan["Loan_Number"], &loan["Current_Principal_Balance"]),
            (&json!(number), &json!(balance)),
            "{loan}"
        );
    }
    assert_eq!(read("/loans/1/transactions").await.as_array().map(Vec::len), Some(10));
    assert_eq!(read("/contacts/1").await["Last_Name1"], "Rivera");
    // The same payment had this result in the program of that version.
    let body = json!({"Amount": "879.16", "Effective_Date": "2021-12-25"});
    let paid = world.pay(&admin, 2, body).await.expect(201).json();
    let paid = paid.as_array().expect("rows").iter();
    let parts: Vec<_> = paid
        .map(|row| [row["Transaction_Code"].clone(), row["Transaction_Amount"].clone()])
        .collect();
    assert_eq!(json!(parts), json!([[120, "879.16"], [122, "803.49"], [124, "75.67"]]));
    assert!(world.client.log_in("web", "ana.rivera", "a long pass phrase").await.is_ok());
    if version != "first" {
        assert_eq!(read("/contacts/comments/1").await["Comment"], "Prefers e-mail.");
        let documents = read("/contacts/comments/1/documents").await;
        let path = documents[0]["Files"][0]["Download_Path"].as_str().expect("a path");
        assert_eq!(world.client.get(&admin, path).await.expect(200).text.as_bytes(), LETTER);
        assert_eq!(read("/loans/collateral/1/vehicle").await["VIN"], "1HGCM82633A004352");
    }
    world.close().await;
}

/// Puts the file of the only document where its row says, in a store of this database.
pub async fn put_letter(url: &str, folder: &Path) {
    let db = db::connect(url, 1, false).await.expect("a connection");
    let value = async |table: &str, column: &str, rest: &str| {
        let rows =
            upgrade_dumps::texts(&db, &format!("{table} {rest}"), &[column.to_owned()]).await;
        rows.into_iter().next().expect("a row")
    };
    let key = value("document_files", "object_key", "").await;
    let names = value("settings", "value", "WHERE name = 'document_store_id'").await;
    db.close().await.expect("closed");
    let store = folder.join("documents");
    std::fs::create_dir_all(store.join(&key[..2])).expect("a folder");
    std::fs::write(store.join(&key[..2]).join(&key), LETTER).expect("a file");
    std::fs::write(store.join("owner"), names.split(' ').next().unwrap_or_default())
        .expect("a file");
}
