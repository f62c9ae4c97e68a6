//! `/setup/contact`: setup lists for contacts.

use super::super::Group;
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::OpenApi;
use shared::entity::{contact_types, entities, relationship_codes};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// `/setup/contact`
pub struct ContactSetup;

#[operations]
#[OpenApi(tag = "Group::Setup")]
impl ContactSetup {
    /// List the entity codes.
    ///
    /// Kinds of persons and organizations. Inactive rows are included; a new entry that uses one is
    /// refused.
    #[oai(path = "/setup/contact/entities", method = "get")]
    async fn list_entities(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<entities::Model>, Problem> {
        page.by_key(admitted.caller.find::<entities::Entity>(), &state.reads).await
    }

    /// List the relationship codes.
    ///
    /// Relationships of contacts to loans, to each other and to addresses. Inactive rows are
    /// included; a new entry that uses one is refused.
    #[oai(path = "/setup/contact/relationship-codes", method = "get")]
    async fn list_relationship_codes(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<relationship_codes::Model>, Problem> {
        page.by_key(admitted.caller.find::<relationship_codes::Entity>(), &state.reads).await
    }

    /// List the contact types.
    ///
    /// Inactive rows are included; a new entry that uses one is refused. Types whose trustees do
    /// not include the caller are left out.
    #[oai(path = "/setup/contact/types", method = "get")]
    async fn list_contact_types(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<contact_types::Model>, Problem> {
        page.by_key(admitted.caller.find::<contact_types::Entity>(), &state.reads).await
    }
}
