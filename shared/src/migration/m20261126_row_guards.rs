//! Row guards: rows that cluster nodes write so that they detect each other's locks.

use super::steps::Steps;
use super::table::{Table, int, long};

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    steps.create(&Table::new("row_guards").columns([int("guard_id").primary(), long("writes")]));
}
