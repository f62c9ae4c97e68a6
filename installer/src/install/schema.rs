//! The tables of this product, in a database: which are there, and dropping those of a schema that
//! was made by an installation that failed.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement, TransactionTrait};
use shared::{db, migration};
use std::collections::BTreeSet;

/// The tables in a database.
pub async fn tables(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let backend = db.get_database_backend();
    let sql = match backend {
        DbBackend::Postgres => {
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        }
        DbBackend::MySql => {
            "SELECT CAST(table_name AS CHAR) FROM information_schema.tables \
             WHERE table_schema = database() ORDER BY 1"
        }
        // The latest first: those that refer to others come before them.
        _ => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
             ORDER BY rowid DESC"
        }
    };
    let rows = db.query_all_raw(Statement::from_string(backend, sql)).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// The tables that the schema of this release has, learnt from one that is made for it.
pub async fn own_tables() -> Result<BTreeSet<String>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let url = format!("sqlite://{}", folder.path().join("schema.sqlite").display());
    let made = async {
        let db = db::connect(&url, 1, true).await?;
        migration::migrate(&db).await?;
        let tables = tables(&db).await?;
        db.close().await?;
        Ok::<_, DbErr>(tables)
    };
    let tables = made.await.map_err(|error| format!("the schema cannot be made: {error}"))?;
    Ok(tables.into_iter().collect())
}

/// Drops this product's tables, where an installation that made them has failed.
pub async fn drop_own_tables(db: &DatabaseConnection) -> Result<(), String> {
    let own = own_tables().await?;
    let dropped = async {
        let backend = db.get_database_backend();
        let there = tables(db).await?;
        let there: Vec<_> = there.iter().filter(|table| own.contains(*table)).collect();
        if there.is_empty() {
            return Ok(());
        }
        let quote = if backend == DbBackend::MySql { '`' } else { '"' };
        let quoted = there.iter().map(|table| format!("{quote}{table}{quote}"));
        // One connection: what is set here counts for its own statements alone.
        let tx = db.begin().await?;
        match backend {
            DbBackend::Sqlite => {
                for table in quoted {
                    tx.execute_unprepared(&format!("DROP TABLE {table}")).await?;
                }
            }
            DbBackend::MySql => {
                tx.execute_unprepared("SET foreign_key_checks = 0").await?;
                let all: Vec<_> = quoted.collect();
                tx.execute_unprepared(&format!("DROP TABLE {}", all.join(", "))).await?;
                tx.execute_unprepared("SET foreign_key_checks = 1").await?;
            }
            _ => {
                let all: Vec<_> = quoted.collect();
                tx.execute_unprepared(&format!("DROP TABLE {}", all.join(", "))).await?;
            }
        }
        tx.commit().await
    };
    dropped.await.map_err(|error: DbErr| format!("the schema cannot be dropped again: {error}"))
}
