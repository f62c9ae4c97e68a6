//! `installer settings`: installation-wide settings in the core system's database. Both servers
//! read them with each request, so a change takes effect immediately.

use crate::installation::core_settings::{check_time_zone, read, write};
use crate::installation::table;
use crate::installation::{ChangeError, CliError, Installation, change, event, print, refuse};
use api_server::xml_import::vin;
use auth_server::store::lifetimes::WEB_INACTIVITY_TIMEOUT;
use serde::Serialize;
use shared::audit::EventKind;
use shared::database::{self, BUSINESS_TIME_ZONE};

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct SettingsArgs {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    action: SettingsAction,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum SettingsAction {
    /// List the settings, their values and their meaning
    List {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Change a setting, effective with the next request
    Set {
        /// The setting's name, as `list` shows it
        name: String,
        /// The new value
        value: String,
    },
}

/// A setting of the core system.
struct CoreSetting {
    name: &'static str,
    meaning: &'static str,
    check: fn(&str) -> Result<(), CliError>,
}

/// The settings that administrators may change. The database has others, which the programs
/// maintain themselves.
const CORE_SETTINGS: [CoreSetting; 3] = [
    CoreSetting {
        name: BUSINESS_TIME_ZONE,
        meaning: "the time zone of the business day, as an IANA name such as America/Chicago; \
                  effective dates, due dates and accruals use it",
        check: check_time_zone,
    },
    CoreSetting {
        name: vin::SETTING,
        meaning: "how imports treat a vehicle whose VIN has a wrong check digit: off, warn (the \
                  default) or refuse",
        check: check_vin,
    },
    CoreSetting {
        name: WEB_INACTIVITY_TIMEOUT,
        meaning: "lifetime of a borrower's token in minutes, 1 to 10080; without it no borrower can \
                  log in",
        check: check_minutes,
    },
];

pub async fn run(arguments: &SettingsArgs) -> Result<(), CliError> {
    match &arguments.action {
        SettingsAction::List { json } => list(&arguments.installation, *json).await,
        SettingsAction::Set { name, value } => {
            set(&arguments.installation, name, value.trim()).await
        }
    }
}

/// A row of the list.
#[derive(Serialize)]
struct ListedSetting {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    meaning: &'static str,
}

async fn list(installation: &Installation, json: bool) -> Result<(), CliError> {
    let db = installation.open().await?;
    let mut settings = Vec::new();
    for CoreSetting { name, meaning, .. } in CORE_SETTINGS {
        settings.push(ListedSetting { name, value: read(&db, name).await?, meaning });
    }
    db.close().await?;
    if json {
        let text = serde_json::to_string_pretty(&settings);
        return print(&text.map_err(|error| CliError(error.to_string()))?);
    }
    let rows: Vec<_> = settings
        .into_iter()
        .map(|it| [it.name.to_owned(), it.value.unwrap_or_default(), it.meaning.to_owned()])
        .collect();
    print(&table::align(["name", "value", "meaning"], &rows))
}

async fn set(installation: &Installation, name: &str, value: &str) -> Result<(), CliError> {
    let Some(setting) = CORE_SETTINGS.iter().find(|setting| setting.name == name) else {
        let names = CORE_SETTINGS.map(|setting| setting.name).join(", ");
        return refuse(format!("no such setting: {name}; the settings are {names}"));
    };
    (setting.check)(value)?;
    let db = installation.open().await?;
    let before = change(&db, async |tx| {
        let before = read(tx, name).await?;
        if before.as_deref() != Some(value) {
            write(tx, name, Some(value)).await?;
            event(EventKind::SettingChanged).reason(name).record(tx).await?;
        }
        Ok::<_, ChangeError>(before)
    })
    .await?;
    let today = database::clock(&db).await?.today;
    db.close().await?;
    let previous = before.unwrap_or_else(|| "not set".to_owned());
    print(&format!("{name} is {value} (was {previous})"))?;
    if name == BUSINESS_TIME_ZONE {
        print(&format!("today is now {today}, starting with the next request"))?;
    }
    Ok(())
}

fn check_vin(value: &str) -> Result<(), CliError> {
    match value {
        "off" | "warn" | "refuse" => Ok(()),
        other => refuse(format!("{} must be off, warn or refuse, not {other:?}", vin::SETTING)),
    }
}

fn check_minutes(value: &str) -> Result<(), CliError> {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse::<u16>() {
        Ok(1..=10_080) if digits && value.len() <= 5 => Ok(()),
        _ => refuse(format!(
            "{WEB_INACTIVITY_TIMEOUT} must be a number of minutes from 1 to 10080, not {value:?}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::core_settings::this_time_zone;

    #[test]
    fn values_the_servers_cannot_read_are_refused() {
        for (name, good, wrong) in [
            (BUSINESS_TIME_ZONE, &["UTC", "Europe/Berlin"][..], &["", "CET+1", "berlin"][..]),
            (WEB_INACTIVITY_TIMEOUT, &["1", "20", "10080"], &["0", "10081", "+5", "000020", "x"]),
            (vin::SETTING, &["off", "warn", "refuse"], &["", "Off", "yes"]),
        ] {
            let setting = CORE_SETTINGS.iter().find(|setting| setting.name == name).unwrap();
            assert!(good.iter().all(|value| (setting.check)(value).is_ok()), "{name}");
            assert!(wrong.iter().all(|value| (setting.check)(value).is_err()), "{name}");
        }
        assert!(check_time_zone(&this_time_zone()).is_ok());
    }
}
