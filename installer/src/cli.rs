//! The commands of the installer and what each calls.

use crate::commands::{
    audit, backup_check, client, documents, import, install, keys, quickstart, serve, settings,
    status, upgrade, user, verify_auth_server,
};
use crate::installation::Refused;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Installs, checks, seeds, tries and administers the loan servicing services.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sets everything up in one folder and runs it: certificates, database, users, a portfolio,
    /// both servers.
    Quickstart(quickstart::Arguments),
    /// Sets both services up for production: asks, checks, does, verifies.
    // The last of two equal flags counts: the command line goes before a file of answers.
    #[command(args_override_self = true)]
    Install(Box<install::Arguments>),
    /// Checks an auth server from outside, a line per check.
    VerifyAuthServer(Box<verify_auth_server::CommandLine>),
    /// Programs that may ask the auth server: adds, lists, removes them, renews their secrets.
    Client(client::Arguments),
    /// Users: adds, disables, enables and unlocks them, sets passwords, logs out.
    User(user::Arguments),
    /// Settings of the core system, such as the business time zone: lists and changes them.
    Settings(settings::Arguments),
    /// Keys that sign ID tokens: rotates them before their time.
    Keys(keys::Arguments),
    /// Lists what happened at the auth server, newest last.
    Audit(audit::Arguments),
    /// Files of documents: verifies that they are what the database says, removes leftovers.
    Documents(documents::Arguments),
    /// Imports a file of contacts, loans and payments straight into the database, as the api-server
    /// does, in the name of the admin account.
    Import(import::Arguments),
    /// Tells whether all is well with an installation: settings, database, servers, certificates and
    /// what is under way, a line each.
    Status(status::Arguments),
    /// Checks a restored copy of a backup, a line per check, and changes nothing.
    BackupCheck(backup_check::Arguments),
    /// Brings the database of an earlier release to the schema of this one.
    Upgrade(upgrade::Arguments),
    /// Runs the auth server until its standard input ends.
    #[command(hide = true)]
    ServeAuth(serve::Arguments),
    /// Runs the api-server until its standard input ends.
    #[command(hide = true)]
    ServeApi(serve::Arguments),
}

/// Runs the command that the arguments of this process name.
pub async fn main() -> ExitCode {
    shared::tls::install_provider();
    let command_line = match install::with_answers(std::env::args_os().collect()) {
        Ok(command_line) => command_line,
        Err(refused) => return ended("install", Err(refused)),
    };
    match Arguments::parse_from(command_line).command {
        Command::Install(arguments) => ended("install", install::run(&arguments).await),
        Command::Quickstart(arguments) => {
            shared::process::exit_code("quickstart", quickstart::run(&arguments).await)
        }
        Command::VerifyAuthServer(arguments) => {
            judged("verify-auth-server", verify_auth_server::run(&arguments).await)
        }
        Command::Client(arguments) => ended("client", client::run(&arguments).await),
        Command::User(arguments) => ended("user", user::run(&arguments).await),
        Command::Settings(arguments) => ended("settings", settings::run(&arguments).await),
        Command::Keys(arguments) => ended("keys", keys::run(&arguments).await),
        Command::Audit(arguments) => ended("audit", audit::run(&arguments).await),
        Command::Documents(arguments) => ended("documents", documents::run(&arguments).await),
        Command::Import(arguments) => ended("import", import::run(&arguments).await),
        Command::Status(arguments) => judged("status", status::run(&arguments).await),
        Command::BackupCheck(arguments) => {
            judged("backup-check", backup_check::run(&arguments).await)
        }
        Command::Upgrade(arguments) => ended("upgrade", upgrade::run(&arguments).await),
        Command::ServeAuth(arguments) => {
            shared::process::exit_code("auth-server", serve::auth(&arguments).await)
        }
        Command::ServeApi(arguments) => {
            shared::process::exit_code("api-server", serve::api(&arguments).await)
        }
    }
}

fn ended(command: &str, outcome: Result<(), Refused>) -> ExitCode {
    shared::process::exit_code(command, outcome.map_err(|refused| refused.to_string()))
}

/// Of a command that reports: whether all holds that it looked at.
fn judged(command: &str, outcome: Result<bool, Refused>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(refused) => ended(command, Err(refused)),
    }
}
