//! The installer's command line: its commands, and the function that runs each.

use crate::commands::{
    audit, backup_check, client, documents, import, install, keys, quickstart, serve, settings,
    status, upgrade, user, verify_auth_server,
};
use crate::installation::CliError;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Install, verify, seed, run and administer the loan servicing servers
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Set up and run everything in one folder: certificates, database, users, a demo portfolio,
    /// both servers
    Quickstart(quickstart::QuickstartArgs),
    /// Set up both servers for production: ask, check, install, verify
    // The last occurrence of an option wins, so the command line overrides an answers file.
    #[command(args_override_self = true)]
    Install(Box<install::InstallArgs>),
    /// Check an auth server from outside, one line per check
    VerifyAuthServer(Box<verify_auth_server::CommandLine>),
    /// Manage the auth server's clients: add, list, rename, rotate secrets, remove
    Client(client::ClientArgs),
    /// Manage users: add, disable, enable, unlock, set passwords, log out
    User(user::UserArgs),
    /// List and change settings of the core system, such as the business time zone
    Settings(settings::SettingsArgs),
    /// Manage the keys that sign ID tokens: rotate them before they are due
    Keys(keys::KeysArgs),
    /// List the auth server's audit trail, newest event last
    Audit(audit::AuditArgs),
    /// Manage document files: verify them against the database, remove leftovers
    Documents(documents::DocumentsArgs),
    /// Import a file of contacts, loans and payments directly into the database, as the api-server
    /// does, on behalf of the admin account
    Import(import::ImportArgs),
    /// Show the health of an installation: settings, database, servers, certificates and work in
    /// progress, one line each
    Status(status::StatusArgs),
    /// Check a restored copy of a backup, one line per check, without changing anything
    BackupCheck(backup_check::BackupCheckArgs),
    /// Upgrade the database of an earlier release to this release's schema
    Upgrade(upgrade::UpgradeArgs),
    /// Run the auth server until standard input ends
    #[command(hide = true)]
    ServeAuth(serve::ServeArgs),
    /// Run the api-server until standard input ends
    #[command(hide = true)]
    ServeApi(serve::ServeArgs),
}

/// Runs the command given by this process's arguments.
pub async fn main() -> ExitCode {
    shared::tls::install_provider();
    let command_line = match install::with_answers(std::env::args_os().collect()) {
        Ok(command_line) => command_line,
        Err(error) => return exit_code("install", Err(error)),
    };
    match Arguments::parse_from(command_line).command {
        Command::Install(arguments) => exit_code("install", install::run(&arguments).await),
        Command::Quickstart(arguments) => {
            shared::runtime::exit_code("quickstart", quickstart::run(&arguments).await)
        }
        Command::VerifyAuthServer(arguments) => {
            checks_exit_code("verify-auth-server", verify_auth_server::run(&arguments).await)
        }
        Command::Client(arguments) => exit_code("client", client::run(&arguments).await),
        Command::User(arguments) => exit_code("user", user::run(&arguments).await),
        Command::Settings(arguments) => exit_code("settings", settings::run(&arguments).await),
        Command::Keys(arguments) => exit_code("keys", keys::run(&arguments).await),
        Command::Audit(arguments) => exit_code("audit", audit::run(&arguments).await),
        Command::Documents(arguments) => exit_code("documents", documents::run(&arguments).await),
        Command::Import(arguments) => exit_code("import", import::run(&arguments).await),
        Command::Status(arguments) => checks_exit_code("status", status::run(&arguments).await),
        Command::BackupCheck(arguments) => {
            checks_exit_code("backup-check", backup_check::run(&arguments).await)
        }
        Command::Upgrade(arguments) => exit_code("upgrade", upgrade::run(&arguments).await),
        Command::ServeAuth(arguments) => {
            shared::runtime::exit_code("auth-server", serve::auth(&arguments).await)
        }
        Command::ServeApi(arguments) => {
            shared::runtime::exit_code("api-server", serve::api(&arguments).await)
        }
    }
}

fn exit_code(command: &str, outcome: Result<(), CliError>) -> ExitCode {
    shared::runtime::exit_code(command, outcome.map_err(|error| error.to_string()))
}

/// The exit code of a command that reports checks: success only if all of them passed.
fn checks_exit_code(command: &str, outcome: Result<bool, CliError>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => exit_code(command, Err(error)),
    }
}
