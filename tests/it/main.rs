//! Acceptance tests: everything the product promises, tested from outside with real servers, real
//! databases and real TLS.
//!
//! The tree mirrors that of the servers: the test of an endpoint is where the endpoint is.

// Nested async blocks give the longest tests deeply nested types.
#![recursion_limit = "256"]

mod api;
mod auth;
mod installer;
mod rules;

/// The product's allocator: most servers run in this process.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The installer's command line, which also starts the servers.
const PROGRAM: &str = env!("CARGO_BIN_EXE_installer_under_test");
