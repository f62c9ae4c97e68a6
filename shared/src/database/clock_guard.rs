//! Whether the database's clock can be right. One reading is not believed at once: a clock that is set
//! wrong for two minutes would end tokens, sweep rows and date payments for good.
//!
//! A reading counts as wrong while it is far from this machine's clock *and* from what is recorded.
//! If the database is ahead, and time has passed, log-ins have been recorded all along the first half of
//! the difference, not only during an earlier fault; if it is behind, none has been recorded after its
//! time. So a machine whose own clock is wrong does not stop its server, as long as the database is in
//! use.

use crate::entity::auth_events::{Column, Entity};
use crate::time::Timestamp;
use chrono::{DateTime, TimeDelta, Utc};
use rustix::time::{ClockId, clock_gettime};
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, DbErr};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Parts of the first half of a difference, in each of which something has been recorded if time has
/// passed.
const PARTS: i32 = 8;
/// Differences up to this are believed.
const BELIEVED: TimeDelta = TimeDelta::hours(1);

/// Returns what is wrong with a reading of the database's clock, if it cannot be right.
pub async fn find_fault(
    db: &impl ConnectionTrait,
    now: Timestamp,
) -> Result<Option<String>, DbErr> {
    let machine = machine_time(db.get_database_backend());
    let ahead = now.0 - machine;
    let is_behind = ahead < TimeDelta::zero();
    if ahead.abs() <= BELIEVED || is_recorded(db, now.0, machine).await? != is_behind {
        return Ok(None);
    }
    let (days, hours) = (ahead.abs().num_days(), ahead.abs().num_hours() % 24);
    let side = if is_behind { "behind" } else { "ahead of" };
    Ok(Some(format!(
        "the database's clock is {days} days and {hours} hours {side} this machine's and of what is \
         recorded: correct whichever is wrong"
    )))
}

/// True if events were recorded all along between the machine's time and the database's, or after the
/// database's if that is behind.
async fn is_recorded(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    machine: DateTime<Utc>,
) -> Result<bool, DbErr> {
    if now < machine {
        return has_events(db, Column::EventDate.gte(Timestamp(now + BELIEVED))).await;
    }
    let part = (now - machine) / (2 * PARTS);
    for number in 0..PARTS {
        let (from, to) = (machine + part * number, machine + part * (number + 1));
        let from = from.max(machine + Ord::min(BELIEVED, part / 2));
        let within = Column::EventDate.between(Timestamp(from), Timestamp(to));
        if !has_events(db, within).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn has_events(db: &impl ConnectionTrait, when: Expr) -> Result<bool, DbErr> {
    let select = Query::select().expr(Expr::value(1)).from(Entity).and_where(when).limit(1).take();
    Ok(db.query_one(&select).await?.is_some())
}

/// This machine's clock. It is SQLite's clock, too, so there a step must last before it is believed.
fn machine_time(backend: DbBackend) -> DateTime<Utc> {
    static STEADY: LazyLock<Mutex<SteadyClock>> =
        LazyLock::new(|| Mutex::new(SteadyClock::new(system_time(), since_boot())));
    let system = system_time();
    match backend {
        DbBackend::Sqlite => {
            let mut steady = STEADY.lock().unwrap_or_else(PoisonError::into_inner);
            steady.read(system, since_boot())
        }
        _ => system,
    }
}

#[expect(clippy::disallowed_methods, reason = "only compared with the database's clock")]
fn system_time() -> DateTime<Utc> {
    SystemTime::now().into()
}

/// Time since the machine was started, sleep included.
fn since_boot() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Starts watching this machine's clock.
pub(super) fn watch() {
    machine_time(DbBackend::Sqlite);
}

/// A clock that follows the system's, but for steps that have not lasted for an hour.
struct SteadyClock {
    time: DateTime<Utc>,
    /// When that was, since the machine was started.
    at: Duration,
    /// Since when the system's clock has been elsewhere.
    stepped: Option<Duration>,
}

impl SteadyClock {
    const fn new(time: DateTime<Utc>, at: Duration) -> Self {
        Self { time, at, stepped: None }
    }

    fn read(&mut self, system: DateTime<Utc>, now: Duration) -> DateTime<Utc> {
        let steady = self.time + now.saturating_sub(self.at);
        let is_step = (system - steady).abs() > BELIEVED;
        let lasted = now.saturating_sub(*self.stepped.get_or_insert(now));
        if is_step && TimeDelta::from_std(lasted).is_ok_and(|lasted| lasted < BELIEVED) {
            return steady;
        }
        *self = Self::new(system, now);
        system
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_the_system_clock_is_believed_after_an_hour() {
        let (begin, time) = (since_boot(), system_time());
        let mut clock = SteadyClock::new(time, begin);
        let mut read = |minutes: u64, system_days: i64| {
            let later = TimeDelta::minutes(minutes as i64);
            let system = time + later + TimeDelta::days(system_days);
            let now = begin + Duration::from_secs(60 * minutes);
            (clock.read(system, now) - time - later).num_days()
        };
        assert_eq!(read(10, 0), 0);
        assert_eq!((read(11, 500), read(13, 500)), (0, 0));
        assert_eq!(read(14, 0), 0, "it has returned");
        assert_eq!((read(20, 1), read(79, 1)), (0, 0));
        assert_eq!(read(81, 1), 1, "it has lasted for an hour");
        assert_eq!(read(82, 1), 1);
    }
}
