//! `installer audit`: the auth server's audit trail, newest event last.

use crate::installation::accounts::{self, Account};
use crate::installation::table;
use crate::installation::{CliError, Installation, print, refuse};
use chrono::{DateTime, Utc};
use clap::builder::PossibleValuesParser;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, Iterable, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait,
};
use serde_json::json;
use shared::audit::EventKind;
use shared::database;
use shared::entity::auth_events::{Column, Entity, Model};
use shared::entity::oauth_clients;
use shared::time::Timestamp;
use std::str::FromStr;

/// The longest span that `--since` accepts: a hundred years.
const SPAN_SECONDS_MAX: i64 = 100 * 366 * 86_400;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct AuditArgs {
    #[command(flatten)]
    installation: Installation,
    /// Only events of the user with this name
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The user is a borrower (web user)
    #[arg(long, requires = "user")]
    web: bool,
    /// Only events of this client
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// Only events of these kinds
    #[arg(
        long = "event",
        value_name = "KIND",
        num_args = 1..,
        value_parser = PossibleValuesParser::new(EventKind::iter().map(EventKind::as_str))
    )]
    events: Vec<String>,
    /// Only events since this time: an instant such as 2026-11-21T08:00:00Z, or an age by the
    /// database's clock: 90s, 30m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Show at most the last N events
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    last: u64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Start of a list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    Instant(Timestamp),
    SecondsAgo(i64),
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::Instant(Timestamp(instant.with_timezone(&Utc))));
        }
        let wrong =
            "must be an instant such as 2026-11-21T08:00:00Z, or an age such as 90s, 30m, 2h or 7d";
        let unit_start = text.trim_end_matches(char::is_alphabetic).len();
        let (number, unit) = text.split_at(unit_start);
        let unit_seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            "d" => 86_400,
            _ => return Err(wrong),
        };
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: Option<i64> = number.parse().ok().filter(|_| is_number);
        let seconds = number.and_then(|number| number.checked_mul(unit_seconds));
        let seconds = seconds.filter(|seconds| *seconds <= SPAN_SECONDS_MAX);
        seconds.map(Self::SecondsAgo).ok_or(wrong)
    }
}

impl Since {
    fn instant(self, db: &impl ConnectionTrait) -> Expr {
        match self {
            Self::Instant(instant) => Expr::value(instant),
            Self::SecondsAgo(seconds) => database::seconds_ago(db, Expr::value(seconds)),
        }
    }
}

pub async fn run(arguments: &AuditArgs) -> Result<(), CliError> {
    let db = arguments.installation.open().await?;
    let events = events(&db, arguments).await?;
    // Deleted users and clients may still have events, so names are checked only if there are none.
    if events.is_empty() {
        check_names_exist(&db, arguments).await?;
    }
    if arguments.json {
        let lines: String = events.iter().map(|event| json!(event).to_string() + "\n").collect();
        return if lines.is_empty() { Ok(()) } else { print(&lines) };
    }
    let heading =
        ["time", "event", "reason", "user", "client", "source", "actor", "token", "request"];
    let rows: Vec<_> = events.iter().map(as_cells).collect();
    print(&table::align(heading, &rows))
}

/// Refuses a user or client that does not exist.
async fn check_names_exist(db: &DatabaseConnection, arguments: &AuditArgs) -> Result<(), CliError> {
    if let Some(name) = &arguments.user {
        Account::find(db, accounts::kind(arguments.web), name).await?;
    }
    match &arguments.client {
        Some(id) if oauth_clients::Entity::find_by_id(id).one(db).await?.is_none() => {
            refuse(format!("no such client: {id}"))
        }
        _ => Ok(()),
    }
}

/// The last events that match, newest last.
async fn events(db: &DatabaseConnection, arguments: &AuditArgs) -> Result<Vec<Model>, DbErr> {
    let kind = accounts::kind(arguments.web);
    let mut events = Entity::find()
        .apply_if(arguments.user.as_deref(), |find, name| {
            find.filter(Column::UserName.eq(name)).filter(Column::UserKind.eq(kind))
        })
        .apply_if(arguments.client.as_deref(), |find, id| find.filter(Column::ClientId.eq(id)))
        .apply_if(arguments.since, |find, since| {
            find.filter(Expr::col(Column::EventDate).gte(since.instant(db)))
        })
        .apply_if(Some(&arguments.events).filter(|kinds| !kinds.is_empty()), |find, kinds| {
            find.filter(Column::Event.is_in(kinds))
        })
        .order_by_desc(Column::EventDate)
        .order_by_desc(Column::EventId)
        .limit(arguments.last)
        .all(db)
        .await?;
    events.reverse();
    Ok(events)
}

fn as_cells(event: &Model) -> [String; 9] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let kind = event.user_kind.map(|kind| format!("{}:", kind.as_str())).unwrap_or_default();
    let id = event.user_id.map(|id| id.to_string()).unwrap_or_default();
    let name = event.user_name.clone().unwrap_or(id);
    let group = event.group_name.as_ref().map(|group| format!("group:{group}"));
    let whom = group.unwrap_or_else(|| format!("{kind}{name}"));
    let reason = event.reason.as_ref().or(event.privilege.as_ref());
    [
        event.event_date.to_string(),
        event.event.clone(),
        reason.cloned().unwrap_or_default(),
        whom,
        text(&event.client_id),
        text(&event.source),
        text(&event.actor),
        text(&event.token_hash_prefix),
        text(&event.request_id),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_starts_at_an_instant_or_a_duration_ago() {
        let instant = Since::Instant(Timestamp("2026-11-21T08:00:00Z".parse().unwrap()));
        assert_eq!("2026-11-21T09:00:00+01:00".parse(), Ok(instant));
        for (text, seconds) in
            [("90s", 90), ("30m", 1800), ("2h", 7200), ("7d", 604_800), ("0s", 0)]
        {
            assert_eq!(text.parse(), Ok(Since::SecondsAgo(seconds)));
        }
        for wrong in [
            "",
            "h",
            "2",
            "-2h",
            "+2h",
            "2 h",
            "2w",
            "2.5h",
            "2026-11-21",
            "2026-11-21T08:00:00",
            "99999999999999d",
            "9223372036854775807d",
            "2ä",
        ] {
            assert!(wrong.parse::<Since>().is_err(), "{wrong}");
        }
    }
}
