//! What the tests and the load programs stand on: databases, servers as processes, callers.

pub mod application;
pub mod checkout;
pub mod client;
pub mod contract;
pub mod databases;
pub mod foreign;
pub mod forms;
pub mod gate;
pub mod latencies;
pub mod legibility;
pub mod loan_drivers;
pub mod loan_model;
pub mod localstripe;
pub mod log_in_form;
pub mod memory;
pub mod moto;
pub mod pgbench;
pub mod postgres;
pub mod provider;
pub mod provider_door;
pub mod psql;
pub mod published_loans;
pub mod quickstart;
pub mod rows;
pub mod seeds;
pub mod servers;
pub mod snapshot;
pub mod visitor;
pub mod web_browser;
pub mod web_servers;
pub mod webhooks;
pub mod wire;
pub mod world;

pub use client::{Answer, Client};
pub use databases::Database;
pub use world::{World, on_each_database};
