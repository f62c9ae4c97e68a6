//! `installer keys`: the keys that sign ID tokens. They rotate automatically; this command is for a
//! key that may have leaked, and for operators who want to rotate one themselves.

use crate::installation::{CliError, Installation, print, this_actor};
use auth_server::store::keys::{self, OlderKeys};
use clap::Subcommand;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct KeysArgs {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum KeysCommand {
    /// Start signing with the key that was announced as the next one
    Rotate {
        /// Withdraw all earlier keys immediately, because one of them may have leaked: ID tokens
        /// that they signed are no longer valid. Takes effect even if the next key has only just
        /// been announced
        #[arg(long)]
        withdraw_others: bool,
    },
}

pub async fn run(arguments: &KeysArgs) -> Result<(), CliError> {
    let KeysCommand::Rotate { withdraw_others } = arguments.command;
    let (master_keys, rotation_seconds) = arguments.installation.signing()?;
    let db = arguments.installation.open().await?;
    let others = if withdraw_others { OlderKeys::Withdrawn } else { OlderKeys::Kept };
    let actor = this_actor();
    let key_id = keys::rotate(&db, &master_keys, rotation_seconds, others, &actor).await;
    let key_id = key_id.map_err(CliError)?;
    print(&format!("ID tokens are now signed with {key_id}"))
}
