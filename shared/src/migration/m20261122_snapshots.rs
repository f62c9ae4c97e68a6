//! What loans were before each entry that moved their accrual base: a reversal goes back to it.

use super::table::Table;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// On one connection: another one of an SQLite pool may not see a table just made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        Table::new("loan_snapshots")
            .id("transaction_id")
            .primary()
            .references("loan_transactions", "transaction_id")
            .json("prior_state")
            .create(manager)
            .await
    }
}
