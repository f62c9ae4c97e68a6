//! Contacts: borrowers, co-borrowers and whoever else a loan names.

use crate::secrecy::Masked;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A contact: a person, a couple or a company.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object,
)]
#[sea_orm(table_name = "contacts")]
#[oai(rename = "ContactRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Contact_ID")]
    pub contact_id: i64,
    /// Unique human number.
    #[oai(rename = "Contact_Number")]
    pub contact_number: String,
    #[oai(rename = "Contact_Type_ID")]
    pub contact_type_id: i64,
    #[oai(rename = "Entity_Code")]
    pub entity_code: String,
    #[oai(rename = "Contact_Officer_User_ID")]
    pub contact_officer_user_id: Option<i64>,
    #[oai(rename = "Short_Name")]
    pub short_name: Option<String>,
    #[oai(rename = "Company")]
    pub company: Option<String>,
    #[oai(rename = "Salutation1")]
    pub salutation1: Option<String>,
    #[oai(rename = "First_Name1")]
    pub first_name1: Option<String>,
    #[oai(rename = "Middle_Name1")]
    pub middle_name1: Option<String>,
    #[oai(rename = "Last_Name1")]
    pub last_name1: Option<String>,
    #[oai(rename = "Suffix1")]
    pub suffix1: Option<String>,
    #[oai(rename = "Full_Name1")]
    pub full_name1: Option<String>,
    #[oai(rename = "Title1")]
    pub title1: Option<String>,
    #[oai(rename = "Birth_Date1")]
    pub birth_date1: Option<Date>,
    #[oai(rename = "Deceased_Date1")]
    pub deceased_date1: Option<Date>,
    /// Masked but for its last four, unless the caller may view tax ids.
    #[oai(rename = "Tax_ID1")]
    pub tax_id1: Option<Masked>,
    /// Kind of identity paper.
    #[oai(rename = "ID_Type1")]
    pub id_type1: Option<String>,
    /// Masked like the tax id.
    #[oai(rename = "ID_Number1")]
    pub id_number1: Option<Masked>,
    #[oai(rename = "ID_Issuer1")]
    pub id_issuer1: Option<String>,
    /// Expiry of the identity paper.
    #[oai(rename = "IDExpiryDate1")]
    pub id_expiry_date1: Option<Date>,
    #[oai(rename = "Salutation2")]
    pub salutation2: Option<String>,
    #[oai(rename = "First_Name2")]
    pub first_name2: Option<String>,
    #[oai(rename = "Middle_Name2")]
    pub middle_name2: Option<String>,
    #[oai(rename = "Last_Name2")]
    pub last_name2: Option<String>,
    #[oai(rename = "Suffix2")]
    pub suffix2: Option<String>,
    #[oai(rename = "Full_Name2")]
    pub full_name2: Option<String>,
    #[oai(rename = "Title2")]
    pub title2: Option<String>,
    #[oai(rename = "Birth_Date2")]
    pub birth_date2: Option<Date>,
    #[oai(rename = "Deceased_Date2")]
    pub deceased_date2: Option<Date>,
    /// Masked but for its last four, unless the caller may view tax ids.
    #[oai(rename = "Tax_ID2")]
    pub tax_id2: Option<Masked>,
    /// Kind of identity paper.
    #[oai(rename = "ID_Type2")]
    pub id_type2: Option<String>,
    /// Masked like the tax id.
    #[oai(rename = "ID_Number2")]
    pub id_number2: Option<Masked>,
    #[oai(rename = "ID_Issuer2")]
    pub id_issuer2: Option<String>,
    /// Expiry of the identity paper.
    #[oai(rename = "IDExpiryDate2")]
    pub id_expiry_date2: Option<Date>,
    #[oai(rename = "Street_Address1")]
    pub street_address1: Option<String>,
    #[oai(rename = "Street_Address2")]
    pub street_address2: Option<String>,
    #[oai(rename = "City")]
    pub city: Option<String>,
    #[oai(rename = "State")]
    pub state: Option<String>,
    #[oai(rename = "Zip")]
    pub zip: Option<String>,
    #[oai(rename = "County")]
    pub county: Option<String>,
    #[oai(rename = "Country")]
    pub country: Option<String>,
    #[oai(rename = "Email")]
    pub email: Option<String>,
    #[oai(rename = "Email2")]
    pub email2: Option<String>,
    #[oai(rename = "Home_Phone")]
    pub home_phone: Option<String>,
    #[oai(rename = "Work_Phone")]
    pub work_phone: Option<String>,
    #[oai(rename = "Mobile_Phone")]
    pub mobile_phone: Option<String>,
    #[oai(rename = "Contact_Method")]
    pub contact_method: ContactMethod,
    #[oai(rename = "Created_Date")]
    pub created_date: Timestamp,
}

no_relations!();

impl Model {
    /// What the first person is called: the full name, else the parts there are.
    pub fn person_name(&self) -> Option<String> {
        let parts = [&self.first_name1, &self.middle_name1, &self.last_name1, &self.suffix1];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        self.full_name1.clone().or_else(|| (!parts.is_empty()).then(|| parts.join(" ")))
    }
}

text_enum! {
    /// How the contact wants to be reached.
    #[derive(Default)]
    pub enum ContactMethod {
        /// No preference.
        #[default]
        None,
        /// By letter.
        Mail,
        /// By e-mail.
        Email,
        /// By telephone.
        Phone,
        /// By text message.
        Text,
    }
}
