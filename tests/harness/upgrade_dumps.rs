//! Databases of earlier versions, as left by their own programs: dumps under `tests/upgrade/`.

use crate::databases::{self, Database};
use chrono::{DateTime, Utc};
use installer::installation::credentials::Credentials;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde::Deserialize;
use shared::db;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The passwords and secrets in all dumps, and the keys of their servers.
pub fn credentials() -> Credentials {
    Credentials::load_or_create(&dumps().join("credentials.json")).expect("credentials")
}

fn dumps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("upgrade")
}

/// Loads the dump of this version into a new database, and returns its URL.
pub async fn load(database: &Database, version: &str, folder: &Path) -> String {
    let file = dumps().join(version).join(format!("{}.sql", dialect(database)));
    let dump = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let url = match database {
        Database::Sqlite => format!("sqlite://{}", folder.join("core.sqlite").display()),
        Database::Server(server) => databases::create_empty(server).await,
    };
    let db = db::connect(&url, 1, true).await.expect("a connection");
    db.execute_unprepared(&dump).await.unwrap_or_else(|error| panic!("{file:?}: {error}"));
    db.close().await.expect("closed");
    url
}

/// What the programs of a version had in progress when its dump was taken, as their clients know
/// it.
#[derive(Debug, Deserialize)]
pub struct InFlight {
    /// When the dump was taken.
    pub taken: DateTime<Utc>,
    /// The tokens of live sessions, by user name.
    pub sessions: BTreeMap<String, EarlierSession>,
    /// Requests under an `Idempotency-Key`, by their outcome.
    #[serde(deserialize_with = "by_name")]
    pub requests: BTreeMap<String, SentRequest>,
}

/// The tokens of a session that has been refreshed once.
#[derive(Debug, Deserialize)]
pub struct EarlierSession {
    pub first_access_token: String,
    pub spent_refresh_token: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// A POST under an `Idempotency-Key`, and its answer; status 0 if there was none.
#[derive(Debug, Deserialize)]
pub struct SentRequest {
    name: String,
    pub path: String,
    pub key: String,
    pub content_type: String,
    pub body: String,
    pub status: u16,
    pub answer: String,
}

impl SentRequest {
    /// The answer as JSON.
    pub fn response_json(&self) -> serde_json::Value {
        serde_json::from_str(&self.answer).expect("JSON")
    }
}

impl InFlight {
    /// Reads the file next to the dump.
    pub fn read(database: &Database, version: &str) -> Self {
        let file = dumps().join(version).join(format!("{}.json", dialect(database)));
        let text = std::fs::read_to_string(&file).expect("the file next to the dump");
        serde_json::from_str(&text).expect("what was in flight")
    }
}

fn by_name<'de, D: serde::Deserializer<'de>>(
    list: D,
) -> Result<BTreeMap<String, SentRequest>, D::Error> {
    let list = Vec::<SentRequest>::deserialize(list)?;
    Ok(list.into_iter().map(|request| (request.name.clone(), request)).collect())
}

fn dialect(database: &Database) -> &'static str {
    match database.name() {
        name if name.starts_with("postgres") => "postgres",
        "sqlite" => "sqlite",
        _ => "mysql",
    }
}

/// Every row of every table as text, by table and columns.
pub type TableContents = BTreeMap<(String, Vec<String>), Vec<String>>;

/// All rows of all tables.
pub async fn rows(db: &DatabaseConnection) -> TableContents {
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let columns_sql = match db.get_database_backend() {
        sea_orm::DbBackend::Sqlite => {
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid"
        }
        sea_orm::DbBackend::Postgres => {
            "SELECT table_name::text, column_name::text FROM information_schema.columns \
             WHERE table_schema = 'public' ORDER BY 1, ordinal_position"
        }
        _ => {
            "SELECT table_name, column_name FROM information_schema.columns \
             WHERE table_schema = database() ORDER BY 1, ordinal_position"
        }
    };
    for row in query(db, columns_sql).await {
        let [table, column] = [0, 1].map(|index| row.try_get_by_index::<String>(index));
        columns.entry(table.expect("a name")).or_default().push(column.expect("a name"));
    }
    let mut contents = TableContents::new();
    for (table, columns) in columns {
        let rows = texts(db, &table, &columns).await;
        contents.insert((table, columns), rows);
    }
    contents
}

/// The rows of a table, restricted to these columns.
pub async fn texts(db: &DatabaseConnection, table: &str, columns: &[String]) -> Vec<String> {
    let text_type =
        if db.get_database_backend() == sea_orm::DbBackend::MySql { "char" } else { "text" };
    let cells =
        columns.iter().map(|column| format!("coalesce(CAST({column} AS {text_type}), 'NULL')"));
    let cells: Vec<_> = cells.collect();
    let row = match db.get_database_backend() {
        sea_orm::DbBackend::MySql => format!("concat_ws('|', {})", cells.join(", ")),
        _ => cells.join(" || '|' || "),
    };
    let rows = query(db, &format!("SELECT {row} FROM {table}")).await;
    let text = |row: &sea_orm::QueryResult| row.try_get_by_index::<String>(0).expect("a text");
    let mut rows: Vec<String> = rows.iter().map(text).collect();
    rows.sort_unstable();
    rows
}

async fn query(db: &DatabaseConnection, sql: &str) -> Vec<sea_orm::QueryResult> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    db.query_all_raw(statement).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}
