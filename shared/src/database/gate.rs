//! The database gate: a server whose database has another schema, may not be written, holds secrets that
//! the server's keys do not open, has another document store, or a clock that cannot be right, does
//! nothing but say so. Operations respond with 503
//! and the reason, background tasks do not run, and imports end at their next transaction.
//!
//! It rests on a check that began at most two seconds earlier, and that concurrent callers share. Only
//! what the database *answers* closes it: while the database is unavailable, nothing is known, and
//! whatever needs the database fails by itself. It opens again by itself, without a restart.

pub mod key_checks;

use self::key_checks::{Adoption, Keys};
use crate::database::coalesced::{BatchLimits, Coalesced, Unanswered};
use crate::database::migration::{SchemaState, schema_state};
use crate::database::{self, Fault, clock_guard, faults, sessions};
use crate::entity::settings::{Column, Entity};
use crate::problem::{Problem, ProblemType};
use crate::telemetry::Metrics;
use crate::time::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    EntityTrait, QueryFilter, RuntimeErr,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::time::{Instant, timeout};

/// Age of a check after which nothing relies on it.
const AGE_MAX: Duration = Duration::from_secs(2);
/// Age after which it is repeated while callers still rely on it, so that none of them waits.
const REFRESH_AGE: Duration = Duration::from_secs(1);
/// Interval at which the keys are tried on what they have sealed.
const PROOF_INTERVAL: Duration = Duration::from_secs(60);
/// A write that takes longer is only blocked by another connection: the database counts as
/// writable.
const WRITE_WAIT: Duration = Duration::from_millis(500);

/// The setting that readiness writes.
const PROBE: &str = "readiness_probe";

/// What a server needs of its database.
pub struct GateRules {
    /// A table that the server writes.
    pub written_table: &'static str,
    /// Whether it judges business days: their time zone must be valid.
    pub business_days: bool,
    /// Its keys.
    pub keys: Arc<dyn Keys>,
    /// The document store that it uses, if any.
    pub store: Option<Arc<dyn StoreIdentity>>,
}

/// A document store, which must be the database's own.
#[async_trait::async_trait]
pub trait StoreIdentity: Send + Sync {
    /// Fails with [`Closed::Store`] if it is another one. One that is unavailable is not.
    async fn check(&self, db: &DatabaseConnection) -> Result<(), Unready>;
}

/// The gate of one database. Clones share it.
#[derive(Clone)]
pub struct DatabaseGate(Arc<Inner>);

struct Inner {
    db: DatabaseConnection,
    checks: Coalesced<(), Result<Timestamp, Unready>>,
    /// Writes of readiness: anyone may ask for it, so concurrent requests share one, and it is not
    /// repeated within two seconds.
    probes: Coalesced<(), Result<(), Unready>>,
    latest: Arc<Latest>,
    is_refreshing: AtomicBool,
}

/// The outcome of the latest check that the database answered.
#[derive(Default)]
struct Latest {
    verdict: Mutex<Option<(Instant, Result<(), Closed>)>>,
    /// No pooler shares connections between sessions.
    is_direct: AtomicBool,
    /// When the keys last opened what they have sealed.
    proved: Mutex<Option<Instant>>,
    closed: Family<ReasonLabel, Gauge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

/// Why a gate is closed. Its text is the message for an administrator.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Closed {
    /// The database has another schema.
    #[error("{0}")]
    Schema(SchemaState),
    /// A pooler gives each transaction another connection.
    #[error(
        "the database is reached through a pooler that shares connections between transactions: \
         use sessions (PgBouncer: pool_mode = session)"
    )]
    Pooled,
    /// The database can be read, but not written.
    #[error("the database can be read, but not written")]
    ReadOnly,
    /// The keys in the settings are not the ones that the database was written with.
    #[error("{0}")]
    Keys(String),
    /// The document store is not the database's own.
    #[error("{0}")]
    Store(String),
    /// The database's clock cannot be right.
    #[error("{0}")]
    Clock(String),
    /// The business time zone is not one.
    #[error(
        "the business time zone {0:?} is not an IANA time zone: correct it with installer settings"
    )]
    TimeZone(String),
}

impl Closed {
    const fn label(&self) -> &'static str {
        match self {
            Self::Schema(_) => "schema",
            Self::Pooled => "pooled",
            Self::ReadOnly => "read_only",
            Self::Keys(_) => "keys",
            Self::Store(_) => "store",
            Self::Clock(_) => "clock",
            Self::TimeZone(_) => "time_zone",
        }
    }
}

/// Why a server cannot use its database.
#[derive(Clone, Debug, Error)]
pub enum Unready {
    /// The gate is closed.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// The database is unavailable, or failed in another way.
    #[error(transparent)]
    Database(#[from] DbErr),
    /// The check itself did not end.
    #[error(transparent)]
    Unanswered(Unanswered),
}

impl Unready {
    /// Returns the message for an administrator.
    pub fn message(&self) -> String {
        match self {
            Self::Database(error) => format!("the database cannot be reached: {error}"),
            other => other.to_string(),
        }
    }
}

impl From<Unready> for Problem {
    fn from(unready: Unready) -> Self {
        match unready {
            Unready::Database(error) => error.into(),
            unready => Self::new(ProblemType::DatabaseUnavailable).detail(unready.to_string()),
        }
    }
}

impl From<Unready> for DbErr {
    fn from(unready: Unready) -> Self {
        match unready {
            Unready::Database(error) => error,
            other => Self::Conn(RuntimeErr::Internal(other.to_string())),
        }
    }
}

impl DatabaseGate {
    /// Returns the gate of this database. It is checked on `uncounted`, the same database without a
    /// count of its statements.
    pub fn new(
        db: DatabaseConnection,
        uncounted: DatabaseConnection,
        rules: GateRules,
        metrics: &mut Metrics,
    ) -> Self {
        let latest = Arc::new(Latest::default());
        let help = "1 while this server must not use its database, by reason";
        metrics.register("database_gate_closed", help, latest.closed.clone());
        let rules = Arc::new(rules);
        let checks = Coalesced::new(BatchLimits::of_reads(1), {
            let (db, latest) = (uncounted, Arc::clone(&latest));
            move |_| {
                let (db, rules, latest) = (db.clone(), Arc::clone(&rules), Arc::clone(&latest));
                async move { vec![check(&db, &rules, &latest).await] }
            }
        });
        let probes = probes(db.clone());
        Self(Arc::new(Inner { db, checks, probes, latest, is_refreshing: AtomicBool::default() }))
    }

    /// Returns a gate whose checks have these outcomes.
    #[cfg(test)]
    pub(crate) fn answering(
        verdict: impl Fn() -> Result<(), Closed> + Send + Sync + 'static,
    ) -> Self {
        let checks = Coalesced::new(BatchLimits::of_reads(1), move |_| {
            let outcome = verdict().map(|()| Timestamp::default()).map_err(Unready::from);
            async move { vec![outcome] }
        });
        let (latest, is_refreshing) = (Arc::default(), AtomicBool::default());
        let db = DatabaseConnection::default();
        let probes = probes(db.clone());
        Self(Arc::new(Inner { db, checks, probes, latest, is_refreshing }))
    }

    /// Passes while the gate is open.
    pub async fn pass(&self) -> Result<(), Unready> {
        let Some((began, verdict)) = self.0.latest.verdict() else {
            return self.check().await.map(drop);
        };
        match began.elapsed() {
            age if age > AGE_MAX => return self.check().await.map(drop),
            age if age > REFRESH_AGE => self.refresh(),
            _ => {}
        }
        Ok(verdict?)
    }

    /// Checks the database now; returns its time.
    pub async fn check(&self) -> Result<Timestamp, Unready> {
        self.0.checks.ask(()).await.unwrap_or_else(|error| Err(Unready::Unanswered(error)))
    }

    /// Checks the database now, and that it stores what is written: a full disk answers reads. Returns
    /// its time.
    pub async fn check_storing(&self) -> Result<Timestamp, Unready> {
        let time = self.check().await?;
        let stored = self.0.probes.ask(()).await;
        stored.unwrap_or_else(|error| Err(Unready::Unanswered(error))).map(|()| time)
    }

    /// Begins a write transaction while the gate is open ([`database::begin_write`]).
    pub async fn begin_write(&self) -> Result<DatabaseTransaction, DbErr> {
        self.pass().await?;
        database::begin_write(&self.0.db).await
    }

    fn refresh(&self) {
        if self.0.is_refreshing.swap(true, Ordering::Relaxed) {
            return;
        }
        let gate = self.clone();
        tokio::spawn(async move {
            // `check` records the outcome; the next request reads it.
            let _ = gate.check().await;
            gate.0.is_refreshing.store(false, Ordering::Relaxed);
        });
    }
}

fn probes(db: DatabaseConnection) -> Coalesced<(), Result<(), Unready>> {
    let stored = Arc::new(Mutex::new(None::<Instant>));
    Coalesced::new(BatchLimits::of_reads(1), move |_| {
        let (db, stored) = (db.clone(), Arc::clone(&stored));
        async move {
            let last = *stored.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_some_and(|last| last.elapsed() < AGE_MAX) {
                return vec![Ok(())];
            }
            let outcome = write_probe(&db).await;
            let now = outcome.is_ok().then(Instant::now);
            *stored.lock().unwrap_or_else(PoisonError::into_inner) = now;
            vec![outcome]
        }
    })
}

/// Commits a write. Waiting for another write is not a failure.
async fn write_probe(db: &DatabaseConnection) -> Result<(), Unready> {
    let now = database::now(db);
    let now = now.cast_as(match db.get_database_backend() {
        DbBackend::MySql => "char",
        _ => "text",
    });
    let probe = Entity::update_many().col_expr(Column::Value, now).filter(Column::Name.eq(PROBE));
    match timeout(WRITE_WAIT, probe.exec(db)).await {
        Ok(Err(error)) => match database::fault(&error) {
            Fault::Contention | Fault::LockTimeout => Ok(()),
            _ => Err(error.into()),
        },
        _ => Ok(()),
    }
}

impl Latest {
    fn verdict(&self) -> Option<(Instant, Result<(), Closed>)> {
        self.verdict.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, began: Instant, verdict: Result<(), Closed>) {
        let before = {
            let mut latest = self.verdict.lock().unwrap_or_else(PoisonError::into_inner);
            latest.replace((began, verdict.clone())).map(|(_, verdict)| verdict)
        };
        if before.as_ref() == Some(&verdict) {
            return;
        }
        if let Some(Err(closed)) = before {
            self.closed.get_or_create(&ReasonLabel { reason: closed.label() }).set(0);
        }
        match verdict {
            Ok(()) => tracing::info!("the database can be used"),
            Err(closed) => {
                tracing::error!(reason = %closed, "this server does nothing until that is corrected");
                self.closed.get_or_create(&ReasonLabel { reason: closed.label() }).set(1);
            }
        }
    }

    fn is_proof_due(&self) -> bool {
        let proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        proved.is_none_or(|proved| proved.elapsed() > PROOF_INTERVAL)
    }

    fn prove(&self, proved: Option<Instant>) {
        *self.proved.lock().unwrap_or_else(PoisonError::into_inner) = proved;
    }
}

/// Checks what a server needs of its database and changes nothing, for a server that does not run.
/// Returns the database's time.
pub async fn check_once(db: &DatabaseConnection, rules: &GateRules) -> Result<Timestamp, Unready> {
    check_session(db).await?;
    check_schema(db).await?;
    let now = check_clock(db, rules).await?;
    check_writable(db, rules.written_table).await?;
    key_checks::verify(db, &*rules.keys).await?;
    check_store(db, rules).await?;
    Ok(now)
}

async fn check_store(db: &DatabaseConnection, rules: &GateRules) -> Result<(), Unready> {
    match &rules.store {
        Some(store) => store.check(db).await,
        None => Ok(()),
    }
}

async fn check(
    db: &DatabaseConnection,
    rules: &GateRules,
    latest: &Latest,
) -> Result<Timestamp, Unready> {
    let began = Instant::now();
    let checked = check_in_order(db, rules, latest, began).await;
    match &checked {
        Ok(_) => latest.record(began, Ok(())),
        Err(Unready::Closed(closed)) => latest.record(began, Err(closed.clone())),
        Err(Unready::Database(_) | Unready::Unanswered(_)) => {}
    }
    checked
}

async fn check_in_order(
    db: &DatabaseConnection,
    rules: &GateRules,
    latest: &Latest,
    began: Instant,
) -> Result<Timestamp, Unready> {
    if !latest.is_direct.load(Ordering::Relaxed) {
        check_session(db).await?;
        latest.is_direct.store(true, Ordering::Relaxed);
    }
    check_schema(db).await?;
    let now = check_clock(db, rules).await?;
    check_writable(db, rules.written_table).await?;
    if latest.is_proof_due() {
        rules.keys.prove(db).await?;
        check_store(db, rules).await?;
        latest.prove(Some(began));
    }
    let keys = key_checks::check(db, &*rules.keys, Adoption::WhileUnused).await;
    // What is sealed may be another's by now.
    keys.inspect_err(|_| latest.prove(None))?;
    Ok(now)
}

/// Checks that each connection is a session of its own.
pub async fn check_session(db: &DatabaseConnection) -> Result<(), Unready> {
    match sessions::shares_sessions(db).await? {
        true => Err(Closed::Pooled.into()),
        false => Ok(()),
    }
}

async fn check_schema(db: &DatabaseConnection) -> Result<(), Unready> {
    match database::once_more(|| schema_state(db)).await? {
        SchemaState::Current => Ok(()),
        state => Err(Closed::Schema(state).into()),
    }
}

/// Reads the database's clock, and checks that business days can be judged by it and that the database
/// is meant to be written. A replica, or a copy that must not act, may be writable for users with many
/// rights.
async fn check_clock(db: &DatabaseConnection, rules: &GateRules) -> Result<Timestamp, Unready> {
    let is_read_only = match db.get_database_backend() {
        DbBackend::Postgres => {
            "current_setting('transaction_read_only') = 'on' OR EXISTS (SELECT 1 FROM \
             pg_db_role_setting s WHERE s.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE \
             r.rolname = current_user)) AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database d \
             WHERE d.datname = current_database())) AND 'default_transaction_read_only=on' = \
             ANY(s.setconfig))"
        }
        DbBackend::MySql => {
            "@@global.read_only NOT IN ('0', 'OFF') OR @@session.tx_read_only NOT IN ('0', 'OFF')"
        }
        _ => "0",
    };
    let select = Query::select()
        .expr_as(database::now(db), "now")
        .expr_as(database::business_time_zone(), "time_zone")
        .expr_as(Expr::cust(is_read_only), "read_only")
        .take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the database's clock".to_owned()))?;
    if row.try_get("", "read_only")? {
        return Err(Closed::ReadOnly.into());
    }
    let time_zone = row.try_get::<Option<String>>("", "time_zone")?;
    let is_invalid = |name: &String| name.parse::<chrono_tz::Tz>().is_err();
    if let Some(name) = time_zone.filter(|name| rules.business_days && is_invalid(name)) {
        return Err(Closed::TimeZone(name).into());
    }
    let now = row.try_get("", "now")?;
    match clock_guard::find_fault(db, now).await? {
        Some(fault) => Err(Closed::Clock(fault).into()),
        None => Ok(now),
    }
}

async fn check_writable(db: &DatabaseConnection, written_table: &str) -> Result<(), Unready> {
    let write = format!("DELETE FROM {written_table} WHERE 1 = 0");
    let Ok(Err(error)) = timeout(WRITE_WAIT, db.execute_unprepared(&write)).await else {
        return Ok(());
    };
    match database::fault(&error) {
        Fault::Contention | Fault::LockTimeout => Ok(()),
        _ if faults::is_refused_write(&error) => {
            tracing::warn!(%error, "the database cannot be written");
            Err(Closed::ReadOnly.into())
        }
        _ => Err(error.into()),
    }
}
