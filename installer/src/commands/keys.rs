//! `installer keys`: the keys that sign ID tokens. They rotate automatically; this command is for a
//! key that may have leaked, and for operators who want to rotate one themselves.

use crate::installation::{Installation, Refused, print, this_actor};
use auth_server::store::keys::{self, Others};
use clap::Subcommand;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    /// Start signing with the key that was announced as the next one
    Rotate {
        /// Withdraw all earlier keys immediately, because one of them may have leaked: ID tokens
        /// they signed are no longer valid. Takes effect even if the next key has only just been
        /// announced
        #[arg(long)]
        withdraw_others: bool,
    },
}

/// Runs the command.
pub async fn run(arguments: &Arguments) -> Result<(), Refused> {
    let Command::Rotate { withdraw_others } = arguments.command;
    let (master_keys, rotation_seconds) = arguments.installation.signing()?;
    let db = arguments.installation.open().await?;
    let others = if withdraw_others { Others::Withdrawn } else { Others::Kept };
    let actor = this_actor();
    let key_id = keys::rotate(&db, &master_keys, rotation_seconds, others, &actor).await;
    let key_id = key_id.map_err(Refused)?;
    print(&format!("ID tokens are now signed with {key_id}"))
}
