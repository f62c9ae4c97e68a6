//! The contents of a database, to compare.

use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use std::collections::BTreeMap;

/// Every row of every table as text, by table and columns.
pub type TableContents = BTreeMap<(String, Vec<String>), Vec<String>>;

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
