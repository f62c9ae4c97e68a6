//! The `auth-server` command.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Issue, introspect and revoke tokens.
#[derive(Parser)]
#[command(version, after_help = shared::settings::list(auth_server::config::SETTINGS))]
struct Arguments {
    /// Read settings from this file; environment variables take precedence.
    #[arg(long)]
    env_file: Option<PathBuf>,
    /// Check the settings, the certificates and the database, then exit.
    #[arg(long)]
    check: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let env_file = arguments.env_file.as_deref();
    let outcome = match arguments.check {
        true => auth_server::check(env_file).await,
        false => auth_server::run(env_file, shared::shutdown::stop_signal()).await,
    };
    shared::runtime::exit_code("auth-server", outcome)
}
