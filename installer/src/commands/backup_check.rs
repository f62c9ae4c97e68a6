//! `installer backup-check`: is a restored copy of a backup good? A line for each check.
//!
//! It reads, on connections that may not write, and compares the copy with what it must be: its
//! balances are the sums of its rows, its documents are in the restored store, the keys of the
//! settings open what is sealed in it, and the live database, where that can be reached, knows all
//! that is in it.

mod behind;
mod books;
mod reading;
mod sealed;

use crate::installation::checks::Report;
use crate::installation::database::with_password;
use crate::installation::document_files::{Compared, compare};
use crate::installation::{Refused, SettingsFiles, print, refuse};
use api_server::documents::document_store::{DocumentStore, Location};
use sea_orm::DatabaseConnection;
use shared::database_url;
use shared::migration::{self, SchemaState};
use shared::settings::Settings;
use std::path::PathBuf;

const SCHEMA: &str = "that of this release";
const DOCUMENTS: &str = "every file is there, with its length and SHA-256";

/// What the command takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// The restored database
    #[arg(long, value_name = "URL")]
    restored: String,
    /// Reads the password of the restored database's user from a file
    #[arg(long, value_name = "FILE")]
    restored_password_file: Option<PathBuf>,
    /// The restored store of documents, a folder or s3://BUCKET/PREFIX [default: API_DOCUMENTS]
    #[arg(long, value_name = "PLACE")]
    documents: Option<String>,
    #[command(flatten)]
    files: SettingsFiles,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command: prints the report, and tells whether the copy is good.
pub async fn run(arguments: &Arguments) -> Result<bool, Refused> {
    let auth = arguments.files.auth();
    let auth = Settings::read(auth_server::config::SETTINGS, auth.as_deref());
    let api = arguments.files.api();
    let mut api = Settings::read(api_server::config::SETTINGS, api.as_deref());
    if let Some(place) = &arguments.documents {
        api.set("API_DOCUMENTS", place);
    }
    let restored = match &arguments.restored_password_file {
        Some(file) => {
            database_url::check(&arguments.restored).map_err(Refused)?;
            with_password(&arguments.restored, file, "--restored")?
        }
        None => arguments.restored.clone(),
    };
    let copy = reading::open(&restored).await?;
    let live = open_live(&auth, &api).await;
    if let Ok(live) = &live
        && reading::are_same(&copy, live).await?
    {
        return refuse("--restored is the live database itself: name the restored copy");
    }
    let mut report = Report::default();
    if check_schema(&copy, &mut report).await {
        books::check(&copy, &mut report).await;
        check_documents(&copy, api_server::config::documents(&mut api), &mut report).await;
        sealed::check(&copy, auth, api, &mut report).await;
        behind::check(&copy, live, &mut report).await;
    } else {
        for (name, expected) in books::NAMES.into_iter().chain(sealed::NAMES) {
            report.skip(name, expected, "the schema is another");
        }
        report.skip("documents", DOCUMENTS, "the schema is another");
        report.skip(behind::NAME, behind::EXPECTED, "the schema is another");
    }
    print(&if arguments.json { report.to_json() } else { report.to_text() })?;
    Ok(report.holds())
}

/// The database that the settings name; an error says why it cannot be compared with.
async fn open_live(auth: &Settings, api: &Settings) -> Result<DatabaseConnection, Refused> {
    let url = auth.optional("AUTH_DATABASE_URL").or_else(|| api.optional("API_DATABASE_URL"));
    match url {
        Some(url) => reading::open(&url).await,
        None => refuse("no settings say which it is"),
    }
}

async fn check_schema(copy: &DatabaseConnection, report: &mut Report) -> bool {
    let found = match migration::schema_state(copy).await {
        Ok(SchemaState::Current) => {
            report.pass("schema", SCHEMA, SCHEMA);
            return true;
        }
        Ok(state) => state.to_string(),
        Err(error) => error.to_string(),
    };
    let advice = "check it with the release that it is of, and see whether it was restored whole";
    report.fail("schema", SCHEMA, &found, advice);
    false
}

async fn check_documents(copy: &DatabaseConnection, location: Location, report: &mut Report) {
    let advice = "restore the store of the same time or later, and name it with --documents";
    let mut damaged = Vec::new();
    let compared = match DocumentStore::open_existing(&location) {
        Ok(store) => compare(copy, &store, |damage| {
            damaged.push(damage.to_text());
            Ok(())
        })
        .await
        .map_err(|Refused(why)| why),
        Err(why) => Err(why),
    };
    match (compared, damaged.first()) {
        (Ok(Compared { files, .. }), None) => {
            report.pass("documents", DOCUMENTS, &format!("{files} files, all as they must be"));
        }
        (Ok(Compared { files, .. }), Some(first)) => {
            let found = format!("{} of {files} files are not; the first: {first}", damaged.len());
            report.fail("documents", DOCUMENTS, &found, advice);
        }
        (Err(why), _) => report.fail("documents", DOCUMENTS, &why, advice),
    }
}
