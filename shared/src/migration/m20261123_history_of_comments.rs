//! Which comment a change of field history hangs on: when the comment gets another category, its
//! history gets it, too.

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
        let mut table = Table::alter();
        table.table("field_changes").add_column(ColumnDef::new("comment_id").big_integer().null());
        manager.alter_table(table.to_owned()).await?;
        create_index(manager, "field_changes", &["comment_id"], false).await
    }
}
