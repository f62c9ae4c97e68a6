//! `installer upgrade`: upgrades the database of an earlier release to this release's schema.
//!
//! It first reports what it found and what it will do. Nothing may write while tables change, so it
//! does nothing while others are connected, unless told that none of them is a server.

mod connections;

use crate::installation::database::product;
use crate::installation::db_probe;
use crate::installation::{CliError, Installation, print, refuse};
use console::Term;
use sea_orm::DatabaseConnection;
use shared::database::migration::{
    self, Ending, MIGRATIONS, Migration, Progress, SchemaState, Stopped, Watch,
};
use std::time::Instant;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct UpgradeArgs {
    #[command(flatten)]
    installation: Installation,
    /// Show what would be done without changing anything; on PostgreSQL and SQLite, also do it and
    /// roll it back
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Proceed even if others are connected; use this only if none of them is a server
    #[arg(long)]
    others_connected: bool,
}

pub async fn run(arguments: &UpgradeArgs) -> Result<(), CliError> {
    let url = arguments.installation.database_url()?;
    // A single connection: a second one would be counted as someone else's.
    let db = db_probe::open(&url, 1).await?;
    let product = product(&db).await?;
    print(&format!("database   {product}"))?;
    let pending = match find_pending(&db).await? {
        pending if pending.is_empty() => return print("schema     up to date: nothing to do"),
        pending => pending,
    };
    print_plan(&pending)?;
    let others = connections::others(&db).await?;
    print(&match &others[..] {
        [] => "connected  no one else".to_owned(),
        others => format!("connected  {}", others.join("\n           ")),
    })?;
    let alone = others.is_empty() || arguments.others_connected;
    if arguments.dry_run {
        return try_out(&db, alone).await;
    }
    print(
        "backup     restoring a backup is the only way back: have one of the database and of the \
         documents, made while the servers were stopped",
    )?;
    if !alone {
        return refuse(
            "others are connected (see above), and no server may run during the upgrade: stop the \
             servers; if none of these is a server, pass --others-connected",
        );
    }
    if !arguments.yes && !is_confirmed()? {
        return refuse("nothing was changed");
    }
    // On MariaDB the upgrade's lock occupies one connection.
    upgrade(&db_probe::open(&url, 2).await?).await
}

/// The pending migrations. Refuses a database that they do not apply to.
async fn find_pending(db: &DatabaseConnection) -> Result<Vec<&'static Migration>, CliError> {
    let names = match migration::schema_state(db).await? {
        SchemaState::Current => return Ok(Vec::new()),
        newer @ SchemaState::Newer(_) => {
            let applied = migration::applied(db).await?.unwrap_or_default();
            return match applied.has_begun() {
                true => refuse(newer.to_string()),
                false => refuse("this database belongs to another product"),
            };
        }
        SchemaState::Older(names) => names,
        SchemaState::Missing => {
            return refuse(
                "this database was never set up, or belongs to another product: there is nothing \
                 to upgrade",
            );
        }
    };
    Ok(MIGRATIONS.iter().filter(|migration| names.contains(&migration.name)).collect())
}

fn print_plan(pending: &[&Migration]) -> Result<(), CliError> {
    let (all, pending_count) = (MIGRATIONS.len(), pending.len());
    print(&format!("schema     {} of {all} migrations applied; pending:", all - pending_count))?;
    let width = pending.iter().map(|migration| migration.name.len()).max().unwrap_or_default();
    for Migration { name, summary, .. } in pending {
        print(&format!("           {name:<width$}  {summary}"))?;
    }
    Ok(())
}

async fn try_out(db: &DatabaseConnection, alone: bool) -> Result<(), CliError> {
    if !migration::can_roll_back(db) {
        return print(
            "trial      none: MariaDB cannot roll back schema changes; nothing was changed",
        );
    }
    if !alone {
        return print(
            "trial      none while others are connected, because they would have to wait for it; \
             nothing was changed",
        );
    }
    let began = Instant::now();
    match migration::run(db, Ending::RolledBack, &mut |_| ()).await {
        Ok(()) => {
            let seconds = began.elapsed().as_secs_f32();
            print(&format!("trial      all of it works ({seconds:.1} s), and was rolled back"))
        }
        Err(stopped) => refuse(format!("the trial failed, and nothing was changed: {stopped}")),
    }
}

fn is_confirmed() -> Result<bool, CliError> {
    let terminal = Term::stderr();
    if !terminal.is_term() {
        return refuse(
            "there is no terminal to ask for confirmation, and nothing was changed: pass --yes",
        );
    }
    let read = terminal.write_str("Upgrade now? [y/N] ").and_then(|()| terminal.read_line());
    let answer = read.map_err(|error| CliError(format!("cannot prompt: {error}")))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

async fn upgrade(db: &DatabaseConnection) -> Result<(), CliError> {
    let mut printed = Ok(());
    let mut print_progress = |progress: Progress| {
        let outcome = match progress {
            Progress::Begins(migration) => print(&format!("running    {}", migration.name)),
            Progress::Done(_, time) => print(&format!("           {:.2} s", time.as_secs_f32())),
        };
        printed = std::mem::replace(&mut printed, Ok(())).and(outcome);
    };
    run_migrations(db, &mut print_progress).await?;
    // The database is upgraded even if the reader of the progress output is gone.
    printed.and(print("done       the database has this release's schema: start the servers"))
}

async fn run_migrations(db: &DatabaseConnection, watch: Watch<'_>) -> Result<(), CliError> {
    migration::run(db, Ending::Committed, watch).await.map_err(|stopped| {
        CliError(match (migration::can_roll_back(db), &stopped) {
            (false, Stopped::Step { .. }) => format!(
                "{stopped}; completed steps stay: once the cause is fixed, run the same command \
                 again"
            ),
            (_, Stopped::UnderWay) => stopped.to_string(),
            _ => format!("{stopped}; nothing was changed"),
        })
    })
}
