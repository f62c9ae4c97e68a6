//! The database of an installation: opened, changed in one transaction, and which one it is.

use crate::installation::files::read;
use crate::installation::reach;
use crate::installation::refusal::Refused;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Url;
use sea_orm::sea_query::Query;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use shared::db::{self, Contended};
use shared::process::check_schema;
use shared::time::Timestamp;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More than this between two clocks is no drift but a clock that nothing keeps.
const CLOCK_LIMIT: TimeDelta = TimeDelta::seconds(60);

/// A connection to the database of this URL, which has the schema of this release.
pub async fn open_database(url: &str) -> Result<DatabaseConnection, Refused> {
    let db = reach::open(url, 2).await?;
    check_schema(&db).await.map_err(Refused)?;
    Ok(db)
}

/// Why a change in one transaction came to nothing.
#[derive(Debug)]
pub enum Undone {
    /// By a rule.
    Refused(Refused),
    /// By the database.
    Failed(DbErr),
}

impl From<Refused> for Undone {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<DbErr> for Undone {
    fn from(error: DbErr) -> Self {
        Self::Failed(error)
    }
}

impl From<Undone> for Refused {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Refused(refused) => refused,
            Undone::Failed(error) => error.into(),
        }
    }
}

impl Contended for Undone {
    fn is_contention(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_contention())
    }
}

/// Changes the database in one transaction; again, where another one came first.
pub async fn change<T>(
    db: &DatabaseConnection,
    work: impl AsyncFn(&DatabaseTransaction) -> Result<T, Undone>,
) -> Result<T, Refused> {
    let changed = db::again(async || {
        let tx = db::begin_write(db).await?;
        let done = work(&tx).await?;
        tx.commit().await?;
        Ok::<_, Undone>(done)
    });
    Ok(changed.await?)
}

/// Kind and version of the database.
pub async fn product(db: &DatabaseConnection) -> Result<String, Refused> {
    let (name, sql) = match db.get_database_backend() {
        DbBackend::Postgres => {
            ("PostgreSQL", "SELECT current_setting('server_version'), current_database()")
        }
        DbBackend::MySql => ("MariaDB", "SELECT version(), database()"),
        _ => ("SQLite", "SELECT sqlite_version(), file FROM pragma_database_list"),
    };
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let Some(row) = row else { return Ok(name.to_owned()) };
    let (version, place): (String, String) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
    Ok(format!("{name} {version}, {place}"))
}

/// The file of an embedded database.
pub async fn file(db: &DatabaseConnection) -> Result<Option<PathBuf>, DbErr> {
    let sql = "SELECT file FROM pragma_database_list WHERE name = 'main'";
    let row = db.query_one_raw(Statement::from_string(DbBackend::Sqlite, sql)).await?;
    let file: Option<String> = row.map(|row| row.try_get_by_index(0)).transpose()?;
    Ok(file.and_then(|file| PathBuf::from(file).canonicalize().ok()))
}

/// Whether the database's clock is as good as this machine's, and how far it is from that. No table
/// is needed, unlike for [`db::time`].
pub async fn compare_clocks(db: &DatabaseConnection) -> Result<(bool, String), DbErr> {
    let machine = || DateTime::<Utc>::from(SystemTime::now());
    let asked = machine();
    let select = Query::select().expr_as(db::now(db.get_database_backend()), "now").take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the database's clock".to_owned()))?;
    let time: Timestamp = row.try_get("", "now")?;
    // The database looked at its clock somewhere between question and answer.
    let difference = time.0 - (asked + (machine() - asked) / 2);
    let seconds = difference.abs().num_milliseconds() as f64 / 1000.0;
    let side = if difference < TimeDelta::zero() { "behind" } else { "ahead of" };
    Ok((difference.abs() <= CLOCK_LIMIT, format!("{seconds:.1} s {side} this machine's")))
}

/// A name or a password on its way into a URL, which leaves alone what might be encoded already.
pub fn in_url(text: &str) -> String {
    text.replace('%', "%25")
}

/// The URL that this flag gave, with the password in a file.
pub fn with_password(url: &str, file: &Path, flag: &str) -> Result<String, Refused> {
    let password = read(file).map_err(Refused)?;
    let password = in_url(password.trim_end_matches(['\r', '\n']));
    let none = || Refused(format!("{flag} has no place for a password"));
    let mut url = Url::parse(url).map_err(|_| none())?;
    url.set_password(Some(&password)).map_err(|()| none())?;
    Ok(url.to_string())
}
