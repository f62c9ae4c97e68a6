//! Reports of credit bureaus about contacts.

use crate::amounts::Money;
use crate::interface_names;
use crate::lists::TextList;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A credit bureau's report about a contact.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "credit_profiles")]
#[oai(rename = "CreditProfile", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub report_id: i64,
    pub contact_id: i64,
    /// 1 or 2: the first or second person of the contact.
    pub person_number: i32,
    pub bureau_code: String,
    pub pull_type: PullType,
    /// Why it was pulled; each read is logged with it.
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
    /// Among freeze, fraud, deceased.
    pub alerts: TextList,
    pub expires_date: Option<Date>,
}

no_relations!();

text_enum! {
    /// How a report was asked for.
    pub enum PullType {
        /// The borrower applied for credit.
        Hard,
        /// Without a trace in his score.
        Soft,
    }
}
