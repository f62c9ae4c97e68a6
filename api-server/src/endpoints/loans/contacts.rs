//! `/loans/{loan_id}/contacts`: the borrower of a loan, and the contacts linked to it.

use super::super::Group;
use super::super::contacts::summary::ContactSummary;
use crate::auth::privileges::VIEW_CONTACTS;
use crate::http::admission::CoreUser;
use crate::http::pagination::{Cursor, List, Page, invalid_cursor};
use crate::state::State;
use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::{Enum, Object, OpenApi};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect};
use shared::entity::{contacts, loan_contacts, loans};
use shared::interface_names;
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// What a contact is to a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LoanRole {
    /// Its borrower.
    Borrower,
    /// Linked to it in a relationship, such as a guarantor's.
    Linked,
}

/// Id of the borrower in cursors, where other contacts have the id of their link.
pub const BORROWER: i64 = 0;

/// A contact of a loan: its borrower, or a contact linked to it.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct LoanContact {
    /// The contact.
    #[oai(flatten)]
    contact: ContactSummary,
    role: LoanRole,
    /// Relationship of a linked contact to the loan; absent for the borrower.
    relationship_code: Option<String>,
    /// True if a linked contact may see the loan as a web user; absent for the borrower, who may.
    web_access_flag: Option<bool>,
}

/// `/loans/{loan_id}/contacts`
pub struct LoanContacts;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl LoanContacts {
    /// List a loan's contacts.
    ///
    /// The borrower first, then the contacts linked to the loan, once for each relationship. Contacts
    /// that the caller may not see are left out. Also requires Contact > Records > View.
    #[oai(path = "/loans/:loan_id/contacts", method = "get")]
    async fn list_loan_contacts(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<LoanContact>, Problem> {
        let (db, caller) = (&state.reads, &admitted.caller);
        caller.require(VIEW_CONTACTS)?;
        let after = match page.after()? {
            None => None,
            Some([link]) => Some(link.parse::<i64>().map_err(|_| invalid_cursor())?),
        };
        let loan = caller.get::<loans::Entity>(db, loan_id.0).await?;
        let mut rows = Vec::new();
        if after.is_none() {
            let is_borrower = contacts::Column::ContactId.eq(loan.contact_id);
            let borrower = caller.find::<contacts::Entity>().filter(is_borrower).one(db).await?;
            rows.extend(borrower.map(|row| (BORROWER, row, None)));
        }
        let link = contacts::Entity::belongs_to(loan_contacts::Entity)
            .from(contacts::Column::ContactId)
            .to(loan_contacts::Column::ContactId);
        let linked = caller
            .find::<contacts::Entity>()
            .join(JoinType::InnerJoin, link.into())
            .filter(loan_contacts::Column::LoanId.eq(loan.loan_id))
            .filter(loan_contacts::Column::RowId.gt(after.unwrap_or(BORROWER)))
            .select_also(loan_contacts::Entity)
            .order_by_asc(loan_contacts::Column::RowId)
            .limit(page.rows_to_fetch())
            .all(db)
            .await?;
        let linked = linked.into_iter().filter_map(|(row, link)| {
            let link = link?;
            Some((link.row_id, row, Some(link)))
        });
        rows.extend(linked);
        let rows = page.of(rows, |(id, ..)| Cursor::new(&[id]));
        Ok(rows.map(|(_, row, link)| LoanContact::new(ContactSummary::new(caller, row), link)))
    }
}

impl LoanContact {
    /// Returns the borrower or, with a link, a linked contact.
    fn new(contact: ContactSummary, link: Option<loan_contacts::Model>) -> Self {
        Self {
            contact,
            role: if link.is_some() { LoanRole::Linked } else { LoanRole::Borrower },
            web_access_flag: link.as_ref().map(|link| link.web_access_flag),
            relationship_code: link.map(|link| link.relationship_code),
        }
    }
}
