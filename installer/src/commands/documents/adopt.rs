//! `installer documents adopt`: makes the store this database's own.

use crate::installation::{CliError, count, print, refuse};
use api_server::documents::store::DocumentStore;
use futures_util::stream::TryStreamExt;
use sea_orm::{DatabaseConnection, EntityTrait, PaginatorTrait};
use shared::entity::document_files;

/// Says what adopting means, and does it if requested.
pub(super) async fn run(
    db: &DatabaseConnection,
    store: &DocumentStore,
    yes: bool,
) -> Result<(), CliError> {
    let files = document_files::Entity::find().count(db).await?;
    let (mut objects, mut bytes) = (0, 0);
    let mut orphans = std::pin::pin!(store.orphans(db, None));
    while let Some(page) = orphans.try_next().await? {
        objects += page.len() as u64;
        bytes += page.iter().map(|orphan| orphan.size_bytes).sum::<u64>();
    }
    print(&format!(
        "{} in the database\n{} without a row, {}: sweeps remove those older than a day",
        count(files, "file"),
        count(objects, "object"),
        count(bytes, "byte"),
    ))?;
    if !yes {
        return refuse("nothing was changed: pass --yes to make the store this database's own");
    }
    store.adopt(db).await?;
    print("the store now belongs to this database")
}
