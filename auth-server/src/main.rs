//! The `auth-server` command.

use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = auth_server::Arguments::parse();
    let env_file = arguments.env_file.as_deref();
    let outcome = match arguments.check {
        true => auth_server::check(env_file).await,
        false => auth_server::run(env_file, shared::shutdown::stop_signal()).await,
    };
    shared::runtime::exit_code("auth-server", outcome)
}
