//! User accounts of either kind as rows: finding and adding them, setting passwords.

use crate::installation::actor;
use crate::installation::cli_error::{CliError, refuse};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, NotSet, QueryFilter};
use shared::audit::{Event, EventKind};
use shared::entity::users::UserStatus;
use shared::entity::{user_credentials, users, web_credentials};
use shared::introspection::UserKind;
use shared::secrets::Secret;
use shared::time::Timestamp;
use shared::{sessions, user_names};
use std::fmt;

/// A user, enabled or disabled.
#[derive(Clone, Debug)]
pub struct Account {
    /// Core-system user, or web user.
    pub kind: UserKind,
    /// The user's id, or the contact of a web user.
    pub user_id: i64,
    /// The name the user logs in with.
    pub user_name: String,
}

impl Account {
    pub async fn find(
        db: &impl ConnectionTrait,
        kind: UserKind,
        user_name: &str,
    ) -> Result<Self, CliError> {
        let user_id = match kind {
            UserKind::Core => users::Entity::find()
                .filter(users::Column::UserName.eq(user_name))
                .one(db)
                .await?
                .map(|user| user.user_id),
            UserKind::Web => web_credentials::Entity::find()
                .filter(web_credentials::Column::WebUserName.eq(user_name))
                .one(db)
                .await?
                .map(|row| row.contact_id),
        };
        match (user_id, kind) {
            (Some(user_id), _) => Ok(Self { kind, user_id, user_name: user_name.to_owned() }),
            (None, UserKind::Core) => {
                refuse(format!("no such user: {user_name} (for a web user, pass --web)"))
            }
            (None, UserKind::Web) => refuse(format!("no such web user: {user_name}")),
        }
    }

    /// Locks the user's credentials until the transaction ends: a log-in already begun finishes
    /// first, and a later one sees what this transaction commits. Locks nothing else of the user:
    /// issuing a token locks its session first, and then needs the user's row.
    pub async fn lock(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        sessions::hold_credentials(tx, self.kind, self.user_id).await
    }

    /// An audit event about this user.
    pub fn event(&self, kind: EventKind) -> Event {
        actor::event(kind).user(self.kind, self.user_id).user_name(&self.user_name)
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.kind == UserKind::Web { "web user" } else { "user" };
        write!(f, "{kind} {}", self.user_name)
    }
}

/// The kind of user a command refers to: borrowers with `--web`, otherwise core-system users.
pub const fn kind(web: bool) -> UserKind {
    if web { UserKind::Web } else { UserKind::Core }
}

/// Refuses an invalid user name.
pub fn check_name(name: &str) -> Result<(), CliError> {
    user_names::check_name(name).map_err(|fault| CliError(format!("the user name {fault}")))
}

/// The row of an active core-system user without privileges.
pub fn row(name: &str, full_name: &str, now: Timestamp) -> users::ActiveModel {
    users::ActiveModel {
        user_id: NotSet,
        user_name: Set(name.to_owned()),
        full_name: Set(full_name.to_owned()),
        email: Set(None),
        status: Set(UserStatus::Active),
        admin_flag: Set(false),
        dba_flag: Set(false),
        loan_officer_flag: Set(false),
        collection_officer_flag: Set(false),
        contact_officer_flag: Set(false),
        created_date: Set(now),
    }
}

/// Adds a core-system user. A conflict means that the name is taken or looks like another one.
pub async fn add(tx: &impl ConnectionTrait, user: users::ActiveModel) -> Result<Account, DbErr> {
    let user_name = user.user_name.clone().unwrap();
    user_names::take(tx, UserKind::Core, &user_name).await?;
    let user_id = users::Entity::insert(user).exec(tx).await?.last_insert_id;
    Ok(Account { kind: UserKind::Core, user_id, user_name })
}

/// Sets a user's password, whether or not there was one.
pub async fn set_password(
    tx: &impl ConnectionTrait,
    kind: UserKind,
    user_id: i64,
    hash: Secret,
) -> Result<(), DbErr> {
    if kind == UserKind::Web {
        return web_credentials::Entity::update_many()
            .col_expr(web_credentials::Column::PasswordHash, hash.reveal().into())
            .filter(web_credentials::Column::ContactId.eq(user_id))
            .exec(tx)
            .await
            .map(drop);
    }
    use user_credentials::Column::{PasswordHash, UserId};
    let row = user_credentials::ActiveModel { user_id: Set(user_id), password_hash: Set(hash) };
    let on_conflict = OnConflict::column(UserId).update_column(PasswordHash).to_owned();
    user_credentials::Entity::insert(row)
        .on_conflict(on_conflict)
        .exec_without_returning(tx)
        .await?;
    Ok(())
}

/// Enables or disables a user.
pub async fn set_enabled(
    tx: &impl ConnectionTrait,
    account: &Account,
    enabled: bool,
) -> Result<(), DbErr> {
    match account.kind {
        UserKind::Core => {
            let status = if enabled { UserStatus::Active } else { UserStatus::Disabled };
            users::Entity::update_many()
                .col_expr(users::Column::Status, sea_orm::sea_query::Expr::value(status))
                .filter(users::Column::UserId.eq(account.user_id))
                .exec(tx)
                .await?;
        }
        UserKind::Web => {
            web_credentials::Entity::update_many()
                .col_expr(web_credentials::Column::WebAccessFlag, enabled.into())
                .filter(web_credentials::Column::ContactId.eq(account.user_id))
                .exec(tx)
                .await?;
        }
    }
    Ok(())
}
