//! Loan summaries: what lists of loans show of each loan.

use crate::auth::caller::{Caller, RequestContext};
use crate::auth::privileges::VIEW_CONTACTS;
use crate::loans::account::LoanAccount;
use chrono::NaiveDate;
use poem_openapi::Object;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter};
use shared::amounts::Money;
use shared::database::coalesced::padded;
use shared::entity::contacts;
use shared::interface_names;
use shared::problem::Problem;
use std::collections::{BTreeSet, HashMap};

/// A loan in a list: its identity, its status, and what is past due today.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct LoanSummary {
    loan_id: i64,
    /// Unique, human-readable loan number.
    loan_number: String,
    /// Id of the borrower.
    contact_id: i64,
    /// The borrower's name: of the first person, or else of the company. Absent unless the caller
    /// holds Contact > Records > View and may see the contact.
    contact_name: Option<String>,
    status_code: String,
    /// True if the status closes the loan: no interest, no payments.
    closed_flag: bool,
    loan_group_id: i64,
    current_principal_balance: Money,
    next_due_date: Option<NaiveDate>,
    maturity_date: Option<NaiveDate>,
    /// Unpaid amount of installments due before today.
    total_past_due_balance: Money,
    /// Age of the oldest unpaid installment, in days.
    days_past_due: i32,
}

impl LoanSummary {
    /// Age of the oldest unpaid installment, in days.
    pub fn days_past_due(&self) -> i32 {
        self.days_past_due
    }
}

/// Returns the summaries of those of these loans that the caller may see, by loan id. The number of
/// statements does not depend on the number of loans.
pub async fn summaries(
    db: &impl ConnectionTrait,
    RequestContext { caller, clock }: &RequestContext,
    loan_ids: Vec<i64>,
) -> Result<HashMap<i64, LoanSummary>, Problem> {
    if loan_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let accounts = LoanAccount::read(db, caller, loan_ids).await?;
    let accounts = accounts.into_values().collect::<Result<Vec<_>, _>>()?;
    let mut borrowers = BTreeSet::new();
    borrowers.extend(accounts.iter().map(|account| account.loan.contact_id));
    let names = contact_names(db, caller, borrowers).await?;
    let summaries = accounts.into_iter().map(|account| {
        let standing = account.state.standing(&account.terms, clock.today)?;
        let loan = &account.loan;
        let summary = LoanSummary {
            loan_id: loan.loan_id,
            loan_number: loan.loan_number.clone(),
            contact_id: loan.contact_id,
            contact_name: names.get(&loan.contact_id).cloned(),
            status_code: account.status.code.clone(),
            closed_flag: account.status.closed_flag,
            loan_group_id: loan.loan_group_id,
            current_principal_balance: loan.current_principal_balance,
            next_due_date: loan.next_due_date,
            maturity_date: loan.maturity_date,
            total_past_due_balance: standing.past_due,
            days_past_due: standing.days_past_due,
        };
        Ok((loan.loan_id, summary))
    });
    summaries.collect()
}

/// Returns the names of those of these contacts whose names the caller may see, by contact id.
pub async fn contact_names(
    db: &impl ConnectionTrait,
    caller: &Caller,
    contact_ids: BTreeSet<i64>,
) -> Result<HashMap<i64, String>, DbErr> {
    if contact_ids.is_empty() || !caller.holds(VIEW_CONTACTS) {
        return Ok(HashMap::new());
    }
    let ids = padded(contact_ids.into_iter().collect());
    let rows = caller.find::<contacts::Entity>().filter(contacts::Column::ContactId.is_in(ids));
    let rows = rows.all(db).await?.into_iter();
    Ok(rows.filter_map(|row| Some((row.contact_id, row.display_name()?))).collect())
}
