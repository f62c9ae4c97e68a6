//! The certificates in the settings: valid now and for more than a month, with matching keys.

use super::ServerSettings;
use crate::installation::certificates::{RENEW_BEFORE, dates};
use crate::installation::checks::Report;
use crate::installation::count;
use chrono::{DateTime, TimeDelta, Utc};
use shared::tls::Identity;
use std::path::Path;
use std::time::SystemTime;

const EXPECTED: &str = "valid for at least 30 more days, with the matching key";
const RENEW: &str = "have it renewed, then send the server SIGHUP";
const RENEW_OWN: &str = "run installer install again to renew it (in a quickstart: remove \
                         server.pem and restart the quickstart), then send the server SIGHUP";

/// Checks each server's certificate.
pub(super) fn check(settings: &ServerSettings, report: &mut Report) {
    let auth = settings.auth.as_ref().map(|it| (&it.tls_certificate, &it.tls_key));
    let api = settings.api.as_ref().map(|it| (&it.tls_certificate, &it.tls_key));
    for (name, files) in [("auth-server certificate", auth), ("api-server certificate", api)] {
        let Some((certificate, key)) = files else {
            report.skip(name, EXPECTED, "the settings cannot be read");
            continue;
        };
        let identity = Identity { certificate, key, client_certificates: false };
        match identity.server_config().and_then(|_| dates(certificate)) {
            Err(why) => report.fail(name, EXPECTED, &why, "configure a certificate and its key"),
            Ok((begin, end)) => {
                let renew = if is_own(certificate) { RENEW_OWN } else { RENEW };
                report_validity(name, begin, end, renew, report);
            }
        }
    }
}

/// True if this installer created the certificate's authority, whose key is kept next to it.
fn is_own(certificate: &Path) -> bool {
    certificate.parent().is_some_and(|folder| folder.join("ca.key").exists())
}

fn report_validity(
    name: &'static str,
    begin: DateTime<Utc>,
    end: DateTime<Utc>,
    renew: &str,
    report: &mut Report,
) {
    let now = DateTime::<Utc>::from(SystemTime::now());
    let remaining = end - now;
    let day = end.date_naive();
    if now < begin {
        let found = format!("not valid before {}", begin.date_naive());
        report.fail(name, EXPECTED, &found, "correct this machine's clock if it is wrong");
    } else if remaining < TimeDelta::zero() {
        report.fail(name, EXPECTED, &format!("expired on {day}"), renew);
    } else {
        let found = format!("valid until {day}, {} left", count(remaining.num_days(), "day"));
        match remaining < RENEW_BEFORE {
            true => report.fail(name, EXPECTED, &found, renew),
            false => report.pass(name, EXPECTED, &found),
        }
    }
}
