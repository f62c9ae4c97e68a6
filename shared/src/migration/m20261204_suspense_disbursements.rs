//! Transaction codes of suspense disbursements, which pay out what a loan holds for its borrower.

use super::m20261121_seed_rows::insert_transaction_codes;
use super::steps::Steps;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    steps.write(&insert_transaction_codes(&[(160, "Suspense disbursement", Some("suspense"), -1)]));
}
