//! The systemd services of both servers, which the package brings.

use super::answers::Answers;
use crate::installation::CliError;
use crate::installation::checks::{Failure, Finding};
use std::path::Path;
use std::process::{Command, Stdio};

const SERVICES: [(&str, &str); 2] =
    [("auth-server", "loan-servicing-auth"), ("api-server", "loan-servicing-api")];

/// Checks that the services exist and use the settings of this installation.
pub(super) fn check(answers: &Answers) -> Finding {
    let folder = answers.dir.display();
    for (server, service) in SERVICES {
        let unit = unit(service).ok_or_else(|| {
            let found = format!("systemd has no service {service}");
            Failure::new(found, "install the package, or the units in deploy/systemd")
        })?;
        if !unit.contains(&format!("--env-file {folder}/{server}.env")) {
            let found = format!("the service {service} does not read {folder}/{server}.env");
            let advice = format!("correct its command with systemctl edit {service}");
            return Err(Failure::new(found, advice));
        }
    }
    Ok(SERVICES.map(|(_, service)| service).join(" and "))
}

/// True if systemd runs and has these services.
pub(super) fn exist() -> bool {
    systemd_runs() && SERVICES.iter().all(|(_, service)| unit(service).is_some())
}

/// The text of a service's unit, with the administrator's changes.
fn unit(service: &str) -> Option<String> {
    let mut command = Command::new("systemctl");
    let output = command.args(["cat", service]).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn systemd_runs() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// Starts the services, now and at boot; those that run already get the new settings.
pub(super) fn start() -> Result<(), CliError> {
    for verb in ["enable", "restart"] {
        let mut command = Command::new("systemctl");
        command.arg(verb).args(SERVICES.map(|(_, service)| service));
        run(command)?;
    }
    Ok(())
}

fn run(mut command: Command) -> Result<(), CliError> {
    let failed = |error: &str| CliError(format!("systemctl: {error}"));
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| failed(&error.to_string()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(failed(String::from_utf8_lossy(&output.stderr).trim())),
    }
}
