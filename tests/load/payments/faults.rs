//! Faults injected while payments are posted.

use super::judging::is_of_database;
use acceptance::World;
use acceptance::postgres::{Postgres, Storage, is_root};
use clap::ValueEnum;
use sea_orm::ConnectionTrait;
use shared::db;
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
const AWAY: Duration = Duration::from_secs(1);
/// The pause between two faults, for the service to recover.
const BETWEEN: Duration = Duration::from_secs(3);
/// How long the auth server is suspended: longer than the api-server waits for it.
const STILL: Duration = Duration::from_secs(6);
/// How long the disk is full.
const FULL: Duration = Duration::from_secs(6);
/// Size of the disk that runs full, in MiB; the database takes about sixty.
const DISK: u32 = 160;
/// When the operator starts a database that has not come back without help.
const OPERATOR: Duration = Duration::from_secs(5);

/// What was done, and when.
#[derive(Default)]
pub struct Blows {
    /// When the api-server was dead, so that connections may fail.
    pub dead: Vec<(Instant, Instant)>,
    /// When everything was back to normal.
    pub ended: Option<Instant>,
    /// What else an operator had to do.
    pub operator: Vec<String>,
}

impl Fault {
    /// Each of these faults once.
    pub fn chosen(faults: &[Self]) -> Vec<Self> {
        let every = [Self::Api, Self::Postgres, Self::Auth, Self::Disk];
        let wanted = |fault: &Self| faults.contains(fault) || faults.contains(&Self::All);
        every.into_iter().filter(wanted).collect()
    }

    /// Returns why this fault cannot be injected here, if so.
    pub fn cannot(self) -> Option<&'static str> {
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
        if self == Self::Disk { Storage::Small(DISK) } else { Storage::Folder }
    }

    /// True if this fault explains a problem of this type.
    pub fn explains(self, kind: ProblemType) -> bool {
        match self {
            Self::Api => false,
            Self::Auth => kind == ProblemType::AuthServerUnavailable,
            _ => is_of_database(kind),
        }
    }

    /// Injects the fault.
    pub async fn strike(self, world: &mut World, postgres: &Postgres) -> Result<Blows, String> {
        let mut blows = Blows::default();
        match self {
            Self::Api => kill_api(world, &mut blows).await,
            Self::Postgres => kill_postgres(postgres).await?,
            Self::Auth => stop_auth(world).await?,
            Self::Disk => fill_disk(world, postgres, &mut blows).await?,
            Self::All => return Err("one fault at a time".to_owned()),
        }
        blows.ended = Some(Instant::now());
        Ok(blows)
    }
}

async fn kill_api(world: &mut World, blows: &mut Blows) {
    for blow in 0..3 {
        if blow > 0 {
            sleep(BETWEEN).await;
        }
        let killed = Instant::now();
        world.api.kill().await;
        sleep(AWAY).await;
        world.api.restart(&world.client.http).await;
        blows.dead.push((killed, Instant::now()));
    }
}

async fn kill_postgres(postgres: &Postgres) -> Result<(), String> {
    for blow in 0..2 {
        if blow > 0 {
            sleep(BETWEEN).await;
        }
        postgres.kill().await?;
        sleep(AWAY).await;
        postgres.launch().await?;
    }
    Ok(())
}

async fn stop_auth(world: &mut World) -> Result<(), String> {
    world.auth.suspend()?;
    sleep(STILL).await;
    world.auth.resume()?;
    sleep(BETWEEN).await;
    world.auth.kill().await;
    sleep(AWAY).await;
    world.auth.restart(&world.client.http).await;
    Ok(())
}

async fn fill_disk(world: &World, postgres: &Postgres, blows: &mut Blows) -> Result<(), String> {
    let filler = postgres.disk().join("filler");
    // Dropped when it has been full long enough, or when the run is given up.
    let full = Arc::new(());
    let filling = {
        let (filler, full) = (filler.clone(), Arc::downgrade(&full));
        tokio::task::spawn_blocking(move || -> std::io::Result<()> {
            let mut file = std::fs::File::create(filler)?;
            let block = [1; 4096];
            while full.strong_count() > 0 {
                // Repeatedly, because the database also frees space.
                if file.write_all(&block).is_err() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            Ok(())
        })
    };
    sleep(FULL / 2).await;
    // After a checkpoint the first change to a page is logged as a whole page: there is no room for
    // that either, and PostgreSQL ends.
    let checkpoint = world.db.execute_unprepared("CHECKPOINT");
    let _ = timeout(FULL, checkpoint).await;
    sleep(FULL / 2).await;
    drop(full);
    let filled = filling.await.map_err(|error| error.to_string())?;
    filled.map_err(|error| format!("the filler: {error}"))?;
    std::fs::remove_file(filler).map_err(|error| error.to_string())?;
    if comes_back(postgres, OPERATOR).await {
        return Ok(());
    }
    if postgres.is_running() {
        postgres.kill().await?;
    }
    postgres.launch().await?;
    blows.operator.push("PostgreSQL had ended and was started again".to_owned());
    Ok(())
}

/// True if the database answers within this time.
async fn comes_back(postgres: &Postgres, within: Duration) -> bool {
    let responses = async {
        while postgres.is_running() {
            if let Ok(db) = db::connect(&postgres.url(), 1, false).await
                && db.execute_unprepared("SELECT 1").await.is_ok()
            {
                return true;
            }
            sleep(Duration::from_millis(100)).await;
        }
        false
    };
    timeout(within, responses).await.unwrap_or(false)
}
