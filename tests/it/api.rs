//! The api-server.

mod auth_client;
mod contacts;
mod core;
pub mod loans;
