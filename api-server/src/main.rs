//! The command `api-server`.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Serves the resource API in front of the core database.
#[derive(Parser)]
#[command(version, after_help = shared::settings::list(api_server::config::SETTINGS))]
struct Arguments {
    /// Reads settings from this file first; the environment goes before it.
    #[arg(long)]
    env_file: Option<PathBuf>,
    /// Checks settings, certificates and database, and ends.
    #[arg(long)]
    check: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let env_file = arguments.env_file.as_deref();
    let outcome = match arguments.check {
        true => api_server::check(env_file).await,
        false => api_server::run(env_file, shared::stopping::stop_signal()).await,
    };
    shared::process::exit_code("api-server", outcome)
}
