//! An installation as all commands see it: its settings, its database and the rows in it, its
//! certificates and secrets, its servers, and the output of commands.

pub mod accounts;
pub mod certificates;
pub mod checks;
pub mod core_settings;
pub mod credentials;
pub mod database;
pub mod db_probe;
pub mod document_files;
pub mod files;
pub mod grants;
pub mod new_password;
pub mod registration;
pub mod server_process;
pub mod table;
pub mod trusted_path;

mod actor;
mod cli_error;
mod output;
mod settings_files;

pub use actor::{event, this_actor};
pub use cli_error::{CliError, refuse};
pub use database::{ChangeError, change, open_database};
pub use output::{count, print, print_once, printed};
pub use settings_files::{Installation, SettingsFiles, read_api_settings};
