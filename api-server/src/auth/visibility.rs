//! Row-level visibility: for each table, the rows that a caller may see. All row rules of the
//! product are here.
//!
//! | Rule | Who may see a row |
//! |---|---|
//! | loan | its loan or collection officer; everyone if it has neither; holders of `Loan > Access to Other Officers`; in every case only users whom the trustees of its group and portfolio admit |
//! | contact | its officer; everyone if it has none; holders of `Contact > Access to Other Officers`; in every case only users whom the trustees of its type admit |
//! | collateral | users who may see a loan it secures; if it secures none, users who may see its contact |
//! | comment | users who may see its parent, if the trustees of its category admit them |
//! | document | users who may see its parent and hold View on the form or kind of comment |
//! | own loan | the web user who is its borrower, or is linked to it with web access |
//!
//! The admin account sees everything. An empty trustee list admits everyone. A child's rule refers
//! to its parent, which is looked up by key for each row, so that no rule has to list all rows that
//! a caller may see. The rules are SQL conditions, so they apply before paging and counting.

pub mod branches;
pub mod records;

use crate::auth::caller::{Caller, CoreCaller};
use crate::auth::privileges::{
    CONTACTS_OF_OTHER_OFFICERS, LOANS_OF_OTHER_OFFICERS, Privilege, Rights, SUPERVISE_DRAWERS,
    groups_of,
};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait};
use shared::entity::trustees::{self, TrusteeObject};
use shared::entity::*;

/// Row visibility of a table. A table without a rule cannot be queried.
pub trait Visible: EntityTrait {
    /// Returns the condition that is true for exactly the visible rows.
    fn visible_to(caller: &Caller) -> Condition;
}

fn everything() -> Condition {
    Condition::all()
}

fn nothing() -> Condition {
    Condition::all().add(Expr::value(false))
}

/// Applies a rule for core users: the admin account sees every row, web users see none.
fn for_core(caller: &Caller, rule: impl FnOnce(&CoreCaller) -> Condition) -> Condition {
    match caller {
        Caller::Core(user) if user.rights == Rights::All => everything(),
        Caller::Core(user) => rule(user),
        Caller::Web { .. } => nothing(),
    }
}

/// Condition: the parent row with this key exists, and the caller may see it.
fn parent<P: Visible>(key: P::Column, child: impl ColumnTrait, caller: &Caller) -> Condition {
    let parent = Query::select()
        .expr(Expr::value(1))
        .from(P::default())
        .and_where(key.into_expr().eq(child.into_expr()))
        .cond_where(P::visible_to(caller))
        .take();
    Condition::all().add(Expr::exists(parent))
}

/// Condition: the caller is one of the row's officers, the row has no officer, or the caller may
/// see other officers' rows.
fn officer_rule<C: ColumnTrait>(
    officers: &[C],
    user_id: i64,
    rights: &Rights,
    others: Privilege,
) -> Condition {
    if rights.hold(others) {
        return everything();
    }
    let no_officer =
        officers.iter().fold(Condition::all(), |all, officer| all.add(officer.is_null()));
    let any = officers
        .iter()
        .fold(Condition::any().add(no_officer), |any, officer| any.add(officer.eq(user_id)));
    everything().add(any)
}

/// Condition: the trustees of the contact's type admit the user.
fn trusted_contacts(user_id: i64) -> Condition {
    trustee_rule(contacts::Column::ContactTypeId, TrusteeObject::ContactType, user_id)
}

/// Condition: the trustees of the loan's group and portfolio admit the user.
fn trusted_loans(user_id: i64) -> Condition {
    use loans::Column::{LoanGroupId, PortfolioId};
    Condition::all()
        .add(trustee_rule(LoanGroupId, TrusteeObject::LoanGroup, user_id))
        .add(trustee_rule(PortfolioId, TrusteeObject::Portfolio, user_id))
}

/// Condition: the trustee list of the referenced object admits the user, or is empty.
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
                officer_rule(&officers, id, rights, LOANS_OF_OTHER_OFFICERS).add(trusted_loans(id))
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

/// Condition: the caller may see the row's loan.
fn loan_of(loan_id: impl ColumnTrait, caller: &Caller) -> Condition {
    parent::<loans::Entity>(loans::Column::LoanId, loan_id, caller)
}

/// Condition: the caller may see the row's contact.
fn contact_of(contact_id: impl ColumnTrait, caller: &Caller) -> Condition {
    parent::<contacts::Entity>(contacts::Column::ContactId, contact_id, caller)
}

impl Visible for loan_transactions::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use loan_transactions::Column::{LoanId, TransactionCode};
        let object = TrusteeObject::TransactionCode;
        for_core(caller, |user| {
            let admitted = trustee_rule(TransactionCode, object, user.user_id);
            loan_of(LoanId, caller).add(admitted)
        })
    }
}

impl Visible for payments_due::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        for_core(caller, |_| loan_of(payments_due::Column::LoanId, caller))
    }
}

impl Visible for credit_lines::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        match caller {
            Caller::Core(user) if user.rights == Rights::All => everything(),
            Caller::Core(_) | Caller::Web { .. } => loan_of(credit_lines::Column::LoanId, caller),
        }
    }
}

impl Visible for draws::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use draws::Column::{CreditlineId, TransactionCode};
        let line = || {
            parent::<credit_lines::Entity>(credit_lines::Column::CreditlineId, CreditlineId, caller)
        };
        let drawn = Condition::all().add(TransactionCode.eq(draws::CODE));
        match caller {
            Caller::Core(user) if user.rights == Rights::All => drawn,
            Caller::Core(user) => {
                let object = TrusteeObject::TransactionCode;
                drawn.add(line()).add(trustee_rule(TransactionCode, object, user.user_id))
            }
            Caller::Web { .. } => drawn.add(line()),
        }
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
                officer_rule(&officers, id, rights, CONTACTS_OF_OTHER_OFFICERS)
                    .add(trusted_contacts(id))
            }
            Caller::Web { contact_id } => Condition::all().add(ContactId.eq(*contact_id)),
        }
    }
}

impl Visible for collaterals::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use collaterals::Column::{CollateralId, ContactId};
        use loan_collaterals::Column as Link;
        for_core(caller, |_| {
            let links = Query::select()
                .expr(Expr::value(1))
                .from(loan_collaterals::Entity)
                .and_where(Link::CollateralId.into_expr().eq(CollateralId.into_expr()))
                .take();
            let owned =
                Condition::any().add(ContactId.is_null()).add(contact_of(ContactId, caller));
            let unlinked = Condition::all().add(Expr::exists(links).not()).add(owned);
            Condition::any()
                .add(parent::<loan_collaterals::Entity>(Link::CollateralId, CollateralId, caller))
                .add(unlinked)
        })
    }
}

impl Visible for payment_gateway_tokens::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use payment_gateway_tokens::Column::{ContactId, LoanId};
        match caller {
            Caller::Core(user) if user.rights == Rights::All => everything(),
            Caller::Core(_) => {
                Condition::any().add(loan_of(LoanId, caller)).add(contact_of(ContactId, caller))
            }
            Caller::Web { contact_id } => Condition::all().add(ContactId.eq(*contact_id)),
        }
    }
}

impl Visible for cash_drawers::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use cash_drawer_assignments::Column::{DrawerId, UserId};
        for_core(caller, |user| {
            if user.rights.hold(SUPERVISE_DRAWERS) {
                return everything();
            }
            let assigned = Query::select()
                .column(DrawerId)
                .from(cash_drawer_assignments::Entity)
                .and_where(UserId.eq(user.user_id))
                .take();
            Condition::all().add(cash_drawers::Column::DrawerId.in_subquery(assigned))
        })
    }
}

/// Tables whose rows are visible to core users who may see the parent row.
macro_rules! with_parent {
    ($($table:ident by $child:ident of $parent:ident $key:ident;)*) => {$(
        impl Visible for $table::Entity {
            fn visible_to(caller: &Caller) -> Condition {
                for_core(caller, |_| {
                    let key = $parent::Column::$key;
                    parent::<$parent::Entity>(key, $table::Column::$child, caller)
                })
            }
        }
    )*};
}

with_parent! {
    loan_contacts by LoanId of loans LoanId;
    loan_interest_rates by LoanId of loans LoanId;
    recurring_transactions by LoanId of loans LoanId;
    automated_payments by LoanId of loans LoanId;
    batch_failures by LoanId of loans LoanId;
    gateway_payments by LoanId of loans LoanId;
    payment_method_sessions by LoanId of loans LoanId;
    loan_collaterals by LoanId of loans LoanId;
    collateral_vehicles by CollateralId of collaterals CollateralId;
    collateral_locations by CollateralId of collaterals CollateralId;
    collateral_insurance_policies by CollateralId of collaterals CollateralId;
    collateral_taxes by CollateralId of collaterals CollateralId;
    collateral_descriptions by CollateralId of collaterals CollateralId;
    contact_addresses by ContactId of contacts ContactId;
    credit_profiles by ContactId of contacts ContactId;
    cash_drawer_assignments by DrawerId of cash_drawers DrawerId;
    cash_drawer_sessions by DrawerId of cash_drawers DrawerId;
    cash_drawer_reconciliations by DrawerId of cash_drawers DrawerId;
    cash_drawer_transactions by DrawerId of cash_drawers DrawerId;
}

/// Setup lists with trustees per row.
macro_rules! trusted_setup {
    ($($table:ident by $key:ident as $object:ident;)*) => {$(
        impl Visible for $table::Entity {
            fn visible_to(caller: &Caller) -> Condition {
                for_core(caller, |user| {
                    trustee_rule($table::Column::$key, TrusteeObject::$object, user.user_id)
                })
            }
        }
    )*};
}

trusted_setup! {
    loan_groups by LoanGroupId as LoanGroup;
    portfolios by PortfolioId as Portfolio;
    contact_types by ContactTypeId as ContactType;
    comment_categories by CommentCategoryId as CommentCategory;
    transaction_codes by TransactionCode as TransactionCode;
}

/// Tables visible to every core user and to no web user.
macro_rules! for_core_users {
    ($($table:ident)*) => {$(
        impl Visible for $table::Entity {
            fn visible_to(caller: &Caller) -> Condition {
                for_core(caller, |_| everything())
            }
        }
    )*};
}

for_core_users! {
    users user_groups group_members privileges privilege_grants loan_status_codes risk_ratings
    interest_plans payment_methods entities relationship_codes batch_runs
}

impl Visible for convenience_fee_rules::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        match caller {
            Caller::Core(_) | Caller::Web { .. } => everything(),
        }
    }
}
