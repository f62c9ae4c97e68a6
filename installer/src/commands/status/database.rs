//! The database: product, clock and schema, and that both servers use the same one.

use super::ServerSettings;
use crate::installation::CliError;
use crate::installation::checks::Report;
use crate::installation::core_settings::read;
use crate::installation::database::{compare_clocks, product};
use crate::installation::db_probe::{self, DatabaseUnreachable};
use sea_orm::DatabaseConnection;
use shared::migration::{self, SchemaState};

const REACHED: &str = "reachable";
const CLOCK: &str = "within 60 s of this machine's clock";
const SCHEMA: &str = "this release's schema";
const SAME: &str = "the same for both servers";
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
        for (name, expected) in [("database", REACHED), ("database clock", CLOCK)] {
            report.skip(name, expected, "no settings name it");
        }
        report.skip("schema", SCHEMA, "no settings name it");
        return None;
    };
    let open = async {
        let db = db_probe::open(url, 2).await?;
        let product = product(&db).await;
        let product = product.map_err(|CliError(found)| DatabaseUnreachable {
            found,
            advice: "see the database's log".to_owned(),
        })?;
        Ok::<_, DatabaseUnreachable>((db, product))
    };
    let db = match open.await {
        Ok((db, product)) => {
            report.pass("database", REACHED, &product);
            db
        }
        Err(DatabaseUnreachable { found, advice }) => {
            report.fail("database", REACHED, &found, &advice);
            report.skip("database clock", CLOCK, "the database cannot be reached");
            report.skip("schema", SCHEMA, "the database cannot be reached");
            return None;
        }
    };
    check_clock(&db, report).await;
    let current = check_schema(&db, report).await;
    if let (Some(auth), Some(api), true) = (auth, api, current) {
        check_same(&db, auth, api, report).await;
    }
    current.then_some(db)
}

async fn check_clock(db: &DatabaseConnection, report: &mut Report) {
    match compare_clocks(db).await {
        Ok((true, found)) => report.pass("database clock", CLOCK, &found),
        Ok((false, found)) => {
            report.fail("database clock", CLOCK, &found, "synchronize both clocks with NTP")
        }
        Err(error) => {
            report.fail("database clock", CLOCK, &error.to_string(), "see the database's log");
        }
    }
}

async fn check_schema(db: &DatabaseConnection, report: &mut Report) -> bool {
    let (found, advice) = match migration::schema_state(db).await {
        Ok(SchemaState::Current) => {
            report.pass("schema", SCHEMA, SCHEMA);
            return true;
        }
        Ok(state) => (
            state.to_string(),
            match state {
                SchemaState::Older(_) => "run installer upgrade",
                SchemaState::Newer(_) => "use the programs of that release",
                _ => "correct the URL in the settings, or set the database up",
            },
        ),
        Err(error) => (error.to_string(), "see the database's log"),
    };
    report.fail("schema", SCHEMA, &found, advice);
    false
}

/// Two URLs may lead to one database, which then has the same document store id.
async fn check_same(db: &DatabaseConnection, auth: &str, api: &str, report: &mut Report) {
    if auth == api {
        return;
    }
    let same = async {
        let other = db_probe::open(api, 1).await?;
        let (one, other) = (read(db, STORE).await?, read(&other, STORE).await?);
        Ok::<_, CliError>(one == other)
    };
    let advice = "set AUTH_DATABASE_URL and API_DATABASE_URL to the same database";
    match same.await {
        Ok(true) => report.pass("one database", SAME, SAME),
        Ok(false) => report.fail("one database", SAME, "two databases", advice),
        Err(CliError(why)) => report.fail("one database", SAME, &why, advice),
    }
}
