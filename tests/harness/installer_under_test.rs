//! The installer's command line as a binary of this package, because a test package cannot run
//! another package's binary.

use std::process::ExitCode;

// The product's allocator, without which measurements would be of another program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    installer::cli::main().await
}
