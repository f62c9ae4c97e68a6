//! The installer's command line: its commands, and the function that runs each.

use crate::commands::{
    audit, backup_check, client, completions, documents, import, install, keys, man_pages,
    privileges, quickstart, serve, settings, status, upgrade, user, verify_auth_server,
};
use crate::installation::CliError;
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Install, verify, seed, run and administer the loan servicing servers
#[derive(Parser)]
#[command(name = "installer", version)]
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
    /// Manage the auth server's clients: add, list, show, change, rotate secrets, remove
    Client(client::ClientArgs),
    /// Manage users: list, add, disable, enable, unlock, set passwords, log out, show, grant and
    /// revoke privileges
    User(user::UserArgs),
    /// List the privileges that can be granted
    Privileges(privileges::PrivilegesArgs),
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
    /// Print a script that completes the installer's commands and options in a shell
    Completions(completions::CompletionsArgs),
    /// Write manual pages of the installer and both servers to a directory
    ManPages(man_pages::ManPagesArgs),
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
        Err(CliError(why)) => return shared::runtime::exit_code("install", Err(why)),
    };
    let (command, outcome) = match Arguments::parse_from(command_line).command {
        Command::Quickstart(arguments) => ("quickstart", done(quickstart::run(&arguments).await)),
        Command::Install(arguments) => ("install", done(install::run(&arguments).await)),
        Command::VerifyAuthServer(arguments) => {
            ("verify-auth-server", verify_auth_server::run(&arguments).await)
        }
        Command::Client(arguments) => ("client", done(client::run(&arguments).await)),
        Command::User(arguments) => ("user", done(user::run(&arguments).await)),
        Command::Privileges(arguments) => ("privileges", done(privileges::run(&arguments).await)),
        Command::Settings(arguments) => ("settings", done(settings::run(&arguments).await)),
        Command::Keys(arguments) => ("keys", done(keys::run(&arguments).await)),
        Command::Audit(arguments) => ("audit", done(audit::run(&arguments).await)),
        Command::Documents(arguments) => ("documents", done(documents::run(&arguments).await)),
        Command::Import(arguments) => ("import", done(import::run(&arguments).await)),
        Command::Status(arguments) => ("status", status::run(&arguments).await),
        Command::BackupCheck(arguments) => ("backup-check", backup_check::run(&arguments).await),
        Command::Upgrade(arguments) => ("upgrade", done(upgrade::run(&arguments).await)),
        Command::Completions(arguments) => {
            ("completions", done(completions::run(arguments, &Arguments::command())))
        }
        Command::ManPages(arguments) => {
            ("man-pages", done(man_pages::run(&arguments, Arguments::command())))
        }
        Command::ServeAuth(arguments) => ("auth-server", done(serve::auth(&arguments).await)),
        Command::ServeApi(arguments) => ("api-server", done(serve::api(&arguments).await)),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(CliError(why)) => shared::runtime::exit_code(command, Err(why)),
    }
}

/// The outcome of a command without checks: all of them passed.
fn done(outcome: Result<(), impl ToString>) -> Result<bool, CliError> {
    outcome.map(|()| true).map_err(|why| CliError(why.to_string()))
}
