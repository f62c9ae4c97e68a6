//! Standard output: what a command prints for people and programs.

use crate::installation::cli_error::CliError;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// A number with its noun, such as `1 file` or `2 files`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Prints the requested output.
pub fn print(text: &str) -> Result<(), CliError> {
    printed(write_out(text))
}

/// The result of printing. A closed pipe is no error: a reader such as `head` has what it wanted.
pub fn printed(written: std::io::Result<()>) -> Result<(), CliError> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| CliError(format!("cannot print: {error}"))),
    }
}

/// Prints what cannot be requested again, after the change it belongs to was committed.
pub fn print_once(text: &str) -> Result<(), CliError> {
    write_out(text).map_err(|error| {
        CliError(format!("the change was made, but its result could not be printed: {error}"))
    })
}

fn write_out(text: &str) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", text.trim_end_matches('\n'))?;
    output.flush()
}
