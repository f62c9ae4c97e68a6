//! The library under both servers and the installer: the core database, the resource API's error
//! type, token introspection, TLS, the listener, browser pages, master keys, settings and telemetry.

#![warn(missing_docs)]

#[macro_use]
pub mod amounts;
pub mod audit;
pub mod bulk_insert;
pub mod bulk_update;
pub mod certificate_expiry;
pub mod coalesced;
pub mod contact_search;
pub mod database_gate;
pub mod database_url;
pub mod db;
pub mod disk_space;
#[allow(missing_docs, reason = "columns have the names of the schema; the contract describes them")]
pub mod entity;
pub mod envelope_encryption;
pub mod fair_queue;
pub mod galera;
pub mod html;
pub mod introspection;
pub mod json_columns;
mod json_rows;
pub mod keyed_permits;
pub mod middleware;
pub mod migration;
pub mod networks;
mod nodelay;
pub mod passwords;
pub mod problem;
pub mod random;
pub mod rate_limit;
pub mod read_pool;
pub mod runtime;
pub mod secrets;
pub mod server;
pub mod sessions;
pub mod settings;
pub mod shutdown;
pub mod tasks;
pub mod telemetry;
pub mod text_file;
pub mod time;
pub mod tls;
pub mod user_names;
pub mod waits;
pub mod writes;

pub use shared_macros::{interface_names, operations};
