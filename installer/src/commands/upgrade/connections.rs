//! Other connections to the database, as far as they can be determined.

use crate::installation::database;
use crate::installation::table::printable;
use crate::installation::{CliError, count};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, QueryResult, Statement};
use std::path::Path;
use std::time::Duration;

/// How long a closed connection may still be listed.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// The other connections that persist for a moment.
pub(super) async fn others(db: &DatabaseConnection) -> Result<Vec<String>, CliError> {
    if find(db).await?.is_empty() {
        return Ok(Vec::new());
    }
    tokio::time::sleep(LINGER_TIME).await;
    find(db).await
}

/// One line each. PostgreSQL and MariaDB list connections; MariaDB shows those of other users only
/// with the privilege PROCESS. SQLite has no list: there, processes that have the file open are
/// found, those of other users only by root.
async fn find(db: &DatabaseConnection) -> Result<Vec<String>, CliError> {
    match db.get_database_backend() {
        DbBackend::Postgres => {
            let sql = "SELECT CAST(count(*) AS bigint), usename::text, \
                 coalesce(host(client_addr), 'this machine'), application_name \
                 FROM pg_stat_activity WHERE datname = current_database() \
                 AND pid <> pg_backend_pid() AND backend_type = 'client backend' \
                 GROUP BY 2, 3, 4 ORDER BY 2, 3, 4";
            list(db, sql).await
        }
        DbBackend::MySql => {
            let sql = "SELECT count(*), CAST(user AS char), \
                 CAST(substring_index(host, ':', 1) AS char), '' \
                 FROM information_schema.processlist WHERE db = database() \
                 AND id <> connection_id() GROUP BY 2, 3 ORDER BY 2, 3";
            list(db, sql).await
        }
        _ => {
            let file = database::file(db).await?;
            Ok(file.map(|file| processes(&file)).unwrap_or_default())
        }
    }
}

async fn list(db: &DatabaseConnection, sql: &str) -> Result<Vec<String>, CliError> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let rows = db.query_all_raw(statement).await?;
    let lines: Result<Vec<String>, _> = rows.iter().map(line).collect();
    Ok(lines?)
}

fn line(row: &QueryResult) -> Result<String, sea_orm::DbErr> {
    let number: i64 = row.try_get_by_index(0)?;
    let [user, host, program] = [1, 2, 3].map(|index| row.try_get_by_index::<String>(index));
    let (user, host, program) = (printable(&user?), printable(&host?), program?);
    let connections = count(number, "connection");
    let program = match program.as_str() {
        "" => String::new(),
        program => format!(" ({})", printable(program)),
    };
    Ok(format!("{connections} of user {user} from {host}{program}"))
}

/// The other processes that have this file open.
fn processes(file: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        (id != std::process::id()).then(|| (id, entry.path()))
    });
    let holders = ids.filter(|(_, folder)| {
        let Ok(open) = std::fs::read_dir(folder.join("fd")) else { return false };
        open.flatten().any(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == file))
    });
    let mut lines: Vec<_> = holders
        .map(|(id, folder)| {
            let name = std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
            format!("process {id} ({})", printable(name.trim()))
        })
        .collect();
    lines.sort_unstable();
    lines
}
