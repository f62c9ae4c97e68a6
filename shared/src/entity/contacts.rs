//! Contacts: borrowers, co-borrowers and other parties to loans.

use crate::secrets::Masked;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A contact: a person, a couple or a company.
#[shared_macros::table("contacts", object = "ContactRecord", stored)]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub contact_id: i64,
    /// Unique, human-readable contact number.
    pub contact_number: String,
    pub contact_type_id: i64,
    pub entity_code: String,
    pub contact_officer_user_id: Option<i64>,
    pub short_name: Option<String>,
    pub company: Option<String>,
    pub salutation1: Option<String>,
    pub first_name1: Option<String>,
    pub middle_name1: Option<String>,
    pub last_name1: Option<String>,
    pub suffix1: Option<String>,
    pub full_name1: Option<String>,
    pub title1: Option<String>,
    pub birth_date1: Option<Date>,
    pub deceased_date1: Option<Date>,
    /// Tax id, masked except for its last four characters unless the caller may view tax ids.
    pub tax_id1: Option<Masked>,
    /// Kind of identity document.
    pub id_type1: Option<String>,
    /// Number of the identity document, masked like the tax id.
    pub id_number1: Option<Masked>,
    pub id_issuer1: Option<String>,
    /// Expiry date of the identity document.
    pub id_expiry_date1: Option<Date>,
    pub salutation2: Option<String>,
    pub first_name2: Option<String>,
    pub middle_name2: Option<String>,
    pub last_name2: Option<String>,
    pub suffix2: Option<String>,
    pub full_name2: Option<String>,
    pub title2: Option<String>,
    pub birth_date2: Option<Date>,
    pub deceased_date2: Option<Date>,
    /// Tax id, masked except for its last four characters unless the caller may view tax ids.
    pub tax_id2: Option<Masked>,
    /// Kind of identity document.
    pub id_type2: Option<String>,
    /// Number of the identity document, masked like the tax id.
    pub id_number2: Option<Masked>,
    pub id_issuer2: Option<String>,
    /// Expiry date of the identity document.
    pub id_expiry_date2: Option<Date>,
    pub street_address1: Option<String>,
    pub street_address2: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub county: Option<String>,
    pub country: Option<String>,
    pub email: Option<String>,
    pub email2: Option<String>,
    pub home_phone: Option<String>,
    pub work_phone: Option<String>,
    pub mobile_phone: Option<String>,
    pub contact_method: ContactMethod,
    pub created_date: Timestamp,
}

impl Model {
    /// Returns the first person's full name, or else the parts of the name that are present.
    pub fn person_name(&self) -> Option<String> {
        let parts = [&self.first_name1, &self.middle_name1, &self.last_name1, &self.suffix1];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        self.full_name1.clone().or_else(|| (!parts.is_empty()).then(|| parts.join(" ")))
    }

    /// Returns the name under which lists show the contact: the first person's, or else the
    /// company's.
    pub fn display_name(&self) -> Option<String> {
        self.person_name().or_else(|| self.company.clone())
    }
}

text_enum! {
    /// Preferred means of contact.
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
