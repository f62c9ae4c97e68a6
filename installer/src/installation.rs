//! An installation as all commands see it: its settings, its database and the rows in it, its
//! certificates and secrets, its servers, and the output of commands.

pub mod accounts;
pub mod certificates;
pub mod checks;
pub mod columns;
pub mod core_settings;
pub mod credentials;
pub mod database;
pub mod document_files;
pub mod files;
pub mod new_password;
pub mod reach;
pub mod registration;
pub mod server_process;

mod actor;
mod output;
mod refusal;
mod settings_files;

pub use actor::{event, this_actor};
pub use database::{Undone, change, open_database};
pub use output::{print, print_once, printed};
pub use refusal::{Refused, refuse};
pub use settings_files::{Installation, SettingsFiles, read_api_settings};
