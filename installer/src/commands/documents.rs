//! `installer documents`: verifies the document store against the database, removes leftovers from
//! it, and makes it this database's own.

mod verify;

use crate::installation::document_files::one_line;
use crate::installation::{CliError, count, open_database, print, read_api_settings, refuse};
use api_server::config;
use api_server::documents::store::DocumentStore;
use api_server::documents::store::gc::ORPHAN_HOURS_MIN;
use api_server::documents::store::gc_report::GcReport;
use clap::Subcommand;
use futures_util::stream::TryStreamExt;
use sea_orm::{DatabaseConnection, EntityTrait, PaginatorTrait};
use shared::entity::document_files;
use std::path::{Path, PathBuf};

/// The longest age that `--hours` accepts: about a hundred years.
const HOURS_MAX: i64 = 1_000_000;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct DocumentsArgs {
    /// Settings file of the api-server; environment variables override it. A relative document
    /// folder in it is resolved against the current folder [default:
    /// /etc/loan-servicing/api-server.env, else ./loan-servicing/api-server.env]
    #[arg(long, global = true, value_name = "FILE")]
    env_file: Option<PathBuf>,
    #[command(subcommand)]
    command: DocumentsCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum DocumentsCommand {
    /// Compare every file with its row: length and SHA-256. Changes nothing, and can run while the
    /// servers are running. Exits with status 1 if a file is damaged or missing
    Verify {
        /// Print one JSON object per line: a warning if the store belongs to another database, each
        /// fault, the first objects without a row, then the totals
        #[arg(long)]
        json: bool,
    },
    /// Remove objects without a row and, in a folder, unfinished uploads, as every api-server does
    /// every six hours
    Sweep {
        /// Minimum age in hours. Use less than 24, and especially 0, only while no api-server is
        /// running; otherwise, uploads in progress lose their files
        #[arg(long, value_name = "N", default_value_t = ORPHAN_HOURS_MIN,
            value_parser = clap::value_parser!(u32).range(0..=HOURS_MAX))]
        hours: u32,
    },
    /// Make the store belong to this database again when it belongs to another one: after a
    /// restore, or when a copy of the database used the same store. Without --yes, only explain
    /// what that means
    Adopt {
        /// Adopt the store
        #[arg(long)]
        yes: bool,
    },
}

pub async fn run(arguments: &DocumentsArgs) -> Result<(), CliError> {
    let (db, store) = open(arguments.env_file.as_deref()).await?;
    match arguments.command {
        DocumentsCommand::Verify { json } => verify::run(&db, &store, json).await,
        DocumentsCommand::Sweep { hours } => sweep(&db, &store, hours).await,
        DocumentsCommand::Adopt { yes } => adopt(&db, &store, yes).await,
    }
}

async fn sweep(db: &DatabaseConnection, store: &DocumentStore, hours: u32) -> Result<(), CliError> {
    let GcReport { removed, left } = store.sweep(db, hours).await?;
    print(&format!("{} removed", count(removed, "object")))?;
    match left {
        0 => Ok(()),
        _ => refuse(format!("{} could not be removed", count(left, "object"))),
    }
}

/// Says what adopting means, and does it if requested.
async fn adopt(db: &DatabaseConnection, store: &DocumentStore, yes: bool) -> Result<(), CliError> {
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

/// Opens the database and the document store that an api-server's settings name. Other settings may
/// be missing or wrong.
async fn open(env_file: Option<&Path>) -> Result<(DatabaseConnection, DocumentStore), CliError> {
    let (mut settings, url) = read_api_settings(env_file)?;
    let location = config::documents(&mut settings);
    let location = settings.finish(location).map_err(CliError)?;
    let db = open_database(&url).await?;
    let store = DocumentStore::open_existing(&location);
    Ok((db, store.map_err(|why| CliError(one_line(&format!("API_DOCUMENTS: {why}"))))?))
}
