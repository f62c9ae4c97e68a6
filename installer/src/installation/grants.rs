//! Privileges by name, and granting them to users and groups.
//!
//! The servers read grants with each request, so a change takes effect immediately.

use crate::installation::actor;
use crate::installation::cli_error::{CliError, refuse};
use api_server::auth::caller::{Caller, CoreCaller};
use api_server::auth::privileges::effective::{self, Grantee, UserPrivilege};
use api_server::auth::privileges::{self, Rights};
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect,
};
use shared::audit::{self, Event, EventKind};
use shared::database::galera;
use shared::entity::privilege_grants::{Column, Entity};
use shared::entity::privileges::{Entity as Privileges, Model as Privilege};
use shared::entity::{user_groups, users};
use shared::introspection::UserKind;
use std::collections::HashSet;

/// The privileges that can be granted, sorted by path and verb.
pub struct PrivilegeList(Vec<Privilege>);

impl PrivilegeList {
    pub async fn read(db: &impl ConnectionTrait) -> Result<Self, DbErr> {
        let mut rows = Privileges::find().all(db).await?;
        rows.sort_by(|a, b| (&a.path, &a.verb).cmp(&(&b.path, &b.verb)));
        Ok(Self(rows))
    }

    /// All of them.
    pub fn rows(&self) -> &[Privilege] {
        &self.0
    }

    /// Finds a privilege written as `Loan > Payments > Add`, or as `Loan > Payments:Add`. Refuses
    /// an unknown one and suggests the closest.
    pub fn find(&self, text: &str) -> Result<&Privilege, CliError> {
        let parts: Vec<&str> = text.split(['>', ':']).map(str::trim).collect();
        let wanted = parts.join(" > ");
        if let Some(privilege) = self.0.iter().find(|privilege| name(privilege) == wanted) {
            return Ok(privilege);
        }
        let closest = closest(self.0.iter().map(name), &wanted);
        let suggestion = closest.map(|name| format!("; the closest is {name:?}"));
        refuse(format!(
            "no such privilege: {text:?}{} (installer privileges list shows them all)",
            suggestion.unwrap_or_default()
        ))
    }

    /// Finds several privileges, each once.
    pub fn find_all(&self, texts: &[String]) -> Result<Vec<&Privilege>, CliError> {
        let mut found = Vec::new();
        for text in texts {
            let privilege = self.find(text)?;
            if !found.contains(&privilege) {
                found.push(privilege);
            }
        }
        Ok(found)
    }
}

/// A privilege's name, such as `Loan > Payments > Add`.
pub fn name(privilege: &Privilege) -> String {
    privileges::name(&privilege.path, &privilege.verb)
}

/// The name most similar to a text, regardless of case.
fn closest(names: impl Iterator<Item = String>, text: &str) -> Option<String> {
    let lowercase = text.to_lowercase();
    names.min_by_key(|name| strsim::damerau_levenshtein(&name.to_lowercase(), &lowercase))
}

/// Finds the core-system user with this name.
pub async fn find_user(db: &impl ConnectionTrait, name: &str) -> Result<Grantee, CliError> {
    match users::Entity::find().filter(users::Column::UserName.eq(name)).one(db).await? {
        Some(user) => Ok(Grantee::User(user)),
        None => refuse(format!(
            "no such user: {name} (for a group, pass --group; borrowers hold no privileges)"
        )),
    }
}

pub async fn find_group(db: &impl ConnectionTrait, name: &str) -> Result<Grantee, CliError> {
    let found = user_groups::Entity::find().filter(user_groups::Column::Name.eq(name)).one(db);
    if let Some(group) = found.await? {
        return Ok(Grantee::Group(group));
    }
    let groups = user_groups::Entity::find().all(db).await?;
    let closest = closest(groups.into_iter().map(|group| group.name), name);
    let suggestion = closest.map_or_else(
        || "the database has no groups".to_owned(),
        |closest| format!("the closest is {closest:?}"),
    );
    refuse(format!("no such group: {name}; {suggestion}"))
}

/// Lists the privileges that a grantee holds, with the source of each.
pub async fn held(
    db: &impl ConnectionTrait,
    grantee: &Grantee,
) -> Result<Vec<UserPrivilege>, DbErr> {
    effective::list(db, &reader(), grantee).await
}

/// Lists the same without regard to the admin flag.
pub async fn granted(
    db: &impl ConnectionTrait,
    grantee: &Grantee,
) -> Result<Vec<UserPrivilege>, DbErr> {
    effective::list_granted(db, &reader(), grantee).await
}

/// A caller who sees every grant: the person running this command has the whole database.
fn reader() -> Caller {
    Caller::Core(CoreCaller { user_id: 0, user_name: actor::this_actor(), rights: Rights::All })
}

/// The column of the grants that names a grantee, and the grantee's id.
pub type Holder = (Column, i64);

fn holder(grantee: &Grantee) -> Holder {
    match grantee {
        Grantee::User(user) => (Column::UserId, user.user_id),
        Grantee::Group(group) => (Column::GroupId, group.group_id),
    }
}

/// Locks the grantee until the transaction ends, so that concurrent commands neither grant a
/// privilege twice nor report a grant that another one has just revoked. Reads nothing before the
/// lock: in MariaDB, the first read determines what the transaction sees.
pub async fn lock(tx: &DatabaseTransaction, grantee: &Grantee) -> Result<(), DbErr> {
    let (_, id) = holder(grantee);
    match grantee {
        Grantee::User(_) => {
            users::Entity::find_by_id(id).lock_exclusive().one(tx).await?;
            galera::guard_row(tx, "users", id).await
        }
        Grantee::Group(_) => {
            user_groups::Entity::find_by_id(id).lock_exclusive().one(tx).await?;
            galera::guard_row(tx, "user_groups", id).await
        }
    }
}

/// Grants privileges to a locked grantee, with an audit event for each. Returns the ids of those
/// that were granted directly before, which are left as they are.
pub async fn grant(
    tx: &DatabaseTransaction,
    grantee: &Grantee,
    privileges: &[&Privilege],
) -> Result<HashSet<i64>, DbErr> {
    let direct = direct(tx, holder(grantee), privileges).await?;
    let is_new = |privilege: &&Privilege| !direct.contains(&privilege.privilege_id);
    let new: Vec<&Privilege> = privileges.iter().copied().filter(is_new).collect();
    insert(tx, holder(grantee), &new).await?;
    record(tx, &event(EventKind::PrivilegeGranted, grantee), &new).await?;
    Ok(direct)
}

/// Revokes direct grants of privileges from a locked grantee, with an audit event for each. Returns
/// the ids of the privileges that were granted directly.
pub async fn revoke(
    tx: &DatabaseTransaction,
    grantee: &Grantee,
    privileges: &[&Privilege],
) -> Result<HashSet<i64>, DbErr> {
    let (column, id) = holder(grantee);
    let direct = direct(tx, (column, id), privileges).await?;
    Entity::delete_many()
        .filter(column.eq(id))
        .filter(Column::PrivilegeId.is_in(direct.iter().copied()))
        .exec(tx)
        .await?;
    let is_revoked = |privilege: &&Privilege| direct.contains(&privilege.privilege_id);
    let revoked: Vec<&Privilege> = privileges.iter().copied().filter(is_revoked).collect();
    record(tx, &event(EventKind::PrivilegeRevoked, grantee), &revoked).await?;
    Ok(direct)
}

/// Inserts grants that do not exist yet, in one statement.
pub async fn insert(
    tx: &impl ConnectionTrait,
    (column, id): Holder,
    privileges: &[&Privilege],
) -> Result<(), DbErr> {
    if privileges.is_empty() {
        return Ok(());
    }
    let mut insert = Query::insert();
    insert.into_table(Entity).columns([Column::PrivilegeId, column]);
    for privilege in privileges {
        insert.values_panic([privilege.privilege_id.into(), id.into()]);
    }
    tx.execute(&insert).await.map(drop)
}

/// Records this event for each of the privileges.
pub async fn record(
    tx: &impl ConnectionTrait,
    event: &Event,
    privileges: &[&Privilege],
) -> Result<(), DbErr> {
    if privileges.is_empty() {
        return Ok(());
    }
    let events = privileges.iter().map(|privilege| event.clone().privilege(&name(privilege)));
    audit::record(tx, events).await
}

/// Ids of those of the privileges that are granted directly.
async fn direct(
    tx: &impl ConnectionTrait,
    (column, id): Holder,
    privileges: &[&Privilege],
) -> Result<HashSet<i64>, DbErr> {
    let ids = privileges.iter().map(|privilege| privilege.privilege_id);
    let rows =
        Entity::find().filter(column.eq(id)).filter(Column::PrivilegeId.is_in(ids)).all(tx).await?;
    Ok(rows.into_iter().map(|row| row.privilege_id).collect())
}

/// An audit event about the grantee.
fn event(kind: EventKind, grantee: &Grantee) -> Event {
    let event = actor::event(kind);
    match grantee {
        Grantee::User(user) => event.user(UserKind::Core, user.user_id).user_name(&user.user_name),
        Grantee::Group(group) => event.group(&group.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> PrivilegeList {
        let rows = [
            ("Contact", "View"),
            ("Loan", "View"),
            ("Loan > Payments", "Add"),
            ("Loan > Payments", "Reverse"),
        ];
        let row = |(n, (path, verb)): (i64, (&str, &str))| Privilege {
            privilege_id: n,
            path: path.to_owned(),
            verb: verb.to_owned(),
        };
        PrivilegeList((1..).zip(rows).map(row).collect())
    }

    #[test]
    fn a_privilege_is_found_by_its_name_in_either_notation() {
        for text in [
            "Loan > Payments > Add",
            "Loan > Payments:Add",
            " Loan>Payments >Add",
            "Loan:Payments:Add",
        ] {
            assert_eq!(list().find(text).map(|found| found.privilege_id), Ok(3), "{text}");
        }
        let texts = ["Loan:View", "Contact > View", "Loan > View"].map(str::to_owned);
        let ids = list().find_all(&texts).map(|found| found.into_iter().map(name).collect());
        assert_eq!(ids, Ok(vec!["Loan > View".to_owned(), "Contact > View".to_owned()]));
    }

    #[test]
    fn an_unknown_privilege_is_refused_with_the_closest() {
        for (text, closest) in [
            ("Loan > Payments > Revers", "Loan > Payments > Reverse"),
            ("loan > payments > add", "Loan > Payments > Add"),
            ("Loan > Payment > Add", "Loan > Payments > Add"),
            ("Loan", "Loan > View"),
            ("", "Loan > View"),
        ] {
            let CliError(why) = list().find(text).expect_err("refused");
            let expected = format!("no such privilege: {text:?}; the closest is {closest:?} (");
            assert!(why.starts_with(&expected), "{why}");
        }
        let CliError(why) = PrivilegeList(Vec::new()).find("Loan").expect_err("refused");
        assert!(why.starts_with("no such privilege: \"Loan\" ("), "{why}");
    }
}
