//! For each table, which of its rows a caller may see: all row rules of the product in one place.
//!
//! | Rule | Who sees a row |
//! |---|---|
//! | loan | its loan or collection officer; everyone where it has neither; holders of `Loan > Access to Other Officers`; and only whom the trustees of its group and portfolio admit |
//! | contact | its officer; everyone where it has none; holders of `Contact > Access to Other Officers`; and only whom the trustees of its type admit |
//! | own loan | the web user who is its borrower, or linked to it with web access |
//!
//! The admin account sees everything. A trustee list that is empty admits everyone. A child's rule
//! names its parent. The rules are conditions in SQL, so that they hold before paging and counting.

use crate::access::Caller;
use crate::privileges::{
    CONTACTS_OF_OTHER_OFFICERS, LOANS_OF_OTHER_OFFICERS, Privilege, Rights, groups_of,
};
use sea_orm::sea_query::{Expr, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, EntityTrait};
use shared::entity::trustees::{self, TrusteeObject};
use shared::entity::*;

/// The rows of a table that a caller may see. A table without a rule cannot be queried.
pub trait Visible: EntityTrait {
    /// The condition that holds for exactly those rows.
    fn visible_to(caller: &Caller) -> Condition;
}

fn everything() -> Condition {
    Condition::all()
}

fn nothing() -> Condition {
    Condition::all().add(Expr::value(false))
}

/// The row's officers are the caller, or nobody; or he may see other officers' rows.
fn officer_rule<C: ColumnTrait>(
    officers: &[C],
    user_id: i64,
    rights: &Rights,
    others: Privilege,
) -> Condition {
    if rights.hold(others) {
        return everything();
    }
    let nobody = officers.iter().fold(Condition::all(), |all, officer| all.add(officer.is_null()));
    officers.iter().fold(Condition::any().add(nobody), |any, officer| any.add(officer.eq(user_id)))
}

/// Trustee lists on these objects admit the user, or are empty.
fn trustee_rule(column: impl ColumnTrait, object: TrusteeObject, user_id: i64) -> Condition {
    use trustees::Column::{GroupId, ObjectId, ObjectType, UserId};
    let listed = || {
        Query::select()
            .column(ObjectId)
            .from(trustees::Entity)
            .and_where(ObjectType.eq(object))
            .take()
    };
    let mut admitting = listed();
    admitting.cond_where(
        Condition::any().add(UserId.eq(user_id)).add(GroupId.in_subquery(groups_of(user_id))),
    );
    let mut closed = listed();
    closed.and_where(ObjectId.not_in_subquery(admitting));
    Condition::all().add(column.not_in_subquery(closed))
}

impl Visible for loans::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use loans::Column::*;
        match caller {
            Caller::Core(user) if user.rights == Rights::All => everything(),
            Caller::Core(user) => {
                let officers = [LoanOfficerUserId, CollectionOfficerUserId];
                let (id, rights) = (user.user_id, &user.rights);
                Condition::all()
                    .add(officer_rule(&officers, id, rights, LOANS_OF_OTHER_OFFICERS))
                    .add(trustee_rule(LoanGroupId, TrusteeObject::LoanGroup, id))
                    .add(trustee_rule(PortfolioId, TrusteeObject::Portfolio, id))
            }
            Caller::Web { contact_id } => {
                let linked = Query::select()
                    .column(loan_contacts::Column::LoanId)
                    .from(loan_contacts::Entity)
                    .and_where(loan_contacts::Column::ContactId.eq(*contact_id))
                    .and_where(loan_contacts::Column::WebAccessFlag.eq(true))
                    .take();
                Condition::any().add(ContactId.eq(*contact_id)).add(LoanId.in_subquery(linked))
            }
        }
    }
}

/// The loans a caller may see, for their children.
fn visible_loans(caller: &Caller) -> SelectStatement {
    Query::select()
        .column(loans::Column::LoanId)
        .from(loans::Entity)
        .cond_where(loans::Entity::visible_to(caller))
        .take()
}

/// What hangs on a loan and is for core-system users only.
fn child_of_loan(loan_id: impl ColumnTrait, caller: &Caller) -> Condition {
    match caller {
        Caller::Core(user) if user.rights == Rights::All => everything(),
        Caller::Core(_) => Condition::all().add(loan_id.in_subquery(visible_loans(caller))),
        Caller::Web { .. } => nothing(),
    }
}

impl Visible for loan_transactions::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use loan_transactions::Column::*;
        match caller {
            Caller::Core(user) if user.rights == Rights::All => everything(),
            Caller::Core(user) => {
                let object = TrusteeObject::TransactionCode;
                Condition::all().add(child_of_loan(LoanId, caller)).add(trustee_rule(
                    TransactionCode,
                    object,
                    user.user_id,
                ))
            }
            Caller::Web { .. } => nothing(),
        }
    }
}

impl Visible for loan_contacts::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        child_of_loan(loan_contacts::Column::LoanId, caller)
    }
}

impl Visible for loan_interest_rates::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        child_of_loan(loan_interest_rates::Column::LoanId, caller)
    }
}

impl Visible for contacts::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use contacts::Column::*;
        match caller {
            Caller::Core(user) if user.rights == Rights::All => everything(),
            Caller::Core(user) => {
                let (id, rights) = (user.user_id, &user.rights);
                let officers = [ContactOfficerUserId];
                Condition::all()
                    .add(officer_rule(&officers, id, rights, CONTACTS_OF_OTHER_OFFICERS))
                    .add(trustee_rule(ContactTypeId, TrusteeObject::ContactType, id))
            }
            Caller::Web { contact_id } => Condition::all().add(ContactId.eq(*contact_id)),
        }
    }
}

/// A setup list with trustees on its rows.
macro_rules! trusted_setup {
    ($($table:ident by $key:ident as $object:ident;)*) => {$(
        impl Visible for $table::Entity {
            fn visible_to(caller: &Caller) -> Condition {
                match caller {
                    Caller::Core(user) if user.rights == Rights::All => everything(),
                    Caller::Core(user) => {
                        trustee_rule($table::Column::$key, TrusteeObject::$object, user.user_id)
                    }
                    Caller::Web { .. } => nothing(),
                }
            }
        }
    )*};
}

trusted_setup! {
    loan_groups by LoanGroupId as LoanGroup;
    portfolios by PortfolioId as Portfolio;
    contact_types by ContactTypeId as ContactType;
    transaction_codes by TransactionCode as TransactionCode;
}

/// Tables that every core-system user may see and no web user.
macro_rules! for_core_users {
    ($($table:ident)*) => {$(
        impl Visible for $table::Entity {
            fn visible_to(caller: &Caller) -> Condition {
                match caller {
                    Caller::Core(_) => everything(),
                    Caller::Web { .. } => nothing(),
                }
            }
        }
    )*};
}

for_core_users! {
    users loan_status_codes risk_ratings interest_plans payment_methods entities relationship_codes
}
