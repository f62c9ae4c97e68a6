//! Contact summaries: what lists of contacts show of each contact.

use crate::auth::caller::Caller;
use crate::auth::privileges::TAX_IDS;
use chrono::NaiveDate;
use poem_openapi::Object;
use shared::entity::contacts;
use shared::interface_names;
use shared::secrets::Masked;

/// A contact in a list: what tells it from others of the same name, and how to reach it.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct ContactSummary {
    contact_id: i64,
    /// Unique, human-readable contact number.
    contact_number: String,
    contact_type_id: i64,
    contact_officer_user_id: Option<i64>,
    /// Name of the first person, or else of the company.
    contact_name: Option<String>,
    company: Option<String>,
    first_name1: Option<String>,
    last_name1: Option<String>,
    birth_date1: Option<NaiveDate>,
    /// Tax id, masked except for its last four characters unless the caller may view tax ids.
    tax_id1: Option<Masked>,
    city: Option<String>,
    state: Option<String>,
    email: Option<String>,
    home_phone: Option<String>,
    work_phone: Option<String>,
    mobile_phone: Option<String>,
}

impl ContactSummary {
    /// Returns the summary of a contact that the caller may see.
    pub fn new(caller: &Caller, row: contacts::Model) -> Self {
        let unmasked = caller.holds(TAX_IDS);
        let shown = |id: Masked| if unmasked { id.unmasked() } else { id };
        Self {
            contact_name: row.display_name(),
            contact_id: row.contact_id,
            contact_number: row.contact_number,
            contact_type_id: row.contact_type_id,
            contact_officer_user_id: row.contact_officer_user_id,
            company: row.company,
            first_name1: row.first_name1,
            last_name1: row.last_name1,
            birth_date1: row.birth_date1,
            tax_id1: row.tax_id1.map(shown),
            city: row.city,
            state: row.state,
            email: row.email,
            home_phone: row.home_phone,
            work_phone: row.work_phone,
            mobile_phone: row.mobile_phone,
        }
    }
}
