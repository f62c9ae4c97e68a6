//! The installer's commands, and what their tests share.

mod audit;
mod backup_check;
mod client;
mod core_settings;
mod demo;
mod documents;
mod import;
mod install;
mod installation;
mod quickstart;
mod shells;
mod status;
mod upgrade;
mod user;
mod verify_auth_server;

use crate::PROGRAM;
use acceptance::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Output;
use tokio::process::Command;

/// A command's output and exit code.
pub struct CommandOutput {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl CommandOutput {
    /// Returns what it printed. Fails the test unless it succeeded.
    #[track_caller]
    pub fn expect_success(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// Returns what it printed as JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        let output = self.expect_success();
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
    }

    /// The checks of a report in JSON: the outcome of each, by name.
    #[track_caller]
    fn checks(&self) -> BTreeMap<String, String> {
        let report: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.stdout, self.stderr));
        let holds = if report["holds"] == true { Some(0) } else { Some(1) };
        assert_eq!(self.code, holds, "{}", self.stdout);
        let text = |check: &Value, member: &str| check[member].as_str().expect("text").to_owned();
        let checks = report["checks"].as_array().expect("checks").iter();
        checks.map(|check| (text(check, "name"), text(check, "outcome"))).collect()
    }

    /// The names of the failed checks of a report in JSON.
    #[track_caller]
    fn failed_checks(&self) -> Vec<String> {
        let checks = self.checks().into_iter();
        checks.filter(|(_, outcome)| outcome == "failed").map(|(name, _)| name).collect()
    }

    /// Fails the test unless it refused, in one line that contains this text.
    #[track_caller]
    pub fn expect_refusal(self, expected: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(1), ""), "{}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.contains(expected), "{} is not about {expected}", self.stderr);
    }

    /// Fails the test unless it refused, in one line that contains this text. It may have printed
    /// something before.
    #[track_caller]
    fn expect_refusal_after_output(self, expected: &str) {
        Self { stdout: String::new(), ..self }.expect_refusal(expected);
    }
}

/// The installer without any settings.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .env_remove("AUTH_DATABASE_URL")
        .env_remove("API_DATABASE_URL")
        .env_remove("SUDO_USER")
        .env("USER", "tester")
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true);
    command
}

async fn run(mut command: Command) -> CommandOutput {
    command.output().await.expect("a process").into()
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// Runs a command with the settings of this world's auth server.
pub async fn installer(world: &World, arguments: &[&str]) -> CommandOutput {
    let mut command = command(arguments);
    command.arg("--env-file").arg(world.folder.path().join("auth-server.env"));
    run(command).await
}

/// Everything that an administrator's command could change.
async fn everything(world: &World) -> Value {
    let mut counts = Vec::new();
    for table in [
        "auth_events",
        "auth_sessions",
        "authorization_requests",
        "browser_log_ins",
        "active_users",
        "cif_web_active_users",
        "log_in_failures",
    ] {
        counts.push(world.count(&format!("SELECT COUNT(*) FROM {table}")).await);
    }
    json!([world.snapshot().await, counts])
}

/// Writes a file with this text into this world's folder.
fn file(world: &World, name: &str, text: &str) -> String {
    let path = world.folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Inserts what a log-in leaves besides its tokens: a session, a remembered browser, an unused
/// code.
async fn add_session(world: &World, name: &str, kind: &str, user_id: i64, client_id: &str) {
    let date = world.long_ago();
    world
        .sql(&format!(
            "INSERT INTO auth_sessions (session_id, public_id, user_kind, user_id, client_id, contested_flag, \
             scope, log_in_date, browser_id, refreshed_date) VALUES \
             ('{name}', '{name}', '{kind}', {user_id}, '{client_id}', 1 = 0, '{kind}', {date}, \
             '{name}', {date})"
        ))
        .await;
    world
        .sql(&format!(
            "INSERT INTO browser_log_ins (browser_id, user_kind, user_id, log_in_date, used_date) \
             VALUES ('{name}', '{kind}', {user_id}, {date}, {date})"
        ))
        .await;
    world
        .sql(&format!(
            "INSERT INTO authorization_requests (request_id, browser_secret_hash, client_id, \
             redirect_uri, scope, code_challenge, source_network, created_date, user_kind, \
             user_id, browser_id) VALUES ('{name}', 'x', '{client_id}', 'x', '{kind}', 'x', 'x', \
             {date}, '{kind}', {user_id}, '{name}')"
        ))
        .await;
}

/// The numbers of sessions that came from a browser, of remembered browsers and of codes.
async fn sessions(world: &World) -> [i64; 3] {
    [
        world.count("SELECT COUNT(*) FROM auth_sessions WHERE browser_id IS NOT NULL").await,
        world.count("SELECT COUNT(*) FROM browser_log_ins").await,
        world.count("SELECT COUNT(*) FROM authorization_requests").await,
    ]
}

/// A borrower who logs in with `one` and `first words`. Returns the contact's id.
async fn borrower(world: &World) -> i64 {
    let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
         EntityCode=\"COMPANY\" Company=\"One\">\
         <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
    world.import(&world.token("admin").await, &acceptance::seeds::file(contact)).await;
    world.count("SELECT contact_id FROM web_credentials").await
}

async fn user_id(world: &World, name: &str) -> i64 {
    world.count(&format!("SELECT user_id FROM users WHERE user_name = '{name}'")).await
}

/// The audit's events, oldest first, each with its reason.
async fn audit(world: &World, extra: &[&str]) -> Vec<String> {
    let arguments = [&["audit", "--json"], extra].concat();
    let lines = installer(world, &arguments).await.expect_success();
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
        format!("{} {}", text("event"), text("reason"))
    };
    lines.lines().map(event).collect()
}
