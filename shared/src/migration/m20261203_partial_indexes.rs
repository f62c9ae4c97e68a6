//! Partial indexes: where the database supports them, indexes on columns that are nearly always NULL
//! leave out the NULL rows. Every payment adds several rows to these tables.

use super::steps::Steps;
use sea_orm::DbBackend;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    if steps.backend() == DbBackend::MySql {
        return;
    }
    for (table, columns, optional, is_unique) in INDEXES {
        steps.add_partial_index(table, columns, optional, is_unique);
        steps.drop_index(table, columns);
    }
}

type PartialIndex = (&'static str, &'static [&'static str], &'static str, bool);

/// Table, columns, the column that is mostly NULL, and whether the index is unique.
const INDEXES: [PartialIndex; 4] = [
    ("loan_transactions", &["loan_id", "external_id"], "external_id", true),
    ("loan_transactions", &["creditline_id", "transaction_id"], "creditline_id", false),
    ("field_changes", &["contact_id", "row_id"], "contact_id", false),
    ("field_changes", &["comment_id"], "comment_id", false),
];
