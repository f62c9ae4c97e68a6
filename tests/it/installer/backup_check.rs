//! `installer backup-check`: whether a restored copy is complete.

use super::upgrade::InstalledDatabase;
use super::{CommandOutput, command, run};
use acceptance::Database;
use acceptance::databases::{credentials, temporary_folder};
use api_server::documents::store::DocumentStore;
use installer::demo;
use sea_orm::DatabaseConnection;
use std::path::{Path, PathBuf};

/// A database and a copy of it, with the settings of the original's servers.
struct BackupPair {
    live: InstalledDatabase,
    copy: InstalledDatabase,
}

impl BackupPair {
    async fn load(database: Database) -> Self {
        let live = InstalledDatabase::create(database.clone()).await;
        let documents = live.folder.path().join("documents");
        live.with(async |db| fill(db, &documents).await).await;
        let folder = temporary_folder();
        let url = database.copy(&live.url, folder.path()).await;
        copy_folder(&documents, &folder.path().join("documents"));
        let copy = InstalledDatabase { database, url, folder };
        let keys = credentials();
        let auth = format!(
            "AUTH_DATABASE_URL={}\nAUTH_MASTER_KEYS=k1:{}\nAUTH_TOKEN_KEYS=k1:{}\n",
            live.url, keys.master_key, keys.token_key
        );
        let api = format!(
            "API_DATABASE_URL={}\nAPI_MASTER_KEYS=k1:{}\nAPI_DOCUMENTS={}\n",
            live.url,
            keys.card_key,
            documents.display()
        );
        let pair = Self { live, copy };
        std::fs::write(pair.file("auth.env"), auth).expect("settings");
        std::fs::write(pair.file("api.env"), api).expect("settings");
        pair
    }

    fn file(&self, name: &str) -> PathBuf {
        self.live.folder.path().join(name)
    }

    async fn check(&self, restored: &str, environment: &[(&str, &str)]) -> CommandOutput {
        self.check_with(restored, &[], environment).await
    }

    async fn check_with(
        &self,
        restored: &str,
        extra: &[&str],
        environment: &[(&str, &str)],
    ) -> CommandOutput {
        let mut command = command(&["backup-check", "--json", "--restored", restored]);
        command.args(extra);
        command.arg("--env-file").arg(self.file("auth.env"));
        command.arg("--api-env-file").arg(self.file("api.env"));
        command.arg("--documents").arg(self.copy.folder.path().join("documents"));
        command.envs(environment.iter().copied());
        run(command).await
    }

    async fn drop(self) {
        self.live.drop().await;
        self.copy.drop().await;
    }
}

/// Adds loans with payments, cards, drawers and documents, and signing keys.
async fn fill(db: &DatabaseConnection, documents: &Path) {
    let store = DocumentStore::open_for_bulk(documents.to_owned()).expect("a store");
    let keys = |key: &str| format!("k1:{key}").parse().expect("keys");
    let (card_keys, web) = (keys(&credentials().card_key), &credentials().web);
    demo::fill(db, &store, &card_keys, 20, web).await.expect("a portfolio");
    let master_keys = keys(&credentials().master_key);
    auth_server::store::keys::maintain(db, &master_keys, 86_400).await.expect("signing keys");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        match path.is_dir() {
            true => copy_folder(&path, &to.join(name)),
            false => std::fs::copy(&path, to.join(name)).map(drop).expect("a copy"),
        }
    }
}

#[tokio::test]
async fn a_good_copy_passes_every_check_and_is_not_changed() {
    for database in Database::all() {
        let pair = BackupPair::load(database).await;
        let before = (pair.copy.all().await, pair.live.all().await);
        let output = pair.check(&pair.copy.url, &[]).await;
        assert_eq!(output.code, Some(0), "{}", output.stdout);
        let checks = output.checks();
        assert!(checks.values().all(|outcome| outcome == "passed"), "{checks:?}");
        assert_eq!(checks.len(), 11, "{checks:?}");
        assert!(output.stdout.contains("5 files, all intact"), "{}", output.stdout);
        assert!(output.stdout.contains("0 rows, 0 s in loan_transactions"), "{}", output.stdout);
        let newest = "SELECT newest FROM (SELECT MAX(row_id) AS newest FROM field_changes) found";
        pair.copy.sql(&format!("DELETE FROM field_changes WHERE row_id = ({newest})")).await;
        let output = pair.check(&pair.copy.url, &[]).await;
        assert_eq!(output.code, Some(0), "{}", output.stdout);
        assert!(output.stdout.contains("1 row, "), "{}", output.stdout);
        assert_eq!(pair.live.all().await, before.1);
        let unreachable = match pair.live.url.split(':').next() {
            Some("sqlite") => "sqlite:///no/such/file",
            Some("mysql") => "mysql://nobody@127.0.0.1:1/none",
            _ => "postgres://nobody@127.0.0.1:1/none",
        };
        let output = pair.check(&pair.copy.url, &[("AUTH_DATABASE_URL", unreachable)]).await;
        assert_eq!(output.code, Some(0), "{}", output.stdout);
        assert!(output.stdout.contains("nothing was compared"), "{}", output.stdout);
        let output = pair.check(&pair.live.url, &[]).await;
        assert!(output.stderr.contains("names the live database itself"), "{}", output.stderr);
        assert_eq!(output.code, Some(1));
        pair.drop().await;
    }
}

#[tokio::test]
async fn the_password_of_the_copy_can_be_in_a_file() {
    for database in Database::all() {
        let pair = BackupPair::load(database).await;
        let file = pair.file("password").display().to_string();
        let Ok(mut url) = url::Url::parse(&pair.copy.url) else { continue };
        let password = url.password().unwrap_or_default().to_owned();
        std::fs::write(&file, format!("{password}\n")).expect("a file");
        let arguments = ["--restored-password-file", &file];
        if url.set_password(None).is_err() {
            let output = pair.check_with(&pair.copy.url, &arguments, &[]).await;
            output.expect_refusal("cannot hold a password");
        } else {
            let output = pair.check_with(url.as_str(), &arguments, &[]).await;
            assert_eq!(output.code, Some(0), "{} {}", output.stdout, output.stderr);
        }
        pair.drop().await;
    }
}

#[tokio::test]
async fn every_fault_of_a_copy_is_named() {
    for database in Database::all() {
        let pair = BackupPair::load(database).await;
        for (change, undo, failed) in [
            (
                "UPDATE loans SET current_principal_balance = current_principal_balance + 1",
                "UPDATE loans SET current_principal_balance = current_principal_balance - 1",
                "loan balances",
            ),
            (
                "UPDATE loans SET interest_settled_total = interest_settled_total + 1",
                "UPDATE loans SET interest_settled_total = interest_settled_total - 1",
                "settled interest",
            ),
            (
                "UPDATE loan_transactions SET transaction_amount = transaction_amount + 1 \
                 WHERE transaction_code = 120",
                "UPDATE loan_transactions SET transaction_amount = transaction_amount - 1 \
                 WHERE transaction_code = 120",
                "payments",
            ),
            (
                "UPDATE payment_allocations SET amount = amount + 1",
                "UPDATE payment_allocations SET amount = amount - 1",
                "due rows",
            ),
            (
                "UPDATE cash_drawers SET cash_balance = cash_balance + 1",
                "UPDATE cash_drawers SET cash_balance = cash_balance - 1",
                "cash drawers",
            ),
            (
                "UPDATE document_files SET size_bytes = size_bytes + 1",
                "UPDATE document_files SET size_bytes = size_bytes - 1",
                "documents",
            ),
        ] {
            pair.copy.sql(change).await;
            let output = pair.check(&pair.copy.url, &[]).await;
            assert_eq!(output.failed_checks().concat(), failed, "{change}: {}", output.stdout);
            pair.copy.sql(undo).await;
        }
        let other = format!("k1:{}", hex::encode([7; 32]));
        let nothing = format!("k2:{}", hex::encode([7; 32]));
        add_session(&pair.copy).await;
        for (name, value, failed) in [
            ("AUTH_MASTER_KEYS", other.as_str(), "signing keys"),
            ("AUTH_TOKEN_KEYS", &nothing, "token keys"),
            ("API_MASTER_KEYS", "junk", "cards"),
        ] {
            let output = pair.check(&pair.copy.url, &[(name, value)]).await;
            assert_eq!(output.failed_checks().concat(), failed, "{name}: {}", output.stdout);
        }
        let date = pair.copy.long_ago();
        pair.copy.sql(&format!("UPDATE field_changes SET modified_date = {date}")).await;
        let output = pair.check(&pair.copy.url, &[]).await;
        assert_eq!(output.failed_checks(), ["live database"], "{}", output.stdout);
        pair.copy.sql("UPDATE schema_migrations SET finished_date = NULL").await;
        let output = pair.check(&pair.copy.url, &[]).await;
        assert_eq!(output.failed_checks(), ["schema"], "{}", output.stdout);
        pair.drop().await;
    }
}

/// Inserts a session whose refresh token is hashed under the key `k1`.
async fn add_session(database: &InstalledDatabase) {
    let date = database.long_ago();
    database.sql(&format!(
        "INSERT INTO auth_sessions (session_id, public_id, user_kind, user_id, client_id, scope, \
         log_in_date, refresh_hash, contested_flag, refreshed_date) VALUES ('x', 'x', 'core', 1, \
         'integration', 'core', {date}, 'k1:x', 1 = 0, {date})"
    ))
    .await;
}
