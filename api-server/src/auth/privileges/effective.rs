//! The effective privileges of a user or a group, with the source of each.

use crate::auth::caller::Caller;
use poem_openapi::{Enum, Object};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder,
    QuerySelect,
};
use shared::entity::{privilege_grants, privileges, user_groups, users};
use shared::interface_names;
use std::fmt;

/// A privilege that a user holds, and its source.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, Object)]
pub struct UserPrivilege {
    pub privilege_id: i64,
    pub path: String,
    pub verb: String,
    pub source: PrivilegeSource,
    /// Name of the user or group that holds the grant.
    pub source_name: String,
    /// Path that was granted: a parent path if the privilege is inherited.
    pub granted_path: String,
}

/// Source of a privilege.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Enum)]
#[oai(rename_all = "snake_case")]
pub enum PrivilegeSource {
    /// The admin account, which has every privilege.
    Admin,
    /// The DBA flag.
    Dba,
    /// A grant to the user.
    User,
    /// A grant to one of the user's groups.
    Group,
}

impl UserPrivilege {
    /// Sorts by privilege, then by source. Ids are zero-padded, so that they sort numerically.
    pub fn sort_key(&self) -> [String; 4] {
        let id = format!("{:019}", self.privilege_id);
        let source = format!("{}", self.source as u8);
        [id, source, self.source_name.clone(), self.granted_path.clone()]
    }
}

/// A grant: source, name of the holder, path and verb.
struct Grant {
    source: PrivilegeSource,
    name: String,
    path: String,
    verb: String,
}

impl Grant {
    /// True for the granted path and its children, with the same verb.
    fn covers(&self, privilege: &privileges::Model) -> bool {
        let suffix = privilege.path.strip_prefix(&self.path);
        self.verb == privilege.verb
            && suffix.is_some_and(|suffix| suffix.is_empty() || suffix.starts_with(" > "))
    }
}

/// A user or a group, to whom privileges can be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grantee {
    /// A core-system user.
    User(users::Model),
    /// A group of core-system users.
    Group(user_groups::Model),
}

impl Grantee {
    /// Name of the user or group.
    pub fn name(&self) -> &str {
        match self {
            Self::User(user) => &user.user_name,
            Self::Group(group) => &group.name,
        }
    }
}

impl fmt::Display for Grantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self, Self::User(_)) { "user" } else { "group" };
        write!(f, "{kind} {}", self.name())
    }
}

/// Lists all privileges that a user or a group holds, in the order of [`UserPrivilege::sort_key`],
/// in two statements regardless of the number of grants.
pub async fn list(
    db: &impl ConnectionTrait,
    caller: &Caller,
    grantee: &Grantee,
) -> Result<Vec<UserPrivilege>, DbErr> {
    match grantee {
        Grantee::User(user) if user.admin_flag => {
            let of_admin = |privilege: privileges::Model| UserPrivilege {
                privilege_id: privilege.privilege_id,
                granted_path: privilege.path.clone(),
                path: privilege.path,
                verb: privilege.verb,
                source: PrivilegeSource::Admin,
                source_name: user.user_name.clone(),
            };
            Ok(all(db, caller).await?.into_iter().map(of_admin).collect())
        }
        grantee => list_granted(db, caller, grantee).await,
    }
}

/// Lists the same without regard to the admin flag.
pub async fn list_granted(
    db: &impl ConnectionTrait,
    caller: &Caller,
    grantee: &Grantee,
) -> Result<Vec<UserPrivilege>, DbErr> {
    let grants = grants(db, caller, grantee).await?;
    let row = |privilege: &privileges::Model, grant: &Grant| UserPrivilege {
        privilege_id: privilege.privilege_id,
        path: privilege.path.clone(),
        verb: privilege.verb.clone(),
        source: grant.source,
        source_name: grant.name.clone(),
        granted_path: grant.path.clone(),
    };
    let held = |privilege| grants.iter().filter(move |grant: &&Grant| grant.covers(privilege));
    let privileges = all(db, caller).await?;
    let mut rows: Vec<UserPrivilege> = privileges
        .iter()
        .flat_map(|privilege| held(privilege).map(|grant| row(privilege, grant)))
        .collect();
    rows.sort_by_cached_key(UserPrivilege::sort_key);
    rows.dedup();
    Ok(rows)
}

/// Reads all privileges, by id.
async fn all(db: &impl ConnectionTrait, caller: &Caller) -> Result<Vec<privileges::Model>, DbErr> {
    use privileges::Column::PrivilegeId;
    caller.find::<privileges::Entity>().order_by_asc(PrivilegeId).all(db).await
}

/// Reads the grantee's own grants; for a user, their groups' grants and what the DBA flag adds,
/// too.
async fn grants(
    db: &impl ConnectionTrait,
    caller: &Caller,
    grantee: &Grantee,
) -> Result<Vec<Grant>, DbErr> {
    use privilege_grants::Column::{GroupId, PrivilegeId, UserId};
    let privilege = privilege_grants::Entity::belongs_to(privileges::Entity)
        .from(PrivilegeId)
        .to(privileges::Column::PrivilegeId);
    let group = privilege_grants::Entity::belongs_to(user_groups::Entity)
        .from(GroupId)
        .to(user_groups::Column::GroupId);
    let of_grantee = match grantee {
        Grantee::User(user) => Condition::any()
            .add(UserId.eq(user.user_id))
            .add(GroupId.in_subquery(super::groups_of(user.user_id))),
        Grantee::Group(group) => Condition::all().add(GroupId.eq(group.group_id)),
    };
    let granted: Vec<(String, String, Option<String>)> = caller
        .find::<privilege_grants::Entity>()
        .filter(of_grantee)
        .join(JoinType::InnerJoin, privilege.into())
        .join(JoinType::LeftJoin, group.into())
        .select_only()
        .column(privileges::Column::Path)
        .column(privileges::Column::Verb)
        .column(user_groups::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    let own = |path: String, verb: String| Grant {
        source: PrivilegeSource::User,
        name: grantee.name().to_owned(),
        path,
        verb,
    };
    let granted = granted.into_iter().map(|(path, verb, group)| match group {
        Some(name) => Grant { source: PrivilegeSource::Group, name, path, verb },
        None => own(path, verb),
    });
    let is_dba = matches!(grantee, Grantee::User(user) if user.dba_flag);
    let dba = super::DBA_ADDS.iter().filter(|_| is_dba).map(|super::Privilege(path, verb)| Grant {
        source: PrivilegeSource::Dba,
        ..own((*path).to_owned(), (*verb).to_owned())
    });
    Ok(granted.chain(dba).collect())
}
