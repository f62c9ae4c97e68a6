//! What entering rows into cash drawers looks for: rows that no count froze, and open sessions.

use super::table::create_index;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let rows = "cash_drawer_transactions";
        create_index(manager, rows, &["drawer_id", "reconciliation_id"], false).await?;
        let sessions = "cash_drawer_sessions";
        create_index(manager, sessions, &["drawer_id", "ended_date"], false).await?;
        create_index(manager, sessions, &["user_id", "ended_date"], false).await
    }
}
