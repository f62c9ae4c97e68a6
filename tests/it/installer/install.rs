//! `installer install`, interactive or with flags: checked, carried out, verified, and completed by
//! the next run if it is cut short.

mod bucket;
mod interrupted;
mod permissions;
mod refusals;
mod reinstall;
mod services;
mod wizard;

use crate::PROGRAM;
use acceptance::client::Client;
use acceptance::databases::create_empty;
use acceptance::servers::{ServerKind, TestServer, free_port};
use acceptance::{Database, seeds};
use sea_orm::{ConnectionTrait, Statement};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;
use tokio::process::Command;

/// A target for an installation: a folder, two ports, and an empty database.
struct TestMachine {
    database: Database,
    folder: TempDir,
    database_url: String,
    auth_port: u16,
    api_port: u16,
}

impl TestMachine {
    async fn new(database: &Database) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database_url = match database {
            Database::Sqlite => {
                format!("sqlite://{}", folder.path().join("data/core.sqlite").display())
            }
            Database::Server(url) => create_empty(url).await,
        };
        println!("on {}", database.name());
        let (auth_port, api_port) = (free_port(), free_port());
        Self { database: database.clone(), folder, database_url, auth_port, api_port }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The flags that keep an installation within the folder.
    fn flags(&self) -> Vec<String> {
        vec![
            format!("--dir={}", self.path("etc").display()),
            format!("--data-dir={}", self.path("data").display()),
            "--service-user=root".to_owned(),
        ]
    }

    /// The flags of a complete non-interactive installation.
    fn all_flags(&self) -> Vec<String> {
        let mut flags = self.flags();
        flags.extend([
            format!("--database-url={}", self.database_url),
            "--host=localhost".to_owned(),
            "--listen=127.0.0.1".to_owned(),
            format!("--auth-port={}", self.auth_port),
            format!("--api-port={}", self.api_port),
            "--generate-admin-password".to_owned(),
            "--yes".to_owned(),
        ]);
        flags
    }

    /// Installs with these flags in addition to those of a complete installation; later ones win.
    async fn install(&self, extra: &[&str]) -> Output {
        command(&self.all_flags(), extra).output().await.expect("a process")
    }

    /// The names in a folder, sorted.
    fn entries(&self, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(name)).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The contents of the folder and the database: nothing if all was refused.
    async fn leftovers(&self) -> Vec<String> {
        let mut found: Vec<String> = ["etc", "data"]
            .into_iter()
            .filter(|name| self.path(name).exists())
            .map(str::to_owned)
            .collect();
        if let Database::Server(_) = self.database {
            found.extend(self.tables().await);
        }
        found
    }

    async fn tables(&self) -> Vec<String> {
        let sql = match self.database.name() {
            "mysql" => {
                "SELECT CAST(table_name AS CHAR) FROM information_schema.tables \
                 WHERE table_schema = database()"
            }
            _ => "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'",
        };
        let db = shared::database::connect(&self.database_url, 1).await.expect("a connection");
        let statement = Statement::from_string(db.get_database_backend(), sql);
        let rows = db.query_all_raw(statement).await.expect("its tables");
        let tables = rows.iter().map(|row| row.try_get_by_index(0).expect("a name")).collect();
        db.close().await.expect("closed");
        tables
    }

    /// Runs both servers with the settings written, and uses them as the admin.
    async fn check_works(&self, admin: &str, password: &str, client_secret: &str) {
        let (auth_url, _) = self.urls();
        let client = self.client(client_secret);
        let mut auth = self.start_auth_server().await;
        let mut api = self.start(ServerKind::Api, "api-server", &client.api_url).await;
        let token = client.log_in("core", admin, password).await.expect("a token");
        let file = seeds::file(&seeds::borrower_with_loan(1, seeds::PUBLISHED_TERMS));
        let result = client.import(&token, false, &file, None).await.expect(200).json();
        assert_eq!(result["Failed"], 0, "{result}");
        client.get(&token, "/loans/1").await.expect(200);
        let docs = client.get("", "/docs").await.expect(200).text;
        assert!(docs.contains(&auth_url), "where to log in");
        assert!(auth.stop().await && api.stop().await, "{} {}", auth.log(), api.log());
    }

    fn client(&self, secret: &str) -> Client {
        shared::tls::install_provider();
        let (auth_url, api_url) = self.urls();
        Client::new(&auth_url, &api_url, &self.path("etc/tls/ca.pem"), secret)
    }

    async fn start_auth_server(&self) -> TestServer {
        self.start(ServerKind::Auth, "auth-server", &self.urls().0).await
    }

    /// Starts a server with the settings written.
    async fn start(&self, kind: ServerKind, name: &str, url: &str) -> TestServer {
        let no_delay = ["AUTH", "API"].map(|prefix| format!("{prefix}_DRAIN_DELAY_SECONDS"));
        let environment: BTreeMap<_, _> = no_delay.map(|name| (name, "0".to_owned())).into();
        let env_file = self.path(&format!("etc/{name}.env"));
        let ready = format!("{url}/health/ready");
        let http = self.client("").http;
        TestServer::start(kind, Path::new(PROGRAM), &env_file, environment, ready, &http).await
    }

    fn urls(&self) -> (String, String) {
        let date = |port| format!("https://localhost:{port}");
        (date(self.auth_port), date(self.api_port))
    }

    async fn remove(self) {
        self.database.drop(&self.database_url).await;
    }
}

/// The installer without this machine's settings for databases and stores.
fn command(flags: &[String], extra: &[&str]) -> Command {
    let arguments: Vec<&str> =
        flags.iter().map(String::as_str).chain(extra.iter().copied()).collect();
    let arguments = [&["install"], arguments.as_slice()].concat();
    super::command(&arguments)
}

/// The text after this one on its line.
fn text_after<'a>(screen: &'a str, text: &str) -> &'a str {
    let line = screen.lines().find_map(|line| line.split_once(text));
    line.unwrap_or_else(|| panic!("no {text:?} in {screen}")).1.trim()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The only line on standard error.
#[track_caller]
fn error_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), text.lines().count()), (Some(1), 1), "{text}");
    text
}
