//! `installer completions`: what a shell needs to complete the installer's commands and options.

use crate::installation::{CliError, print};
use clap::Command;
use clap_complete::Shell;

/// Name of the program that is completed.
const PROGRAM: &str = "installer";

/// The command's arguments.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the completion script of these commands for a shell.
pub fn run(arguments: CompletionsArgs, commands: &Command) -> Result<(), CliError> {
    // Scripts would offer hidden commands, too.
    let visible = commands.get_subcommands().filter(|command| !command.is_hide_set());
    let mut commands =
        Command::new(PROGRAM).args(commands.get_arguments().cloned()).subcommands(visible.cloned());
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut commands, PROGRAM, &mut script);
    print(&String::from_utf8_lossy(&script))
}
