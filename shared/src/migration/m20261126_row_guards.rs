//! What nodes of a cluster write so that they notice each other's locks.

use super::steps::Steps;
use super::table::{Table, int, long};

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    steps.create(&Table::new("row_guards").columns([int("guard_id").primary(), long("writes")]));
}
