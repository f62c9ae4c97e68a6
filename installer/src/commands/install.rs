//! `installer install`: sets up both services for production, step by step.
//!
//! It asks questions (in a terminal) or reads options or an answers file, checks everything, shows
//! its plan, carries it out, and ends with Verify Auth Server. A failed run is rolled back,
//! immediately or, if the installer was killed, by its next run. Run again on a finished
//! installation, it keeps keys, secrets, data and manually added settings, and changes what is
//! requested.

mod answers;
mod arguments;
mod bucket;
mod checks;
mod existing_config;
mod journal;
mod lock_file;
mod plan;
mod private_folders;
mod rows;
mod schema;
mod settings_file;
mod steps;
mod system_user;
mod units;
mod values;
mod verifying;
mod wizard;
mod work;

pub use arguments::{InstallArgs, with_answers};

use crate::installation::{CliError, print_once, refuse};
use answers::{Answers, DIR};
use checks::DatabaseState;
use console::Term;
use existing_config::ExistingSettings;
use futures_util::FutureExt;
use indicatif::{ProgressBar, ProgressStyle};
use journal::{Journal, Undo};
use lock_file::InstallLock;
use plan::{InstallPlan, InstallStep};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::{Duration, Instant};
use steps::{remove_folders, undo};
use work::Work;

/// True if this program runs as root.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Asks, checks, plans and installs.
pub async fn run(given: &InstallArgs) -> Result<(), CliError> {
    let interactive = !given.yes && Term::stdout().is_term() && Term::stderr().is_term();
    let dir = given.dir.clone().unwrap_or_else(|| PathBuf::from(DIR));
    roll_back_interrupted(&dir, interactive, given.dry_run).await?;
    let settings = ExistingSettings::read(&dir)?;
    let (mut answers, found, _lock) = match interactive {
        true => ask(given, &settings).await?,
        false => checked(given.clone(), &settings).await?,
    };
    if !found.admin && answers.admin_password.is_none() {
        answers.admin_password = match interactive {
            // A dry run sets no password.
            true if given.dry_run => None,
            true => Some(wizard::ask_admin_password(&answers.admin)?),
            false => {
                return refuse(
                    "the admin account needs a password: pass --admin-password-file or \
                     --generate-admin-password",
                );
            }
        };
    }
    let plan = InstallPlan::new(&answers, &settings, &found).map_err(CliError)?;
    say(&format!("\nThe installer will:\n{}", plan.to_text()));
    if given.dry_run {
        say("Dry run: nothing was changed.");
        return Ok(());
    }
    if interactive && !wizard::confirm("Continue?")? {
        return refuse("nothing was changed");
    }
    let work = perform(&answers, &settings, &plan, &found).await?;
    print_summary(&work)
}

/// Asks until every check passes or the user gives up.
async fn ask(
    given: &InstallArgs,
    settings: &ExistingSettings,
) -> Result<(Answers, DatabaseState, InstallLock), CliError> {
    wizard::greet();
    let mut before = InstallArgs::default();
    loop {
        let answers = wizard::ask(given.clone(), settings, &before).await?;
        match checked(answers.clone(), settings).await {
            Ok(all) => return Ok(all),
            Err(error) => {
                say(&format!("{error}\n"));
                if !wizard::confirm("Answer again?")? {
                    return refuse("nothing was changed");
                }
                before = answers;
            }
        }
    }
}

/// All answers, if they are valid and every check passes. The lock is held until this run ends.
async fn checked(
    given: InstallArgs,
    settings: &ExistingSettings,
) -> Result<(Answers, DatabaseState, InstallLock), CliError> {
    let answers = Answers::complete(given, settings)?;
    let lock = InstallLock::take(&answers.database_url).await?;
    match check(&answers, settings).await {
        Ok(found) => Ok((answers, found, lock)),
        Err(error) => {
            lock.end().await;
            Err(error)
        }
    }
}

/// Runs every check and reports the failed ones; changes nothing.
async fn check(answers: &Answers, settings: &ExistingSettings) -> Result<DatabaseState, CliError> {
    answers.check_admin()?;
    let mut report = checks::check_machine(answers, settings).await;
    let (database, found) = checks::check_database(&answers.database_url, settings.exist).await;
    report.checks.extend(database.checks);
    say(&report.to_text());
    match (report.faults(), found) {
        (faults, Some(found)) if faults.is_empty() => Ok(found),
        (faults, _) => refuse(faults.join("\n")),
    }
}

/// Prints, and ignores a closed output: what was begun must not stop half-way.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Carries out every step; a failed one, or Ctrl-C, rolls all of them back.
async fn perform<'a>(
    answers: &'a Answers,
    settings: &ExistingSettings,
    plan: &'a InstallPlan,
    found: &'a DatabaseState,
) -> Result<Work<'a>, CliError> {
    let mut stop = pin!(shared::shutdown::stop_signal());
    let journal = Journal::begin(&answers.dir).map_err(CliError)?;
    let settings_existed = settings.exist;
    let secrets = Vec::new();
    let mut work = Work { answers, plan, found, settings_existed, journal, secrets };
    let mut outcome = Ok(());
    for (number, (step, what)) in (1..).zip(&plan.steps) {
        let progress = Progress::begin(number, plan.steps.len(), what);
        // Steps are not interrupted: a signal takes effect after the current one.
        outcome = work.perform(*step).await;
        if stop.as_mut().now_or_never().is_some() {
            outcome = Err(STOPPED.to_owned());
        }
        progress.end(outcome.is_ok());
        if outcome.is_err() {
            break;
        }
    }
    if let Err(why) = outcome {
        let why = format!("{why}\n{}", roll_back(&answers.dir, work.journal.done()).await);
        return refuse(why);
    }
    Journal::forget(&answers.dir).map_err(CliError)?;
    Ok(work)
}

const STOPPED: &str = "stopped by a signal";

/// Rolls back, and describes the result.
async fn roll_back(dir: &Path, done: &[Undo]) -> String {
    let faults = undo(done).await;
    if !faults.is_empty() {
        let faults = faults.join("; ");
        return format!(
            "some of it could not be rolled back, the next run will try again: {faults}"
        );
    }
    if let Err(error) = Journal::forget(dir) {
        return error;
    }
    remove_folders(done);
    "everything done so far was rolled back: fix the cause and run it again".to_owned()
}

/// Rolls back what an earlier run left unfinished, so that this run starts where that one did.
async fn roll_back_interrupted(
    dir: &Path,
    interactive: bool,
    dry_run: bool,
) -> Result<(), CliError> {
    let Some(done) = Journal::left_behind(dir).map_err(CliError)? else { return Ok(()) };
    say(&format!("An earlier run in {} was interrupted.", dir.display()));
    if dry_run {
        return refuse("run it without --dry-run: it rolls that back first");
    }
    let mut locks = Vec::new();
    for url in steps::databases(&done) {
        locks.push(InstallLock::take(url).await?);
    }
    if let Some(url) = steps::used_since(&done).await.map_err(CliError)? {
        return refuse(format!(
            "it is not rolled back, because {url} has been used since then: to keep it, remove {} \
             and replace the secrets that were never shown (installer user password, installer \
             client rotate); otherwise drop the tables there",
            Journal::path(dir).display()
        ));
    }
    if interactive && !wizard::confirm("Roll back what it did and start over?")? {
        return refuse("nothing was changed: what the earlier run did is still there");
    }
    let faults = undo(&done).await;
    if !faults.is_empty() {
        return refuse(format!("cannot roll back what it did: {}", faults.join("; ")));
    }
    Journal::forget(dir).map_err(CliError)?;
    remove_folders(&done);
    for lock in locks {
        lock.end().await;
    }
    say("What it did was rolled back.\n");
    Ok(())
}

/// The progress display of one step.
struct Progress {
    bar: ProgressBar,
    line: String,
    begun: Instant,
}

impl Progress {
    fn begin(number: usize, of: usize, what: &str) -> Self {
        let line = format!("[{number}/{of}] {what}");
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.set_message(line.clone());
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar, line, begun: Instant::now() }
    }

    fn end(self, done: bool) {
        self.bar.finish_and_clear();
        let outcome = if done { "done" } else { "FAILED" };
        say(&format!("{}: {outcome} ({:.1} s)", self.line, self.begun.elapsed().as_secs_f32()));
    }
}

/// Prints the result, and what to do next.
fn print_summary(work: &Work<'_>) -> Result<(), CliError> {
    let Work { answers, plan, secrets, .. } = work;
    say("Installed.");
    say(&format!("  auth server   {}", answers.auth_url));
    say(&format!("  api-server    {}, documentation at {0}/docs", answers.api_url));
    let zone = plan.time_zone.as_ref().or(work.found.time_zone.as_ref());
    let zone = zone.map_or("UTC", String::as_str);
    say(&format!(
        "  business day  in the time zone {zone} (change it with installer settings set)"
    ));
    say(&format!("  settings      {}", answers.dir.display()));
    say(&format!("  authority     {}", plan.tls.authority.display()));
    for (what, secret) in secrets {
        print_once(&format!("  {what}: {secret}"))?;
    }
    if !secrets.is_empty() {
        say("Secrets are shown only once: only their hashes are stored.");
    }
    say(&format!(
        "Back up {} and keep that backup apart from those of the database: its keys open what is \
         sealed there.",
        answers.dir.display()
    ));
    for next in next_steps(work) {
        say(&format!("Next: {next}"));
    }
    Ok(())
}

fn next_steps(work: &Work<'_>) -> Vec<String> {
    let Work { answers, plan, .. } = work;
    let mut steps = Vec::new();
    if work.settings_existed && !answers.start {
        let is_planned = |step| plan.steps.iter().any(|(it, _)| *it == step);
        if is_planned(InstallStep::Settings) {
            steps
                .push("restart both servers: until then they use the previous settings".to_owned());
        } else if is_planned(InstallStep::Certificates) {
            steps.push(
                "reload both servers (SIGHUP): they still use the previous certificate".into(),
            );
        }
        return steps;
    }
    match (&answers.units, answers.start) {
        (_, true) => {}
        (Some(units), false) if units == Path::new(answers::UNITS) => steps.push(
            "systemctl daemon-reload && systemctl enable --now loan-servicing-auth \
             loan-servicing-api"
                .to_owned(),
        ),
        (Some(units), false) => steps
            .push(format!("move the units in {} to where systemd looks for them", units.display())),
        (None, false) => steps.push(format!(
            "run auth-server --env-file {0}/auth-server.env and api-server --env-file \
             {0}/api-server.env",
            answers.dir.display()
        )),
    }
    if answers.auth_url != answers.auth_direct_url() {
        steps.push(format!(
            "once the proxy in front of the servers is running: installer verify-auth-server --url \
             {}",
            answers.auth_url
        ));
    }
    steps
}
