//! `installer documents adopt`: the store is this database's from now on.

use super::counted;
use crate::installation::{Refused, print, refuse};
use api_server::documents::document_store::DocumentStore;
use futures_util::stream::TryStreamExt;
use sea_orm::{DatabaseConnection, EntityTrait, PaginatorTrait};
use shared::entity::document_files;

/// Tells what it means, and does it if that was asked for.
pub async fn run(db: &DatabaseConnection, store: &DocumentStore, yes: bool) -> Result<(), Refused> {
    let files = document_files::Entity::find().count(db).await?;
    let (mut objects, mut bytes) = (0, 0);
    let mut orphans = std::pin::pin!(store.orphans(db, None));
    while let Some(some) = orphans.try_next().await? {
        objects += some.len() as u64;
        bytes += some.iter().map(|orphan| orphan.size_bytes).sum::<u64>();
    }
    print(&format!(
        "{} in the database\n{} without a row, {}: sweeps remove what is a day old",
        counted(files, "file"),
        counted(objects, "object"),
        counted(bytes, "byte"),
    ))?;
    if !yes {
        return refuse("nothing is changed: say --yes to make the store this database's");
    }
    store.adopt(db).await?;
    print("the store is this database's from now on")
}
