//! `installer import`: imports a file directly into the database with the code of `POST
//! /core/xml-import`, so no token can expire and no proxy can hang up on the way.

mod key;
mod reading;
mod report;

use self::reading::{Sound, progress_bar};
use crate::installation::{CliError, count, open_database, read_api_settings, refuse};
use api_server::audit::Actor;
use api_server::auth::caller::{Caller, RequestContext};
use api_server::command::idempotency::Claim;
use api_server::config;
use api_server::xml_import::idempotent_import::{self, ImportClaim};
use api_server::xml_import::refusals::ImportError;
use api_server::xml_import::results::ImportResponse;
use api_server::xml_import::spool::pieces;
use api_server::xml_import::{Import, ImportMode, import_log};
use sea_orm::{ColumnTrait, DatabaseConnection, EntityName, EntityTrait, QueryFilter, QueryOrder};
use shared::database::gate::key_checks::NoKeys;
use shared::database::gate::{DatabaseGate, GateRules};
use shared::entity::field_changes::ChangeSource;
use shared::entity::{import_runs, users};
use shared::passwords::Passwords;
use shared::shutdown::stop_signal;
use shared::telemetry::{self, Metrics, RequestId};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// Bytes read at a time.
const READ_BYTES: usize = 1 << 16;
/// The log filter of `--verbose`.
const LOG_FILTER: &str = "info,sqlx=warn";
const MORE_HELP: &str = "\
The whole file is checked first: an invalid file is refused with the line and column of the error,
and nothing is imported. Its records are then applied from top to bottom. Ctrl-C ends the import
after the current record (a file with CommitBlock=\"1\" is rolled back); a second Ctrl-C ends it
immediately.

Importing the same file again continues after the last completed record, whatever interrupted the
import. If the file was imported completely within the last 24 hours, the report is repeated and
nothing else happens; to import it once more, pass a new key with --key. A command, or an
api-server, that was killed holds its key for up to a minute; the next command waits for it.

The exit status is 0 if everything was imported or, with --test, would have been;
otherwise it is 1.";

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = MORE_HELP)]
pub struct ImportArgs {
    /// The file to import, in the format of POST /core/xml-import: at most 1 GiB. During the
    /// import, it is copied to the folder that API_SPOOL_DIRECTORY specifies
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Settings file of the api-server; environment variables override it [default:
    /// /etc/loan-servicing/api-server.env, else ./loan-servicing/api-server.env]
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// Dry run: apply every record, then roll everything back
    #[arg(long, conflicts_with = "key")]
    test: bool,
    /// Idempotency-Key of the import, 1 to 255 printable ASCII characters; imports through the
    /// api-server share these keys [default: file- followed by the file's SHA-256]
    #[arg(long, value_parser = key::parse)]
    key: Option<String>,
    /// Print the api-server's response, byte for byte, instead of the report
    #[arg(long)]
    json: bool,
    /// Seconds to wait for another import with the same key
    #[arg(long, value_name = "N", default_value_t = 900)]
    wait_seconds: u64,
    /// Log to standard error, including the causes of database errors
    #[arg(long)]
    verbose: bool,
}

pub async fn run(arguments: &ImportArgs) -> Result<(), CliError> {
    let log = arguments.verbose.then(|| telemetry::start_log("text", LOG_FILTER));
    let _log = log.transpose().map_err(CliError)?;
    let stop = stop_on_signal();
    let context = ImportContext::open(arguments, stop).await?;
    let file = reading::check(&arguments.file, &context.directory, context.stop.clone()).await?;
    let mode = ImportMode::new(&file.root, arguments.test).map_err(|f| CliError(f.to_string()))?;
    let claim = match arguments.test {
        true => None,
        false => match context.claim(&file).await? {
            ImportClaim::New(claim) => {
                context.report_progress(&claim).await?;
                Some(claim)
            }
            ImportClaim::Done(prior) => return print_prior(prior, arguments.json).await,
        },
    };
    let response = context.apply(file, mode, claim.as_ref()).await?;
    print_result(response, arguments.json).await
}

/// True after Ctrl-C or SIGTERM. A second signal ends the process immediately.
fn stop_on_signal() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    let first = stop_signal();
    tokio::spawn(async move {
        first.await;
        sender.send_replace(true);
        stop_signal().await;
        std::process::exit(1);
    });
    receiver
}

/// The context of an import: its arguments, database, spool folder and caller.
struct ImportContext<'a> {
    arguments: &'a ImportArgs,
    db: DatabaseConnection,
    /// Holds the file and its results.
    directory: PathBuf,
    admin: RequestContext,
    stop: watch::Receiver<bool>,
}

impl<'a> ImportContext<'a> {
    async fn open(
        arguments: &'a ImportArgs,
        stop: watch::Receiver<bool>,
    ) -> Result<Self, CliError> {
        let (settings, url) = read_api_settings(arguments.env_file.as_deref())?;
        let directory = config::spool_directory(&settings);
        let directory = settings.finish(directory).map_err(CliError)?;
        let db = open_database(&url).await?;
        let admin = admin(&db).await?;
        Ok(Self { arguments, db, directory, admin, stop })
    }

    async fn claim(&self, file: &Sound) -> Result<ImportClaim, CliError> {
        let key = self.arguments.key.clone().unwrap_or_else(|| key::of_file(&file.sha256));
        let scope = idempotent_import::scope(&self.admin.caller, &key, &file.sha256);
        key::claim(self, scope).await
    }

    /// Reports how far an earlier import of the file got.
    async fn report_progress(&self, claim: &Claim) -> Result<(), CliError> {
        match import_log::records_done(&self.db, claim.key_hash()).await? {
            0 => Ok(()),
            done => report::say(
                self.arguments.json,
                &format!("{} already: continuing after them", records_done(done)),
            ),
        }
    }

    /// The database's gate: an import must end when the schema changes.
    fn gate(&self) -> DatabaseGate {
        let written_table = import_runs::Entity.table_name();
        let keys = Arc::new(NoKeys);
        let rules = GateRules { written_table, business_days: true, keys, store: None };
        DatabaseGate::new(self.db.clone(), self.db.clone(), rules, &mut Metrics::default())
    }

    async fn apply(
        &self,
        file: Sound,
        mode: ImportMode,
        claim: Option<&Claim>,
    ) -> Result<ImportResponse, CliError> {
        let RequestContext { caller, clock } = &self.admin;
        let author = Actor::new(caller, ChangeSource::Xml, &RequestId::random());
        let passwords = Passwords::recommended().map_err(CliError)?;
        let directory: &Path = &self.directory;
        let import = Import::new(caller, author, &passwords, *clock, mode.enforce, directory);
        let import = import.until(self.stop.clone()).behind(self.gate());
        let bar = progress_bar(if mode.test { "trying" } else { "importing" }, Some(file.bytes))?;
        let input = BufReader::with_capacity(READ_BYTES, bar.wrap_read(file.file));
        let outcome =
            idempotent_import::carry_out(&self.db, import, mode, pieces(input), claim).await;
        bar.finish_and_clear();
        match outcome {
            Ok(response) => Ok(response),
            Err(error) => refuse(self.ended_early(&error, mode, claim).await),
        }
    }

    /// Why an import ended before the end of its file, and what was committed.
    async fn ended_early(
        &self,
        error: &ImportError,
        mode: ImportMode,
        claim: Option<&Claim>,
    ) -> String {
        let why = match *self.stop.borrow() {
            true => "stopped".to_owned(),
            false => self.explain(error),
        };
        let done = match claim {
            Some(claim) => import_log::records_done(&self.db, claim.key_hash()).await,
            None => Ok(0),
        };
        let committed = match done {
            _ if mode.test => "nothing was committed, as in every test run".to_owned(),
            Ok(_) if mode.block => {
                "nothing was committed, because the file is one block: the same command starts over"
                    .to_owned()
            }
            Ok(done) => format!("{}: the same command continues after them", records_done(done)),
            Err(_) => "the same command continues where it stopped".to_owned(),
        };
        format!("{why}; {committed}")
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

/// The admin account, as if it had just called the api-server.
async fn admin(db: &DatabaseConnection) -> Result<RequestContext, CliError> {
    let admin = users::Entity::find()
        .filter(users::Column::AdminFlag.eq(true))
        .order_by_asc(users::Column::UserId)
        .one(db)
        .await?;
    let Some(admin) = admin else { return refuse("the database has no admin account") };
    Ok(Caller::admin(db, admin.user_id, &admin.user_name).await?)
}

async fn print_prior(prior: ImportResponse, json: bool) -> Result<(), CliError> {
    report::say(
        json,
        "this file was already imported within the last 24 hours, so nothing was done; this is the \
         report of that import. To import the file once more, pass a new key with --key",
    )?;
    print_result(prior, json).await
}

/// Prints the result of an import, and fails unless all of it succeeded.
async fn print_result(response: ImportResponse, json: bool) -> Result<(), CliError> {
    let (totals, succeeded) = (response.totals, response.committed || response.test);
    match json {
        true => report::print_json(response).await?,
        false => report::print_text(response).await?,
    }
    match (totals.failed, succeeded) {
        (0, true) => Ok(()),
        (failed, _) => refuse(format!("{failed} of {} failed", count(totals.read, "element"))),
    }
}

fn records_done(done: i64) -> String {
    format!("{} imported", count(done, "record"))
}
