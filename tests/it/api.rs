//! The api-server.

mod auth_client;
mod contacts;
mod core;
mod docs;
pub mod loans;
