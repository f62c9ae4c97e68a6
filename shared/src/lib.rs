//! Code that both servers need, and only that: the core database, the resource API's error type,
//! token introspection, TLS, the listener, browser pages, master keys, settings and telemetry.

#[macro_use]
pub mod amounts;
pub mod audit;
pub mod cluster;
pub mod coalesced;
pub mod database_url;
pub mod db;
pub mod edge;
pub mod entity;
pub mod fair_queue;
pub mod introspection;
pub mod lists;
pub mod master_keys;
pub mod migration;
pub mod networks;
pub mod pages;
pub mod passwords;
pub mod places;
pub mod problem;
pub mod process;
pub mod random;
pub mod rates;
pub mod readiness;
pub mod rows;
pub mod secrecy;
pub mod server;
pub mod sessions;
pub mod settings;
pub mod stopping;
pub mod tasks;
pub mod telemetry;
pub mod time;
pub mod tls;
pub mod user_names;

pub use shared_macros::{interface_names, operations};
