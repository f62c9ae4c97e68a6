//! `installer verify-auth-server`: can the API server work with this authentication server?
//!
//! A fixed list of checks, from the name to an introspection. Each fault is named by the one check
//! it belongs to: what depends on a check that failed is skipped. The certificate is looked at
//! first, with a handshake that accepts any; HTTP starts only when chain, host name and expiry
//! hold, over connections that verify them again.

mod certificate;
mod clock;
mod handshakes;
mod introspection;
mod metadata;
mod old_hello;
mod reach;
mod report;
mod web;

pub use report::{Check, Outcome, Report};

use report::{Course, Step};
use std::path::PathBuf;
use std::time::Duration;

/// The longest a single question to the server may take.
const STEP_TIME: Duration = Duration::from_secs(5);

/// What to verify, and with what.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Issuer URL of the authentication server, such as https://auth.example.com:8443
    #[arg(long)]
    pub url: String,
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
    shared::tls::install_provider();
    let with_client = arguments.client.is_some() || arguments.secret_file.is_some();
    let mut course = Course::new(with_client);
    let unmet = run(arguments, &mut course).await.err();
    course.finish(unmet)
}

/// The checks in order. An error names the failed check that all remaining ones depend on.
async fn run(arguments: &Arguments, course: &mut Course) -> Result<(), Step> {
    let target = reach::check(&arguments.url, course).await?;
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
    Ok(())
}
