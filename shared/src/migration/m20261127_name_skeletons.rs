//! Skeletons of user names: names that look alike have the same one.

use super::steps::Steps;
use super::table::{Table, int, string};

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    steps.create(
        &Table::new("name_skeletons")
            .columns([string("skeleton_hash", 64).primary(), int("holders")]),
    );
}
