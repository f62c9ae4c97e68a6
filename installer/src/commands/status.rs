//! `installer status`: the health of an installation, one line per check with what was found and
//! what to do.
//!
//! It changes nothing, and works with the servers stopped or the database down: it then reports
//! that. Checks that depend on a failed one are skipped.

mod certificates;
mod database;
mod names;
mod servers;
mod units;
mod work;

use crate::installation::checks::Report;
use crate::installation::{CliError, SettingsFiles, print};

const VALID: &str = "complete and valid";
const NO_SETTINGS: &str = "the settings cannot be read";
const NO_DATABASE: &str = "the database cannot be reached, or has another release's schema";

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct StatusArgs {
    #[command(flatten)]
    files: SettingsFiles,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Both servers' settings, if they can be read.
struct ServerSettings {
    auth: Option<auth_server::config::Config>,
    api: Option<api_server::config::Config>,
    /// The api-server's settings file.
    api_file: String,
}

/// Runs the command: prints the report, and returns true if every check passed.
pub async fn run(arguments: &StatusArgs) -> Result<bool, CliError> {
    let mut report = Report::default();
    let settings = read_settings(arguments, &mut report);
    // Servers without a database take a while to answer.
    let mut server_report = Report::default();
    let (db, ()) = tokio::join!(
        database::check(&settings, &mut report),
        servers::check(&settings, &mut server_report),
    );
    report.checks.append(&mut server_report.checks);
    certificates::check(&settings, &mut report);
    work::check(&settings, db.as_ref(), &mut report).await;
    names::check(db.as_ref(), &mut report).await;
    units::check(&mut report).await;
    print(&if arguments.json { report.to_json() } else { report.to_text() })?;
    Ok(report.holds())
}

fn read_settings(arguments: &StatusArgs, report: &mut Report) -> ServerSettings {
    let auth = arguments.files.auth().map_err(|CliError(why)| why);
    let auth = auth.and_then(|file| auth_server::config::Config::read(file.as_deref()));
    let api_file = arguments.files.api().map_err(|CliError(why)| why);
    let api = api_file.clone();
    let api = api.and_then(|file| api_server::config::Config::read(file.as_deref()));
    for (check, faults, option) in [
        (("auth-server settings", VALID), auth.as_ref().err(), "--env-file"),
        (("api-server settings", VALID), api.as_ref().err(), "--api-env-file"),
    ] {
        let advice = || format!("correct the settings, or pass their file with {option}");
        match faults {
            None => report.pass(check, VALID),
            Some(faults) => {
                report.fail(check, faults.lines().collect::<Vec<_>>().join("; "), advice());
            }
        }
    }
    let api_file = api_file.ok().flatten().map(|file| file.display().to_string());
    let api_file = api_file.unwrap_or_else(|| "the api-server's settings".to_owned());
    ServerSettings { auth: auth.ok(), api: api.ok(), api_file }
}
