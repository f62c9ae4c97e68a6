//! The `api-server` command.

use api_server::config::SETTINGS;
use clap::Parser;
use shared::settings::Settings;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = api_server::Arguments::parse();
    let env_file = arguments.env_file.as_deref();
    let outcome = match arguments.check {
        true => api_server::check(Settings::read(SETTINGS, env_file)).await,
        false => api_server::run(env_file, shared::shutdown::stop_signal()).await,
    };
    shared::runtime::exit_code("api-server", outcome)
}
