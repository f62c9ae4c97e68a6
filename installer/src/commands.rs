//! The commands, one file each. None imports another: code shared by two of them is in the modules
//! below.

pub mod audit;
pub mod backup_check;
pub mod client;
pub mod completions;
pub mod documents;
pub mod import;
pub mod install;
pub mod keys;
pub mod man_pages;
pub mod privileges;
pub mod quickstart;
pub mod serve;
pub mod settings;
pub mod status;
pub mod upgrade;
pub mod user;
pub mod verify_auth_server;
