//! The database: which, its clock, its schema, and that both servers have the same one.

use super::Settings;
use crate::installation::Refused;
use crate::installation::checks::Report;
use crate::installation::core_settings::read;
use crate::installation::database::{compare_clocks, product};
use crate::installation::reach::{self, Unreached};
use sea_orm::DatabaseConnection;
use shared::migration::{self, SchemaState};

const REACHED: &str = "it answers";
const CLOCK: &str = "at most 60 s from this machine's clock";
const SCHEMA: &str = "that of this release";
const SAME: &str = "the same for both servers";
/// The setting that names the store of documents.
const STORE: &str = "document_store_id";

/// A connection to it, if it is there with the schema of this release.
pub async fn check(settings: &Settings, report: &mut Report) -> Option<DatabaseConnection> {
    let auth = settings.auth.as_ref().map(|auth| auth.database_url.as_str());
    let api = settings.api.as_ref().map(|api| api.database_url.as_str());
    let Some(url) = auth.or(api) else {
        for (name, expected) in [("database", REACHED), ("database clock", CLOCK)] {
            report.skip(name, expected, "no settings say which it is");
        }
        report.skip("schema", SCHEMA, "no settings say which it is");
        return None;
    };
    let opened = async {
        let db = reach::open(url, 2).await?;
        let answered = product(&db).await;
        let product = answered.map_err(|Refused(found)| Unreached {
            found,
            advice: "see the database's log".to_owned(),
        })?;
        Ok::<_, Unreached>((db, product))
    };
    let db = match opened.await {
        Ok((db, product)) => {
            report.pass("database", REACHED, &product);
            db
        }
        Err(Unreached { found, advice }) => {
            report.fail("database", REACHED, &found, &advice);
            report.skip("database clock", CLOCK, "the database does not answer");
            report.skip("schema", SCHEMA, "the database does not answer");
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
            report.fail("database clock", CLOCK, &found, "keep both clocks by NTP")
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
                SchemaState::Newer(_) => "run the programs of that release",
                _ => "correct the setting of its URL, or set it up",
            },
        ),
        Err(error) => (error.to_string(), "see the database's log"),
    };
    report.fail("schema", SCHEMA, &found, advice);
    false
}

/// Two URLs may well lead to one database: its store of documents has one name.
async fn check_same(db: &DatabaseConnection, auth: &str, api: &str, report: &mut Report) {
    if auth == api {
        return;
    }
    let same = async {
        let other = reach::open(api, 1).await?;
        let (one, other) = (read(db, STORE).await?, read(&other, STORE).await?);
        Ok::<_, Refused>(one == other)
    };
    let advice = "give AUTH_DATABASE_URL and API_DATABASE_URL the same database";
    match same.await {
        Ok(true) => report.pass("one database", SAME, SAME),
        Ok(false) => report.fail("one database", SAME, "two databases", advice),
        Err(Refused(why)) => report.fail("one database", SAME, &why, advice),
    }
}
