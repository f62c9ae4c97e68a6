//! An installation's database: opening it, changing it in one transaction, and identifying it.

use crate::installation::cli_error::CliError;
use crate::installation::db_probe;
use crate::installation::files::read;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Url;
use sea_orm::sea_query::Query;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement,
    TryGetable,
};
use shared::database::gate::check_session;
use shared::database::migration::check_schema;
use shared::database::{self, Contended};
use shared::time::Timestamp;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A larger difference is not drift but an unsynchronized clock.
const CLOCK_LIMIT: TimeDelta = TimeDelta::seconds(60);

/// Opens the database of this URL, which must have this release's schema.
pub async fn open_database(url: &str) -> Result<DatabaseConnection, CliError> {
    let db = db_probe::open(url, 2).await?;
    check_session(&db).await.map_err(|unready| CliError(unready.message()))?;
    check_schema(&db).await.map_err(CliError)?;
    Ok(db)
}

/// Why a change in one transaction was rolled back.
#[derive(Debug)]
pub enum ChangeError {
    Refused(CliError),
    Failed(DbErr),
}

impl From<CliError> for ChangeError {
    fn from(error: CliError) -> Self {
        Self::Refused(error)
    }
}

impl From<DbErr> for ChangeError {
    fn from(error: DbErr) -> Self {
        Self::Failed(error)
    }
}

impl From<ChangeError> for CliError {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Refused(error) => error,
            ChangeError::Failed(error) => error.into(),
        }
    }
}

impl Contended for ChangeError {
    fn is_contention(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_contention())
    }
}

/// Changes the database in one transaction, and retries on contention.
pub async fn change<T>(
    db: &DatabaseConnection,
    work: impl Copy + AsyncFnOnce(&DatabaseTransaction) -> Result<T, ChangeError>,
) -> Result<T, CliError> {
    Ok(database::write(db, work).await?)
}

/// The tables in a database.
pub async fn tables(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let sql = match db.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        }
        DbBackend::MySql => {
            "SELECT CAST(table_name AS CHAR) FROM information_schema.tables \
             WHERE table_schema = database() ORDER BY 1"
        }
        // Newest first: tables that refer to others come before those.
        _ => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
             ORDER BY rowid DESC"
        }
    };
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// The name of a database on a server; empty for an embedded one.
pub async fn database_name(db: &impl ConnectionTrait) -> Result<String, DbErr> {
    match db.get_database_backend() {
        DbBackend::Postgres => query_value(db, "SELECT current_database()::text").await,
        DbBackend::MySql => query_value(db, "SELECT database()").await,
        _ => Ok(String::new()),
    }
}

/// The database's product, version and name.
pub async fn product(db: &DatabaseConnection) -> Result<String, CliError> {
    let (name, sql) = match db.get_database_backend() {
        DbBackend::Postgres => {
            ("PostgreSQL", "SELECT current_setting('server_version'), current_database()")
        }
        DbBackend::MySql => ("MariaDB", "SELECT version(), database()"),
        _ => ("SQLite", "SELECT sqlite_version(), file FROM pragma_database_list"),
    };
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let Some(row) = row else { return Ok(name.to_owned()) };
    let (version, location): (String, String) =
        (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
    Ok(format!("{name} {version}, {location}"))
}

/// The first column of the only row that a query returns.
pub async fn query_value<T: TryGetable>(db: &impl ConnectionTrait, sql: &str) -> Result<T, DbErr> {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    row.ok_or_else(|| DbErr::RecordNotFound(sql.to_owned()))?.try_get_by_index(0)
}

/// The file of an embedded database.
pub async fn file(db: &DatabaseConnection) -> Result<Option<PathBuf>, DbErr> {
    let sql = "SELECT file FROM pragma_database_list WHERE name = 'main'";
    let file: Option<String> = query_value(db, sql).await?;
    Ok(file.and_then(|file| PathBuf::from(file).canonicalize().ok()))
}

/// Compares the database's clock with this machine's: whether they agree, and the difference.
/// Unlike [`database::time`], needs no table.
pub async fn compare_clocks(db: &DatabaseConnection) -> Result<(bool, String), DbErr> {
    let machine = || DateTime::<Utc>::from(SystemTime::now());
    let before = machine();
    let select = Query::select().expr_as(database::now(db), "now").take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the database's clock".to_owned()))?;
    let time: Timestamp = row.try_get("", "now")?;
    // The database read its clock at some point between request and response.
    let difference = time.0 - (before + (machine() - before) / 2);
    let seconds = difference.abs().num_milliseconds() as f64 / 1000.0;
    let side = if difference < TimeDelta::zero() { "behind" } else { "ahead of" };
    Ok((difference.abs() <= CLOCK_LIMIT, format!("{seconds:.1} s {side} this machine's")))
}

/// Updates the database's statistics: it plans badly for tables that were empty when it last
/// looked.
pub async fn gather_statistics(db: &DatabaseConnection) -> Result<(), DbErr> {
    match db.get_database_backend() {
        DbBackend::MySql => {
            let names = "SELECT group_concat(table_name) AS names FROM information_schema.tables \
                         WHERE table_schema = database()";
            let names: Option<String> = query_value(db, names).await?;
            db.execute_unprepared(&format!("ANALYZE TABLE {}", names.unwrap_or_default())).await
        }
        DbBackend::Sqlite => {
            // A sample of each index is enough; all rows would take minutes.
            db.execute_unprepared("PRAGMA analysis_limit = 1000; ANALYZE").await
        }
        _ => db.execute_unprepared("ANALYZE").await,
    }
    .map(drop)
}

/// Escapes a name or a password for a URL setter, which leaves percent-encodings as they are.
pub fn in_url(text: &str) -> String {
    text.replace('%', "%25")
}

/// The URL given with this option, with the password from a file.
pub fn with_password(url: &str, file: &Path, flag: &str) -> Result<String, CliError> {
    let password = read(file).map_err(CliError)?;
    let password = in_url(password.trim_end_matches(['\r', '\n']));
    let no_password = || CliError(format!("the URL given with {flag} cannot hold a password"));
    let mut url = Url::parse(url).map_err(|_| no_password())?;
    url.set_password(Some(&password)).map_err(|()| no_password())?;
    Ok(url.to_string())
}
