//! Can the API server work with this authentication server?
//!
//! A fixed list of checks, from the name to an introspection. Each fault is named by the one check
//! it belongs to: what depends on a check that failed is skipped. The certificate is looked at
//! first, with a handshake that accepts any; HTTP starts only when chain, host name and expiry
//! hold, over connections that verify them again.
//!
//! A round trip, where the database is at hand, goes on from there: a user who is made for it logs
//! in, is introspected, logs out, and is refused.

mod certificate;
mod clock;
mod handshakes;
mod introspection;
mod metadata;
mod oauth_client;
mod old_hello;
mod reach;
mod report;
mod round_trip;
pub(crate) mod visitor;
mod web;

use crate::installation::checks::Report;
use metadata::Metadata;
use report::{Course, Step};
use sea_orm::DatabaseConnection;
use shared::passwords::Passwords;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The longest a single question to the server may take.
const STEP_TIME: Duration = Duration::from_secs(5);

/// What to verify, and with what.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Arguments {
    /// Issuer URL of the authentication server, such as https://auth.example.com:8443
    #[arg(long)]
    pub url: String,
    /// Connects there, whatever the address of the URL's host is: to one server behind a load
    /// balancer, say
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub connect_to: Option<SocketAddr>,
    /// The name in that server's certificate, where something with another name is before it
    #[arg(long, value_name = "NAME", requires = "connect_to")]
    pub server_name: Option<String>,
    /// PEM file of the certificate authorities to trust; without it, the system's
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Client id of a resource server: also tries an introspection
    #[arg(long, value_name = "ID", requires = "secret_file")]
    pub client: Option<String>,
    /// File that holds the client's secret
    #[arg(long, value_name = "FILE", requires = "client")]
    pub secret_file: Option<PathBuf>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs every check that can run. Ends within the time-outs whatever the other side does.
pub async fn verify(arguments: &Arguments) -> Report {
    let mut course = Course::new(arguments.has_client(), false);
    let unmet = run_checks(arguments, &mut course).await.err();
    course.finish(unmet)
}

/// The same, and a round trip with a user and a client that are in the server's database only
/// meanwhile, even if SIGINT or SIGTERM ends it (after which these signals do nothing by
/// themselves any more in this process).
pub async fn verify_with_round_trip(
    arguments: &Arguments,
    db: &DatabaseConnection,
    passwords: &Passwords,
) -> Report {
    let mut course = Course::new(arguments.has_client(), true);
    let unmet = match run_checks(arguments, &mut course).await {
        Ok((web, metadata)) => {
            round_trip::check(&web, &metadata, db, passwords, &mut course).await.err()
        }
        Err(step) => Some(step),
    };
    course.finish(unmet)
}

impl Arguments {
    fn has_client(&self) -> bool {
        self.client.is_some() || self.secret_file.is_some()
    }
}

/// The checks in order. An error names the failed check that all remaining ones depend on.
async fn run_checks(
    arguments: &Arguments,
    course: &mut Course,
) -> Result<(web::Web, Metadata), Step> {
    shared::tls::install_provider();
    let target = reach::check(arguments, course).await?;
    let chains = handshakes::check(&target, course).await?;
    let trust = certificate::Trust::find(arguments.ca.as_deref(), course)?;
    certificate::check(&target, &trust, &chains, course)?;
    let web = web::Web::new(&target, &trust.path).map_err(|error| {
        course.fail(Step::Metadata, error, "see whether the file of authorities is in order")
    })?;
    let metadata = metadata::read(&web, &target, course).await?;
    // The clock does not depend on what the metadata say, nor they on the clock.
    let ready = clock::check(&web, &target, course).await;
    metadata::check_issuer(&metadata, &target, course)?;
    metadata::check_keys(&web, &metadata, course).await;
    ready?;
    if course.includes(Step::Introspection) {
        introspection::check(&web, &metadata, arguments, course).await;
    }
    Ok((web, metadata))
}
