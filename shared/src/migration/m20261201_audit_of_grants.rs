//! Audit events of grants: which privilege, and to which group.

use super::steps::Steps;
use sea_orm::sea_query::ColumnDef;

/// A path, a separator and a verb.
const PRIVILEGE_CHARACTERS: u32 = 100 + 3 + 20;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let privilege = ColumnDef::new("privilege").string_len(PRIVILEGE_CHARACTERS).null().take();
    steps.add_column("auth_events", "privilege", privilege);
    let group_name = ColumnDef::new("group_name").string_len(50).null().take();
    steps.add_column("auth_events", "group_name", group_name);
}
