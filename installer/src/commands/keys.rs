//! `installer keys`: the keys that sign ID tokens. They rotate by themselves; this is for the day one
//! may have leaked, and for those who want to see it done.

use crate::installation::{Installation, Refused, print, this_actor};
use auth_server::store::keys::{self, Others};
use clap::Subcommand;

/// What the command takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    /// Lets the key that was announced as the next one sign from now on.
    Rotate {
        /// Withdraws all keys before it at once, because one of them may have leaked: ID tokens
        /// they signed are no longer believed. Also where the next one was announced only now
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
    print(&format!("{key_id} signs ID tokens from now on"))
}
