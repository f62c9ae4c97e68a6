//! Listing field history: the changes of a loan's or a contact's rows that the caller may see.

use super::HistoryOwner;
use crate::auth::caller::{Caller, RequestContext};
use crate::auth::privileges::{BANK_ACCOUNTS, Privilege, TAX_IDS};
use crate::http::business_day_filter;
use crate::http::pagination::{List, Page};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, QueryFilter};
use shared::entity::field_changes::{self, Column};
use shared::problem::Problem;
use shared::secrets::Masked;
use shared::time::Day;

/// Filter for the changes to list.
#[derive(Clone, Debug, Default)]
pub struct FieldHistoryFilter {
    pub table_name: Option<String>,
    pub field_name: Option<String>,
    /// First business day.
    pub from: Option<Day>,
    /// Last business day.
    pub to: Option<Day>,
    /// User who made the change.
    pub user_id: Option<i64>,
}

/// Columns that are masked, and the privilege that unmasks them.
const MASKED: [(&str, &str, Privilege); 5] = [
    ("contacts", "Tax_ID1", TAX_IDS),
    ("contacts", "Tax_ID2", TAX_IDS),
    ("contacts", "ID_Number1", TAX_IDS),
    ("contacts", "ID_Number2", TAX_IDS),
    ("automated_payments", "Bank_Account_Number", BANK_ACCOUNTS),
];

/// Returns a page of the changes, oldest first. The caller's access to the owner must have been
/// checked before.
pub async fn list(
    db: &impl ConnectionTrait,
    context: &RequestContext,
    owner: HistoryOwner,
    filter: FieldHistoryFilter,
    page: &Page,
) -> Result<List<field_changes::Model>, Problem> {
    let RequestContext { caller, clock } = context;
    let of_owner = match owner {
        HistoryOwner::Loan(loan_id) => Column::LoanId.eq(loan_id),
        HistoryOwner::Contact(contact_id) => Column::ContactId.eq(contact_id),
    };
    let condition = Condition::all()
        .add(of_owner)
        .add_option(filter.table_name.map(|name| Column::TableName.eq(name)))
        .add_option(filter.field_name.map(|name| Column::FieldName.eq(name)))
        .add(business_day_filter::within(db, clock, Column::ModifiedDate, filter.from, filter.to))
        .add_option(filter.user_id.map(|id| Column::ModifiedByUserId.eq(id)));
    let changes = caller.find::<field_changes::Entity>().filter(condition);
    Ok(page.by_key(changes, db).await?.map(|change| mask(caller, change)))
}

/// Masks values that the caller may not read in full, as the row itself does.
fn mask(caller: &Caller, change: field_changes::Model) -> field_changes::Model {
    let hidden = MASKED.iter().any(|(table, field, privilege)| {
        *table == change.table_name && *field == change.field_name && !caller.holds(*privilege)
    });
    if !hidden {
        return change;
    }
    let masked = |value: Option<String>| value.map(|value| Masked::new(value).shown());
    field_changes::Model {
        old_value: masked(change.old_value),
        new_value: masked(change.new_value),
        ..change
    }
}
