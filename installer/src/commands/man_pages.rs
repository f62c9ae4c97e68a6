//! `installer man-pages`: manual pages of the installer, of each of its commands, and of both
//! servers, made from their help.

use crate::installation::{CliError, print, refuse};
use clap::{Command, CommandFactory};
use std::path::PathBuf;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct ManPagesArgs {
    /// An existing directory, such as /usr/local/share/man/man1
    dir: PathBuf,
}

/// Writes one page for each of these commands and for each server.
pub fn run(arguments: &ManPagesArgs, commands: Command) -> Result<(), CliError> {
    let dir = &arguments.dir;
    if !dir.is_dir() {
        return refuse(format!("{} is not a directory", dir.display()));
    }
    for command in [commands, auth_server::Arguments::command(), api_server::Arguments::command()] {
        clap_mangen::generate_to(command, dir)
            .map_err(|error| CliError(format!("{}: {error}", dir.display())))?;
    }
    print(&format!("manual pages are in {}", dir.display()))
}
