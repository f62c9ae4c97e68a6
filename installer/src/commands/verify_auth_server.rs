//! `installer verify-auth-server`: a report of whether an authentication server is one that the API
//! server can work with.

use crate::installation::{Installation, Refused, print};
use crate::verification::{Arguments, verify, verify_with_round_trip};

/// The arguments of the command: what to verify, and the database for a round trip.
#[derive(clap::Args, Clone, Debug)]
pub struct CommandLine {
    #[command(flatten)]
    arguments: Arguments,
    /// Also logs in, introspects, and logs out, as a user and a client that are made for it and
    /// removed again; for that it needs the auth server's database
    #[arg(long)]
    round_trip: bool,
    #[command(flatten)]
    installation: Installation,
}

/// Runs the command: prints the report, and tells whether everything holds.
pub async fn run(command_line: &CommandLine) -> Result<bool, Refused> {
    let CommandLine { arguments, round_trip, installation } = command_line;
    let report = if *round_trip {
        let (passwords, db) = (installation.passwords()?, installation.open().await?);
        verify_with_round_trip(arguments, &db, &passwords).await
    } else {
        verify(arguments).await
    };
    print(&if arguments.json { report.to_json() } else { report.to_text() })?;
    Ok(report.holds())
}
