//! The installer's command line in a binary of this package: a test package has no other's.

use std::process::ExitCode;

// As in the product, or what is measured here would be another program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    installer::cli::main().await
}
