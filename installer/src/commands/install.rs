//! `installer install`: both services set up for production, step by step.
//!
//! It asks (in a terminal) or is told (by flags or a file of answers), checks everything, says what
//! it will do, does it, and ends with the Verify Auth Server step. What fails is undone, by itself
//! or, if the installer was killed, by its next run. Run again on a finished installation it keeps
//! keys, secrets, data and whatever was written into the settings, and changes what was asked for.

mod answers;
mod arguments;
mod bucket;
mod checks;
mod journal;
mod known;
mod plan;
mod rows;
mod schema;
mod settings_file;
mod steps;
mod system_user;
mod turn;
mod units;
mod verifying;
mod wizard;

pub use arguments::{Arguments, with_answers};

use crate::installation::checks::Report;
use crate::installation::{Refused, print_once, refuse};
use answers::{Answers, DIR};
use checks::Found;
use console::Term;
use indicatif::{ProgressBar, ProgressStyle};
use journal::{Journal, Undo};
use known::Settings;
use plan::{Plan, Step};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use steps::{Work, remove_folders, undo};
use tokio::sync::oneshot::{self, Receiver};
use turn::Turn;

/// True where this program may do everything on this machine.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Asks, checks, plans, does.
pub async fn run(given: &Arguments) -> Result<(), Refused> {
    let asks = !given.yes && Term::stdout().is_term() && Term::stderr().is_term();
    let dir = given.dir.clone().unwrap_or_else(|| PathBuf::from(DIR));
    undo_what_was_left(&dir, asks, given.dry_run).await?;
    let settings = Settings::read(&dir)?;
    let (mut answers, found, _turn) = match asks {
        true => ask(given, &settings).await?,
        false => checked(given.clone(), &settings).await?,
    };
    if !found.admin && answers.admin_password.is_none() {
        answers.admin_password = match asks {
            // Nobody would get it.
            true if given.dry_run => None,
            true => Some(wizard::ask_admin_password(&answers.admin)?),
            false => {
                return refuse(
                    "the admin account needs a password: give --admin-password-file or \
                     --generate-admin-password",
                );
            }
        };
    }
    let plan = Plan::make(&answers, &settings, &found).map_err(Refused)?;
    say(&format!("\nThis will be done:\n{}", plan.to_text()));
    if given.dry_run {
        say("Nothing was done (--dry-run).");
        return Ok(());
    }
    if asks && !wizard::confirm("Go on?")? {
        return refuse("nothing was done");
    }
    let work = perform(&answers, &settings, &plan, &found).await?;
    tell(&work)
}

/// Asks until every check holds, or nobody wants to go on.
async fn ask(given: &Arguments, settings: &Settings) -> Result<(Answers, Found, Turn), Refused> {
    wizard::greet();
    let mut before = Arguments::default();
    loop {
        let answered = wizard::ask(given.clone(), settings, &before).await?;
        match checked(answered.clone(), settings).await {
            Ok(all) => return Ok(all),
            Err(refused) => {
                say(&format!("{refused}\n"));
                if !wizard::confirm("Answer again?")? {
                    return refuse("nothing was done");
                }
                before = answered;
            }
        }
    }
}

/// All answers, if they are sound and every check holds. The turn ends with this run.
async fn checked(given: Arguments, settings: &Settings) -> Result<(Answers, Found, Turn), Refused> {
    let answers = Answers::complete(given, settings)?;
    let turn = Turn::take(&answers.database_url).await?;
    match check(&answers, settings).await {
        Ok(found) => Ok((answers, found, turn)),
        Err(refused) => {
            turn.end().await;
            Err(refused)
        }
    }
}

/// Every check; what does not hold is told, and nothing is done.
async fn check(answers: &Answers, settings: &Settings) -> Result<Found, Refused> {
    answers.check_admin()?;
    let mut checks = checks::check_machine(answers, settings).await;
    let own = schema::own_tables();
    let url = &answers.database_url;
    let (of_database, found) = checks::check_database(url, settings.exist, &own).await;
    checks.extend(of_database);
    let report = Report { checks };
    say(&report.to_text());
    match (report.faults(), found) {
        (faults, Some(found)) if faults.is_empty() => Ok(found),
        (faults, _) => refuse(faults.join("\n")),
    }
}

/// Prints, and goes on where nobody reads it any more: what was begun is not to break off half-way.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Does every step; one that fails, or Ctrl-C, undoes them all.
async fn perform<'a>(
    answers: &'a Answers,
    settings: &Settings,
    plan: &'a Plan,
    found: &'a Found,
) -> Result<Work<'a>, Refused> {
    let mut stop = stop_signal();
    let journal = Journal::begin(&answers.dir).map_err(Refused)?;
    let settings_existed = settings.exist;
    let secrets = Vec::new();
    let mut work = Work { answers, plan, found, settings_existed, journal, secrets };
    let mut outcome = Ok(());
    for (number, (step, what)) in (1..).zip(&plan.steps) {
        let progress = Progress::begin(number, plan.steps.len(), what);
        // A step is done or not: a signal waits for its end.
        outcome = work.perform(*step).await;
        if stop.try_recv().is_ok() {
            outcome = Err(STOPPED.to_owned());
        }
        progress.end(outcome.is_ok());
        if outcome.is_err() {
            break;
        }
    }
    if let Err(why) = outcome {
        let why = format!("{why}\n{}", undone(&answers.dir, work.journal.done()).await);
        return refuse(why);
    }
    Journal::forget(&answers.dir).map_err(Refused)?;
    Ok(work)
}

const STOPPED: &str = "stopped by a signal";

/// Undoes, and tells how that went.
async fn undone(dir: &Path, done: &[Undo]) -> String {
    let faults = undo(done).await;
    if !faults.is_empty() {
        let faults = faults.join("; ");
        return format!("not all could be undone, the next run tries again: {faults}");
    }
    if let Err(error) = Journal::forget(dir) {
        return error;
    }
    remove_folders(done);
    "everything done so far was undone: correct this and run it again".to_owned()
}

/// Undoes what an earlier run did not finish, so that this one begins where that one did.
async fn undo_what_was_left(dir: &Path, asks: bool, dry_run: bool) -> Result<(), Refused> {
    let Some(done) = Journal::left_behind(dir).map_err(Refused)? else { return Ok(()) };
    say(&format!("An earlier run in {} broke off half-way.", dir.display()));
    if dry_run {
        return refuse("run it without --dry-run: it undoes that first");
    }
    let mut turns = Vec::new();
    for url in steps::databases(&done) {
        turns.push(Turn::take(url).await?);
    }
    if let Some(url) = steps::used_since(&done).await.map_err(Refused)? {
        return refuse(format!(
            "it is not undone, because {url} has been worked with since: if that is to stay, \
             remove {} and make the secrets that were never shown anew (installer user password, \
             installer client rotate); if not, drop the tables there",
            Journal::path(dir).display()
        ));
    }
    if asks && !wizard::confirm("Undo what it did, and begin anew?")? {
        return refuse("nothing was done: what the earlier run did is still there");
    }
    let faults = undo(&done).await;
    if !faults.is_empty() {
        return refuse(format!("what it did cannot be undone: {}", faults.join("; ")));
    }
    Journal::forget(dir).map_err(Refused)?;
    remove_folders(&done);
    for turn in turns {
        turn.end().await;
    }
    say("What it did was undone.\n");
    Ok(())
}

/// Ready when the process is asked to stop; it goes on until a step has ended.
fn stop_signal() -> Receiver<()> {
    let (sender, receiver) = oneshot::channel();
    tokio::spawn(async move {
        shared::stopping::stop_signal().await;
        let _ = sender.send(());
    });
    receiver
}

/// One step as people see it.
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

/// What there is now, and what to do next.
fn tell(work: &Work<'_>) -> Result<(), Refused> {
    let Work { answers, plan, secrets, .. } = work;
    say("Installed.");
    say(&format!("  auth server   {}", answers.auth_url));
    say(&format!("  api-server    {}, its documentation {0}/docs", answers.api_url));
    let zone = plan.time_zone.as_ref().or(work.found.time_zone.as_ref());
    let zone = zone.map_or("UTC", String::as_str);
    say(&format!("  business day  in the time zone {zone} (installer settings set changes it)"));
    say(&format!("  settings      {}", answers.dir.display()));
    say(&format!("  authority     {}", plan.tls.authority.display()));
    for (what, secret) in secrets {
        print_once(&format!("  {what}: {secret}"))?;
    }
    if !secrets.is_empty() {
        say("Secrets are shown once: only hashes of them are kept.");
    }
    say(&format!(
        "Back up {} and keep it apart from the backups of the database: the keys in it open \
         what is sealed there.",
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
        let planned = |step| plan.steps.iter().any(|(it, _)| *it == step);
        if planned(Step::Settings) {
            steps.push("restart both servers: until then they have the former settings".to_owned());
        } else if planned(Step::Certificates) {
            steps.push(
                "reload both servers (SIGHUP): they still have the former certificate".into(),
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
        (Some(units), false) => {
            steps.push(format!("put the units of {} where systemd looks for them", units.display()))
        }
        (None, false) => steps.push(format!(
            "run auth-server --env-file {0}/auth-server.env and api-server --env-file \
             {0}/api-server.env",
            answers.dir.display()
        )),
    }
    if answers.auth_url != answers.auth_direct_url() {
        steps.push(format!(
            "once what is before the servers runs: installer verify-auth-server --url {}",
            answers.auth_url
        ));
    }
    steps
}
