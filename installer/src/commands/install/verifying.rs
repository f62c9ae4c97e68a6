//! Runs the auth server with the new settings and verifies it from outside, as the api-server will
//! see it, while services keep running with the present ones.

use super::values::at;
use super::work::Work;
use super::{rows, services};
use crate::installation::files::write_private;
use crate::installation::registration::API_SERVER_CLIENT;
use crate::installation::server_process::{Server, local_address, wait_for};
use crate::installation::{CliError, refuse};
use crate::verification::{VerificationArgs, probe_account, verify_with_round_trip};
use shared::database;
use shared::settings::Settings;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

/// Verifies the new settings, then puts them into place.
pub(super) async fn verify(work: &Work<'_>) -> Result<(), CliError> {
    work.grant_settings()?;
    work.give_database()?;
    let [log, secret_file] = ["verifying.log", "verifying.secret"].map(|it| work.staged().path(it));
    let mut address = local_address(work.answers.auth_address());
    let mut environment = use_other_ports(work, &mut address)?;
    environment.extend(new_files(work, "AUTH"));
    let env_file = work.staged().or_present("auth-server.env");
    let server =
        Server::start("auth-server", "serve-auth", &env_file, &log, work.user(), &environment);
    let mut server = server.map_err(CliError)?;
    let outcome = run_checks(work, &mut server, address, &secret_file).await;
    server.stop().await;
    // Files that the server created meanwhile belong to it, too.
    work.give_database()?;
    outcome?;
    check_api_server(work).await?;
    for file in [&log, &secret_file] {
        let removed = std::fs::remove_file(file);
        removed.map_err(|error| CliError(format!("cannot remove {}: {error}", file.display())))?;
    }
    work.staged().accept()
}

/// Runs all checks as the api-server: with its client, its secret, and the authority it trusts.
async fn run_checks(
    work: &Work<'_>,
    server: &mut Server,
    address: SocketAddr,
    secret_file: &Path,
) -> Result<(), CliError> {
    let answers = work.answers;
    let ready = format!("{}/health/ready", at(&answers.host, address.port()));
    let authority = work.tls().authority;
    server.wait_until_ready(&ready, &authority, Some(address)).await.map_err(CliError)?;
    write_private(secret_file, &rows::client_secret(work)?).map_err(CliError)?;
    let arguments = VerificationArgs {
        url: answers.auth_url.clone(),
        connect_to: Some(address),
        server_name: Some(answers.host.clone()),
        ca: Some(authority),
        client: Some(API_SERVER_CLIENT.to_owned()),
        secret_file: Some(secret_file.to_owned()),
        ..VerificationArgs::default()
    };
    let passwords = work.installation().passwords()?;
    let db = database::connect(&answers.database_url, 2).await?;
    if work.plan.completes {
        // What an interrupted verification has left.
        probe_account::remove_older(&db, 0).await?;
    }
    let report = verify_with_round_trip(&arguments, &db, &passwords).await;
    let _ = db.close().await;
    super::say(&format!("\nVerify Auth Server:\n{}", report.to_text()));
    match report.faults() {
        faults if faults.is_empty() => Ok(()),
        faults => refuse(faults.join("\n")),
    }
}

async fn check_api_server(work: &Work<'_>) -> Result<(), CliError> {
    let env_file = work.staged().or_present("api-server.env");
    let mut settings = Settings::read(api_server::config::SETTINGS, Some(&env_file));
    let authority = work.tls().authority.display().to_string();
    if settings.optional("API_AUTH_CA") == Some(work.plan.tls.authority.display().to_string()) {
        settings.set("API_AUTH_CA", &authority);
    }
    for (name, value) in new_files(work, "API") {
        settings.set(&name, &value);
    }
    let checked = api_server::check(settings).await;
    checked.map_err(|error| CliError(format!("the api-server: {}", error.replace('\n', "; "))))
}

/// Settings that let a server use new certificates before they are in place.
fn new_files(work: &Work<'_>, prefix: &str) -> Vec<(String, String)> {
    let tls = work.tls();
    match tls.certificate == work.plan.tls.certificate {
        true => Vec::new(),
        false => vec![
            (format!("{prefix}_TLS_CERTIFICATE"), tls.certificate.display().to_string()),
            (format!("{prefix}_TLS_KEY"), tls.key.display().to_string()),
        ],
    }
}

/// Settings that let a server listen on other ports while its own are in use; none if they are
/// free.
fn use_other_ports(
    work: &Work<'_>,
    address: &mut SocketAddr,
) -> Result<Vec<(String, String)>, CliError> {
    if TcpListener::bind(work.answers.auth_address()).is_ok() {
        return Ok(Vec::new());
    }
    let free =
        || -> std::io::Result<SocketAddr> { TcpListener::bind((address.ip(), 0))?.local_addr() };
    let failed = |error| CliError(format!("no port is free on {}: {error}", address.ip()));
    let (main, mtls) = (free().map_err(failed)?, free().map_err(failed)?);
    let mut environment = vec![("AUTH_LISTEN".to_owned(), main.to_string())];
    if work.plan.auth.get("AUTH_MTLS_LISTEN").is_some() {
        environment.push(("AUTH_MTLS_LISTEN".to_owned(), mtls.to_string()));
    }
    *address = main;
    Ok(environment)
}

/// Starts the services, and waits until they are ready.
pub(super) async fn start(work: &Work<'_>) -> Result<(), CliError> {
    services::start()?;
    let (answers, authority) = (work.answers, work.tls().authority);
    for (server, address) in
        [("the auth server", answers.auth_address()), ("the api-server", answers.api_address())]
    {
        let ready = format!("{}/health/ready", at(&answers.host, address.port()));
        let ready = wait_for(server, &ready, &authority, Some(local_address(address)));
        ready.await.map_err(CliError)?;
    }
    Ok(())
}
