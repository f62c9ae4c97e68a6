//! `installer verify-auth-server`: checks whether the api-server can work with an auth server.

use crate::installation::{CliError, Installation, print};
use crate::verification::{VerificationArgs, verify, verify_with_round_trip};

/// The command's arguments: the server to verify, and the database for a round trip.
#[derive(clap::Args, Clone, Debug)]
pub struct CommandLine {
    #[command(flatten)]
    arguments: VerificationArgs,
    /// Also log in, introspect, refresh and log out, as a user and a client that are created for
    /// this purpose and then removed; requires the auth server's database
    #[arg(long)]
    round_trip: bool,
    #[command(flatten)]
    installation: Installation,
}

/// Runs the command: prints the report, and returns true if every check passed.
pub async fn run(command_line: &CommandLine) -> Result<bool, CliError> {
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
