//! What the database calls its store of documents, so that no other database's servers take the
//! objects in it for left over.

use crate::telemetry::random_bytes;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut setting = Query::insert();
        setting.into_table("settings").columns(["name", "value"]);
        setting
            .values_panic(["document_store_id".into(), hex::encode(random_bytes::<16>()).into()]);
        manager.execute(setting).await
    }
}
