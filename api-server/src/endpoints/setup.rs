//! `/setup`: setup lists for loans and contacts, and the fields of entry forms.

pub mod contact;
pub mod loan;

use super::Group;
use crate::auth::privileges::{Privilege, known};
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use shared::entity::{comment_categories, privileges, transaction_codes};
use shared::interface_names;
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// Privileges, each of which is enough to list the comment categories: a new comment needs one.
const SEES_CATEGORIES: &[Privilege] = &[
    Privilege("Setup > Loan", "View"),
    Privilege("Setup > Contact", "View"),
    Privilege("Loan > Comments", "Change"),
    Privilege("Contact > Comments", "Change"),
    Privilege("Collateral > Comments", "Change"),
];

/// A privilege that can be granted.
#[interface_names]
#[derive(Debug, Object)]
#[oai(rename = "Privilege", skip_serializing_if_is_none)]
pub struct ListedPrivilege {
    privilege_id: i64,
    path: String,
    verb: String,
    /// What it allows; absent for privileges that only other programs of the core system know.
    description: Option<String>,
}

impl From<privileges::Model> for ListedPrivilege {
    fn from(row: privileges::Model) -> Self {
        Self {
            description: known::description(&row.path, &row.verb),
            privilege_id: row.privilege_id,
            path: row.path,
            verb: row.verb,
        }
    }
}

pub struct CoreSetup;

#[operations]
#[OpenApi(tag = "Group::Setup")]
impl CoreSetup {
    /// List the transaction codes.
    ///
    /// Kinds of transactions; reversals have codes of their own. Inactive rows are included. Codes
    /// whose trustees do not include the caller are left out.
    #[oai(path = "/setup/transaction-codes", method = "get")]
    async fn list_transaction_codes(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<transaction_codes::Model>, Problem> {
        let rows = admitted.caller.find::<transaction_codes::Entity>();
        page.by_key(rows, &state.reads).await
    }

    /// List the comment categories.
    ///
    /// Inactive rows are included; a new comment in one is refused. Categories whose trustees do
    /// not include the caller are left out. Requires one of Setup > Loan > View, Setup > Contact >
    /// View, Loan > Comments > Change, Contact > Comments > Change and Collateral > Comments >
    /// Change.
    #[oai(path = "/setup/comment-categories", method = "get")]
    async fn list_comment_categories(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<comment_categories::Model>, Problem> {
        admitted.caller.require_any(SEES_CATEGORIES)?;
        let rows = admitted.caller.find::<comment_categories::Entity>();
        page.by_key(rows, &state.reads).await
    }

    /// List the privileges.
    ///
    /// Every privilege that can be granted to a user or a group. A privilege is a path and a verb;
    /// one granted on a path applies to the paths below it, with the same verb.
    #[oai(path = "/setup/privileges", method = "get")]
    async fn list_privileges(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<ListedPrivilege>, Problem> {
        let rows = admitted.caller.find::<privileges::Entity>();
        Ok(page.by_key(rows, &state.reads).await?.map(ListedPrivilege::from))
    }
}

/// Operations that list a table's rows, those that the caller may see.
macro_rules! setup_lists {
    ($api:ty: $(
        $(#[doc = $text:tt])*
        path = $path:tt, $list:ident of $table:ident $(where $condition:expr)?;
    )*) => {
        #[operations]
        #[OpenApi(tag = "Group::Setup")]
        impl $api {$(
            $(#[doc = $text])*
            #[oai(path = $path, method = "get")]
            async fn $list(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                page: Page,
            ) -> Result<List<$table::Model>, Problem> {
                let rows = admitted.caller.find::<$table::Entity>()$(.filter($condition))?;
                page.by_key(rows, &state.reads).await
            }
        )*}
    };
}
use setup_lists;
