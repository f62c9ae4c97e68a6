//! Rules about the whole, held by tests.

mod access;
mod contract;
mod errors;
mod statements;
mod tidy;
mod tls;
