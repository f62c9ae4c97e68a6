//! The last step: runs the auth server with the new settings and verifies it from outside, as the
//! api-server will see it.

use super::journal::Undo;
use super::plan::env_file;
use super::values::at;
use super::work::{Work, remove_file};
use crate::installation::files::write_private;
use crate::installation::registration::API_SERVER_CLIENT;
use crate::installation::server_process::{self, Server, local_address};
use crate::verification;
use shared::db;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

/// Verifies the started service or, if it is not to be started, a temporary server: services
/// already running may have the previous settings.
pub(super) async fn verify(work: &mut Work<'_>) -> Result<(), String> {
    let answers = work.answers;
    work.give_database()?;
    let [log, secret_file] = ["verifying.log", "verifying.secret"].map(|it| answers.dir.join(it));
    for file in [&log, &secret_file] {
        work.journal.note(Undo::RemoveFile(file.clone()))?;
    }
    let mut address = local_address(answers.auth_address());
    let mut server = match answers.start {
        true => None,
        false => {
            let env_file = env_file(answers, "auth-server");
            let environment = use_other_ports(work, &mut address)?;
            let (name, command) = ("auth-server", "serve-auth");
            Some(Server::start(name, command, &env_file, &log, work.user(), &environment)?)
        }
    };
    let outcome = checks(work, server.as_mut(), address, &secret_file).await;
    if let Some(server) = server {
        server.stop().await;
    }
    for file in [&log, &secret_file] {
        remove_file(file)?;
    }
    // Files that the server created meanwhile belong to it, too.
    work.give_database()?;
    outcome?;
    let api_error = |error: String| format!("the api-server: {}", error.replace('\n', "; "));
    api_server::check(Some(&env_file(answers, "api-server"))).await.map_err(api_error)
}

/// Runs all checks as the api-server: with its client, its secret, and the authority it trusts.
async fn checks(
    work: &mut Work<'_>,
    server: Option<&mut Server>,
    address: SocketAddr,
    secret_file: &Path,
) -> Result<(), String> {
    let answers = work.answers;
    let ready = format!("{}/health/ready", at(&answers.host, address.port()));
    let authority = &work.plan.tls.authority;
    match server {
        Some(server) => server.wait_until_ready(&ready, authority, Some(address)).await?,
        None => {
            server_process::wait_for("the auth server", &ready, authority, Some(address)).await?
        }
    }
    let secret = work.plan.api.get("API_AUTH_CLIENT_SECRET").unwrap_or_default();
    write_private(secret_file, secret)?;
    let arguments = verification::VerificationArgs {
        url: answers.auth_url.clone(),
        connect_to: Some(address),
        server_name: Some(answers.host.clone()),
        ca: Some(work.plan.tls.authority.clone()),
        client: Some(API_SERVER_CLIENT.to_owned()),
        secret_file: Some(secret_file.to_owned()),
        ..verification::VerificationArgs::default()
    };
    let passwords = super::rows::passwords(answers);
    let passwords = passwords.map_err(|error| error.to_string())?;
    let unreachable = |error| format!("the database cannot be reached: {error}");
    let db = db::connect(&answers.database_url, 2, false).await.map_err(unreachable)?;
    let report = verification::verify_with_round_trip(&arguments, &db, &passwords).await;
    let _ = db.close().await;
    super::say(&format!("\nVerify Auth Server:\n{}", report.to_text()));
    let faults = report.faults();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Environment settings that let a server listen on other ports while its own are in use; empty if
/// they are free.
fn use_other_ports(
    work: &Work<'_>,
    address: &mut SocketAddr,
) -> Result<Vec<(String, String)>, String> {
    if TcpListener::bind(work.answers.auth_address()).is_ok() {
        return Ok(Vec::new());
    }
    let free =
        || -> std::io::Result<SocketAddr> { TcpListener::bind((address.ip(), 0))?.local_addr() };
    let failed = |error| format!("no port is free on {}: {error}", address.ip());
    let (main, mtls) = (free().map_err(failed)?, free().map_err(failed)?);
    let mut environment = vec![("AUTH_LISTEN".to_owned(), main.to_string())];
    if work.plan.auth.get("AUTH_MTLS_LISTEN").is_some() {
        environment.push(("AUTH_MTLS_LISTEN".to_owned(), mtls.to_string()));
    }
    *address = main;
    Ok(environment)
}
