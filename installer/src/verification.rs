//! Verify Auth Server: whether the api-server can work with an auth server.
//!
//! A fixed list of checks, from name resolution to an introspection. Each fault is reported by
//! exactly one check; checks that depend on a failed one are skipped. The certificate is examined
//! first, over a handshake that accepts any certificate; HTTP starts only once chain, host name and
//! expiry hold, over connections that verify them again.
//!
//! With access to the database, a round trip follows: a user created for it logs in, is
//! introspected, logs out, and is refused.

mod certificate;
mod clock;
mod connect;
mod handshakes;
mod introspection;
mod legacy_client_hello;
mod metadata;
mod oauth_client;
pub(crate) mod probe_account;
mod report;
mod round_trip;
mod web;

use crate::installation::checks::Report;
use metadata::Metadata;
use report::{VerificationRun, VerificationStep};
use sea_orm::DatabaseConnection;
use shared::passwords::Passwords;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Time limit for a single request to the server.
const STEP_TIME: Duration = Duration::from_secs(5);

/// The server to verify, and the credentials to use.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct VerificationArgs {
    /// Issuer URL of the auth server, such as https://auth.example.com:8443
    #[arg(long)]
    pub url: String,
    /// Connect to this address regardless of what the URL's host resolves to: for example, to one
    /// server behind a load balancer
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub connect_to: Option<SocketAddr>,
    /// Name in that server's certificate, if it runs behind a proxy with a different name
    #[arg(long, value_name = "NAME", requires = "connect_to")]
    pub server_name: Option<String>,
    /// PEM file of trusted certificate authorities [default: the system's]
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Client id of a resource server, to test introspection as well
    #[arg(long, value_name = "ID", requires = "secret_file")]
    pub client: Option<String>,
    /// File with the client's secret
    #[arg(long, value_name = "FILE", requires = "client")]
    pub secret_file: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs every check that can run. Always ends within the time limits, whatever the server does.
pub async fn verify(arguments: &VerificationArgs) -> Report {
    let mut run = VerificationRun::new(arguments.has_client(), false);
    let failed_step = run_checks(arguments, &mut run).await.err();
    run.finish(failed_step)
}

/// As [`verify`], plus a round trip with a user and a client that exist in the server's database
/// only during it, even if SIGINT or SIGTERM ends it (after which these signals no longer end this
/// process by default).
pub async fn verify_with_round_trip(
    arguments: &VerificationArgs,
    db: &DatabaseConnection,
    passwords: &Passwords,
) -> Report {
    let mut run = VerificationRun::new(arguments.has_client(), true);
    let failed_step = match run_checks(arguments, &mut run).await {
        Ok((web, metadata)) => {
            round_trip::check(&web, &metadata, db, passwords, &mut run).await.err()
        }
        Err(step) => Some(step),
    };
    run.finish(failed_step)
}

impl VerificationArgs {
    fn has_client(&self) -> bool {
        self.client.is_some() || self.secret_file.is_some()
    }
}

/// Runs the checks in order. An error names the failed check that all remaining ones depend on.
async fn run_checks(
    arguments: &VerificationArgs,
    run: &mut VerificationRun,
) -> Result<(web::Web, Metadata), VerificationStep> {
    shared::tls::install_provider();
    let target = connect::check(arguments, run).await?;
    let chains = handshakes::check(&target, run).await?;
    let trust = certificate::Trust::find(arguments.ca.as_deref(), run)?;
    certificate::check(&target, &trust, &chains, run)?;
    let web = web::Web::new(&target, &trust.path).map_err(|error| {
        run.fail(VerificationStep::Metadata, error, "make sure the authorities file is valid")
    })?;
    let metadata = metadata::read(&web, &target).await;
    let metadata = run.record(VerificationStep::Metadata, metadata)?;
    // The clock check and the metadata checks are independent of each other.
    let ready = clock::check(&web, &target, run).await;
    run.record_finding(VerificationStep::Issuer, metadata::check_issuer(&metadata, &target))?;
    let keys = metadata::check_keys(&web, &metadata).await;
    // No other check depends on the keys.
    let _ = run.record_finding(VerificationStep::Keys, keys);
    ready?;
    if run.includes(VerificationStep::Introspection) {
        let found = introspection::introspect(&web, &metadata, arguments).await;
        // The round trip does not depend on it.
        let _ = run.record_finding(VerificationStep::Introspection, found);
    }
    Ok((web, metadata))
}
