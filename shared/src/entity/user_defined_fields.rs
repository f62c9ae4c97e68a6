//! Fields that the installation defines for itself.

use crate::lists::TextList;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A field that the installation defined for one of its forms.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "user_defined_fields")]
#[oai(rename = "FieldDefinition", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Field_ID")]
    pub field_id: i64,
    #[oai(rename = "Form")]
    pub form: Form,
    /// `userdef01` to `userdef80`; transaction forms to `userdef05`.
    #[oai(rename = "Field_Name")]
    pub field_name: String,
    #[oai(rename = "Label")]
    pub label: String,
    #[oai(rename = "Data_Type")]
    pub data_type: DataType,
    /// Most characters of a text.
    #[oai(rename = "Size")]
    pub size: Option<i32>,
    #[oai(rename = "Default_Value")]
    pub default_value: Option<String>,
    /// What may be picked.
    #[oai(rename = "Pick_List")]
    pub pick_list: TextList,
    #[oai(rename = "Required_Flag")]
    pub required_flag: bool,
    #[oai(rename = "Hidden_Flag")]
    pub hidden_flag: bool,
    #[oai(rename = "Read_Only_Flag")]
    pub read_only_flag: bool,
    /// Borrowers see it.
    #[oai(rename = "Web_Visible_Flag")]
    pub web_visible_flag: bool,
    /// Its place on the form.
    #[oai(rename = "Sequence")]
    pub sequence: i32,
}

no_relations!();

text_enum! {
    /// The forms that have user-defined fields.
    pub enum Form {
        /// A loan's first detail form.
        LoanDetail1,
        /// A loan's second detail form.
        LoanDetail2,
        /// A contact's detail form.
        ContactDetail,
        /// A contact's demographics form.
        ContactDemographics,
        /// A contact's financials form.
        ContactFinancials,
        /// Entry of a transaction.
        TransactionEntry,
        /// Entry of a batch of transactions.
        BatchTransaction,
        /// A participant's first detail form.
        Participant1Detail,
        /// A participant's second detail form.
        Participant2Detail,
    }

    /// What a field holds.
    pub enum DataType {
        /// Text.
        Text,
        /// A whole number.
        Number,
        /// An amount.
        Money,
        /// A date.
        Date,
        /// Yes or no.
        Flag,
        /// One of a list.
        PickList,
        /// Documents.
        Document,
    }
}
