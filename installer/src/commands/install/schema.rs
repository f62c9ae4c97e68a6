//! Dropping a schema that a failed installation created.

use crate::installation::database::tables;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, TransactionTrait};
use shared::migration;

/// Drops this product's tables after a failed installation, with the function that their triggers
/// call; tables that record its progress come last.
pub(super) async fn drop_own_tables(db: &DatabaseConnection) -> Result<(), String> {
    let own_tables = migration::all_tables();
    let dropped = async {
        let backend = db.get_database_backend();
        let mut present = tables(db).await?;
        let position = |table: &String| own_tables.iter().position(|name| name == table);
        present.retain(|table| position(table).is_some());
        if present.is_empty() {
            return Ok(());
        }
        // SQLite enforces references, and drops all tables or none.
        if backend != DbBackend::Sqlite {
            present.sort_by_key(position);
        }
        let quote = if backend == DbBackend::MySql { '`' } else { '"' };
        let quoted = present.iter().map(|table| format!("{quote}{table}{quote}"));
        // A transaction, because the settings below apply to one connection only.
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
                let function = migration::TRIGGER_FUNCTION;
                tx.execute_unprepared(&format!("DROP FUNCTION IF EXISTS {function}")).await?;
            }
        }
        tx.commit().await
    };
    dropped.await.map_err(|error: DbErr| format!("cannot drop the schema: {error}"))
}
