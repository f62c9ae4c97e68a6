//! Reports of credit bureaus about contacts.

use crate::amounts::Money;
use crate::lists::TextList;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A credit bureau's report about a contact.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "credit_profiles")]
#[oai(rename = "CreditProfile", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Report_ID")]
    pub report_id: i64,
    #[oai(rename = "Contact_ID")]
    pub contact_id: i64,
    /// 1 or 2: the first or second person of the contact.
    #[oai(rename = "Person_Number")]
    pub person_number: i32,
    #[oai(rename = "Bureau_Code")]
    pub bureau_code: String,
    #[oai(rename = "Pull_Type")]
    pub pull_type: PullType,
    /// Why it was pulled; each read is logged with it.
    #[oai(rename = "Purpose_Code")]
    pub purpose_code: String,
    #[oai(rename = "Pulled_Date")]
    pub pulled_date: Timestamp,
    #[oai(rename = "Pulled_By_User_ID")]
    pub pulled_by_user_id: i64,
    #[oai(rename = "Score")]
    pub score: Option<i32>,
    #[oai(rename = "Score_Model")]
    pub score_model: Option<String>,
    #[oai(rename = "Score_Factors")]
    pub score_factors: TextList,
    #[oai(rename = "Tradeline_Count")]
    pub tradeline_count: i32,
    #[oai(rename = "Inquiry_Count")]
    pub inquiry_count: i32,
    #[oai(rename = "Public_Record_Count")]
    pub public_record_count: i32,
    #[oai(rename = "Collection_Count")]
    pub collection_count: i32,
    #[oai(rename = "Open_Balance")]
    pub open_balance: Money,
    #[oai(rename = "Past_Due_Amount")]
    pub past_due_amount: Money,
    /// Among freeze, fraud, deceased.
    #[oai(rename = "Alerts")]
    pub alerts: TextList,
    #[oai(rename = "Expires_Date")]
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
