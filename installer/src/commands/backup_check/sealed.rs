//! Whether the keys in the settings open what is sealed in the copy. Without them it is the backup
//! of half an installation.

use crate::installation::checks::{CheckName, Report};
use api_server::cards::label;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};
use shared::entity::payment_gateway_secrets::{Column, Entity};
use shared::envelope_encryption::MasterKeys;
use shared::secrets::named_keys;
use shared::settings::Settings;

/// The checks' names, and what they expect.
pub(super) const CHECKS: [CheckName; 3] = [
    ("signing keys", "opened by AUTH_MASTER_KEYS"),
    ("cards", "opened by API_MASTER_KEYS"),
    ("token keys", "AUTH_TOKEN_KEYS has the keys of all sessions"),
];
/// Rows read at a time.
const ROWS_PER_PAGE: u64 = 1000;

/// Runs all of these checks.
pub(super) async fn check(
    copy: &DatabaseConnection,
    mut auth: Settings,
    mut api: Settings,
    report: &mut Report,
) {
    let [signing, cards, tokens] = CHECKS;
    let token_keys = auth.optional("AUTH_TOKEN_KEYS").unwrap_or_default();
    let auth_keys: MasterKeys = auth.parsed("AUTH_MASTER_KEYS");
    let opened = match auth.finish(()) {
        Ok(()) => auth_server::store::keys::check(copy, &auth_keys).await,
        Err(faults) => Err(faults),
    };
    report_outcome(report, signing, opened.map(|()| "opened".to_owned()));
    let api_keys: MasterKeys = api.parsed("API_MASTER_KEYS");
    let opened = match api.finish(()) {
        Ok(()) => open_cards(copy, &api_keys).await,
        Err(faults) => Err(faults),
    };
    report_outcome(report, cards, opened);
    report_outcome(report, tokens, find_token_keys(copy, &token_keys).await);
}

fn report_outcome(report: &mut Report, check: CheckName, outcome: Result<String, String>) {
    let advice = "keep both servers' settings with every backup, and name their files with \
                  --env-file and --api-env-file";
    match outcome {
        Ok(found) => report.pass(check, found),
        Err(why) => report.fail(check, why.lines().collect::<Vec<_>>().join("; "), advice),
    }
}

async fn open_cards(copy: &DatabaseConnection, keys: &MasterKeys) -> Result<String, String> {
    let mut last = i64::MIN;
    let mut opened = 0;
    loop {
        let rows = Entity::find()
            .filter(Column::PaymentGatewayTokenId.gt(last))
            .order_by_asc(Column::PaymentGatewayTokenId)
            .limit(ROWS_PER_PAGE)
            .all(copy)
            .await
            .map_err(|error| error.to_string())?;
        let Some(newest) = rows.last() else { return Ok(format!("{opened} opened")) };
        last = newest.payment_gateway_token_id;
        for row in rows {
            let card = row.payment_gateway_token_id;
            keys.unseal(&label(card), &row.gateway_token)
                .map_err(|why| format!("card {card}: {why}"))?;
            opened += 1;
        }
    }
}

/// Token hashes begin with the id of their key.
async fn find_token_keys(copy: &DatabaseConnection, keys: &str) -> Result<String, String> {
    let configured = named_keys(keys, 16).map_err(|why| format!("AUTH_TOKEN_KEYS: {why}"))?;
    let used_ids = used_token_keys(copy).await.map_err(|error| error.to_string())?;
    let unknown: Vec<_> = used_ids
        .into_iter()
        .filter(|id| !configured.iter().any(|(key_id, _)| key_id == id))
        .collect();
    match unknown.is_empty() {
        true => Ok("all present".to_owned()),
        false => Err(format!("missing key {}", unknown.join(", "))),
    }
}

async fn used_token_keys(copy: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    let id = match copy.get_database_backend() {
        sea_orm::DbBackend::Postgres => "split_part(refresh_hash, ':', 1)",
        sea_orm::DbBackend::MySql => "substring_index(refresh_hash, ':', 1)",
        _ => "substr(refresh_hash, 1, instr(refresh_hash, ':') - 1)",
    };
    let sql = format!(
        "SELECT DISTINCT {id} FROM auth_sessions WHERE refresh_hash IS NOT NULL ORDER BY 1"
    );
    let statement = Statement::from_string(copy.get_database_backend(), sql);
    let rows = copy.query_all_raw(statement).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}
