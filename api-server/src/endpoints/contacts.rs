//! `/contacts`: borrowers and everyone else a loan names.

use super::Group;
use crate::access::{Caller, CoreUser};
use crate::app::App;
use crate::privileges::TAX_IDS;
use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QuerySelect};
use shared::entity::{contacts, web_credentials};
use shared::problem::{Answer, Problem};
use shared::secrecy::Masked;
use std::sync::Arc;

/// A contact: a person, a couple or a company.
///
/// Tax ids and identity numbers show `*` but for their last four characters, unless the caller
/// holds Contact > Tax ID > View.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Contact {
    /// The contact's row.
    #[oai(flatten)]
    row: contacts::Model,
    /// What the contact logs in with as a web user.
    #[oai(rename = "Web_User_Name")]
    web_user_name: Option<String>,
}

/// `/contacts`
pub struct Contacts;

#[OpenApi(tag = "Group::Contacts")]
impl Contacts {
    /// A contact.
    #[oai(path = "/contacts/:contact_id", method = "get", operation_id = "get_contact")]
    async fn get_contact(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The contact.
        contact_id: Path<i64>,
    ) -> Answer<Contact> {
        let credentials = contacts::Entity::belongs_to(web_credentials::Entity)
            .from(contacts::Column::ContactId)
            .to(web_credentials::Column::ContactId);
        let found = admitted
            .caller
            .find::<contacts::Entity>()
            .filter(contacts::Column::ContactId.eq(contact_id.0))
            .join(JoinType::LeftJoin, credentials.into())
            .select_also(web_credentials::Entity)
            .one(&app.db)
            .await?;
        let (row, credentials) = found.ok_or_else(Problem::not_found)?;
        let row = unmask(&admitted.caller, row);
        Ok(Json(Contact { row, web_user_name: credentials.map(|row| row.web_user_name) }))
    }
}

/// Shows tax ids and identity numbers whole to whoever may see them.
fn unmask(caller: &Caller, row: contacts::Model) -> contacts::Model {
    if !caller.holds(TAX_IDS) {
        return row;
    }
    contacts::Model {
        tax_id1: row.tax_id1.map(Masked::unmasked),
        tax_id2: row.tax_id2.map(Masked::unmasked),
        id_number1: row.id_number1.map(Masked::unmasked),
        id_number2: row.id_number2.map(Masked::unmasked),
        ..row
    }
}
