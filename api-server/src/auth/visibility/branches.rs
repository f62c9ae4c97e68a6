//! Branches of the officer rules: conditions that together cover what a rule admits, have no row in
//! common, and each begin with a column that an index begins with. A search reads each branch
//! through that index, so that it never reads rows of other officers.

use super::{everything, nothing, trusted_contacts, trusted_loans};
use crate::auth::caller::Caller;
use crate::auth::privileges::{CONTACTS_OF_OTHER_OFFICERS, LOANS_OF_OTHER_OFFICERS, Rights};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, Condition};
use shared::entity::{contacts, loans};

/// Returns the branches of the loans that the caller may see: those of the loan officer, those of
/// the collection officer, and those of neither; or a single one without a condition on officers.
pub fn of_loans(caller: &Caller) -> Vec<Condition> {
    use loans::Column::{CollectionOfficerUserId, LoanOfficerUserId};
    let Caller::Core(user) = caller else { return vec![nothing()] };
    match &user.rights {
        Rights::All => vec![everything()],
        rights if rights.hold(LOANS_OF_OTHER_OFFICERS) => vec![trusted_loans(user.user_id)],
        Rights::Granted(_) => {
            let [own, collected] = of_officer(user.user_id);
            let none = LoanOfficerUserId.is_null().and(CollectionOfficerUserId.is_null());
            let branches = [own, collected, Condition::all().add(none)];
            branches.map(|branch| branch.add(trusted_loans(user.user_id))).into()
        }
    }
}

/// Returns the loans that have this loan officer, and the others that have this collection officer.
pub fn of_officer(user_id: i64) -> [Condition; 2] {
    use loans::Column::{CollectionOfficerUserId, LoanOfficerUserId};
    let another = LoanOfficerUserId.is_null().or(LoanOfficerUserId.ne(user_id));
    [
        Condition::all().add(LoanOfficerUserId.eq(user_id)),
        Condition::all().add(CollectionOfficerUserId.eq(user_id)).add(another),
    ]
}

/// Returns the branches of the contacts that the caller may see: their own, and those without an
/// officer; or a single one without a condition on officers.
pub fn of_contacts(caller: &Caller) -> Vec<Condition> {
    let officer = contacts::Column::ContactOfficerUserId;
    let trusted = match caller {
        Caller::Core(user) if user.rights != Rights::All => trusted_contacts(user.user_id),
        Caller::Core(_) | Caller::Web { .. } => everything(),
    };
    let branches = of_contact_officer(caller, officer).into_iter();
    branches.map(|branch| branch.add(trusted.clone())).collect()
}

/// Returns the branches of what the rule for a contact's officer admits, by a column that holds the
/// officer, without the rule for trustees.
pub fn of_contact_officer(caller: &Caller, officer: impl ColumnTrait) -> Vec<Condition> {
    let Caller::Core(user) = caller else { return vec![nothing()] };
    if user.rights.hold(CONTACTS_OF_OTHER_OFFICERS) {
        return vec![everything()];
    }
    let branches = [officer.eq(user.user_id), officer.is_null()];
    branches.map(|branch| Condition::all().add(branch)).into()
}
