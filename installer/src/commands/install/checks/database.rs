//! The database: reachable, recent enough, ours to use, and in step with this machine's clock.

use super::{failed, passed};
use crate::installation::checks::Check;
use crate::installation::core_settings;
use crate::installation::count;
use crate::installation::database::compare_clocks;
use crate::installation::db_probe::{self, DatabaseUnreachable, code};
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement};
use shared::database_url::without_password;
use shared::db;
use shared::migration::{SchemaState, schema_state};
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
    /// The state of its schema.
    pub schema: SchemaState,
    /// Its business time zone.
    pub time_zone: Option<String>,
    /// True if there is an admin account.
    pub admin: bool,
    /// The names of its users.
    pub users: BTreeSet<String>,
    /// The ids of registered clients.
    pub clients: BTreeSet<String>,
    /// The redirect URIs of the documentation's client, if it is registered.
    pub receivers: Option<BTreeSet<String>>,
    /// True if servers have used it with keys of their own.
    pub in_use: bool,
}

impl DatabaseState {
    /// The contents of a database that is yet to be created.
    fn nothing() -> Self {
        Self {
            schema: SchemaState::Missing,
            time_zone: None,
            admin: false,
            users: BTreeSet::new(),
            clients: BTreeSet::new(),
            receivers: None,
            in_use: false,
        }
    }
}

/// Runs all checks of the database, up to the first failed one that others depend on.
pub(crate) async fn check(
    url: &str,
    settings_exist: bool,
    own_tables: &BTreeSet<String>,
) -> (Vec<Check>, Option<DatabaseState>) {
    let mut checks = Vec::new();
    let context = Context { settings_exist, own_tables };
    let found = examine(url, &context, &mut checks).await;
    (checks, found.ok())
}

/// What the database is checked against.
struct Context<'a> {
    settings_exist: bool,
    own_tables: &'a BTreeSet<String>,
}

/// A check has failed, and is in the list.
struct CheckFailed;

async fn examine(
    url: &str,
    context: &Context<'_>,
    checks: &mut Vec<Check>,
) -> Result<DatabaseState, CheckFailed> {
    let stop = |check: Check, checks: &mut Vec<Check>| {
        checks.push(check);
        CheckFailed
    };
    if let Some(path) = url.strip_prefix("sqlite://") {
        let path = Path::new(path.split('?').next().unwrap_or_default());
        let folder = path.parent().unwrap_or(Path::new("/"));
        let check = super::check_folder("database folder", folder, "--database-url");
        let has_failed = check.advice.is_some();
        checks.push(check);
        if has_failed {
            return Err(CheckFailed);
        }
        if !path.exists() {
            checks.push(passed("schema", SCHEMA, "a new database, to be created"));
            return Ok(DatabaseState::nothing());
        }
    }
    let db = db_probe::open(url, 1).await.map_err(|DatabaseUnreachable { found, advice }| {
        stop(failed("database", REACHED, found, advice), checks)
    })?;
    let outcome = run_checks(&db, url, context, checks).await;
    let _ = db.close().await;
    match outcome {
        Ok(found) => found,
        Err(error) => {
            let found = format!("{} reports an error: {error}", without_password(url));
            let advice = "see the database server's log";
            Err(stop(failed("database", REACHED, found, advice), checks))
        }
    }
}

/// Unrelated tables that are listed by name.
const TABLES_NAMED_MAX: usize = 10;
const REACHED: &str = "reachable, and accepts user and password";
const SCHEMA: &str = "none yet, or this release's";

/// Runs the checks of a database that answers. The inner error means that one of them failed.
async fn run_checks(
    db: &DatabaseConnection,
    url: &str,
    context: &Context<'_>,
    checks: &mut Vec<Check>,
) -> Result<Result<DatabaseState, CheckFailed>, DbErr> {
    let backend = db.get_database_backend();
    checks.push(passed("database", REACHED, without_password(url)));
    let before = checks.len();
    match backend {
        DbBackend::Postgres => postgres(db, checks).await?,
        DbBackend::MySql => mariadb(db, checks).await?,
        _ => {}
    }
    if backend != DbBackend::Sqlite {
        checks.push(clock(db).await?);
    }
    let found = content(db, context, checks).await?;
    if checks[before..].iter().any(|check| check.advice.is_some()) {
        return Ok(Err(CheckFailed));
    }
    if found.schema == SchemaState::Missing
        && let Some(missing) = missing_right(db).await?
    {
        checks.push(missing);
        return Ok(Err(CheckFailed));
    }
    checks.push(passed("rights", RIGHTS, "all granted"));
    Ok(Ok(found))
}

async fn query_value<T: sea_orm::TryGetable>(
    db: &DatabaseConnection,
    sql: &str,
) -> Result<T, DbErr> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await?;
    row.ok_or_else(|| DbErr::RecordNotFound(sql.to_owned()))?.try_get_by_index(0)
}

async fn postgres(db: &DatabaseConnection, checks: &mut Vec<Check>) -> Result<(), DbErr> {
    let number: String = query_value(db, "SHOW server_version_num").await?;
    let number: i64 = number.parse().unwrap_or_default();
    let version: String = query_value(db, "SHOW server_version").await?;
    let version = format!("PostgreSQL {version}");
    checks.push(match number >= POSTGRES_MIN {
        true => passed("version", "PostgreSQL 14 or later", version),
        false => failed("version", "PostgreSQL 14 or later", version, "upgrade the server"),
    });
    let encoding: String = query_value(db, "SHOW server_encoding").await?;
    checks.push(match encoding == "UTF8" {
        true => passed("collation", "the encoding is UTF8", encoding),
        false => failed(
            "collation",
            "the encoding is UTF8",
            format!("the encoding is {encoding}"),
            "create the database with ENCODING 'UTF8'",
        ),
    });
    let sql = "SELECT current_setting('max_connections')::bigint";
    checks.push(connections(query_value(db, sql).await?));
    Ok(())
}

async fn mariadb(db: &DatabaseConnection, checks: &mut Vec<Check>) -> Result<(), DbErr> {
    let version: String = query_value(db, "SELECT CAST(version() AS CHAR)").await?;
    let numbers = version.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let numbers: Vec<_> = numbers.take(2).collect();
    let expected = "MariaDB 10.6 or later";
    let is_supported = numbers.as_slice() >= &[MARIADB_MIN.0, MARIADB_MIN.1][..];
    checks.push(match version.contains("MariaDB") {
        true if is_supported => passed("version", expected, version),
        true => failed("version", expected, version, "upgrade the server"),
        false => {
            let found = format!("another server, {version}");
            failed("version", expected, found, "use MariaDB or PostgreSQL")
        }
    });
    let charset: String = query_value(db, "SELECT CAST(@@character_set_database AS CHAR)").await?;
    let expected = "the character set is utf8mb4";
    checks.push(match charset == "utf8mb4" {
        true => {
            let sql = "SELECT CAST(@@collation_database AS CHAR)";
            passed("collation", expected, query_value::<String>(db, sql).await?)
        }
        false => failed(
            "collation",
            expected,
            format!("the character set is {charset}"),
            "change it while the database is empty: ALTER DATABASE … CHARACTER SET utf8mb4",
        ),
    });
    let mode: String = query_value(db, "SELECT CAST(@@global.sql_mode AS CHAR)").await?;
    let expected = "values that do not fit are rejected";
    checks.push(match mode.contains("STRICT_TRANS_TABLES") || mode.contains("STRICT_ALL_TABLES") {
        true => passed("strictness", expected, "sql_mode is strict"),
        false => failed(
            "strictness",
            expected,
            format!("they are truncated: sql_mode is {mode:?}"),
            "add STRICT_TRANS_TABLES to sql_mode in the server's settings",
        ),
    });
    let sql = "SELECT CAST(@@global.max_connections AS SIGNED)";
    checks.push(connections(query_value(db, sql).await?));
    Ok(())
}

fn connections(max: i64) -> Check {
    let expected = "enough for the connections of both servers";
    let found = format!("at most {}", count(max, "connection"));
    match max >= CONNECTIONS_MIN {
        true => passed("connections", expected, found),
        false => failed(
            "connections",
            expected,
            found,
            format!("set max_connections of the database server to {CONNECTIONS_MIN} or more"),
        ),
    }
}

async fn clock(db: &DatabaseConnection) -> Result<Check, DbErr> {
    let expected = "within 60 s of this machine's clock";
    let (in_sync, found) = compare_clocks(db).await?;
    let found = format!("the database's clock is {found}");
    Ok(match in_sync {
        true => passed("clock", expected, found),
        false => failed("clock", expected, found, "synchronize both machines' clocks with NTP"),
    })
}

/// Checks the schema, and reads the contents if it is this product's.
async fn content(
    db: &DatabaseConnection,
    context: &Context<'_>,
    checks: &mut Vec<Check>,
) -> Result<DatabaseState, DbErr> {
    let schema = schema_state(db).await?;
    let mut found = DatabaseState { schema: schema.clone(), ..DatabaseState::nothing() };
    match schema {
        SchemaState::Missing => {
            let tables = crate::commands::install::schema::tables(db).await?;
            let is_own = |table: &String| context.own_tables.contains(table);
            let (same_names, others): (Vec<_>, Vec<_>) = tables.into_iter().partition(is_own);
            checks.push(match same_names.as_slice() {
                [] if others.is_empty() => passed("schema", SCHEMA, "none yet"),
                [] => passed("schema", SCHEMA, describe_unrelated(&others)),
                tables => failed(
                    "schema",
                    SCHEMA,
                    format!(
                        "the database has unrelated tables with our names: {}",
                        tables.join(", ")
                    ),
                    "use a separate database for this product or, if an installation was \
                     interrupted, an empty one",
                ),
            });
        }
        SchemaState::Current => {
            load_contents(db, &mut found).await?;
            checks.push(match found.in_use && !context.settings_exist {
                false => passed("schema", SCHEMA, "this release's"),
                true => failed(
                    "schema",
                    SCHEMA,
                    "the database belongs to an existing installation, but its keys are not here",
                    "copy that installation's settings folder here first: without its keys, \
                     tokens, signing keys and cards cannot be read",
                ),
            });
        }
        SchemaState::Older(_) => {
            let found = "the database has the schema of an earlier release";
            checks.push(failed("schema", SCHEMA, found, "run installer upgrade first"));
        }
        SchemaState::Newer(_) => {
            let found = "the database has the schema of a later release";
            checks.push(failed("schema", SCHEMA, found, "use the installer of that release"));
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

async fn load_contents(db: &DatabaseConnection, found: &mut DatabaseState) -> Result<(), DbErr> {
    use sea_orm::EntityTrait;
    use shared::entity::{oauth_clients, signing_keys, users};
    for user in users::Entity::find().all(db).await? {
        found.admin |= user.admin_flag;
        found.users.insert(user.user_name);
    }
    found.time_zone = core_settings::read(db, db::BUSINESS_TIME_ZONE).await?;
    let clients = oauth_clients::Entity::find().all(db).await?;
    let documentation = clients.iter().find(|it| it.client_id == BROWSER_CLIENT);
    found.receivers = documentation
        .map(|client| client.redirect_uris.split_whitespace().map(str::to_owned).collect());
    found.clients = clients.into_iter().map(|client| client.client_id).collect();
    found.in_use = found.clients.contains(API_SERVER_CLIENT)
        || signing_keys::Entity::find().one(db).await?.is_some();
    Ok(())
}

const RIGHTS: &str = "the user may create, alter, fill and drop tables";

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
async fn missing_right(db: &DatabaseConnection) -> Result<Option<Check>, DbErr> {
    // A run that was killed may have left it.
    let _ = db.execute_unprepared("DROP TABLE IF EXISTS loan_servicing_trial").await;
    for (right, sql) in TRIAL {
        let Err(error) = db.execute_unprepared(sql).await else { continue };
        let _ = db.execute_unprepared("DROP TABLE loan_servicing_trial").await;
        let refused = ["42501", "1142", "1044", "1227", "1370"].contains(&code(&error).as_str());
        if !refused {
            return Err(error);
        }
        return Ok(Some(failed(
            "rights",
            RIGHTS,
            format!("the database user may not {right}"),
            "grant the user all privileges on the database (PostgreSQL: also CREATE on its schema)",
        )));
    }
    Ok(None)
}
