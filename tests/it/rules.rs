//! Rules about the whole, held by tests.

mod access;
mod contract;
mod errors;
mod rubbish;
mod statements;
mod tidy;
mod tls;
