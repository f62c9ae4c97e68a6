//! Events that happen to a site during the load.

use super::site::{Member, Site};
use acceptance::postgres::Postgres;
use clap::ValueEnum;
use futures_util::StreamExt;
use futures_util::stream;
use sea_orm::{ConnectionTrait, Statement};
use shared::database;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How long something is away before the operator acts.
const DOWNTIME: Duration = Duration::from_secs(1);
/// How long the load continues after each event.
const LOAD_AFTER: Duration = Duration::from_secs(1);
/// How long an old primary runs at the same time as the new one.
const OVERLAP: Duration = Duration::from_secs(2);
/// Concurrent log-outs.
const CONCURRENCY: usize = 8;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Event {
    /// All four servers are restarted, one after the other.
    Rolling,
    /// Users log out at one auth server, and call the other api-server.
    LogOuts,
    /// The standby is killed: writes wait until the operator lets the primary run alone.
    Alone,
    /// The primary is killed and the standby promoted; the old primary comes back by mistake, and
    /// then as the standby of the new one.
    Failover,
    /// One of each server is killed and restarted.
    Kill,
}

/// When an event took place, and what else there is to report.
pub struct EventRun {
    pub event: Event,
    pub from: Instant,
    /// When everything was back to normal.
    pub to: Instant,
    pub notes: Vec<String>,
    /// What must not happen, one line each.
    pub faults: Vec<String>,
}

impl Event {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rolling => "rolling restart of all four servers",
            Self::LogOuts => "log-outs noticed by the other replica",
            Self::Alone => "standby killed, primary alone",
            Self::Failover => "primary killed, standby promoted",
            Self::Kill => "one of each server killed",
        }
    }

    /// Runs the event, and the load for a little longer.
    pub async fn run(self, site: &mut Site, log_outs: u32) -> Result<EventRun, String> {
        let (mut notes, mut faults) = (Vec::new(), Vec::new());
        let from = Instant::now();
        match self {
            Self::Rolling => restart_all(site, &mut faults).await?,
            Self::LogOuts => check_log_outs(site, log_outs, &mut notes, &mut faults).await,
            Self::Alone => remove_synchronous_standby(site, &mut faults).await?,
            Self::Failover => fail_over(site, &mut notes, &mut faults).await?,
            Self::Kill => kill_one_of_each(site).await?,
        }
        sleep(LOAD_AFTER).await;
        Ok(EventRun { event: self, from, to: Instant::now(), notes, faults })
    }
}

/// Stops each server, which must succeed; continues with the next one when HAProxy uses it again.
async fn restart_all(site: &mut Site, faults: &mut Vec<String>) -> Result<(), String> {
    let http = site.world.client.http.clone();
    for member in Member::ALL {
        let process = site.process(member);
        process.signal("TERM")?;
        if !process.wait_for_end().await {
            faults.push(format!("{member} did not exit successfully: {}", process.log()));
        }
        site.wait_for(member, false).await?;
        site.process(member).restart(&http).await;
        site.wait_for(member, true).await?;
    }
    Ok(())
}

/// Kills one of each server, and restarts it as systemd would.
async fn kill_one_of_each(site: &mut Site) -> Result<(), String> {
    let http = site.world.client.http.clone();
    for member in [Member::Auth1, Member::Api2] {
        site.process(member).kill().await;
    }
    sleep(DOWNTIME).await;
    for member in [Member::Auth1, Member::Api2] {
        site.process(member).restart(&http).await;
        site.wait_for(member, true).await?;
    }
    Ok(())
}

/// Checks that after a log-out at one auth server, both api-servers refuse the very next call.
async fn check_log_outs(
    site: &Site,
    count: u32,
    notes: &mut Vec<String>,
    faults: &mut Vec<String>,
) {
    let started = Instant::now();
    let log_outs = (0..count as usize).map(|number| log_out_once(site, number));
    let failures: Vec<_> = stream::iter(log_outs).buffer_unordered(CONCURRENCY).collect().await;
    faults.extend(failures.into_iter().flatten());
    let seconds = started.elapsed().as_secs_f64();
    notes.push(format!("{count} log-outs in {seconds:.1} s, bypassing HAProxy"));
}

/// Logs in at one replica, out at another one, and calls each. Reports what is wrong.
async fn log_out_once(site: &Site, number: usize) -> Option<String> {
    let replica = |bit: usize| &site.direct[number >> bit & 1];
    let password = &site.world.credentials.teller;
    let token = match replica(0).log_in("core", "teller", password).await {
        Ok(token) => token,
        Err(error) => return Some(format!("log-in {number}: {error}")),
    };
    for client in &site.direct {
        let before = client.get(&token, "/loans/999999").await.status;
        if before != 404 {
            return Some(format!("a call before log-out {number}: {before}"));
        }
    }
    let log_out = replica(1).log_out(&token).await.status;
    let after = replica(2).get(&token, "/loans/999999").await.status;
    (log_out != 204 || after != 401)
        .then(|| format!("log-out {number}: {log_out}, the next call {after}"))
}

/// A commit is acknowledged once it is on both disks, or on one after the operator has allowed
/// that.
async fn remove_synchronous_standby(site: &Site, faults: &mut Vec<String>) -> Result<(), String> {
    site.pg2.kill().await?;
    sleep(DOWNTIME).await;
    let before = payment_count(&site.pg1, site).await?;
    sleep(DOWNTIME).await;
    let more = payment_count(&site.pg1, site).await? - before;
    if more > 0 {
        faults.push(format!("{more} payments did not wait for the standby"));
    }
    site.pg1.remove_synchronous_standby().await?;
    sleep(LOAD_AFTER).await;
    site.pg2.launch().await?;
    site.pg1.set_synchronous_standby(&site.pg2).await
}

async fn fail_over(
    site: &mut Site,
    notes: &mut Vec<String>,
    faults: &mut Vec<String>,
) -> Result<(), String> {
    let killed = Instant::now();
    site.pg1.kill().await?;
    sleep(DOWNTIME).await;
    let time_to_traffic = async {
        site.database_proxy.wait("postgresql", "pg2", true).await?;
        Ok::<_, String>(killed.elapsed().as_secs_f64())
    };
    let (promoted, time_to_traffic) = tokio::join!(site.pg2.promote(), time_to_traffic);
    promoted?;
    let time_to_traffic = time_to_traffic?;
    notes.push(format!("the new primary got connections {time_to_traffic:.1} s after the kill"));
    sleep(LOAD_AFTER).await;
    // As after a reboot of the machine, if no one has prevented it from starting.
    site.pg1.launch().await?;
    site.database_proxy.wait("postgresql", "pg1", true).await?;
    let before = payment_count(&site.pg2, site).await?;
    sleep(OVERLAP).await;
    let (connections, after) =
        (connection_count(&site.pg1.url()).await?, payment_count(&site.pg2, site).await?);
    notes.push(format!(
        "the old primary ran next to the new one for {} s: {connections} connections of servers",
        OVERLAP.as_secs()
    ));
    if connections > 0 || after == before {
        faults.push(format!(
            "{connections} connections to the old primary; {} payments on the new one meanwhile",
            after - before
        ));
    }
    site.pg1.stop().await?;
    site.database_proxy.wait("postgresql", "pg1", false).await?;
    let rebuilding = Instant::now();
    site.pg1.follow(&site.pg2).await?;
    let duration = rebuilding.elapsed().as_secs_f64();
    notes.push(format!("the old primary was a synchronous standby after {duration:.1} s"));
    std::mem::swap(&mut site.pg1, &mut site.pg2);
    Ok(())
}

/// The number of payments in the books of this server.
async fn payment_count(server: &Postgres, site: &Site) -> Result<i64, String> {
    let database = site.world.database_url.rsplit('/').next().unwrap_or_default();
    let url = server.url().replace("/postgres", &format!("/{database}"));
    let count = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
    query_number(&url, count).await
}

/// The number of connections, except this one and HAProxy's.
async fn connection_count(url: &str) -> Result<i64, String> {
    let connections = "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend' \
                  AND pid <> pg_backend_pid() AND usename <> 'haproxy_check'";
    query_number(url, connections).await
}

async fn query_number(url: &str, sql: &str) -> Result<i64, String> {
    let failed = |error: sea_orm::DbErr| format!("{error}: {sql}");
    let db = database::connect(url, 1).await.map_err(failed)?;
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.map_err(failed)?.ok_or("no row")?;
    let number = row.try_get_by_index(0).map_err(failed)?;
    db.close().await.map_err(failed)?;
    Ok(number)
}
