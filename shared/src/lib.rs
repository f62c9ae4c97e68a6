//! The library under both servers and the installer: the core database, the resource API's error
//! type, token introspection, TLS, the listener, browser pages, master keys, settings and telemetry.

#![warn(missing_docs)]

#[macro_use]
pub mod amounts;
pub mod audit;
pub mod certificate_expiry;
pub mod database;
pub mod disk_space;
#[allow(missing_docs, reason = "columns have the names of the schema; the contract describes them")]
pub mod entity;
pub mod envelope_encryption;
pub mod fair_queue;
pub mod html;
pub mod introspection;
pub mod json_columns;
pub mod keyed_permits;
pub mod middleware;
pub mod networks;
pub mod passwords;
pub mod problem;
pub mod random;
pub mod rate_limit;
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

pub use shared_macros::{interface_names, operations};
