//! Stored data and work under way: keys, the business day, the document store, active users, card payments,
//! imports.

use super::{NO_DATABASE, NO_SETTINGS, ServerSettings};
use crate::installation::checks::{CheckName, Failure, Finding, Report};
use crate::installation::core_settings::{NO_WEB_LIFETIME, SET_WEB_LIFETIME, check_time_zone};
use crate::installation::count;
use api_server::documents::store::DocumentStore;
use auth_server::store::lifetimes::{alive, web_lifetime, web_lifetime_seconds};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr};
use shared::database;
use shared::database::gate::key_checks;
use shared::disk_space::DiskSpace;
use shared::entity::gateway_payments::CardPaymentState;
use shared::entity::{
    active_users, cif_web_active_users, gateway_payments, idempotency_records, import_runs,
};
use shared::time::Clock;

const KEYS: CheckName = ("keys", "those with which this database was written");
const DAY: CheckName = ("business day", "in an IANA time zone");
const WEB_USERS: CheckName = ("web users", "their tokens have a lifetime");
const STORE: CheckName = ("document store", "reachable, and this database's own");
const SPACE: CheckName =
    ("free space", "at least 5 %, or 5 GiB, where imports and documents are stored");
const USERS: CheckName = ("active users", "any number");
const CARDS: CheckName = ("card payments", "none unsettled for longer than 10 minutes");
const IMPORTS: CheckName = ("imports", "none interrupted");
/// The api-server settles pending payments every few seconds or minutes: older ones need help.
const UNSETTLED_SECONDS: i64 = 600;

/// Runs all of these checks.
pub(super) async fn check(
    settings: &ServerSettings,
    db: Option<&DatabaseConnection>,
    report: &mut Report,
) {
    let Some(db) = db else {
        for check in [KEYS, DAY, WEB_USERS, STORE, SPACE, USERS, CARDS, IMPORTS] {
            report.skip(check, NO_DATABASE);
        }
        return;
    };
    match (&settings.auth, &settings.api) {
        (Some(auth), Some(api)) => report.record(KEYS, check_keys(auth, api, db).await),
        _ => report.skip(KEYS, NO_SETTINGS),
    }
    report.record(DAY, find_day(db).await);
    report.record(WEB_USERS, find_web_lifetime(db).await);
    match &settings.api {
        None => report.skip(STORE, NO_SETTINGS),
        Some(api) => report.record(STORE, check_store(api, db).await),
    }
    match &settings.api {
        None => report.skip(SPACE, NO_SETTINGS),
        Some(api) => report.record(SPACE, check_space(api)),
    }
    match &settings.auth {
        None => report.skip(USERS, NO_SETTINGS),
        Some(auth) => report.record(USERS, count_users(auth, db).await),
    }
    report.record(CARDS, check_cards(db).await);
    match count_imports(db).await {
        Ok((running, 0)) => report.pass(IMPORTS, format!("{running} under way")),
        Ok((running, interrupted)) => {
            let found = format!("{running} under way, {interrupted} interrupted");
            let advice =
                "send their files again with the same keys: they continue after the last record";
            report.pass_for_now(IMPORTS, found, advice);
        }
        Err(error) => report.record(IMPORTS, Err(error.into())),
    }
}

async fn find_web_lifetime(db: &DatabaseConnection) -> Finding {
    match web_lifetime(db).await? {
        Some(seconds) => Ok(format!("{} minutes", seconds / 60)),
        None => Err(Failure::new(NO_WEB_LIFETIME, SET_WEB_LIFETIME)),
    }
}

async fn check_keys(
    auth: &auth_server::config::Config,
    api: &api_server::config::Config,
    db: &DatabaseConnection,
) -> Finding {
    for rules in [auth_server::gate_rules(auth), api_server::gate_rules(api, None)] {
        let verified = key_checks::verify(db, &*rules.keys).await;
        verified.map_err(|why| Failure::new(why, "correct that setting"))?;
    }
    Ok(KEYS.1.to_owned())
}

async fn find_day(db: &DatabaseConnection) -> Finding {
    let (now, zone) = database::clock_reading(db).await?;
    let zone = zone.unwrap_or_else(|| "UTC".to_owned());
    match check_time_zone(&zone) {
        Ok(()) => Ok(format!("{} in {zone}", Clock::new(now, Some(&zone)).today)),
        Err(why) => {
            Err(Failure::new(why, "run installer settings set business_time_zone with its name"))
        }
    }
}

async fn check_store(api: &api_server::config::Config, db: &DatabaseConnection) -> Finding {
    let advice = "correct API_DOCUMENTS, or see the store's own log";
    let store = DocumentStore::open_existing(&api.documents);
    let store = store.map_err(|why| Failure::new(why, advice))?;
    store.check_owner(db).await.map_err(|fault| Failure::new(fault, advice))?;
    Ok("reachable".to_owned())
}

fn check_space(api: &api_server::config::Config) -> Finding {
    let mut found = Vec::new();
    for (folder, path) in api.folders() {
        // The store's own check says why.
        let Ok(space) = DiskSpace::of(&path) else { continue };
        if space.is_low() {
            let found = format!("{folder}: {space} in {}", path.display());
            return Err(Failure::new(found, "make room there"));
        }
        found.push(format!("{folder}: {space}"));
    }
    Ok(found.join(", "))
}

async fn count_rows(db: &DatabaseConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let row = db.query_one(select).await?;
    row.map_or(Ok(0), |row| row.try_get_by_index(0))
}

async fn count_users(auth: &auth_server::config::Config, db: &DatabaseConnection) -> Finding {
    use active_users::Column as Core;
    use cif_web_active_users::Column as Web;
    let lifetime = i64::try_from(auth.lifetimes.core_token_seconds).unwrap_or(i64::MAX);
    let core = Query::select()
        .expr(Expr::col(Core::UserId).count_distinct())
        .from(active_users::Entity)
        .and_where(alive(db, Core::ActiveDate.into_expr(), Expr::value(lifetime)))
        .take();
    let web = Query::select()
        .expr(Expr::col(Web::ContactId).count_distinct())
        .from(cif_web_active_users::Entity)
        .and_where(alive(db, Web::TokenDatestamp.into_expr(), web_lifetime_seconds(db)))
        .take();
    let (core, web) = (count_rows(db, &core).await?, count_rows(db, &web).await?);
    let (core, web) = (count(core, "user"), count(web, "borrower"));
    Ok(format!("{core} and {web} with a live token"))
}

async fn check_cards(db: &DatabaseConnection) -> Finding {
    use gateway_payments::Column;
    let old = database::seconds_ago(db, UNSETTLED_SECONDS.into());
    let unsettled =
        [CardPaymentState::Created, CardPaymentState::Charged, CardPaymentState::Unknown];
    let unsettled_payments = Query::select()
        .expr(Column::CardPaymentId.into_expr().count())
        .from(gateway_payments::Entity)
        .and_where(Column::State.is_in(unsettled))
        .and_where(Column::CreatedDate.into_expr().lt(old))
        .take();
    match count_rows(db, &unsettled_payments).await? {
        0 => Ok("none".to_owned()),
        unsettled_count => Err(Failure::new(
            format!("{unsettled_count} unsettled"),
            "make sure the api-server is running and reaches the payment gateway; it then settles \
             them",
        )),
    }
}

/// Imports under way, and interrupted ones.
async fn count_imports(db: &DatabaseConnection) -> Result<(i64, i64), DbErr> {
    use idempotency_records::Column as Claim;
    use import_runs::Column as Run;
    let leased = Query::select()
        .column(Claim::KeyHash)
        .from(idempotency_records::Entity)
        .and_where(Claim::LeaseUntil.into_expr().gt(database::now(db)))
        .take();
    let runs = |leased: Expr| {
        Query::select()
            .expr(Run::ImportId.into_expr().count())
            .from(import_runs::Entity)
            .and_where(Run::CommittedFlag.is_null())
            .and_where(leased)
            .take()
    };
    let running = runs(Run::KeyHash.into_expr().in_subquery(leased.clone()));
    let interrupted = runs(Run::KeyHash.into_expr().not_in_subquery(leased));
    Ok((count_rows(db, &running).await?, count_rows(db, &interrupted).await?))
}
