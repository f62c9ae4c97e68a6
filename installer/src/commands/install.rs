//! `installer install`: sets up both services for production, step by step.
//!
//! It asks questions (in a terminal) or reads options or an answers file, checks everything, shows
//! its plan, and carries it out. New settings lie beside the present ones until Verify Auth Server
//! has passed with them. Each step does what is missing: a run that was cut short is completed by
//! the next one, with the same secrets. Run again on a finished installation, it keeps keys,
//! secrets, data and manually added settings, and changes what is requested.

mod answers;
mod arguments;
mod bucket;
mod checks;
mod existing_config;
mod plan;
mod private_folders;
mod rows;
mod services;
mod settings_file;
mod staged;
mod steps;
mod system_user;
mod unfinished;
mod values;
mod verifying;
mod wizard;
mod work;

pub use arguments::{InstallArgs, with_answers};

use crate::installation::new_password::NewPassword;
use crate::installation::{CliError, print_once, refuse};
use answers::{Answers, DIR};
use checks::DatabaseState;
use console::Term;
use existing_config::ExistingSettings;
use indicatif::{ProgressBar, ProgressStyle};
use plan::{InstallPlan, InstallStep};
use private_folders::{create_private, lock};
use staged::Staged;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use unfinished::Unfinished;
use work::Work;

/// True if this program runs as root.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Asks, checks, plans and installs.
pub async fn run(given: &InstallArgs) -> Result<(), CliError> {
    let interactive = !given.yes && Term::stdout().is_term() && Term::stderr().is_term();
    let dir = given.dir.clone().unwrap_or_else(|| PathBuf::from(DIR));
    let lock = lock(&dir)?;
    let was_interrupted = Staged(&dir).is_accepted();
    if was_interrupted {
        if given.dry_run {
            return refuse("an earlier run was interrupted: run this without --dry-run first");
        }
        Staged(&dir).settle()?;
    }
    let settings = ExistingSettings::read(&dir)?;
    if !settings.unfinished.is_empty() {
        say(&format!(
            "An earlier run in {} has not finished: this one completes it, with the same secrets.",
            dir.display()
        ));
    }
    let (mut answers, found) = match interactive {
        true => ask(given, &settings).await?,
        false => checked(given.clone(), &settings).await?,
    };
    let is_promised = settings.unfinished.admin.is_some();
    if !found.admin && !is_promised && answers.admin_password.is_none() {
        answers.admin_password = Some(match interactive {
            // A dry run sets no password: any will do.
            true if given.dry_run => NewPassword::given(None, true).read(&answers.admin)?,
            true => wizard::ask_admin_password(&answers.admin)?,
            false => {
                return refuse(
                    "the admin account needs a password: pass --admin-password-file or \
                     --generate-admin-password",
                );
            }
        });
    }
    let plan = InstallPlan::new(&answers, &settings, &found)?;
    say(&format!("\nThe installer will:\n{}", plan.to_text()));
    if given.dry_run {
        say("Dry run: nothing was changed.");
        return Ok(());
    }
    if interactive && !wizard::confirm("Continue?")? {
        return refuse("nothing was changed");
    }
    create_private(&answers.dir)?;
    // Held until this run ends.
    let _lock = match lock {
        Some(lock) => Some(lock),
        None => lock_new(&answers)?,
    };
    perform(&answers, &settings, &plan).await?;
    print_summary(&answers, &plan, &found)?;
    for next in next_steps(&answers, &settings, &plan, was_interrupted) {
        say(&format!("Next: {next}"));
    }
    Unfinished::forget(&answers.dir)
}

/// Locks a settings folder that did not exist when this run began.
fn lock_new(answers: &Answers) -> Result<Option<std::fs::File>, CliError> {
    let lock = lock(&answers.dir)?;
    let settings = ExistingSettings::read(&answers.dir)?;
    match settings.exist || !settings.unfinished.is_empty() {
        false => Ok(lock),
        true => refuse("another installer has run meanwhile: run this again"),
    }
}

/// Asks until every check passes or the user gives up.
async fn ask(
    given: &InstallArgs,
    settings: &ExistingSettings,
) -> Result<(Answers, DatabaseState), CliError> {
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

/// All answers, if they are valid and every check passes.
async fn checked(
    given: InstallArgs,
    settings: &ExistingSettings,
) -> Result<(Answers, DatabaseState), CliError> {
    let answers = Answers::complete(given, settings)?;
    settings.unfinished.check_database(&answers.database_url, &answers.dir)?;
    let found = check(&answers, settings).await?;
    Ok((answers, found))
}

/// Runs every check and reports the failed ones; changes nothing.
async fn check(answers: &Answers, settings: &ExistingSettings) -> Result<DatabaseState, CliError> {
    answers.check_admin()?;
    let mut report = checks::check_machine(answers, settings).await;
    let (database, found) = checks::check_database(&answers.database_url, settings).await;
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

/// Carries out every step, up to the first that fails.
async fn perform(
    answers: &Answers,
    settings: &ExistingSettings,
    plan: &InstallPlan,
) -> Result<(), CliError> {
    if !plan.unfinished.is_empty() || !settings.unfinished.is_empty() {
        plan.unfinished.write(&answers.dir)?;
    }
    let work = Work { answers, plan };
    work.begin()?;
    for (number, (step, what)) in (1..).zip(&plan.steps) {
        let progress = Progress::begin(number, plan.steps.len(), what);
        let outcome = work.perform(*step).await;
        progress.end(outcome.is_ok());
        if let Err(CliError(why)) = outcome {
            let state = match step {
                InstallStep::Rows | InstallStep::Services => IN_PLACE,
                InstallStep::Verify if work.staged().is_accepted() => IN_PLACE,
                _ => AS_BEFORE,
            };
            // What is left of them goes with the next run.
            let _ = work.staged().discard();
            return refuse(format!("{why}\n{state}: fix the cause and run this again"));
        }
    }
    Ok(())
}

/// What a failed step leaves behind.
const AS_BEFORE: &str = "settings and services are as they were";
const IN_PLACE: &str = "the new settings apply from now on";

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
fn print_summary(
    answers: &Answers,
    plan: &InstallPlan,
    found: &DatabaseState,
) -> Result<(), CliError> {
    say("Installed.");
    say(&format!("  auth server   {}", answers.auth_url));
    say(&format!("  api-server    {}, documentation at {0}/docs", answers.api_url));
    let zone = plan.time_zone.as_ref().or(found.time_zone.as_ref());
    let zone = zone.map_or("UTC", String::as_str);
    say(&format!(
        "  business day  in the time zone {zone} (change it with installer settings set)"
    ));
    say(&format!("  settings      {}", answers.dir.display()));
    say(&format!("  authority     {}", plan.tls.authority.display()));
    let Unfinished { admin, clients, .. } = &plan.unfinished;
    if let Some((name, password)) = admin {
        print_once(&format!("  the password of {name}: {password}"))?;
    }
    for (id, secret) in clients {
        print_once(&format!("  the secret of the client {id}: {secret}"))?;
    }
    if admin.is_some() || !clients.is_empty() {
        say("Secrets are shown only once: only their hashes are stored.");
    }
    say(&format!(
        "Back up {} and keep that backup apart from those of the database: its keys open what is \
         sealed there.",
        answers.dir.display()
    ));
    Ok(())
}

fn next_steps(
    answers: &Answers,
    settings: &ExistingSettings,
    plan: &InstallPlan,
    was_interrupted: bool,
) -> Vec<String> {
    let mut steps = Vec::new();
    if settings.exist && !plan.completes && !answers.start {
        let is_planned = |step| plan.steps.iter().any(|(it, _)| *it == step);
        if is_planned(InstallStep::Settings) || was_interrupted {
            steps
                .push("restart both servers: until then they use the previous settings".to_owned());
        } else if is_planned(InstallStep::Certificates) {
            steps.push(
                "reload both servers (SIGHUP): they still use the previous certificate".into(),
            );
        }
        return steps;
    }
    match (answers.start, services::check(answers)) {
        (true, _) => {}
        (false, Ok(services)) => {
            steps.push(format!("systemctl enable --now {}", services.replace(" and ", " ")));
        }
        (false, Err(_)) => steps.push(format!(
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
