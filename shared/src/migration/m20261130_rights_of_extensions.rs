//! Privileges of operations beyond the interface. Nobody holds them yet except the admin account:
//! their verbs are new on these paths and on the parents, so that no earlier grant implies them.

use super::m20261121_seed_rows::{Verbs, insert_privileges};
use super::steps::Steps;
use sea_orm::sea_query::OnConflict;

const PRIVILEGES: &Verbs = &[
    ("Loan", "Payments", &["Reverse"]),
    ("Loan", "Adjustments", &["Charge", "Waive", "Disburse"]),
];

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    // An administrator may have added one by hand.
    let kept = OnConflict::columns(["path", "verb"]).do_nothing_on(["privilege_id"]).to_owned();
    steps.write(insert_privileges(PRIVILEGES).on_conflict(kept));
}

#[cfg(test)]
mod tests {
    use super::super::m20261121_seed_rows as seed;
    use super::*;

    #[test]
    fn no_earlier_grant_implies_a_new_privilege() {
        let earlier = seed::with_parents(seed::PRIVILEGES);
        for (path, verb) in seed::with_parents(PRIVILEGES) {
            let parents = path.match_indices(" > ").map(|(end, _)| &path[..end]);
            for implied_by in parents.chain([path.as_str()]) {
                assert!(!earlier.contains(&(implied_by.to_owned(), verb)), "{implied_by} > {verb}");
            }
        }
    }
}
