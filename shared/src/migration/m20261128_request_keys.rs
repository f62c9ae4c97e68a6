//! One `Idempotency-Key` per caller and request, whatever its path. Rows of earlier releases are
//! found by their scope.

use super::steps::Steps;
use sea_orm::sea_query::ColumnDef;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let key_hash = ColumnDef::new("key_hash").string_len(64).null().take();
    steps.add_column("idempotency_records", "key_hash", key_hash);
    steps.add_index("idempotency_records", &["key_hash"], true);
}
