//! Stored data and work under way: signing keys, the document store, active users, card payments,
//! imports.

use super::ServerSettings;
use crate::installation::checks::Report;
use crate::installation::count;
use api_server::documents::store::DocumentStore;
use auth_server::store::lifetimes::{alive, web_lifetime_seconds};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr};
use shared::db;
use shared::entity::gateway_payments::CardPaymentState;
use shared::entity::{
    active_users, cif_web_active_users, gateway_payments, idempotency_records, import_runs,
};

const KEYS: &str = "opened by the master keys in the settings";
const STORE: &str = "reachable, and this database's own";
const USERS: &str = "any number";
const CARDS: &str = "none unsettled for longer than 10 minutes";
const IMPORTS: &str = "none interrupted";
/// The api-server settles pending payments every few seconds or minutes: older ones need help.
const UNSETTLED_SECONDS: i64 = 600;
const SEE_LOG: &str = "see the database's log";

/// Runs all of these checks.
pub(super) async fn check(
    settings: &ServerSettings,
    db: Option<&DatabaseConnection>,
    report: &mut Report,
) {
    let Some(db) = db else {
        for (name, expected) in [
            ("signing keys", KEYS),
            ("document store", STORE),
            ("active users", USERS),
            ("card payments", CARDS),
            ("imports", IMPORTS),
        ] {
            report.skip(
                name,
                expected,
                "the database cannot be reached, or has another release's schema",
            );
        }
        return;
    };
    check_keys(settings, db, report).await;
    check_store(settings, db, report).await;
    check_users(settings, db, report).await;
    check_cards(db, report).await;
    check_imports(db, report).await;
}

async fn check_keys(settings: &ServerSettings, db: &DatabaseConnection, report: &mut Report) {
    let Some(auth) = &settings.auth else {
        return report.skip("signing keys", KEYS, "the settings cannot be read");
    };
    match auth_server::store::keys::check(db, &auth.master_keys).await {
        Ok(()) => report.pass("signing keys", KEYS, KEYS),
        Err(why) => {
            let advice = "set AUTH_MASTER_KEYS to the keys that this database was used with";
            report.fail("signing keys", KEYS, &why, advice);
        }
    }
}

async fn check_store(settings: &ServerSettings, db: &DatabaseConnection, report: &mut Report) {
    let Some(api) = &settings.api else {
        return report.skip("document store", STORE, "the settings cannot be read");
    };
    let checked = match DocumentStore::open_existing(&api.documents) {
        Ok(store) => store.check_owner(db).await.map_err(|fault| fault.to_string()),
        Err(why) => Err(why),
    };
    match checked {
        Ok(()) => report.pass("document store", STORE, "reachable"),
        Err(why) => {
            let advice = "correct API_DOCUMENTS, or see the store's own log";
            report.fail("document store", STORE, &why, advice);
        }
    }
}

async fn count_rows(db: &DatabaseConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let row = db.query_one(select).await?;
    row.map_or(Ok(0), |row| row.try_get_by_index(0))
}

fn report_count(
    report: &mut Report,
    name: &'static str,
    expected: &str,
    counted: Result<String, DbErr>,
) {
    match counted {
        Ok(found) => report.pass(name, expected, &found),
        Err(error) => report.fail(name, expected, &error.to_string(), SEE_LOG),
    }
}

async fn check_users(settings: &ServerSettings, db: &DatabaseConnection, report: &mut Report) {
    let Some(auth) = &settings.auth else {
        return report.skip("active users", USERS, "the settings cannot be read");
    };
    use active_users::Column as Core;
    use cif_web_active_users::Column as Web;
    let backend = db.get_database_backend();
    let lifetime = i64::try_from(auth.lifetimes.core_token_seconds).unwrap_or(i64::MAX);
    let core = Query::select()
        .expr(Expr::col(Core::UserId).count_distinct())
        .from(active_users::Entity)
        .and_where(alive(backend, Core::ActiveDate.into_expr(), Expr::value(lifetime)))
        .take();
    let web = Query::select()
        .expr(Expr::col(Web::ContactId).count_distinct())
        .from(cif_web_active_users::Entity)
        .and_where(alive(backend, Web::TokenDatestamp.into_expr(), web_lifetime_seconds(backend)))
        .take();
    let counted = async {
        let (core, web) = (count_rows(db, &core).await?, count_rows(db, &web).await?);
        let (core, web) = (count(core, "user"), count(web, "borrower"));
        Ok(format!("{core} and {web} with a live token"))
    };
    report_count(report, "active users", USERS, counted.await);
}

async fn check_cards(db: &DatabaseConnection, report: &mut Report) {
    use gateway_payments::Column;
    let old = db::seconds_ago(db.get_database_backend(), UNSETTLED_SECONDS.into());
    let unsettled =
        [CardPaymentState::Created, CardPaymentState::Charged, CardPaymentState::Unknown];
    let unsettled_payments = Query::select()
        .expr(Column::CardPaymentId.into_expr().count())
        .from(gateway_payments::Entity)
        .and_where(Column::State.is_in(unsettled))
        .and_where(Column::CreatedDate.into_expr().lt(old))
        .take();
    match count_rows(db, &unsettled_payments).await {
        Ok(0) => report.pass("card payments", CARDS, "none"),
        Ok(unsettled_count) => {
            let advice = "make sure the api-server is running and reaches the payment gateway; it \
                          then settles them";
            report.fail("card payments", CARDS, &format!("{unsettled_count} unsettled"), advice);
        }
        Err(error) => report.fail("card payments", CARDS, &error.to_string(), SEE_LOG),
    }
}

async fn check_imports(db: &DatabaseConnection, report: &mut Report) {
    use idempotency_records::Column as Claim;
    use import_runs::Column as Run;
    let leased = Query::select()
        .column(Claim::ScopeHash)
        .from(idempotency_records::Entity)
        .and_where(Claim::LeaseUntil.into_expr().gt(db::now(db.get_database_backend())))
        .take();
    let runs = |leased: Expr| {
        Query::select()
            .expr(Run::ImportId.into_expr().count())
            .from(import_runs::Entity)
            .and_where(Run::CommittedFlag.is_null())
            .and_where(leased)
            .take()
    };
    let running = runs(Run::ScopeHash.into_expr().in_subquery(leased.clone()));
    let interrupted = runs(Run::ScopeHash.into_expr().not_in_subquery(leased));
    let counts = async {
        Ok::<_, DbErr>((count_rows(db, &running).await?, count_rows(db, &interrupted).await?))
    };
    match counts.await {
        Ok((running, 0)) => report.pass("imports", IMPORTS, &format!("{running} under way")),
        Ok((running, interrupted)) => {
            let found = format!("{running} under way, {interrupted} interrupted");
            let advice =
                "send their files again with the same keys: they continue after the last record";
            report.pass_for_now("imports", IMPORTS, &found, advice);
        }
        Err(error) => report.fail("imports", IMPORTS, &error.to_string(), SEE_LOG),
    }
}
