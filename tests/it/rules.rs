//! Rules about the whole, held by tests.

mod access;
mod contract;
mod errors;
mod tidy;
mod tls;
