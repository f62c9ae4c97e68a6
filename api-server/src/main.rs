//! The `api-server` command.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Serves the loan servicing API over the core database.
#[derive(Parser)]
#[command(version, after_help = shared::settings::list(api_server::config::SETTINGS))]
struct Arguments {
    /// Read settings from this file first; the environment takes precedence.
    #[arg(long)]
    env_file: Option<PathBuf>,
    /// Check settings, certificates, database and object store, and exit.
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
        false => api_server::run(env_file, shared::shutdown::stop_signal()).await,
    };
    shared::runtime::exit_code("api-server", outcome)
}
