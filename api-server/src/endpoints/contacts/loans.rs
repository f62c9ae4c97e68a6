//! `/contacts/{contact_id}/loans`: the loans of a borrower, and those that a contact is linked to.

use super::super::Group;
use super::super::loans::contacts::{BORROWER, LoanRole};
use super::super::loans::summary::{LoanSummary, summaries};
use crate::auth::caller::Caller;
use crate::auth::privileges::VIEW_CONTACTS;
use crate::auth::visibility::Visible;
use crate::http::admission::CoreUser;
use crate::http::pagination::{Cursor, List, Page, invalid_cursor};
use crate::state::State;
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::{Object, OpenApi};
use sea_orm::sea_query::{self, Expr, ExprTrait, Order, SelectStatement, UnionType};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, FromQueryResult};
use shared::entity::{contacts, loan_contacts, loans};
use shared::interface_names;
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// A loan of a contact, who is its borrower or linked to it.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct ContactLoan {
    /// The loan.
    #[oai(flatten)]
    loan: LoanSummary,
    role: LoanRole,
    /// Relationship of a linked contact to the loan; absent for the borrower.
    relationship_code: Option<String>,
}

/// `/contacts/{contact_id}/loans`
pub struct ContactLoans;

#[operations]
#[OpenApi(tag = "Group::Contacts")]
impl ContactLoans {
    /// List a contact's loans.
    ///
    /// The loans whose borrower the contact is, and those that it is linked to, once for each
    /// relationship. Ordered by loan id. Loans that the caller may not see are left out. Also
    /// requires Contact > Records > View.
    #[oai(path = "/contacts/:contact_id/loans", method = "get")]
    async fn list_contact_loans(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        contact_id: Path<i64>,
        /// Only loans to which the contact is this.
        role: Query<Option<LoanRole>>,
        page: Page,
    ) -> Result<List<ContactLoan>, Problem> {
        let (db, caller) = (&state.reads, &admitted.caller);
        caller.require(VIEW_CONTACTS)?;
        let after = page.after()?.map(LoanLinkPosition::parse).transpose()?;
        caller.get::<contacts::Entity>(db, contact_id.0).await?;
        let links = LoanLink::read(db, caller, contact_id.0, role.0, after, &page).await?;
        let links = page.of(links, |link| Cursor::new(&[&link.loan_id, &link.link_id]));
        let loan_ids = links.rows().iter().map(|link| link.loan_id).collect();
        let loans = summaries(db, &admitted, loan_ids).await?;
        Ok(links.filter_map(|link| Some(link.with(loans.get(&link.loan_id)?.clone()))))
    }
}

/// Where the previous page ended.
#[derive(Clone, Copy)]
struct LoanLinkPosition {
    loan_id: i64,
    link_id: i64,
}

impl LoanLinkPosition {
    fn parse([loan_id, link_id]: [String; 2]) -> Result<Self, Problem> {
        match (loan_id.parse(), link_id.parse()) {
            (Ok(loan_id), Ok(link_id)) => Ok(Self { loan_id, link_id }),
            _ => Err(invalid_cursor()),
        }
    }
}

/// What a contact is to a loan.
#[derive(FromQueryResult)]
struct LoanLink {
    loan_id: i64,
    /// Id of the link, or [`BORROWER`].
    link_id: i64,
    /// Empty for the borrower.
    relationship_code: String,
}

impl LoanLink {
    /// Reads those after a position, one more than the page has if there are more.
    async fn read(
        db: &impl ConnectionTrait,
        caller: &Caller,
        contact_id: i64,
        role: Option<LoanRole>,
        after: Option<LoanLinkPosition>,
        page: &Page,
    ) -> Result<Vec<Self>, DbErr> {
        let mut links = match role {
            Some(LoanRole::Borrower) => as_borrower(caller, contact_id, after),
            Some(LoanRole::Linked) => as_linked(caller, contact_id, after),
            None => {
                let linked = as_linked(caller, contact_id, after);
                as_borrower(caller, contact_id, after).union(UnionType::All, linked).take()
            }
        };
        links.order_by("loan_id", Order::Asc).order_by("link_id", Order::Asc);
        let rows = db.query_all(links.limit(page.rows_to_fetch())).await?;
        rows.iter().map(|row| Self::from_query_result(row, "")).collect()
    }

    fn with(&self, loan: LoanSummary) -> ContactLoan {
        let linked = self.link_id != BORROWER;
        ContactLoan {
            loan,
            role: if linked { LoanRole::Linked } else { LoanRole::Borrower },
            relationship_code: linked.then(|| self.relationship_code.clone()),
        }
    }
}

/// Selects the visible loans whose borrower the contact is.
fn as_borrower(
    caller: &Caller,
    contact_id: i64,
    after: Option<LoanLinkPosition>,
) -> SelectStatement {
    use loans::Column::{ContactId, LoanId};
    sea_query::Query::select()
        .expr_as(LoanId.into_expr(), "loan_id")
        .expr_as(Expr::value(BORROWER), "link_id")
        .expr_as(Expr::value(""), "relationship_code")
        .from(loans::Entity)
        .and_where(ContactId.eq(contact_id))
        .cond_where(loans::Entity::visible_to(caller))
        .cond_where(Condition::all().add_option(after.map(|after| LoanId.gt(after.loan_id))))
        .take()
}

/// Selects the links of the contact to visible loans.
fn as_linked(caller: &Caller, contact_id: i64, after: Option<LoanLinkPosition>) -> SelectStatement {
    use loan_contacts::Column::{ContactId, LoanId, RelationshipCode, RowId};
    let beyond = after.map(|LoanLinkPosition { loan_id, link_id }| {
        LoanId.gte(loan_id).and(LoanId.gt(loan_id).or(RowId.gt(link_id)))
    });
    sea_query::Query::select()
        .expr_as(LoanId.into_expr(), "loan_id")
        .expr_as(RowId.into_expr(), "link_id")
        .expr_as(RelationshipCode.into_expr(), "relationship_code")
        .from(loan_contacts::Entity)
        .and_where(ContactId.eq(contact_id))
        .cond_where(loan_contacts::Entity::visible_to(caller))
        .cond_where(Condition::all().add_option(beyond))
        .take()
}
