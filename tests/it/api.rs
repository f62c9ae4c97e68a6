//! The api-server.

mod auth_client;
mod bucket_storage;
mod cash_drawers;
mod contacts;
mod core;
mod docs;
mod documents;
mod files;
mod gateway;
pub mod loans;
mod setup;
mod status;
mod user_defined_fields;
mod users;
