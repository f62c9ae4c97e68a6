//! The certificates in the settings: valid now and for more than a month, with matching keys.

use super::{NO_SETTINGS, ServerSettings};
use crate::installation::certificates::{RENEW_BEFORE, dates};
use crate::installation::checks::{Failure, Finding, Report};
use crate::installation::count;
use chrono::{DateTime, TimeDelta, Utc};
use shared::tls::Identity;
use std::path::Path;
use std::time::SystemTime;

const EXPECTED: &str = "valid for at least 30 more days, with the matching key";
const RENEW: &str = "have it renewed, then send the server SIGHUP";
const RENEW_OWN: &str = "run installer install again to renew it (in a quickstart: remove \
                         server.pem and restart the quickstart), then send the server SIGHUP";

pub(super) fn check(settings: &ServerSettings, report: &mut Report) {
    let auth = settings.auth.as_ref().map(|it| (&it.tls_certificate, &it.tls_key));
    let api = settings.api.as_ref().map(|it| (&it.tls_certificate, &it.tls_key));
    for (name, files) in [("auth-server certificate", auth), ("api-server certificate", api)] {
        let check = (name, EXPECTED);
        match files {
            None => report.skip(check, NO_SETTINGS),
            Some((certificate, key)) => report.record(check, find(certificate, key)),
        }
    }
}

fn find(certificate: &Path, key: &Path) -> Finding {
    let identity = Identity { certificate, key, client_certificates: false };
    let (begin, end) = identity
        .server_config()
        .and_then(|_| dates(certificate))
        .map_err(|why| Failure::new(why, "configure a certificate and its key"))?;
    // This installer keeps the key of an authority that it created next to the certificate.
    let is_own = certificate.parent().is_some_and(|folder| folder.join("ca.key").exists());
    let renew = if is_own { RENEW_OWN } else { RENEW };
    let now = DateTime::<Utc>::from(SystemTime::now());
    let (remaining, day) = (end - now, end.date_naive());
    let found = format!("valid until {day}, {} left", count(remaining.num_days(), "day"));
    if now < begin {
        let found = format!("not valid before {}", begin.date_naive());
        Err(Failure::new(found, "correct this machine's clock if it is wrong"))
    } else if remaining < TimeDelta::zero() {
        Err(Failure::new(format!("expired on {day}"), renew))
    } else if remaining < RENEW_BEFORE {
        Err(Failure::new(found, renew))
    } else {
        Ok(found)
    }
}
