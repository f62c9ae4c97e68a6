//! A database's catalogue: tables, columns, indexes, keys, rules. Two databases with the same
//! schema have equal catalogues, however they came to have it.

use crate::databases;
use crate::databases::Database;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use shared::database::migration;
use std::collections::BTreeSet;

const SQLITE: &[&str] =
    &["SELECT type || ' ' || tbl_name || ' ' || coalesce(sql, name) FROM sqlite_master \
       WHERE name NOT LIKE 'sqlite_stat%'"];
const POSTGRES: &[&str] = &[
    "SELECT concat_ws(' ', table_name, rank() OVER (PARTITION BY table_name ORDER BY \
     ordinal_position), column_name, udt_name, character_maximum_length, is_nullable, \
     column_default, is_identity, collation_name) FROM information_schema.columns \
     WHERE table_schema = 'public'",
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT conrelid::regclass || ' ' || regexp_replace(pg_get_constraintdef(oid), \
     '::(character varying|text)|[][() ]', '', 'g') FROM pg_constraint \
     WHERE connamespace = 'public'::regnamespace",
];
const MARIADB: &[&str] = &[
    "SELECT concat_ws(' ', table_name, ordinal_position, column_name, column_type, is_nullable, \
     coalesce(column_default, 'NULL'), extra, coalesce(collation_name, '-')) \
     FROM information_schema.columns WHERE table_schema = database()",
    "SELECT concat_ws(' ', table_name, index_name, non_unique, seq_in_index, column_name) \
     FROM information_schema.statistics WHERE table_schema = database()",
    "SELECT concat_ws(' ', table_name, column_name, referenced_table_name, \
     referenced_column_name) FROM information_schema.key_column_usage \
     WHERE table_schema = database()",
    "SELECT concat_ws(' ', table_name, check_clause) \
     FROM information_schema.check_constraints WHERE constraint_schema = database()",
];

/// One line for each item of the schema.
pub async fn read(db: &DatabaseConnection) -> BTreeSet<String> {
    let backend = db.get_database_backend();
    let queries = match backend {
        DbBackend::Postgres => POSTGRES,
        DbBackend::MySql => MARIADB,
        _ => SQLITE,
    };
    let mut lines = BTreeSet::new();
    for sql in queries {
        let rows = db.query_all_raw(Statement::from_string(backend, *sql)).await;
        let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error}"));
        lines.extend(rows.iter().map(|row| row.try_get_by_index::<String>(0).expect("a line")));
    }
    lines
}

/// Panics unless the database has the schema of a new one of its kind.
pub async fn assert_new(database: &Database, db: &DatabaseConnection) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = match database {
        Database::Sqlite => format!("sqlite://{}", folder.path().join("new.sqlite").display()),
        Database::Server(server) => databases::create_empty(server).await,
    };
    let new_db = shared::database::connect_or_create(&url, 2).await.expect("a connection");
    migration::migrate(&new_db).await.expect("a schema");
    let expected = read(&new_db).await;
    new_db.close().await.expect("closed");
    database.drop(&url).await;
    let found = read(db).await;
    let unexpected: Vec<_> = found.difference(&expected).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(
        unexpected.is_empty() && missing.is_empty(),
        "more: {unexpected:#?}, less: {missing:#?}"
    );
}
