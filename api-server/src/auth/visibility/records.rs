//! Visibility of rows with parents of several kinds: comments, documents, user-defined field values
//! and field history.

use super::{Visible, contact_of, for_core, loan_of, nothing, parent, trustee_rule};
use crate::auth::caller::{Caller, CoreCaller};
use crate::auth::privileges::{self, Privilege, Rights};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition};
use shared::entity::documents::DocumentOwner;
use shared::entity::trustees::TrusteeObject;
use shared::entity::user_defined_fields::Form;
use shared::entity::*;

impl Visible for comments::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use comments::Column::{CollateralId, CommentCategoryId, ContactId, LoanId};
        let object = TrusteeObject::CommentCategory;
        for_core(caller, |user| {
            let collateral = parent::<collaterals::Entity>(
                collaterals::Column::CollateralId,
                CollateralId,
                caller,
            );
            let of_parent = Condition::any()
                .add(loan_of(LoanId, caller))
                .add(contact_of(ContactId, caller))
                .add(collateral);
            Condition::all().add(of_parent).add(trustee_rule(
                CommentCategoryId,
                object,
                user.user_id,
            ))
        })
    }
}

/// Document owners that are forms, each with its form.
pub const FORM_OWNERS: [(DocumentOwner, Form); 5] = [
    (DocumentOwner::LoanDetail1, Form::LoanDetail1),
    (DocumentOwner::LoanDetail2, Form::LoanDetail2),
    (DocumentOwner::ContactDetail, Form::ContactDetail),
    (DocumentOwner::ContactDemographics, Form::ContactDemographics),
    (DocumentOwner::ContactFinancials, Form::ContactFinancials),
];

impl Visible for documents::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use documents::Column::{FieldName, OwnerId, OwnerType};
        use user_defined_fields::Column::{FieldName as Name, Form as OfForm, HiddenFlag};
        // Forms and document owner types have the same names.
        let on_form = OfForm.into_expr().eq(OwnerType.into_expr());
        let shown = Condition::all().add(on_form).add(HiddenFlag.eq(false));
        let on_shown_field = field_of(Name, FieldName, shown);
        let visible = for_core(caller, |user| {
            use comments::Column::CommentId;
            let comment = parent::<comments::Entity>(CommentId, OwnerId, caller);
            // The owner type tells the kind of the comment.
            let kinds = [
                DocumentOwner::LoanComment,
                DocumentOwner::ContactComment,
                DocumentOwner::CollateralComment,
            ];
            let readable = kinds.into_iter().filter(|kind| user.rights.hold(view_of(*kind)));
            let of_comments = Condition::all().add(OwnerType.is_in(readable)).add(comment);
            let owner = |owner, form| (form, OwnerType.eq(owner));
            let of_forms = FORM_OWNERS.map(|(kind, form)| owner(kind, form));
            of_forms
                .into_iter()
                .filter_map(|(form, owned)| Some(owned).zip(record_of(form, OwnerId, user, caller)))
                .fold(Condition::any().add(of_comments), |any, (owned, visible)| {
                    any.add(Condition::all().add(owned).add(visible))
                })
        });
        let not_hidden = Condition::any().add(FieldName.is_null()).add(on_shown_field);
        Condition::all().add(visible).add(not_hidden)
    }
}

/// As visible as its document, also to the admin account: a document of a hidden field is visible
/// to no one.
impl Visible for document_files::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        let document = documents::Column::DocumentId;
        parent::<documents::Entity>(document, document_files::Column::DocumentId, caller)
    }
}

/// Returns the privilege that reads an owner's documents.
pub fn view_of(owner: DocumentOwner) -> Privilege {
    let path = match owner {
        DocumentOwner::LoanComment => "Loan > Comments",
        DocumentOwner::ContactComment => "Contact > Comments",
        DocumentOwner::CollateralComment => "Collateral > Comments",
        DocumentOwner::LoanDetail1 => "Loan > Detail 1",
        DocumentOwner::LoanDetail2 => "Loan > Detail 2",
        DocumentOwner::ContactDetail => "Contact > Detail",
        DocumentOwner::ContactDemographics => "Contact > Demographics",
        DocumentOwner::ContactFinancials => "Contact > Financials",
    };
    Privilege(path, "View")
}

/// Condition: the caller may see the loan or contact of this form. `None` if the caller may not
/// read the form.
fn record_of(
    form: Form,
    record_id: impl ColumnTrait,
    user: &CoreCaller,
    caller: &Caller,
) -> Option<Condition> {
    let (owner, _) = FORM_OWNERS.into_iter().find(|(_, owned)| *owned == form)?;
    if !user.rights.hold(view_of(owner)) {
        return None;
    }
    match form {
        Form::LoanDetail1 | Form::LoanDetail2 => Some(loan_of(record_id, caller)),
        Form::ContactDetail | Form::ContactDemographics | Form::ContactFinancials => {
            Some(contact_of(record_id, caller))
        }
        Form::TransactionEntry
        | Form::BatchTransaction
        | Form::Participant1Detail
        | Form::Participant2Detail => None,
    }
}

impl Visible for user_defined_fields::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        match caller {
            Caller::Core(_) => Condition::all(),
            Caller::Web { .. } => {
                Condition::all().add(user_defined_fields::Column::WebVisibleFlag.eq(true))
            }
        }
    }
}

impl Visible for user_defined_values::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use user_defined_fields::Column::{FieldId as Defined, Form as OfForm, HiddenFlag};
        use user_defined_values::Column::{FieldId, RecordId};
        let on_form = |condition| field_of(Defined, FieldId, condition);
        match caller {
            Caller::Core(user) if user.rights == Rights::All => Condition::all(),
            Caller::Core(user) => FORM_OWNERS
                .into_iter()
                .filter_map(|(_, form)| {
                    let visible = record_of(form, RecordId, user, caller)?;
                    Some(visible.add(on_form(Condition::all().add(OfForm.eq(form)))))
                })
                .fold(Condition::any().add(nothing()), Condition::add),
            Caller::Web { contact_id } => {
                Condition::all().add(RecordId.eq(*contact_id)).add(on_form(
                    user_defined_fields::Entity::visible_to(caller)
                        .add(OfForm.eq(Form::ContactDetail))
                        .add(HiddenFlag.eq(false)),
                ))
            }
        }
    }
}

/// Condition: the referenced user-defined field meets `condition`.
fn field_of(key: impl ColumnTrait, value: impl ColumnTrait, condition: Condition) -> Condition {
    let field = Query::select()
        .expr(Expr::value(1))
        .from(user_defined_fields::Entity)
        .and_where(key.into_expr().eq(value.into_expr()))
        .cond_where(condition)
        .take();
    Condition::all().add(Expr::exists(field))
}

impl Visible for field_changes::Entity {
    fn visible_to(caller: &Caller) -> Condition {
        use field_changes::Column::{CommentCategoryId, ContactId, LoanId, PrivilegePath};
        let object = TrusteeObject::CommentCategory;
        for_core(caller, |user| {
            let readable = privileges::HISTORY_PATHS
                .iter()
                .filter(|path| user.rights.hold(Privilege(path, "View")))
                .copied();
            let owner =
                Condition::any().add(loan_of(LoanId, caller)).add(contact_of(ContactId, caller));
            let category = Condition::any().add(CommentCategoryId.is_null()).add(trustee_rule(
                CommentCategoryId,
                object,
                user.user_id,
            ));
            Condition::all().add(PrivilegePath.is_in(readable)).add(owner).add(category)
        })
    }
}
