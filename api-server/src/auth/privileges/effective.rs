//! A user's effective privileges, with the source of each.

use crate::auth::caller::Caller;
use poem_openapi::{Enum, Object};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder,
    QuerySelect,
};
use shared::entity::{privilege_grants, privileges, user_groups, users};
use shared::interface_names;

/// A privilege that a user holds, and its source.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, Object)]
pub struct UserPrivilege {
    privilege_id: i64,
    path: String,
    verb: String,
    source: PrivilegeSource,
    /// Name of the user or group that holds the grant.
    source_name: String,
    /// Path that was granted: a parent path if the privilege is inherited.
    granted_path: String,
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

/// Lists all privileges that a user holds, in the order of [`UserPrivilege::sort_key`], in three
/// statements regardless of the number of grants.
pub async fn list(
    db: &impl ConnectionTrait,
    caller: &Caller,
    user: &users::Model,
) -> Result<Vec<UserPrivilege>, DbErr> {
    use privileges::Column::PrivilegeId;
    let privileges = caller.find::<privileges::Entity>().order_by_asc(PrivilegeId).all(db).await?;
    let row = |privilege: &privileges::Model, grant: &Grant| UserPrivilege {
        privilege_id: privilege.privilege_id,
        path: privilege.path.clone(),
        verb: privilege.verb.clone(),
        source: grant.source,
        source_name: grant.name.clone(),
        granted_path: grant.path.clone(),
    };
    if user.admin_flag {
        let all = privileges.iter().map(|privilege| {
            let (path, verb) = (privilege.path.clone(), privilege.verb.clone());
            let name = user.user_name.clone();
            row(privilege, &Grant { source: PrivilegeSource::Admin, name, path, verb })
        });
        return Ok(all.collect());
    }
    let grants = grants(db, caller, user).await?;
    let held = |privilege| grants.iter().filter(move |grant: &&Grant| grant.covers(privilege));
    let mut rows: Vec<UserPrivilege> = privileges
        .iter()
        .flat_map(|privilege| held(privilege).map(|grant| row(privilege, grant)))
        .collect();
    rows.sort_by_cached_key(UserPrivilege::sort_key);
    rows.dedup();
    Ok(rows)
}

/// Reads the user's own grants, their groups' grants, and what the DBA flag adds.
async fn grants(
    db: &impl ConnectionTrait,
    caller: &Caller,
    user: &users::Model,
) -> Result<Vec<Grant>, DbErr> {
    use privilege_grants::Column::{GroupId, PrivilegeId, UserId};
    let privilege = privilege_grants::Entity::belongs_to(privileges::Entity)
        .from(PrivilegeId)
        .to(privileges::Column::PrivilegeId);
    let group = privilege_grants::Entity::belongs_to(user_groups::Entity)
        .from(GroupId)
        .to(user_groups::Column::GroupId);
    let of_user = Condition::any()
        .add(UserId.eq(user.user_id))
        .add(GroupId.in_subquery(super::groups_of(user.user_id)));
    let granted: Vec<(String, String, Option<String>)> = caller
        .find::<privilege_grants::Entity>()
        .filter(of_user)
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
        name: user.user_name.clone(),
        path,
        verb,
    };
    let granted = granted.into_iter().map(|(path, verb, group)| match group {
        Some(name) => Grant { source: PrivilegeSource::Group, name, path, verb },
        None => own(path, verb),
    });
    let dba =
        super::DBA_ADDS.iter().filter(|_| user.dba_flag).map(|super::Privilege(path, verb)| {
            Grant { source: PrivilegeSource::Dba, ..own((*path).to_owned(), (*verb).to_owned()) }
        });
    Ok(granted.chain(dba).collect())
}
