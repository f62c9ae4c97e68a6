//! `installer import`: a file goes straight into the database, by the code of
//! `POST /core/xml-import`: no token that expires on the way, no proxy that hangs up.

mod key;
mod reading;
mod report;

use self::key::Turn;
use self::reading::{Sound, progress_bar};
use crate::installation::{Refused, open_database, read_api_settings, refuse};
use api_server::audit::Author;
use api_server::auth::caller::{Admitted, Caller};
use api_server::command::idempotency::Claim;
use api_server::config;
use api_server::xml_import::once::{self, Told};
use api_server::xml_import::refusals::ImportError;
use api_server::xml_import::results::Answer;
use api_server::xml_import::spool::pieces;
use api_server::xml_import::{Import, Mode, runs};
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder};
use shared::entity::field_changes::ChangeSource;
use shared::entity::users;
use shared::passwords::Passwords;
use shared::stopping::stop_signal;
use shared::telemetry::{self, RequestId};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// Bytes of a file that are read at once.
const READ_BYTES: usize = 1 << 16;
/// What `--verbose` writes.
const LOG_FILTER: &str = "info,sqlx=warn";
const MORE_HELP: &str = "\
The file is checked as a whole first: one that is not sound is refused with line and column, and
nothing is done. Then its records are applied from top to bottom. Ctrl-C ends the import behind the
record at hand (a file with CommitBlock=\"1\" is undone); a second one ends it at once.

The same file again, within 24 hours, goes on behind the last record that is done, whatever cut the
import short. Where all of it is done, the report is told again and nothing else happens; --key with
a new key imports the file once more. A command that was killed holds its key for a minute after its
last record, an api-server for ten: the next one waits for that.

The exit status is 0 if everything went in, or would go in with --test; else it is 1.";

/// What the command takes.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = MORE_HELP)]
pub struct Arguments {
    /// The file, as POST /core/xml-import takes it: at most 1 GiB. It is copied into the folder that
    /// API_SPOOL_DIRECTORY names while it is worked on
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Settings file of the api-server; environment variables go before it
    /// [default: ./loan-servicing/api-server.env, else that in /etc/loan-servicing]
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// Tries every record and keeps nothing
    #[arg(long, conflicts_with = "key")]
    test: bool,
    /// The Idempotency-Key of the import, 1 to 255 printable ASCII characters: the api-server's
    /// imports have the same ones [default: file- and the SHA-256 of the file]
    #[arg(long, value_parser = key::parse)]
    key: Option<String>,
    /// Prints what the api-server answers, byte for byte, in place of the report
    #[arg(long)]
    json: bool,
    /// How long to wait for another import under the same key
    #[arg(long, value_name = "N", default_value_t = 900)]
    wait_seconds: u64,
    /// Writes a log to standard error: what is behind an error of the database
    #[arg(long)]
    verbose: bool,
}

/// Runs the command.
pub async fn run(arguments: &Arguments) -> Result<(), Refused> {
    if arguments.verbose {
        telemetry::start_log("text", LOG_FILTER).map_err(Refused)?;
    }
    let stop = stop_when_asked();
    let desk = Desk::open(arguments, stop).await?;
    let file = reading::check(&arguments.file, &desk.directory, desk.stop.clone()).await?;
    let mode = Mode::new(&file.root, arguments.test).map_err(|f| Refused(f.to_string()))?;
    let claim = match arguments.test {
        true => None,
        false => match desk.claim(&file).await? {
            Turn::Mine(claim) => {
                desk.tell_how_far(&claim).await?;
                Some(claim)
            }
            Turn::Done(told) => return tell_again(told, arguments.json).await,
        },
    };
    let answer = desk.apply(file, mode, claim.as_ref()).await?;
    tell(answer, arguments.json).await
}

/// True after Ctrl-C or SIGTERM. Whoever asks twice does not want to wait.
fn stop_when_asked() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        stop_signal().await;
        sender.send_replace(true);
        stop_signal().await;
        std::process::exit(1);
    });
    receiver
}

/// Where an import is worked on, and in whose name.
struct Desk<'a> {
    arguments: &'a Arguments,
    db: DatabaseConnection,
    /// For the file and its results.
    directory: PathBuf,
    admin: Admitted,
    stop: watch::Receiver<bool>,
}

impl<'a> Desk<'a> {
    async fn open(arguments: &'a Arguments, stop: watch::Receiver<bool>) -> Result<Self, Refused> {
        let (settings, url) = read_api_settings(arguments.env_file.as_deref())?;
        let directory = config::spool_directory(&settings);
        let directory = settings.finish(directory).map_err(Refused)?;
        let db = open_database(&url).await?;
        let admin = admin(&db).await?;
        Ok(Self { arguments, db, directory, admin, stop })
    }

    async fn claim(&self, file: &Sound) -> Result<Turn, Refused> {
        let Arguments { key, wait_seconds, .. } = self.arguments;
        let key = key.clone().unwrap_or_else(|| key::of_file(&file.sha256));
        let scope = once::scope(&self.admin.caller, &key, &file.sha256);
        let waiting = key::Waiting { db: &self.db, scope, directory: &self.directory };
        waiting.take(*wait_seconds, self.stop.clone(), |error| self.explain(error)).await
    }

    /// Says so where an earlier import has begun.
    async fn tell_how_far(&self, claim: &Claim) -> Result<(), Refused> {
        match runs::records_done(&self.db, claim.scope_hash()).await? {
            0 => Ok(()),
            done => report::say(
                self.arguments.json,
                &format!("{} already: going on behind them", records_done(done)),
            ),
        }
    }

    async fn apply(
        &self,
        file: Sound,
        mode: Mode,
        claim: Option<&Claim>,
    ) -> Result<Answer, Refused> {
        let Admitted { caller, clock } = &self.admin;
        let author = Author::new(caller, ChangeSource::Xml, &RequestId::random());
        let passwords = Passwords::recommended().map_err(Refused)?;
        let directory: &Path = &self.directory;
        let import = Import::new(caller, author, &passwords, *clock, mode.enforce, directory);
        let import = import.until(self.stop.clone());
        let bar = progress_bar(if mode.test { "trying" } else { "importing" }, Some(file.bytes))?;
        let input = BufReader::with_capacity(READ_BYTES, bar.wrap_read(file.file));
        let outcome = once::carry_out(&self.db, import, mode, pieces(input), claim).await;
        bar.finish_and_clear();
        match outcome {
            Ok(answer) => Ok(answer),
            Err(error) => refuse(self.ended_early(&error, mode, claim).await),
        }
    }

    /// Why an import ended before its file did, and what is left of it.
    async fn ended_early(&self, error: &ImportError, mode: Mode, claim: Option<&Claim>) -> String {
        let why = match *self.stop.borrow() {
            true => "stopped".to_owned(),
            false => self.explain(error),
        };
        let done = match claim {
            Some(claim) => runs::records_done(&self.db, claim.scope_hash()).await,
            None => Ok(0),
        };
        let left = match done {
            _ if mode.test => "nothing is kept, as after every test".to_owned(),
            Ok(_) if mode.block => {
                "nothing is kept, because the file is one block: the same command begins again"
                    .to_owned()
            }
            Ok(done) => format!("{}: the same command goes on behind them", records_done(done)),
            Err(_) => "the same command goes on behind what is done".to_owned(),
        };
        format!("{why}; {left}")
    }

    fn explain(&self, error: &ImportError) -> String {
        let text = error.message();
        match error {
            ImportError::Conflict | ImportError::Defect | ImportError::Unavailable(_)
                if !self.arguments.verbose =>
            {
                format!("{text} (--verbose shows why)")
            }
            _ => text,
        }
    }
}

/// The admin account, as if it had called the api-server just now.
async fn admin(db: &DatabaseConnection) -> Result<Admitted, Refused> {
    let admin = users::Entity::find()
        .filter(users::Column::AdminFlag.eq(true))
        .order_by_asc(users::Column::UserId)
        .one(db)
        .await?;
    let Some(admin) = admin else { return refuse("the database has no admin account") };
    Ok(Caller::core(db, admin.user_id, &admin.user_name, true, admin.dba_flag).await?)
}

async fn tell_again(told: Told, json: bool) -> Result<(), Refused> {
    report::say(
        json,
        "this file was imported within the last 24 hours, and nothing was done now: this is what \
         came of it. To import it once more, say --key with a new key",
    )?;
    match told {
        Told::Answer(answer) => tell(answer, json).await,
        Told::Whole(body) if json => report::print_whole(&body),
        Told::Whole(_) => refuse("an earlier release did it: --json shows what came of it"),
    }
}

/// Prints what came of an import, and refuses to call it a success where it is none.
async fn tell(answer: Answer, json: bool) -> Result<(), Refused> {
    let (totals, sound) = (answer.totals, answer.committed || answer.test);
    match json {
        true => report::print_json(answer).await?,
        false => report::print_text(answer).await?,
    }
    match (totals.failed, sound) {
        (0, true) => Ok(()),
        (failed, _) => {
            refuse(format!("{failed} of {} failed", counted(totals.read, "element", "elements")))
        }
    }
}

fn records_done(done: i64) -> String {
    counted(done, "record is done", "records are done")
}

fn counted(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
