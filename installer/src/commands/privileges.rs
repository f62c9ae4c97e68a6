//! `installer privileges`: the privileges that can be granted.

use crate::installation::grants::{self, PrivilegeList};
use crate::installation::table;
use crate::installation::{CliError, Installation, print};
use api_server::auth::privileges::known;
use serde_json::{Value, json};
use shared::entity::privileges;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct PrivilegesArgs {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    action: PrivilegesAction,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum PrivilegesAction {
    /// List the privileges and what each allows
    List {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
}

pub async fn run(arguments: &PrivilegesArgs) -> Result<(), CliError> {
    let PrivilegesAction::List { json } = arguments.action;
    let db = arguments.installation.open().await?;
    let list = PrivilegeList::read(&db).await?;
    let allowed = |path: &str, verb: &str| known::description(path, verb);
    if json {
        let entry = |row: &privileges::Model| {
            let (name, allows) = (grants::name(row), allowed(&row.path, &row.verb));
            json!({"privilege": name, "path": row.path, "verb": row.verb, "allows": allows})
        };
        let entries: Vec<Value> = list.rows().iter().map(entry).collect();
        return print(&format!("{:#}", Value::from(entries)));
    }
    let cells = |row: &privileges::Model| {
        [grants::name(row), allowed(&row.path, &row.verb).unwrap_or_default()]
    };
    let rows: Vec<_> = list.rows().iter().map(cells).collect();
    print(&table::align(["privilege", "allows"], &rows))
}
