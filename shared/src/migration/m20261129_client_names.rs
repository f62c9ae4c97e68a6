//! What people know a client by, on the pages that they see.

use super::steps::Steps;
use sea_orm::sea_query::ColumnDef;

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    let display_name = ColumnDef::new("display_name").string_len(100).null().take();
    steps.add_column("oauth_clients", "display_name", display_name);
}
