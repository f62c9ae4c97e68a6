//! The database's clock, which decides when tokens expire, compared with this machine's; and
//! whether web users' tokens have a lifetime at all.

use super::connect::Target;
use super::report::{VerificationRun, VerificationStep};
use super::web::{Web, WebResponse};
use crate::installation::checks::Failure;
use crate::installation::core_settings::{NO_WEB_LIFETIME, SET_WEB_LIFETIME};
use auth_server::endpoints::health::WEB_TOKEN_SECONDS;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::StatusCode;
use std::time::SystemTime;

/// A larger difference is not drift but an unsynchronized clock. Tokens are unaffected, as only the
/// database judges them; but certificates are judged by this machine's clock, and a caller that
/// computes from `expires_in` when to request a new token has at most 12 minutes to be wrong about.
/// The report names the limit.
const LIMIT: TimeDelta = TimeDelta::seconds(60);

/// Compares the two clocks. An error means that the server is not ready, not that the clocks
/// differ.
pub(super) async fn check(
    web: &Web,
    target: &Target,
    run: &mut VerificationRun,
) -> Result<(), VerificationStep> {
    let mut url = target.url.clone();
    url.set_path(&format!("{}/health/ready", target.url.path().trim_end_matches('/')));
    let before = DateTime::<Utc>::from(SystemTime::now());
    let outcome = web.get(url.clone()).await;
    let after = DateTime::<Utc>::from(SystemTime::now());
    let answer = match outcome {
        Ok(response) => read(&response),
        Err(error) => Err(Failure::new(error, "make sure the auth server is not hanging")),
    };
    let (time, web_seconds) = answer.map_err(|Failure { found, advice }| {
        run.fail(VerificationStep::Clock, format!("{url}: {found}"), advice)
    })?;
    // The database read its clock at some point between request and response.
    let difference = time - (before + (after - before) / 2);
    let found = describe(difference);
    if difference.abs() <= LIMIT {
        run.pass(VerificationStep::Clock, found);
    } else {
        let advice = "synchronize the clocks of the database's machine and of this one with NTP";
        run.fail(VerificationStep::Clock, found, advice);
    }
    match web_seconds {
        Some(seconds) => {
            run.pass(VerificationStep::WebUsers, format!("{} minutes", seconds / 60));
        }
        None => {
            run.fail(VerificationStep::WebUsers, NO_WEB_LIFETIME, SET_WEB_LIFETIME);
        }
    }
    Ok(())
}

/// Reads the database's time, and the lifetime of web users' tokens in seconds.
fn read(response: &WebResponse) -> Result<(DateTime<Utc>, Option<i64>), Failure> {
    let advice = match response.status {
        StatusCode::SERVICE_UNAVAILABLE => {
            "start the database, or upgrade its schema to this release"
        }
        _ => "check whether a proxy in front of the server blocks /health/ready",
    };
    let json = response.ok_json().map_err(|found| Failure::new(found, advice))?;
    let time = json.get("database_time").and_then(|time| time.as_str());
    let time = time.and_then(|time| time.parse().ok());
    let time = time.ok_or_else(|| {
        Failure::new("no database_time", "upgrade the auth server to this release")
    })?;
    Ok((time, json.get(WEB_TOKEN_SECONDS).and_then(|seconds| seconds.as_i64())))
}

fn describe(difference: TimeDelta) -> String {
    let magnitude = difference.abs();
    let amount = if magnitude < TimeDelta::minutes(2) {
        let milliseconds = magnitude.num_milliseconds();
        format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
    } else if magnitude < TimeDelta::hours(2) {
        format!("{} min", magnitude.num_minutes())
    } else {
        format!("{} h", magnitude.num_hours())
    };
    let side = if difference < TimeDelta::zero() { "behind" } else { "ahead of" };
    format!("the database's clock is {amount} {side} this machine's")
}
