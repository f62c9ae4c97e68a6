//! A fresh database for every test: SQLite always, plus each server in `TEST_DATABASE_URLS`
//! (separated by spaces, such as `postgres://… mysql://…`).

use installer::installation::credentials::Credentials;
use installer::seed;
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, Statement};
use shared::database::{self, migration};
use shared::disk_space::DiskSpace;
use shared::passwords::{Passwords, Peppers};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use tokio::sync::Mutex;

/// Memory of a password hash in the tests' databases: with the default parameters, hashing would
/// take a fifth of their processor time.
pub const PASSWORD_MEMORY_KIB: u32 = 64;

/// Iterations of a password hash in the tests' databases.
pub const PASSWORD_ITERATIONS: u32 = 1;

/// Settings of an auth server that hashes passwords with the default parameters, for what depends on
/// the time that takes. A user's password is hashed with them at the first log-in.
pub const DEFAULT_HASHING: [(&str, &str); 2] =
    [("AUTH_PASSWORD_MEMORY_KIB", "19456"), ("AUTH_PASSWORD_ITERATIONS", "2")];

/// A database server, or the embedded database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A file in the test's folder.
    Sqlite,
    /// A server on which the test creates its own database.
    Server(String),
}

impl Database {
    /// The embedded database, and the servers of `TEST_DATABASE_URLS`.
    pub fn all() -> Vec<Self> {
        let urls = std::env::var("TEST_DATABASE_URLS").unwrap_or_default();
        let servers = urls.split_ascii_whitespace().map(|url| Self::Server(url.to_owned()));
        std::iter::once(Self::Sqlite).chain(servers).collect()
    }

    /// Returns the database server at this URL, or the embedded database for `sqlite`.
    pub fn named(name: &str) -> Result<Self, String> {
        match name.split_once("://") {
            None if name == "sqlite" => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql" | "mysql", _)) => Ok(Self::Server(name.to_owned())),
            _ => Err("must be `sqlite`, `postgres://…` or `mysql://…`".to_owned()),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Server(url) => url.split(':').next().unwrap_or_default(),
        }
    }

    /// Creates a database with schema, users and clients, and returns its URL.
    pub async fn create(&self, folder: &Path) -> String {
        match self {
            Self::Sqlite => sqlite_copy(folder).await,
            Self::Server(server) if server.starts_with("postgres") => {
                postgres_copy(server, &postgres_template(server).await).await
            }
            // Boxed, because its type is too large for some programs.
            Self::Server(server) => Box::pin(mariadb_copy(server)).await,
        }
    }

    /// Copies a database to which nothing is connected, and returns the copy's URL.
    pub async fn copy(&self, url: &str, folder: &Path) -> String {
        match self {
            Self::Sqlite => {
                let db = database::connect(url, 1).await.expect("a connection");
                checkpoint(&db).await;
                db.close().await.expect("closed");
                let copy = folder.join("core.sqlite");
                std::fs::copy(url.trim_start_matches("sqlite://"), &copy).expect("a copy");
                format!("sqlite://{}", copy.display())
            }
            Self::Server(server) if server.starts_with("postgres") => {
                let template = url.rsplit('/').next().unwrap_or_default();
                postgres_copy(server, template).await
            }
            Self::Server(server) => {
                let statements = copying(url).await;
                mariadb_from(server, &statements).await
            }
        }
    }

    /// Drops a database that [`Database::create`] or [`create_empty`] created.
    pub async fn drop(&self, url: &str) {
        if let Self::Server(server) = self {
            let name = url.rsplit('/').next().unwrap_or_default();
            let force = if server.starts_with("postgres") { " WITH (FORCE)" } else { "" };
            run(server, &format!("DROP DATABASE {name}{force}")).await;
        }
    }
}

/// Creates a folder: in memory if there is enough, because a disk waits for each commit.
pub fn temporary_folder() -> TempDir {
    const IN_MEMORY: &str = "/dev/shm";
    const FREE_MIN: u64 = 4 << 30;
    let space = DiskSpace::of(Path::new(IN_MEMORY));
    let folder = match space.is_ok_and(|space| space.free >= FREE_MIN) {
        true => tempfile::tempdir_in(IN_MEMORY),
        false => tempfile::tempdir(),
    };
    folder.expect("a folder")
}

/// Runs a test in a transaction on a new database of each kind, which is rolled back.
pub async fn in_transaction_on_each(test: impl AsyncFn(&DatabaseTransaction)) {
    for database in Database::all() {
        println!("on {}", database.name());
        let folder = temporary_folder();
        let url = database.create(folder.path()).await;
        let db = database::connect(&url, 1).await.expect("a connection");
        let tx = database::begin_write(&db).await.expect("a transaction");
        test(&tx).await;
        tx.rollback().await.expect("rolled back");
        db.close().await.expect("closed");
        database.drop(&url).await;
    }
}

/// Creates an empty database on this server, and returns its URL.
pub async fn create_empty(server: &str) -> String {
    let name = unique_name();
    run(server, &format!("CREATE DATABASE {name}")).await;
    with_name(server, &name)
}

/// The secrets in all databases of a run, which are copies of one.
pub fn credentials() -> &'static Credentials {
    static CREDENTIALS: OnceLock<Credentials> = OnceLock::new();
    CREDENTIALS.get_or_init(|| {
        let folder = temporary_folder();
        Credentials::load_or_create(&folder.path().join("credentials.json")).expect("secrets")
    })
}

/// Hashes passwords with the parameters of the tests' databases.
pub fn passwords() -> Passwords {
    Passwords::new(PASSWORD_MEMORY_KIB, PASSWORD_ITERATIONS, Peppers::default())
        .expect("parameters")
}

/// Creates the schema, and the users and clients that every test finds.
pub async fn fill(url: &str) {
    let db = database::connect_or_create(url, 2).await.expect("a connection");
    migration::migrate(&db).await.expect("the schema");
    let redirect = "http://127.0.0.1:8765/callback";
    seed::users_and_clients(&db, credentials(), &passwords(), redirect, "")
        .await
        .expect("users and clients");
    checkpoint(&db).await;
    db.close().await.expect("closed");
}

/// Moves everything in a SQLite database's write-ahead log into its main file, which can then be
/// copied alone. The last connection to close does that, too, but of two that close at the same
/// time neither may be the last.
async fn checkpoint(db: &DatabaseConnection) {
    if db.get_database_backend() == DbBackend::Sqlite {
        db.execute_unprepared("PRAGMA wal_checkpoint(TRUNCATE)").await.expect("a checkpoint");
    }
}

/// Copies a SQLite database that is created once.
async fn sqlite_copy(folder: &Path) -> String {
    static TEMPLATE: Mutex<Option<TempDir>> = Mutex::const_new(None);
    let mut template = TEMPLATE.lock().await;
    if template.is_none() {
        let new_template = temporary_folder();
        let url = format!("sqlite://{}", new_template.path().join("core.sqlite").display());
        fill(&url).await;
        *template = Some(new_template);
    }
    let source = template.as_ref().expect("just created").path().join("core.sqlite");
    let copy = folder.join("core.sqlite");
    std::fs::copy(source, &copy).expect("a copy");
    format!("sqlite://{}", copy.display())
}

/// The PostgreSQL template databases: server, and name on that server.
static TEMPLATES: Mutex<Vec<(String, String)>> = Mutex::const_new(Vec::new());

/// Returns the PostgreSQL template database, which is created once per test run.
async fn postgres_template(server: &str) -> String {
    let mut templates = TEMPLATES.lock().await;
    if let Some((_, name)) = templates.iter().find(|(template_server, _)| template_server == server)
    {
        return name.clone();
    }
    let url = create_empty(server).await;
    fill(&url).await;
    let name = url.rsplit('/').next().unwrap_or_default().to_owned();
    templates.push((server.to_owned(), name.clone()));
    name
}

async fn postgres_copy(server: &str, template: &str) -> String {
    let name = unique_name();
    run(server, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
    with_name(server, &name)
}

/// Copies a MariaDB database that is created once per test run: with one text of statements, in a tenth
/// of the time that the migrations take.
async fn mariadb_copy(server: &str) -> String {
    static COPIES: Mutex<Option<(String, String)>> = Mutex::const_new(None);
    let statements = {
        let mut copies = COPIES.lock().await;
        match &*copies {
            Some((of_server, statements)) if of_server == server => statements.clone(),
            _ => {
                let template = create_empty(server).await;
                fill(&template).await;
                let statements = copying(&template).await;
                *copies = Some((server.to_owned(), statements.clone()));
                statements
            }
        }
    };
    mariadb_from(server, &statements).await
}

/// Creates a MariaDB database with the statements of [`copying`].
async fn mariadb_from(server: &str, statements: &str) -> String {
    let url = create_empty(server).await;
    let db = database::connect(&url, 1).await.expect("the new database");
    db.execute_unprepared(statements).await.expect("a copy");
    db.close().await.expect("closed");
    url
}

/// Returns the statements that copy this database's tables, rows and triggers into another one on its
/// server.
async fn copying(url: &str) -> String {
    let db = database::connect(url, 1).await.expect("the template");
    let texts = async |sql: &str, column: usize| -> Vec<String> {
        let rows = Statement::from_string(DbBackend::MySql, sql);
        let rows = db.query_all_raw(rows).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        rows.iter().map(|row| row.try_get_by_index(column).expect("a text")).collect()
    };
    let name = url.rsplit('/').next().unwrap_or_default();
    let mut statements = vec!["SET foreign_key_checks = 0, unique_checks = 0".to_owned()];
    for table in texts("SHOW TABLES", 0).await {
        statements.extend(texts(&format!("SHOW CREATE TABLE {table}"), 1).await);
        let columns = format!(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() \
             AND table_name = '{table}' AND extra NOT LIKE '%GENERATED%'"
        );
        let columns = texts(&columns, 0).await.join(", ");
        statements
            .push(format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM {name}.{table}"));
    }
    for trigger in texts("SHOW TRIGGERS", 0).await {
        statements.extend(texts(&format!("SHOW CREATE TRIGGER {trigger}"), 2).await);
    }
    db.close().await.expect("closed");
    statements.push("SET foreign_key_checks = 1, unique_checks = 1".to_owned());
    statements.join(";\n")
}

/// Drops the template databases, for a program that leaves nothing on a server.
pub async fn drop_templates() {
    for (server, name) in TEMPLATES.lock().await.drain(..) {
        run(&server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
    }
}

/// Runs a statement on the server itself.
async fn run(server: &str, sql: &str) {
    let db: DatabaseConnection = database::connect(server, 1).await.expect("the test server");
    if db.get_database_backend() == DbBackend::Postgres {
        // Two databases cannot be created from one template at the same time.
        db.execute_unprepared("SELECT pg_advisory_lock(7301)").await.expect("a lock");
    }
    db.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    db.close().await.expect("closed");
}

fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    static RUN: OnceLock<String> = OnceLock::new();
    let run = RUN.get_or_init(|| {
        let id = shared::telemetry::RequestId::random();
        id.as_str()[..8].to_owned()
    });
    format!("loan_test_{run}_{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The URL of another database on the same server.
fn with_name(server: &str, name: &str) -> String {
    let scheme_end = server.find("://").map_or(0, |start| start + 3);
    let path = server[scheme_end..].find('/').map(|start| scheme_end + start);
    format!("{}/{name}", &server[..path.unwrap_or(server.len())])
}

/// Shifts the instants in these columns of a table by this many seconds, into the past if negative.
pub async fn shift_instants(db: &DatabaseConnection, table: &str, columns: &[&str], seconds: i64) {
    let shift = |column: &&str| match db.get_database_backend() {
        DbBackend::Sqlite => format!(
            "{column} = strftime('%Y-%m-%dT%H:%M:%f+00:00', {column}, '{seconds:+} seconds')"
        ),
        DbBackend::MySql => format!("{column} = {column} + interval {seconds} second"),
        _ => format!("{column} = {column} + interval '{seconds} seconds'"),
    };
    let set = columns.iter().map(shift).collect::<Vec<_>>().join(", ");
    db.execute_unprepared(&format!("UPDATE {table} SET {set}")).await.expect("shifted");
}
