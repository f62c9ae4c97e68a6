//! The database: reachable, recent enough, ours to use, and in step with this machine's clock.

use crate::commands::install::existing_config::ExistingSettings;
use crate::commands::install::unfinished::BELONGS_TO_ANOTHER;
use crate::installation::checks::{CheckName, Failure, Report};
use crate::installation::core_settings;
use crate::installation::count;
use crate::installation::database::{compare_clocks, query_value, tables};
use crate::installation::db_probe;
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr};
use shared::database;
use shared::database::migration::{self, SchemaState, schema_state};
use shared::database::url::without_password;
use std::collections::BTreeSet;
use std::path::Path;

/// The oldest supported PostgreSQL, as in `server_version_num`.
const POSTGRES_MIN: i64 = 140_000;
/// The oldest supported MariaDB.
const MARIADB_MIN: (u32, u32) = (10, 6);
/// Connections of both servers with their default pools, plus some for administrators.
const CONNECTIONS_MIN: i64 = 40;

/// The contents of the database.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseState {
    pub schema: SchemaState,
    pub time_zone: Option<String>,
    pub admin: bool,
    pub clients: BTreeSet<String>,
    /// The redirect URIs of the documentation's client, if it is registered.
    pub receivers: Option<BTreeSet<String>>,
}

impl DatabaseState {
    /// The contents of a database that is yet to be created.
    fn nothing() -> Self {
        Self {
            schema: SchemaState::Missing,
            time_zone: None,
            admin: false,
            clients: BTreeSet::new(),
            receivers: None,
        }
    }
}

const DATABASE: CheckName = ("database", "reachable, and accepts user and password");
const SCHEMA: CheckName = ("schema", "none yet, or this release's");
const RIGHTS: CheckName = ("rights", "the user may create, alter, fill and drop tables");
/// Unrelated tables that are listed by name.
const TABLES_NAMED_MAX: usize = 10;

/// Runs all checks of the database, up to the first failed one that others depend on. Its contents
/// are returned if all of them pass.
pub(crate) async fn check(
    url: &str,
    settings: &ExistingSettings,
) -> (Report, Option<DatabaseState>) {
    let mut report = Report::default();
    let found = examine(url, settings, &mut report).await;
    let found = found.unwrap_or_else(|failure| {
        report.record(DATABASE, Err(failure));
        None
    });
    (report, found)
}

async fn examine(
    url: &str,
    settings: &ExistingSettings,
    report: &mut Report,
) -> Result<Option<DatabaseState>, Failure> {
    if let Some(path) = url.strip_prefix("sqlite://") {
        let path = Path::new(path.split('?').next().unwrap_or_default());
        let folder = path.parent().unwrap_or(Path::new("/"));
        let folder = super::check_folder(folder, "--database-url");
        report.record(("database folder", super::FOLDER), folder);
        if !report.holds() {
            return Ok(None);
        }
        if !path.exists() {
            report.pass(SCHEMA, "a new database, to be created");
            return Ok(Some(DatabaseState::nothing()));
        }
    }
    let db = db_probe::open(url, 1).await?;
    report.pass(DATABASE, without_password(url));
    let found = run_checks(&db, settings, settings.has_begun(url), report).await;
    let _ = db.close().await;
    found.map_err(|error| {
        let found = format!("{} reports an error: {error}", without_password(url));
        Failure::new(found, "see the database server's log")
    })
}

/// Runs the checks of a database that answers.
async fn run_checks(
    db: &DatabaseConnection,
    settings: &ExistingSettings,
    has_begun: bool,
    report: &mut Report,
) -> Result<Option<DatabaseState>, DbErr> {
    let backend = db.get_database_backend();
    match backend {
        DbBackend::Postgres => postgres(db, report).await?,
        DbBackend::MySql => mariadb(db, report).await?,
        _ => {}
    }
    if backend != DbBackend::Sqlite {
        let (in_sync, found) = compare_clocks(db).await?;
        let found = format!("the database's clock is {found}");
        let advice = "synchronize both machines' clocks with NTP";
        report.require(("clock", "within 60 s of this machine's clock"), in_sync, found, advice);
    }
    let found = content(db, settings, has_begun, report).await?;
    if !report.holds() {
        return Ok(None);
    }
    if found.schema != SchemaState::Current
        && let Some(right) = missing_right(db).await
    {
        report.fail(
            RIGHTS,
            format!("the database user may not {right}"),
            "grant the user all privileges on the database (PostgreSQL: also CREATE on its schema)",
        );
        return Ok(None);
    }
    report.pass(RIGHTS, "all granted");
    Ok(Some(found))
}

async fn postgres(db: &DatabaseConnection, report: &mut Report) -> Result<(), DbErr> {
    let number: String = query_value(db, "SHOW server_version_num").await?;
    let number: i64 = number.parse().unwrap_or_default();
    let version: String = query_value(db, "SHOW server_version").await?;
    report.require(
        ("version", "PostgreSQL 14 or later"),
        number >= POSTGRES_MIN,
        format!("PostgreSQL {version}"),
        "upgrade the server",
    );
    let encoding: String = query_value(db, "SHOW server_encoding").await?;
    let check = ("collation", "the encoding is UTF8");
    match encoding == "UTF8" {
        true => report.pass(check, encoding),
        false => report.fail(
            check,
            format!("the encoding is {encoding}"),
            "create the database with ENCODING 'UTF8'",
        ),
    }
    let sql = "SELECT current_setting('max_connections')::bigint";
    check_connections(query_value(db, sql).await?, report);
    Ok(())
}

async fn mariadb(db: &DatabaseConnection, report: &mut Report) -> Result<(), DbErr> {
    let version: String = query_value(db, "SELECT CAST(version() AS CHAR)").await?;
    let numbers = version.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let numbers: Vec<_> = numbers.take(2).collect();
    let is_supported = numbers.as_slice() >= &[MARIADB_MIN.0, MARIADB_MIN.1][..];
    let check = ("version", "MariaDB 10.6 or later");
    match version.contains("MariaDB") {
        true => report.require(check, is_supported, version, "upgrade the server"),
        false => {
            report.fail(check, format!("another server, {version}"), "use MariaDB or PostgreSQL");
        }
    }
    let charset: String = query_value(db, "SELECT CAST(@@character_set_database AS CHAR)").await?;
    let check = ("collation", "the character set is utf8mb4");
    match charset == "utf8mb4" {
        true => {
            let sql = "SELECT CAST(@@collation_database AS CHAR)";
            report.pass(check, query_value::<String>(db, sql).await?);
        }
        false => report.fail(
            check,
            format!("the character set is {charset}"),
            "change it while the database is empty: ALTER DATABASE … CHARACTER SET utf8mb4",
        ),
    }
    let mode: String = query_value(db, "SELECT CAST(@@global.sql_mode AS CHAR)").await?;
    let check = ("strictness", "values that do not fit are rejected");
    match mode.contains("STRICT_TRANS_TABLES") || mode.contains("STRICT_ALL_TABLES") {
        true => report.pass(check, "sql_mode is strict"),
        false => report.fail(
            check,
            format!("they are truncated: sql_mode is {mode:?}"),
            "add STRICT_TRANS_TABLES to sql_mode in the server's settings",
        ),
    }
    let sql = "SELECT CAST(@@global.max_connections AS SIGNED)";
    check_connections(query_value(db, sql).await?, report);
    Ok(())
}

fn check_connections(max: i64, report: &mut Report) {
    let check = ("connections", "enough for the connections of both servers");
    let found = format!("at most {}", count(max, "connection"));
    let advice = format!("set max_connections of the database server to {CONNECTIONS_MIN} or more");
    report.require(check, max >= CONNECTIONS_MIN, found, &advice);
}

/// Checks the schema, and reads the contents if it is this product's.
async fn content(
    db: &DatabaseConnection,
    settings: &ExistingSettings,
    has_begun: bool,
    report: &mut Report,
) -> Result<DatabaseState, DbErr> {
    let schema = schema_state(db).await?;
    let mut found = DatabaseState { schema: schema.clone(), ..DatabaseState::nothing() };
    match schema {
        SchemaState::Older(_) if has_begun => report.pass(SCHEMA, "begun by an earlier run"),
        SchemaState::Missing => {
            let mut own_tables = migration::all_tables();
            if has_begun {
                // The run may have created the table of migrations, and nothing else.
                own_tables.pop();
            }
            let tables = tables(db).await?;
            let is_own = |table: &String| own_tables.contains(&table.as_str());
            let (same_names, others): (Vec<_>, Vec<_>) = tables.into_iter().partition(is_own);
            match same_names.as_slice() {
                [] if others.is_empty() => report.pass(SCHEMA, "none yet"),
                [] => report.pass(SCHEMA, describe_unrelated(&others)),
                tables => report.fail(
                    SCHEMA,
                    format!(
                        "the database has unrelated tables with our names: {}",
                        tables.join(", ")
                    ),
                    "use a separate database for this product",
                ),
            }
        }
        SchemaState::Current => {
            let of_another = load_contents(db, settings, &mut found).await?;
            match of_another {
                false => report.pass(SCHEMA, "this release's"),
                true => report.fail(
                    SCHEMA,
                    BELONGS_TO_ANOTHER,
                    "copy that installation's settings folder here first: without its keys, \
                     tokens, signing keys and cards cannot be read",
                ),
            }
        }
        SchemaState::Older(_) => {
            let found = "the database has the schema of an earlier release, or an unfinished one";
            let advice = "run installer upgrade first or, if another installer is at work, wait";
            report.fail(SCHEMA, found, advice);
        }
        SchemaState::Newer(_) => {
            let found = "the database has the schema of a later release";
            report.fail(SCHEMA, found, "use the installer of that release");
        }
    }
    Ok(found)
}

/// Unrelated tables may stay, but the administrator should know about them.
fn describe_unrelated(others: &[String]) -> String {
    let listed = others.iter().take(TABLES_NAMED_MAX).map(String::as_str).collect::<Vec<_>>();
    let more = match others.len() - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "none yet; the database has unrelated tables, which stay as they are: {}{more}",
        listed.join(", ")
    )
}

/// Reads the contents; returns whether they belong to an installation whose settings are elsewhere.
async fn load_contents(
    db: &DatabaseConnection,
    settings: &ExistingSettings,
    found: &mut DatabaseState,
) -> Result<bool, DbErr> {
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
    use shared::entity::{oauth_clients, signing_keys, users};
    let admin = users::Entity::find().filter(users::Column::AdminFlag.eq(true));
    found.admin = admin.one(db).await?.is_some();
    found.time_zone = core_settings::read(db, database::BUSINESS_TIME_ZONE).await?;
    let clients = oauth_clients::Entity::find().all(db).await?;
    let documentation = clients.iter().find(|it| it.client_id == BROWSER_CLIENT);
    found.receivers = documentation
        .map(|client| client.redirect_uris.split_whitespace().map(str::to_owned).collect());
    let api_server = clients.iter().find(|it| it.client_id == API_SERVER_CLIENT);
    let is_ours = settings.exist || api_server.is_some_and(|it| settings.unfinished.owns(it));
    let in_use = api_server.is_some() || signing_keys::Entity::find().one(db).await?.is_some();
    found.clients = clients.into_iter().map(|client| client.client_id).collect();
    Ok(in_use && !is_ours)
}

/// The statements that the servers and their migrations need, on a table used for nothing else.
const TRIAL: [(&str, &str); 8] = [
    ("CREATE TABLE", "CREATE TABLE loan_servicing_trial (id BIGINT PRIMARY KEY, of_id BIGINT)"),
    ("ALTER TABLE", "ALTER TABLE loan_servicing_trial ADD COLUMN more BIGINT"),
    ("CREATE INDEX", "CREATE INDEX loan_servicing_trial_more ON loan_servicing_trial (more)"),
    ("INSERT", "INSERT INTO loan_servicing_trial (id) VALUES (1)"),
    ("UPDATE", "UPDATE loan_servicing_trial SET more = 1"),
    ("SELECT", "SELECT id FROM loan_servicing_trial"),
    ("DELETE", "DELETE FROM loan_servicing_trial"),
    ("DROP TABLE", "DROP TABLE loan_servicing_trial"),
];

/// The first of these statements that the database user may not execute.
async fn missing_right(db: &DatabaseConnection) -> Option<&'static str> {
    const REFUSED: [&str; 5] = ["42501", "1142", "1044", "1227", "1370"];
    const REMOVE: &str = "DROP TABLE IF EXISTS loan_servicing_trial";
    // A run that was killed may have left it.
    let _ = db.execute_unprepared(REMOVE).await;
    let mut missing = None;
    for (right, sql) in TRIAL {
        // Another installer may be trying the same, so no other error counts.
        let refused = |error: DbErr| {
            REFUSED.contains(&database::error_code(&error).as_str()).then_some(right)
        };
        missing = missing.or(db.execute_unprepared(sql).await.err().and_then(refused));
    }
    let _ = db.execute_unprepared(REMOVE).await;
    missing
}
