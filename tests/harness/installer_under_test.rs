//! The installer's command line in a binary of this package: a test package has no other's.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    installer::cli::main().await
}
