//! The certificates in the settings: valid now, for more than a month, and with their keys.

use super::Settings;
use crate::certificates::{RENEW_BEFORE, dates};
use crate::checks::Report;
use chrono::{DateTime, TimeDelta, Utc};
use shared::tls::Identity;
use std::time::SystemTime;

const EXPECTED: &str = "valid for 30 days and more, and the key is its own";
const RENEW: &str =
    "have it renewed (installer install does it for its own), and send the server SIGHUP";

/// Looks at the certificate of each server.
pub fn check(settings: &Settings, report: &mut Report) {
    let auth = settings.auth.as_ref().map(|it| (&it.tls_certificate, &it.tls_key));
    let api = settings.api.as_ref().map(|it| (&it.tls_certificate, &it.tls_key));
    for (name, files) in [("auth-server certificate", auth), ("api-server certificate", api)] {
        let Some((certificate, key)) = files else {
            report.skip(name, EXPECTED, "the settings cannot be read");
            continue;
        };
        let identity = Identity { certificate, key, client_certificates: false };
        match identity.server_config().and_then(|_| dates(certificate)) {
            Err(why) => report.fail(name, EXPECTED, &why, "give it a certificate and its key"),
            Ok((begin, end)) => judge(name, begin, end, report),
        }
    }
}

fn judge(name: &'static str, begin: DateTime<Utc>, end: DateTime<Utc>, report: &mut Report) {
    let now = DateTime::<Utc>::from(SystemTime::now());
    let left = end - now;
    let day = end.date_naive();
    if now < begin {
        let found = format!("not valid before {}", begin.date_naive());
        report.fail(name, EXPECTED, &found, "set this machine's clock if it is wrong");
    } else if left < TimeDelta::zero() {
        report.fail(name, EXPECTED, &format!("expired on {day}"), RENEW);
    } else {
        let found = format!("until {day}, {} days left", left.num_days());
        match left < RENEW_BEFORE {
            true => report.pass_for_now(name, EXPECTED, &found, RENEW),
            false => report.pass(name, EXPECTED, &found),
        }
    }
}
