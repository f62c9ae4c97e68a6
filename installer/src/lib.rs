//! The command line that installs, checks, seeds, tries and administers the services.

pub mod accounts;
pub mod audit;
pub mod backup_check;
pub mod certificates;
pub mod checks;
pub mod cli;
pub mod client;
pub mod columns;
pub mod core_settings;
pub mod credentials;
pub mod demo;
pub mod documents;
pub mod import;
pub mod install;
pub mod installation;
pub mod keys;
pub mod oauth_client;
pub mod quickstart;
pub mod reach;
pub mod seed;
pub mod status;
pub mod upgrade;
pub mod user;
pub mod verify_auth_server;
