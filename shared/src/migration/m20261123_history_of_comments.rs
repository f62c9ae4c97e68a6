//! Which comment a change of field history hangs on: when the comment gets another category, its
//! history gets it, too.

use super::steps::Steps;
use sea_orm::sea_query::ColumnDef;

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    let comment_id = ColumnDef::new("comment_id").big_integer().null().take();
    steps.add_column("field_changes", "comment_id", comment_id);
    steps.add_index("field_changes", &["comment_id"], false);
}
