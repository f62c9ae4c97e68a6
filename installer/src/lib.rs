//! The command line that installs, verifies, seeds, runs and administers the services.

pub mod cli;
pub mod commands;
pub mod demo;
pub mod installation;
pub mod seed;
pub mod verification;
