//! Requirements of a cluster on the tables, and a comparison of the rows on all nodes.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, QueryResult, Statement};
use shared::database;
use std::time::Duration;
use tokio::time::sleep;

/// Attempts at a comparison: sweeps and leases go on meanwhile.
const ATTEMPTS_MAX: usize = 10;

/// The tables of a database that are not InnoDB or have no primary key.
pub async fn unsuitable_tables(db: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    let unsuitable = "SELECT table_name FROM information_schema.tables t \
                 WHERE table_schema = database() AND table_type = 'BASE TABLE' \
                 AND (engine <> 'InnoDB' OR NOT EXISTS (SELECT 1 \
                 FROM information_schema.table_constraints c \
                 WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name \
                 AND constraint_type = 'PRIMARY KEY'))";
    query_names(db, unsuitable).await
}

/// Compares every table of the same database on several nodes. Returns the number of rows, and the
/// differences, one line each.
pub async fn compare(urls: &[String]) -> Result<(i64, Vec<String>), DbErr> {
    let mut nodes = Vec::new();
    for url in urls {
        nodes.push(database::connect(url, 1).await?);
    }
    let all_tables = "SELECT table_name FROM information_schema.tables \
                 WHERE table_schema = database() AND table_type = 'BASE TABLE' ORDER BY 1";
    let (mut total, mut faults) = (0, Vec::new());
    for table in query_names(&nodes[0], all_tables).await? {
        let mut attempts = 1;
        let rows = loop {
            let mut fingerprints = Vec::new();
            for node in &nodes {
                fingerprints.push(fingerprint(node, &table).await?);
            }
            let is_same = fingerprints.iter().all(|found| *found == fingerprints[0]);
            if is_same || attempts == ATTEMPTS_MAX {
                if !is_same {
                    faults.push(format!("{table} is not the same on all nodes: {fingerprints:?}"));
                }
                break fingerprints[0].0;
            }
            attempts += 1;
            sleep(Duration::from_millis(200)).await;
        };
        total += rows;
    }
    for node in nodes {
        node.close().await?;
    }
    Ok((total, faults))
}

/// The number of rows in a table, and a checksum. `CHECKSUM TABLE` would not do: with generated
/// columns, it differs for the same rows.
async fn fingerprint(db: &DatabaseConnection, table: &str) -> Result<(i64, u64), DbErr> {
    let columns = format!(
        "SELECT column_name FROM information_schema.columns \
         WHERE table_schema = database() AND table_name = '{table}' ORDER BY ordinal_position"
    );
    let columns = query_names(db, &columns).await?.into_iter();
    let text = |column| format!("QUOTE(CAST(`{column}` AS BINARY))");
    let row = format!("CONCAT({})", columns.map(text).collect::<Vec<_>>().join(", "));
    let sql = format!("SELECT COUNT(*), BIT_XOR(CRC32({row})) FROM {table}");
    let found = query_one(db, &sql).await?;
    Ok((found.try_get_by_index(0)?, found.try_get_by_index(1)?))
}

async fn query_one(db: &DatabaseConnection, sql: &str) -> Result<QueryResult, DbErr> {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    row.ok_or_else(|| DbErr::RecordNotFound(sql.to_owned()))
}

async fn query_names(db: &DatabaseConnection, sql: &str) -> Result<Vec<String>, DbErr> {
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}
