//! Documents on comments and on fields.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A document on a comment or on a user-defined field.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "documents")]
#[oai(rename = "DocumentRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Document_ID")]
    pub document_id: i64,
    #[oai(rename = "Owner_Type")]
    pub owner_type: DocumentOwner,
    /// The comment, loan or contact.
    #[oai(rename = "Owner_ID")]
    pub owner_id: i64,
    /// The field, of a field's document.
    #[oai(rename = "Field_Name")]
    pub field_name: Option<String>,
    #[oai(rename = "Name")]
    pub name: String,
    #[oai(rename = "Description")]
    pub description: Option<String>,
    #[oai(rename = "Created_By_User_ID")]
    pub created_by_user_id: i64,
    #[oai(rename = "Created_Date")]
    pub created_date: Timestamp,
    #[oai(rename = "Modified_By_User_ID")]
    pub modified_by_user_id: Option<i64>,
    #[oai(rename = "Modified_Date")]
    pub modified_date: Option<Timestamp>,
}

no_relations!();

text_enum! {
    /// What a document is attached to.
    pub enum DocumentOwner {
        /// A comment on a loan.
        LoanComment,
        /// A comment on a contact.
        ContactComment,
        /// A comment on a collateral.
        CollateralComment,
        /// A field of a loan's first detail form.
        LoanDetail1,
        /// A field of a loan's second detail form.
        LoanDetail2,
        /// A field of a contact's detail form.
        ContactDetail,
        /// A field of a contact's demographics form.
        ContactDemographics,
        /// A field of a contact's financials form.
        ContactFinancials,
    }
}
