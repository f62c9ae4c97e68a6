//! Credit bureau reports on contacts.

use crate::amounts::Money;
use crate::json_columns::TextList;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A credit bureau report on a contact.
#[shared_macros::table("credit_profiles", object = "CreditProfile", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub report_id: i64,
    pub contact_id: i64,
    /// Which person of the contact the report is on: 1 for the first, 2 for the second.
    pub person_number: i32,
    pub bureau_code: String,
    pub pull_type: PullType,
    /// Purpose for which the report was pulled; each read is logged with it.
    pub purpose_code: String,
    pub pulled_date: Timestamp,
    pub pulled_by_user_id: i64,
    pub score: Option<i32>,
    pub score_model: Option<String>,
    pub score_factors: TextList,
    pub tradeline_count: i32,
    pub inquiry_count: i32,
    pub public_record_count: i32,
    pub collection_count: i32,
    pub open_balance: Money,
    pub past_due_amount: Money,
    /// Alerts among `freeze`, `fraud` and `deceased`.
    pub alerts: TextList,
    pub expires_date: Option<Date>,
}

text_enum! {
    /// Kind of credit inquiry.
    pub enum PullType {
        /// The borrower applied for credit.
        Hard,
        /// Leaves no trace in the borrower's score.
        Soft,
    }
}
