//! How far the copy lags behind the live database, and whether it is a copy of that database.

use crate::installation::checks::{CheckName, Failure, Finding, Report};
use crate::installation::{CliError, count};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use shared::database::migration::{SchemaState, schema_state};

/// The check's name, and what it expects.
pub(super) const LIVE: CheckName = ("live database", "contains the newest rows of the copy");

/// Tables from which rows are never removed, with their key and the column that says when a row was
/// written.
const TABLES: [(&str, &str, &str); 3] = [
    ("loans", "loan_id", "created_date"),
    ("loan_transactions", "transaction_id", "transaction_date"),
    ("field_changes", "row_id", "modified_date"),
];

/// A row's key, and when it was written.
type Newest = Option<(i64, DateTime<Utc>)>;

/// Compares the newest rows. Without a live database, as after a disaster, there is nothing to
/// compare with, which is not a fault of the copy.
pub(super) async fn check(
    copy: &DatabaseConnection,
    live: Result<DatabaseConnection, CliError>,
    report: &mut Report,
) {
    let live = match live {
        Ok(live) => live,
        Err(CliError(why)) => {
            let found = format!("it cannot be reached, so nothing was compared: {why}");
            let advice = "see the backup's log for the time it was taken";
            return report.pass_for_now(LIVE, found, advice);
        }
    };
    match compare(copy, &live).await {
        Ok(finding) => report.record(LIVE, finding),
        Err(error) => report.fail(LIVE, error.to_string(), "see the databases' logs"),
    }
}

async fn compare(copy: &DatabaseConnection, live: &DatabaseConnection) -> Result<Finding, DbErr> {
    let differs = |found: String| {
        let advice = "the copy is of another database, or the live database was restored from an \
                      older backup: name the right ones";
        Ok(Err(Failure::new(found, advice)))
    };
    if schema_state(live).await? == SchemaState::Missing {
        return differs("the live database has no schema".to_owned());
    }
    let mut lags = Vec::new();
    for (table, key, date) in TABLES {
        let of_copy = newest(copy, table, key, date, None).await?;
        let of_live = newest(live, table, key, date, None).await?;
        let rows = of_live.map_or(0, |(id, _)| id) - of_copy.map_or(0, |(id, _)| id);
        if let Some((id, written)) = of_copy {
            let live_row = newest(live, table, key, date, Some(id)).await?;
            if live_row != Some((id, written)) {
                let written = written.to_rfc3339();
                return differs(format!(
                    "it does not contain row {id} of {table}, written {written}"
                ));
            }
        }
        let time = match (of_copy, of_live) {
            (Some((_, copy_time)), Some((_, live_time))) => {
                format!(", {} s", (live_time - copy_time).num_seconds())
            }
            _ => String::new(),
        };
        lags.push(format!("{}{time} in {table}", count(rows, "row")));
    }
    Ok(Ok(format!("the copy lags by {}", lags.join("; "))))
}

/// The newest row, or the row with this key.
async fn newest(
    db: &DatabaseConnection,
    table: &'static str,
    key: &'static str,
    date: &'static str,
    id: Option<i64>,
) -> Result<Newest, DbErr> {
    let mut select = Query::select();
    select.columns([key, date]).from(table).order_by(key, Order::Desc).limit(1);
    if let Some(id) = id {
        select.and_where(Expr::col(key).eq(id));
    }
    let row = db.query_one(&select).await?;
    row.map(|row| Ok((row.try_get("", key)?, row.try_get("", date)?))).transpose()
}
