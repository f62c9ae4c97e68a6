//! Everything the product promises, tried from outside: real servers, real databases, real TLS.
//!
//! The tree is that of the servers: the test of an endpoint is where the endpoint is.

// Requests within requests: the layout of the longest tests is deep.
#![recursion_limit = "256"]

mod api;
mod auth;
mod installer;
mod rules;

/// The installer's command line, which also starts the servers.
const PROGRAM: &str = env!("CARGO_BIN_EXE_installer_under_test");
