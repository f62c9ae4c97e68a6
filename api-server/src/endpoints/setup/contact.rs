//! `/setup/contact`: setup lists for contacts.

use super::super::Group;
use super::setup_lists;
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::OpenApi;
use shared::entity::{contact_types, entities, relationship_codes};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

pub struct ContactSetup;

setup_lists! {
    ContactSetup:
    /// List the entity codes.
    ///
    /// Kinds of persons and organizations. Inactive rows are included; a new entry that uses one is
    /// refused.
    path = "/setup/contact/entities", list_entities of entities;

    /// List the relationship codes.
    ///
    /// Relationships of contacts to loans, to each other and to addresses. Inactive rows are
    /// included; a new entry that uses one is refused.
    path = "/setup/contact/relationship-codes", list_relationship_codes of relationship_codes;

    /// List the contact types.
    ///
    /// Inactive rows are included; a new entry that uses one is refused. Types whose trustees do
    /// not include the caller are left out.
    path = "/setup/contact/types", list_contact_types of contact_types;
}
