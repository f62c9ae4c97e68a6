//! The core system's settings, stored in its database: reading and writing them, and the business
//! time zone.

use crate::installation::cli_error::{CliError, refuse};
use chrono_tz::Tz;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use shared::entity::settings::{ActiveModel, Column, Entity};

/// What is found while the lifetime of web users' tokens is not set.
pub const NO_WEB_LIFETIME: &str = "web_inactivity_timeout is missing or not 1 to 10080 minutes: no \
                                   borrower can log in";
/// What to do about it.
pub const SET_WEB_LIFETIME: &str =
    "set it with installer settings set web_inactivity_timeout MINUTES";

/// Returns the value of a setting, if it is set.
pub async fn read(db: &impl ConnectionTrait, name: &str) -> Result<Option<String>, DbErr> {
    Ok(Entity::find_by_id(name).one(db).await?.map(|row| row.value))
}

/// Writes a setting, or removes it.
pub async fn write(
    db: &impl ConnectionTrait,
    name: &str,
    value: Option<&str>,
) -> Result<(), DbErr> {
    let Some(value) = value else {
        let removed = Entity::delete_many().filter(Column::Name.eq(name)).exec(db).await;
        return removed.map(drop);
    };
    let row = ActiveModel { name: Set(name.to_owned()), value: Set(value.to_owned()) };
    let on_conflict = OnConflict::column(Column::Name).update_column(Column::Value).to_owned();
    Entity::insert(row).on_conflict(on_conflict).exec_without_returning(db).await.map(drop)
}

/// Refuses an unknown time zone.
pub fn check_time_zone(name: &str) -> Result<(), CliError> {
    match name.parse::<Tz>() {
        Ok(_) => Ok(()),
        Err(_) => refuse(format!(
            "unknown time zone {name:?}: use an IANA name, such as America/Chicago or UTC"
        )),
    }
}

/// This machine's time zone, or the one named by `TZ`; UTC if neither is known.
pub fn this_time_zone() -> String {
    let names = std::env::var("TZ").ok().into_iter().chain(iana_time_zone::get_timezone());
    let mut names = names.map(|name| name.trim_start_matches(':').to_owned());
    let valid = names.find(|name| check_time_zone(name).is_ok());
    valid.unwrap_or_else(|| Tz::UTC.name().to_owned())
}
