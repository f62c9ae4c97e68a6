//! Log-in: password verification and lockout.

pub mod core_users;
pub mod lockout;
pub mod password_login;
pub mod web_users;

use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, Query, SelectStatement};
use shared::introspection::UserKind;

/// Selects the users that tokens of this kind can speak for: those who may log in.
pub fn subjects(kind: UserKind) -> SelectStatement {
    match kind {
        UserKind::Core => core_users::subjects(),
        UserKind::Web => web_users::subjects(),
    }
}

/// True if the user in this column may log in.
pub fn may_log_in(kind: UserKind, user: impl IntoColumnRef) -> Expr {
    let matching = Query::select()
        .expr(Expr::value(1))
        .from_subquery(subjects(kind), "subject")
        .and_where(Expr::col(("subject", "subject_id")).eq(Expr::col(user)))
        .take();
    Expr::exists(matching)
}
