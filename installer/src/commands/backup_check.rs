//! `installer backup-check`: checks whether a restored copy of a backup is good, one line per
//! check.
//!
//! It uses read-only connections, and checks that the copy's balances are the sums of its rows,
//! that its documents are in the restored store, that the keys in the settings open what is sealed
//! in it, and, if the live database can be reached, that it contains everything in the copy.

mod books;
mod lag;
mod reading;
mod sealed;

use crate::installation::checks::{CheckName, Failure, Finding, Report};
use crate::installation::database::with_password;
use crate::installation::document_files::{Compared, compare};
use crate::installation::{CliError, SettingsFiles, count, print, refuse};
use api_server::documents::store::{DocumentStore, Location};
use sea_orm::DatabaseConnection;
use shared::database;
use shared::database::migration::{self, SchemaState};
use shared::settings::Settings;
use std::path::PathBuf;

const SCHEMA: CheckName = ("schema", "this release's schema");
const DOCUMENTS: CheckName = ("documents", "every file present, with its length and SHA-256");

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct BackupCheckArgs {
    /// URL of the restored database
    #[arg(long, value_name = "URL")]
    restored: String,
    /// Read the password of the restored database's user from a file
    #[arg(long, value_name = "FILE")]
    restored_password_file: Option<PathBuf>,
    /// The restored document store, a folder or s3://BUCKET/PREFIX [default: API_DOCUMENTS]
    #[arg(long, value_name = "PLACE")]
    documents: Option<String>,
    #[command(flatten)]
    files: SettingsFiles,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command: prints the report, and returns true if the copy is good.
pub async fn run(arguments: &BackupCheckArgs) -> Result<bool, CliError> {
    let auth = arguments.files.auth()?;
    let auth = Settings::read(auth_server::config::SETTINGS, auth.as_deref());
    let api = arguments.files.api()?;
    let mut api = Settings::read(api_server::config::SETTINGS, api.as_deref());
    if let Some(location) = &arguments.documents {
        api.set("API_DOCUMENTS", location);
    }
    let restored = match &arguments.restored_password_file {
        Some(file) => {
            database::url::check(&arguments.restored).map_err(CliError)?;
            with_password(&arguments.restored, file, "--restored")?
        }
        None => arguments.restored.clone(),
    };
    let copy = reading::open(&restored).await?;
    let live = open_live(&auth, &api).await;
    if let Ok(live) = &live
        && reading::are_same(&copy, live).await?
    {
        return refuse(
            "--restored names the live database itself: pass the URL of the restored copy",
        );
    }
    let mut report = Report::default();
    let schema = find_schema(&copy).await;
    let current = schema.is_ok();
    report.record(SCHEMA, schema);
    if current {
        books::check(&copy, &mut report).await;
        let location = api_server::config::documents(&mut api);
        report.record(DOCUMENTS, compare_documents(&copy, &location).await);
        sealed::check(&copy, auth, api, &mut report).await;
        lag::check(&copy, live, &mut report).await;
    } else {
        let others = [DOCUMENTS, lag::LIVE];
        for check in books::CHECKS.into_iter().chain(sealed::CHECKS).chain(others) {
            report.skip(check, "the schema is not this release's");
        }
    }
    print(&if arguments.json { report.to_json() } else { report.to_text() })?;
    Ok(report.holds())
}

/// The live database that the settings name; an error says why it cannot be compared.
async fn open_live(auth: &Settings, api: &Settings) -> Result<DatabaseConnection, CliError> {
    let url = auth.optional("AUTH_DATABASE_URL").or_else(|| api.optional("API_DATABASE_URL"));
    match url {
        Some(url) => reading::open(&url).await,
        None => refuse("no settings name it"),
    }
}

async fn find_schema(copy: &DatabaseConnection) -> Finding {
    let found = match migration::schema_state(copy).await {
        Ok(SchemaState::Current) => return Ok(SCHEMA.1.to_owned()),
        Ok(state) => state.to_string(),
        Err(error) => error.to_string(),
    };
    let advice = "check it with the release it belongs to, and make sure the restore was complete";
    Err(Failure::new(found, advice))
}

async fn compare_documents(copy: &DatabaseConnection, location: &Location) -> Finding {
    let failed = |why: String| {
        let advice = "restore the document store as of the same time or later, and name it with \
                      --documents";
        Failure::new(why, advice)
    };
    let store = DocumentStore::open_existing(location).map_err(failed)?;
    let mut damaged = Vec::new();
    let compared = compare(copy, &store, |damage| {
        damaged.push(damage.to_text());
        Ok(())
    });
    let Compared { files, .. } = compared.await.map_err(|CliError(why)| failed(why))?;
    let files = count(files, "file");
    match damaged.first() {
        None => Ok(format!("{files}, all intact")),
        Some(first) => {
            let damaged = damaged.len();
            Err(failed(format!("{damaged} of {files} not intact; the first: {first}")))
        }
    }
}
