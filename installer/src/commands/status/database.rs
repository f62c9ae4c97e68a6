//! The database: product, clock and schema, and that both servers use the same one.

use super::ServerSettings;
use crate::installation::CliError;
use crate::installation::checks::{CheckName, Failure, Finding, Report};
use crate::installation::core_settings::read;
use crate::installation::database::{compare_clocks, product};
use crate::installation::db_probe;
use sea_orm::DatabaseConnection;
use shared::database::migration::{self, SchemaState};

const REACHED: CheckName = ("database", "reachable");
const CLOCK: CheckName = ("database clock", "within 60 s of this machine's clock");
const SCHEMA: CheckName = ("schema", "this release's schema");
const SAME: CheckName = ("one database", "the same for both servers");
/// The setting that identifies the document store.
const STORE: &str = "document_store_id";

/// Checks the database, and returns a connection if it has this release's schema.
pub(super) async fn check(
    settings: &ServerSettings,
    report: &mut Report,
) -> Option<DatabaseConnection> {
    let auth = settings.auth.as_ref().map(|auth| auth.database_url.as_str());
    let api = settings.api.as_ref().map(|api| api.database_url.as_str());
    let Some(url) = auth.or(api) else {
        for check in [REACHED, CLOCK, SCHEMA] {
            report.skip(check, "no settings name it");
        }
        return None;
    };
    let opened = open(url).await;
    let db = match opened {
        Ok((db, product)) => {
            report.pass(REACHED, product);
            db
        }
        Err(failure) => {
            report.record(REACHED, Err(failure));
            report.skip(CLOCK, "the database cannot be reached");
            report.skip(SCHEMA, "the database cannot be reached");
            return None;
        }
    };
    match compare_clocks(&db).await {
        Ok((holds, found)) => {
            report.require(CLOCK, holds, found, "synchronize both clocks with NTP");
        }
        Err(error) => report.record(CLOCK, Err(error.into())),
    }
    let schema = find_schema(&db).await;
    let current = schema.is_ok();
    report.record(SCHEMA, schema);
    match (auth, api) {
        // Two URLs may lead to one database.
        (Some(auth), Some(api)) if current && auth != api => {
            report.record(SAME, compare(&db, api).await);
        }
        _ => {}
    }
    current.then_some(db)
}

async fn open(url: &str) -> Result<(DatabaseConnection, String), Failure> {
    let db = db_probe::open(url, 2).await?;
    let product = product(&db).await;
    let product =
        product.map_err(|CliError(found)| Failure::new(found, "see the database's log"))?;
    Ok((db, product))
}

async fn find_schema(db: &DatabaseConnection) -> Finding {
    let state = migration::schema_state(db).await?;
    let advice = match &state {
        SchemaState::Current => return Ok(SCHEMA.1.to_owned()),
        SchemaState::Older(_) => "run installer upgrade",
        SchemaState::Newer(_) => "use the programs of that release",
        SchemaState::Missing => "correct the URL in the settings, or set the database up",
    };
    Err(Failure::new(state, advice))
}

/// Compares the databases' document store ids.
async fn compare(db: &DatabaseConnection, api: &str) -> Finding {
    let advice = "set AUTH_DATABASE_URL and API_DATABASE_URL to the same database";
    let ids = async {
        let other = db_probe::open(api, 1).await?;
        Ok::<_, CliError>((read(db, STORE).await?, read(&other, STORE).await?))
    };
    match ids.await {
        Ok((one, other)) if one == other => Ok(SAME.1.to_owned()),
        Ok(_) => Err(Failure::new("two databases", advice)),
        Err(why) => Err(Failure::new(why, advice)),
    }
}
