//! The command line that installs, checks, seeds and tries the services.

pub mod certificates;
pub mod cli;
pub mod credentials;
pub mod demo;
pub mod quickstart;
pub mod seed;
pub mod verify_auth_server;
