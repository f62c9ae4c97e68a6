//! `/users`: users of the core system, their privileges, and officers.

use super::Group;
use crate::auth::caller::{Caller, RequestContext};
use crate::auth::privileges::effective::{self, Grantee, UserPrivilege};
use crate::auth::privileges::{Privilege, RIGHTS_OF_OTHERS};
use crate::http::admission::CoreUser;
use crate::http::pagination::{Cursor, List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::{Object, OpenApi};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder,
    QuerySelect,
};
use shared::entity::users::UserStatus;
use shared::entity::{group_members, user_groups, users};
use shared::interface_names;
use shared::operations;
use shared::problem::Problem;
use std::collections::HashMap;
use std::sync::Arc;

/// Privileges, each of which is enough to list the officers of loans.
const SEES_OFFICERS_OF_LOANS: &[Privilege] =
    &[Privilege("Loan > Records", "View"), Privilege("Security > Users", "View")];
/// Privileges, each of which is enough to list the officers of contacts.
const SEES_OFFICERS_OF_CONTACTS: &[Privilege] =
    &[Privilege("Contact > Records", "View"), Privilege("Security > Users", "View")];

/// A user of the core system.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct User {
    /// The stored user.
    #[oai(flatten)]
    row: users::Model,
    /// Names of the groups the user belongs to.
    groups: Vec<String>,
}

/// A user to whom loans or contacts may be assigned.
#[interface_names]
#[derive(Debug, Object)]
pub struct Officer {
    user_id: i64,
    user_name: String,
    full_name: String,
    /// True if the user may log in.
    active_flag: bool,
}

impl From<users::Model> for Officer {
    fn from(row: users::Model) -> Self {
        Self {
            user_id: row.user_id,
            user_name: row.user_name,
            full_name: row.full_name,
            active_flag: row.status == UserStatus::Active,
        }
    }
}

pub struct Users;

#[operations]
#[OpenApi(tag = "Group::Users")]
impl Users {
    /// List the users of the core system.
    #[oai(path = "/users", method = "get")]
    async fn list_users(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<User>, Problem> {
        let users = page.by_key(admitted.caller.find::<users::Entity>(), &state.reads).await?;
        let span = users.span(|user| user.user_id);
        let mut groups = groups(&state.reads, &admitted.caller, span).await?;
        Ok(users.map(|row| {
            let groups = groups.remove(&row.user_id).unwrap_or_default();
            User { groups, row }
        }))
    }

    /// List a user's privileges.
    ///
    /// One row per privilege and source: a grant to the user, a grant to a group, the DBA flag or
    /// the admin account. `Granted_Path` is the path that was granted, a parent path where the
    /// privilege is inherited. Users may list their own privileges; listing another user's requires
    /// Security > Privileges > View.
    #[oai(path = "/users/:user_id/privileges", method = "get")]
    async fn list_user_privileges(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        user_id: Path<i64>,
        page: Page,
    ) -> Result<List<UserPrivilege>, Problem> {
        let caller = &admitted.caller;
        if caller.user_id() != Some(user_id.0) {
            caller.require(RIGHTS_OF_OTHERS)?;
        }
        let after: Option<[String; 4]> = page.after()?;
        let user = caller.get::<users::Entity>(&state.reads, user_id.0).await?;
        let mut rows = effective::list(&state.reads, caller, &Grantee::User(user)).await?;
        if let Some(after) = after {
            rows.retain(|row| row.sort_key() > after);
        }
        let cursor = |row: &UserPrivilege| {
            let [id, source, name, path] = row.sort_key();
            Cursor::new(&[&id, &source, &name, &path])
        };
        rows.truncate(page.rows_to_fetch() as usize);
        Ok(page.of(rows, cursor))
    }

    /// List the contact officers.
    ///
    /// Requires one of Contact > Records > View and Security > Users > View.
    #[oai(path = "/users/contact-officers", method = "get")]
    async fn list_contact_officers(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<Officer>, Problem> {
        admitted.caller.require_any(SEES_OFFICERS_OF_CONTACTS)?;
        officers(&state, &admitted, users::Column::ContactOfficerFlag, &page).await
    }

    /// List the loan officers.
    ///
    /// Requires one of Loan > Records > View and Security > Users > View.
    #[oai(path = "/users/loan-officers", method = "get")]
    async fn list_loan_officers(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<Officer>, Problem> {
        admitted.caller.require_any(SEES_OFFICERS_OF_LOANS)?;
        officers(&state, &admitted, users::Column::LoanOfficerFlag, &page).await
    }

    /// List the collection officers.
    ///
    /// Requires one of Loan > Records > View and Security > Users > View.
    #[oai(path = "/users/collection-officers", method = "get")]
    async fn list_collection_officers(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<Officer>, Problem> {
        admitted.caller.require_any(SEES_OFFICERS_OF_LOANS)?;
        officers(&state, &admitted, users::Column::CollectionOfficerFlag, &page).await
    }
}

async fn officers(
    state: &State,
    admitted: &RequestContext,
    flag: users::Column,
    page: &Page,
) -> Result<List<Officer>, Problem> {
    let officers = admitted.caller.find::<users::Entity>().filter(flag.eq(true));
    Ok(page.by_key(officers, &state.reads).await?.map(Officer::from))
}

/// Returns the group names of these users by user id, in alphabetical order.
async fn groups(
    db: &impl ConnectionTrait,
    caller: &Caller,
    (first, last): (i64, i64),
) -> Result<HashMap<i64, Vec<String>>, DbErr> {
    let group = group_members::Entity::belongs_to(user_groups::Entity)
        .from(group_members::Column::GroupId)
        .to(user_groups::Column::GroupId);
    let memberships: Vec<(i64, String)> = caller
        .find::<group_members::Entity>()
        .filter(group_members::Column::UserId.between(first, last))
        .join(JoinType::InnerJoin, group.into())
        .order_by_asc(user_groups::Column::Name)
        .select_only()
        .column(group_members::Column::UserId)
        .column(user_groups::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    let mut groups: HashMap<i64, Vec<String>> = HashMap::new();
    for (user_id, name) in memberships {
        groups.entry(user_id).or_default().push(name);
    }
    Ok(groups)
}
