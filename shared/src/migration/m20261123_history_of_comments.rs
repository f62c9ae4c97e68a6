//! Links field history to its comment: when the comment's category changes, its history's category
//! changes too.

use super::steps::Steps;
use sea_orm::sea_query::ColumnDef;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let comment_id = ColumnDef::new("comment_id").big_integer().null().take();
    steps.add_column("field_changes", "comment_id", comment_id);
    steps.add_index("field_changes", &["comment_id"], false);
}
