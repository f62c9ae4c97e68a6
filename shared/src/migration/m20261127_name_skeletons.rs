//! What user names that look alike have in common.

use super::steps::Steps;
use super::table::{Table, int, string};

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    steps.create(
        &Table::new("name_skeletons")
            .columns([string("skeleton_hash", 64).primary(), int("holders")]),
    );
}
