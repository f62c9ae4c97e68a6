//! Faults injected while payments are posted.

use super::verdicts::is_database_problem;
use acceptance::World;
use acceptance::postgres::{Postgres, Storage, is_root};
use clap::ValueEnum;
use sea_orm::ConnectionTrait;
use shared::database;
use shared::problem::ProblemType;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Fault {
    /// The api-server is killed and restarted, three times.
    Api,
    /// PostgreSQL is killed with all its processes and restarted, twice.
    Postgres,
    /// The auth server is suspended for some seconds, then killed and restarted.
    Auth,
    /// The database's disk runs full. Root only.
    Disk,
    /// All of these, one after the other.
    All,
}

/// How long a killed server is away.
const DOWNTIME: Duration = Duration::from_secs(1);
/// The pause between two faults, for the service to recover.
const RECOVERY_PAUSE: Duration = Duration::from_secs(3);
/// How long the auth server is suspended: longer than the api-server waits for it.
const SUSPENSION: Duration = Duration::from_secs(6);
/// How long the disk is full.
const DISK_FULL: Duration = Duration::from_secs(6);
/// Size of the disk that runs full, in MiB; the database takes about sixty.
const DISK_MIB: u32 = 160;
/// When the operator starts a database that has not come back without help.
const OPERATOR_DELAY: Duration = Duration::from_secs(5);

/// What was done, and when.
#[derive(Default)]
pub struct FaultTimeline {
    /// When the api-server was dead, so that connections may fail.
    pub api_downtimes: Vec<(Instant, Instant)>,
    /// When everything was back to normal.
    pub ended: Option<Instant>,
    /// What else an operator had to do.
    pub operator_actions: Vec<String>,
}

impl Fault {
    /// Each of these faults once.
    pub fn selected(faults: &[Self]) -> Vec<Self> {
        let all = [Self::Api, Self::Postgres, Self::Auth, Self::Disk];
        let is_selected = |fault: &Self| faults.contains(fault) || faults.contains(&Self::All);
        all.into_iter().filter(is_selected).collect()
    }

    /// Returns why this fault cannot be injected here, if so.
    pub fn skip_reason(self) -> Option<&'static str> {
        (self == Self::Disk && !is_root()).then_some("only root can make a small disk")
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Postgres => "postgres",
            Self::Auth => "auth",
            Self::Disk => "disk",
            Self::All => "all",
        }
    }

    /// The storage of the database for this fault.
    pub fn storage(self) -> Storage {
        if self == Self::Disk { Storage::Small(DISK_MIB) } else { Storage::Folder }
    }

    /// True if this fault explains a problem of this type.
    pub fn explains(self, kind: ProblemType) -> bool {
        match self {
            Self::Api => false,
            Self::Auth => kind == ProblemType::AuthServerUnavailable,
            _ => is_database_problem(kind),
        }
    }

    pub async fn inject(
        self,
        world: &mut World,
        postgres: &Postgres,
    ) -> Result<FaultTimeline, String> {
        let mut timeline = FaultTimeline::default();
        match self {
            Self::Api => kill_api(world, &mut timeline).await,
            Self::Postgres => kill_postgres(postgres).await?,
            Self::Auth => stop_auth(world).await?,
            Self::Disk => fill_disk(world, postgres, &mut timeline).await?,
            Self::All => return Err("one fault at a time".to_owned()),
        }
        timeline.ended = Some(Instant::now());
        Ok(timeline)
    }
}

async fn kill_api(world: &mut World, timeline: &mut FaultTimeline) {
    for round in 0..3 {
        if round > 0 {
            sleep(RECOVERY_PAUSE).await;
        }
        let killed = Instant::now();
        world.api.kill().await;
        sleep(DOWNTIME).await;
        world.api.restart(&world.client.http).await;
        timeline.api_downtimes.push((killed, Instant::now()));
    }
}

async fn kill_postgres(postgres: &Postgres) -> Result<(), String> {
    for round in 0..2 {
        if round > 0 {
            sleep(RECOVERY_PAUSE).await;
        }
        postgres.kill().await?;
        sleep(DOWNTIME).await;
        postgres.launch().await?;
    }
    Ok(())
}

async fn stop_auth(world: &mut World) -> Result<(), String> {
    world.auth.suspend()?;
    sleep(SUSPENSION).await;
    world.auth.resume()?;
    sleep(RECOVERY_PAUSE).await;
    world.auth.kill().await;
    sleep(DOWNTIME).await;
    world.auth.restart(&world.client.http).await;
    Ok(())
}

async fn fill_disk(
    world: &World,
    postgres: &Postgres,
    timeline: &mut FaultTimeline,
) -> Result<(), String> {
    let filler = postgres.disk().join("filler");
    // Dropped when it has been full long enough, or when the run is given up.
    let keep_filling = Arc::new(());
    let filling = {
        let (filler, keep_filling) = (filler.clone(), Arc::downgrade(&keep_filling));
        tokio::task::spawn_blocking(move || -> std::io::Result<()> {
            let mut file = std::fs::File::create(filler)?;
            let block = [1; 4096];
            while keep_filling.strong_count() > 0 {
                // Repeatedly, because the database also frees space.
                if file.write_all(&block).is_err() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            Ok(())
        })
    };
    sleep(DISK_FULL / 2).await;
    // After a checkpoint the first change to a page is logged as a whole page: there is no room for
    // that either, and PostgreSQL ends.
    let checkpoint = world.db.execute_unprepared("CHECKPOINT");
    let _ = timeout(DISK_FULL, checkpoint).await;
    sleep(DISK_FULL / 2).await;
    drop(keep_filling);
    let result = filling.await.map_err(|error| error.to_string())?;
    result.map_err(|error| format!("the filler: {error}"))?;
    std::fs::remove_file(filler).map_err(|error| error.to_string())?;
    if recovers(postgres, OPERATOR_DELAY).await {
        return Ok(());
    }
    if postgres.is_running() {
        postgres.kill().await?;
    }
    postgres.launch().await?;
    timeline.operator_actions.push("PostgreSQL had ended and was started again".to_owned());
    Ok(())
}

/// True if the database answers within this time.
async fn recovers(postgres: &Postgres, within: Duration) -> bool {
    let first_response = async {
        while postgres.is_running() {
            if let Ok(db) = database::connect(&postgres.url(), 1).await
                && db.execute_unprepared("SELECT 1").await.is_ok()
            {
                return true;
            }
            sleep(Duration::from_millis(100)).await;
        }
        false
    };
    timeout(within, first_response).await.unwrap_or(false)
}
