//! `installer user list`, `show`, `grant` and `revoke`: users, and what they and groups may do.

use crate::installation::grants::{self, PrivilegeList};
use crate::installation::table;
use crate::installation::{ChangeError, CliError, Installation, change, print, refuse};
use api_server::auth::privileges::effective::{Grantee, PrivilegeSource, UserPrivilege};
use api_server::auth::privileges::{groups_of, name};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, JoinType, QueryFilter,
    QuerySelect,
};
use serde_json::{Value, json};
use shared::entity::users::UserStatus;
use shared::entity::{group_members, privileges, user_groups, users};
use std::collections::{HashMap, HashSet};

/// The user or group that a command is about.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct GranteeName {
    /// The name of the user, or with --group of the group
    name: String,
    /// The name is that of a group: its members hold what is granted to it
    #[arg(long)]
    group: bool,
}

impl GranteeName {
    async fn find(&self, db: &impl ConnectionTrait) -> Result<Grantee, CliError> {
        match self.group {
            true => grants::find_group(db, &self.name).await,
            false => grants::find_user(db, &self.name).await,
        }
    }
}

/// Privileges to grant or revoke.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct GrantArgs {
    #[command(flatten)]
    grantee: GranteeName,
    /// The privileges, such as "Loan > Payments > Reverse", in quotation marks; those on a parent
    /// path, such as "Loan > View", include the same verb on every path below it
    #[arg(required = true, value_name = "PRIVILEGE")]
    privileges: Vec<String>,
}

impl GrantArgs {
    /// Opens the database, and finds the grantee and the list of privileges there.
    async fn open(
        &self,
        installation: &Installation,
    ) -> Result<(DatabaseConnection, Grantee, PrivilegeList), CliError> {
        let db = installation.open().await?;
        let list = PrivilegeList::read(&db).await?;
        let grantee = self.grantee.find(&db).await?;
        Ok((db, grantee, list))
    }
}

/// Lists the core-system users.
pub(super) async fn list(installation: &Installation, json: bool) -> Result<(), CliError> {
    let db = installation.open().await?;
    let mut users = users::Entity::find().all(&db).await?;
    users.sort_by(|a, b| a.user_name.cmp(&b.user_name));
    let mut groups: HashMap<i64, Vec<String>> = HashMap::new();
    for (user_id, group) in memberships(&db).await? {
        groups.entry(user_id).or_default().push(group);
    }
    let users = users.iter().map(|user| (user, groups.remove(&user.user_id).unwrap_or_default()));
    if json {
        let users: Vec<Value> = users.map(|(user, groups)| user_json(user, &groups)).collect();
        return print(&format!("{:#}", Value::from(users)));
    }
    let cells = |(user, groups): (&users::Model, Vec<String>)| {
        let (name, full_name) = (user.user_name.clone(), user.full_name.clone());
        [name, full_name, status(user).to_owned(), flags(user), groups.join(", ")]
    };
    let rows: Vec<_> = users.map(cells).collect();
    print(&table::align(["name", "full name", "status", "flags", "groups"], &rows))
}

/// User and group of every membership, sorted by group.
async fn memberships(db: &impl ConnectionTrait) -> Result<Vec<(i64, String)>, DbErr> {
    let group = group_members::Entity::belongs_to(user_groups::Entity)
        .from(group_members::Column::GroupId)
        .to(user_groups::Column::GroupId);
    let mut memberships: Vec<(i64, String)> = group_members::Entity::find()
        .join(JoinType::InnerJoin, group.into())
        .select_only()
        .column(group_members::Column::UserId)
        .column(user_groups::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    memberships.sort_by(|(_, a), (_, b)| a.cmp(b));
    Ok(memberships)
}

fn user_json(user: &users::Model, groups: &[String]) -> Value {
    json!({
        "user_name": user.user_name,
        "full_name": user.full_name,
        "email": user.email,
        "status": status(user),
        "admin_flag": user.admin_flag,
        "dba_flag": user.dba_flag,
        "loan_officer_flag": user.loan_officer_flag,
        "collection_officer_flag": user.collection_officer_flag,
        "contact_officer_flag": user.contact_officer_flag,
        "created_date": user.created_date,
        "groups": groups,
    })
}

fn status(user: &users::Model) -> &'static str {
    match user.status {
        UserStatus::Active => "active",
        UserStatus::Disabled => "disabled",
    }
}

fn flags(user: &users::Model) -> String {
    let flags = [
        (user.admin_flag, "admin"),
        (user.dba_flag, "DBA"),
        (user.loan_officer_flag, "loan officer"),
        (user.collection_officer_flag, "collection officer"),
        (user.contact_officer_flag, "contact officer"),
    ];
    let set: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag).collect();
    set.join(", ")
}

/// Shows what a user or a group may do, and why.
pub(super) async fn show(
    installation: &Installation,
    grantee: &GranteeName,
    json: bool,
) -> Result<(), CliError> {
    let db = installation.open().await?;
    let grantee = grantee.find(&db).await?;
    let granted = grants::granted(&db, &grantee).await?;
    let related = related_names(&db, &grantee).await?;
    if json {
        let mut shown = match &grantee {
            Grantee::User(user) => user_json(user, &related),
            Grantee::Group(group) => json!({
                "group_name": group.name,
                "description": group.description,
                "members": related,
            }),
        };
        shown["privileges"] = granted.iter().map(privilege_json).collect();
        return print(&format!("{shown:#}"));
    }
    let cells = |row: &UserPrivilege| {
        [held_name(row), source(row), inherited_from(row).unwrap_or_default()]
    };
    let rows: Vec<_> = granted.iter().map(cells).collect();
    let table = match rows.is_empty() {
        true => "no privileges are granted".to_owned(),
        false => table::align(["privilege", "source", "inherited from"], &rows),
    };
    print(&format!("{}\n\n{table}", heading(&grantee, &related)))
}

/// Names of a user's groups, or of a group's members, sorted.
async fn related_names(db: &impl ConnectionTrait, grantee: &Grantee) -> Result<Vec<String>, DbErr> {
    let mut names: Vec<String> = match grantee {
        Grantee::User(user) => {
            let groups = user_groups::Entity::find()
                .filter(user_groups::Column::GroupId.in_subquery(groups_of(user.user_id)))
                .all(db);
            groups.await?.into_iter().map(|group| group.name).collect()
        }
        Grantee::Group(group) => {
            let member = users::Entity::belongs_to(group_members::Entity)
                .from(users::Column::UserId)
                .to(group_members::Column::UserId);
            let members = users::Entity::find()
                .join(JoinType::InnerJoin, member.into())
                .filter(group_members::Column::GroupId.eq(group.group_id))
                .all(db);
            members.await?.into_iter().map(|user| user.user_name).collect()
        }
    };
    names.sort();
    Ok(names)
}

/// What the table is about, one fact per line.
fn heading(grantee: &Grantee, related: &[String]) -> String {
    let related = table::printable(&related.join(", "));
    let lines = match grantee {
        Grantee::User(user) => {
            let (full_name, status) = (table::printable(&user.full_name), status(user));
            let all = if user.admin_flag { ": holds every privilege" } else { "" };
            let flags = table::printable(&flags(user));
            [
                format!("{grantee}: {full_name}, {status}"),
                format!("flags: {flags}{all}"),
                format!("groups: {related}"),
            ]
        }
        Grantee::Group(group) => {
            let description = group.description.as_deref().unwrap_or_default();
            [
                grantee.to_string(),
                format!("description: {}", table::printable(description)),
                format!("members: {related}"),
            ]
        }
    };
    lines.join("\n")
}

fn privilege_json(row: &UserPrivilege) -> Value {
    let kind = match row.source {
        PrivilegeSource::Admin => "admin",
        PrivilegeSource::Dba => "dba",
        PrivilegeSource::User => "user",
        PrivilegeSource::Group => "group",
    };
    json!({
        "privilege": held_name(row),
        "source": kind,
        "source_name": row.source_name,
        "inherited_from": inherited_from(row),
    })
}

fn held_name(row: &UserPrivilege) -> String {
    name(&row.path, &row.verb)
}

/// The privilege on a parent path that includes this one.
fn inherited_from(row: &UserPrivilege) -> Option<String> {
    (row.granted_path != row.path).then(|| name(&row.granted_path, &row.verb))
}

fn source(row: &UserPrivilege) -> String {
    match row.source {
        PrivilegeSource::Admin => "admin flag".to_owned(),
        PrivilegeSource::Dba => "DBA flag".to_owned(),
        PrivilegeSource::User => "user".to_owned(),
        PrivilegeSource::Group => format!("group {}", row.source_name),
    }
}

/// Grants privileges. Those that are granted already stay as they are.
pub(super) async fn grant(
    installation: &Installation,
    arguments: &GrantArgs,
) -> Result<(), CliError> {
    let (db, grantee, list) = &arguments.open(installation).await?;
    let privileges = &list.find_all(&arguments.privileges)?;
    let already = change(db, async |tx| {
        grants::lock(tx, grantee).await?;
        Ok::<_, ChangeError>(grants::grant(tx, grantee, privileges).await?)
    })
    .await?;
    let line = |privilege: &&privileges::Model| {
        let is_new = !already.contains(&privilege.privilege_id);
        let what = if is_new { "granted" } else { "was already granted" };
        format!("{grantee}: {} {what}", grants::name(privilege))
    };
    print(&privileges.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Revokes privileges. Refuses if one of them is not granted directly, but held for another reason.
pub(super) async fn revoke(
    installation: &Installation,
    arguments: &GrantArgs,
) -> Result<(), CliError> {
    let (db, grantee, list) = &arguments.open(installation).await?;
    let privileges = &list.find_all(&arguments.privileges)?;
    let (revoked, still_held) = change(db, async |tx| {
        grants::lock(tx, grantee).await?;
        let revoked = grants::revoke(tx, grantee, privileges).await?;
        let still_held = grants::held(tx, grantee).await?;
        check_revocable(grantee, privileges, &revoked, &still_held)?;
        Ok::<_, ChangeError>((revoked, still_held))
    })
    .await?;
    let line = |privilege: &&privileges::Model| {
        let what = match revoked.contains(&privilege.privilege_id) {
            true => "revoked",
            false => "was not granted",
        };
        let text = format!("{grantee}: {} {what}", grants::name(privilege));
        match reasons(&still_held, privilege) {
            Some(reasons) => format!("{text}, but is still held through {reasons}"),
            None => text,
        }
    };
    print(&privileges.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Refuses to revoke a privilege that another grant or a flag gives to the grantee.
fn check_revocable(
    grantee: &Grantee,
    privileges: &[&privileges::Model],
    revoked: &HashSet<i64>,
    still_held: &[UserPrivilege],
) -> Result<(), CliError> {
    for privilege in privileges.iter().filter(|it| !revoked.contains(&it.privilege_id)) {
        if let Some(reasons) = reasons(still_held, privilege) {
            let name = grants::name(privilege);
            return refuse(format!(
                "{grantee} holds {name} only through {reasons}; nothing was changed"
            ));
        }
    }
    Ok(())
}

/// Why a privilege is held; `None` if it is not.
fn reasons(held: &[UserPrivilege], privilege: &privileges::Model) -> Option<String> {
    let rows = held.iter().filter(|row| row.privilege_id == privilege.privilege_id);
    let reason = |row: &UserPrivilege| {
        let from = inherited_from(row).map(|name| format!("{name:?}"));
        match (row.source, from) {
            (PrivilegeSource::Admin | PrivilegeSource::Dba, _) => format!("the {}", source(row)),
            (PrivilegeSource::User, from) => from.unwrap_or_default(),
            (PrivilegeSource::Group, None) => source(row),
            (PrivilegeSource::Group, Some(from)) => format!("{} ({from})", source(row)),
        }
    };
    let reasons: Vec<String> = rows.map(reason).collect();
    (!reasons.is_empty()).then(|| reasons.join(" and "))
}
