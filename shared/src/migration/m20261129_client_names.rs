//! Display names of clients, shown on pages.

use super::steps::Steps;
use sea_orm::sea_query::ColumnDef;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let display_name = ColumnDef::new("display_name").string_len(100).null().take();
    steps.add_column("oauth_clients", "display_name", display_name);
}
