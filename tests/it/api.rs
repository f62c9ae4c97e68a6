//! The api-server.

mod contacts;
mod core;
pub mod loans;
