//! This product's systemd units, if systemd is running.

use crate::installation::checks::{CheckName, Report};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

const UNITS: CheckName = ("systemd units", "all active, if there are any");
/// The directory that exists while systemd is running (sd_booted).
const SYSTEMD_RUNNING: &str = "/run/systemd/system";
const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks systemd; adds no check if it is not running.
pub(super) async fn check(report: &mut Report) {
    if !Path::new(SYSTEMD_RUNNING).exists() {
        return;
    }
    let listing = Command::new("systemctl")
        .args(["list-units", "--all", "--plain", "--no-legend", "--no-pager"])
        .args(["*auth-server*.service", "*api-server*.service", "loan-servicing*"])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let listed = match tokio::time::timeout(TIMEOUT, listing).await {
        Ok(Ok(output)) if output.status.success() => output.stdout,
        Ok(Ok(output)) => {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            return report.fail(UNITS, why, "see the output of systemctl");
        }
        Ok(Err(error)) => return report.skip(UNITS, &format!("systemctl: {error}")),
        Err(_) => return report.fail(UNITS, "no answer", "see the output of systemctl"),
    };
    report_units(&String::from_utf8_lossy(&listed), report);
}

/// Lines of: unit, load state, active state, sub-state, description.
fn report_units(listed: &str, report: &mut Report) {
    let mut units = Vec::new();
    let mut all_active = true;
    for line in listed.lines() {
        let mut words = line.split_whitespace();
        let (Some(unit), Some(_), Some(active), Some(state)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        all_active &= active == "active";
        units.push(format!("{unit} {active} ({state})"));
    }
    let found = if units.is_empty() { "none".to_owned() } else { units.join(", ") };
    report.require(UNITS, all_active, found, "see journalctl -u UNIT");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_healthy_if_all_are_active() {
        for (listed, holds) in [
            ("", true),
            ("auth-server.service loaded active running Auth server\n", true),
            (
                "auth-server.service loaded active running Auth server\n\
                 api-server.service loaded failed failed API\n",
                false,
            ),
        ] {
            let mut report = Report::default();
            report_units(listed, &mut report);
            assert_eq!(report.holds(), holds, "{}", report.to_text());
        }
    }
}
