//! Core users: looking one up, and locking the verified credentials until the log-in commits.

use sea_orm::sea_query::{ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter, QuerySelect,
};
use shared::database::galera::GuardMode;
use shared::entity::users::UserStatus;
use shared::entity::{user_credentials, users};
use shared::introspection::UserKind;
use shared::secrets::Secret;
use shared::sessions;

/// The data of a core or web user that a log-in needs.
#[derive(Clone, Debug)]
pub struct Login {
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// False for disabled users and for web users without web access.
    pub enabled: bool,
    pub password_hash: Secret,
}

impl Login {
    /// Placeholder for a user who does not exist, so that the same work is done.
    pub fn placeholder() -> Self {
        Self { user_id: 0, enabled: false, password_hash: Secret::new("") }
    }
}

/// Finds the user of this name, whether or not they may log in.
pub async fn find(db: &DatabaseConnection, user_name: &str) -> Result<Option<Login>, DbErr> {
    use user_credentials::Column::{PasswordHash, UserId};
    let select = Query::select()
        .column((users::Entity, users::Column::UserId))
        .column((users::Entity, users::Column::Status))
        .column((user_credentials::Entity, PasswordHash))
        .from(users::Entity)
        .inner_join(
            user_credentials::Entity,
            UserId.into_expr().equals((users::Entity, users::Column::UserId)),
        )
        .and_where(users::Column::UserName.eq(user_name))
        .take();
    let Some(row) = db.query_one(&select).await? else { return Ok(None) };
    let status: UserStatus = row.try_get("", "status")?;
    Ok(Some(Login {
        user_id: row.try_get("", "user_id")?,
        enabled: status == UserStatus::Active,
        password_hash: row.try_get("", "password_hash")?,
    }))
}

/// Locks the user's credentials. Returns whether the user may log in; `None` if the hash has
/// changed.
#[expect(clippy::disallowed_methods, reason = "credentials are not rows of the resource API")]
pub async fn lock(tx: &DatabaseTransaction, user: &Login) -> Result<Option<bool>, DbErr> {
    let row = user_credentials::Entity::find_by_id(user.user_id)
        .filter(user_credentials::Column::PasswordHash.eq(user.password_hash.reveal()))
        .lock_exclusive()
        .one(tx)
        .await?;
    sessions::guard_credentials(tx, UserKind::Core, user.user_id, GuardMode::Shared).await?;
    // Read under the lock: disabling a user takes the same lock first.
    let status = users::Entity::find_by_id(user.user_id).one(tx).await?.map(|user| user.status);
    Ok(row.map(|_| status == Some(UserStatus::Active)))
}

/// Replaces the hash that was verified, unless it has changed since.
pub async fn replace_hash(
    tx: &DatabaseTransaction,
    user: &Login,
    hash: &Secret,
) -> Result<(), DbErr> {
    user_credentials::Entity::update_many()
        .col_expr(user_credentials::Column::PasswordHash, hash.reveal().into())
        .filter(user_credentials::Column::UserId.eq(user.user_id))
        .filter(user_credentials::Column::PasswordHash.eq(user.password_hash.reveal()))
        .exec(tx)
        .await
        .map(drop)
}

/// Selects the users that rows of `active_users` can speak for: disabled users are left out.
pub fn subjects() -> SelectStatement {
    use users::Column::{AdminFlag, DbaFlag, Status, UserId, UserName};
    Query::select()
        .expr_as(UserId.into_expr(), "subject_id")
        .expr_as(UserName.into_expr(), "username")
        .expr_as(AdminFlag.into_expr(), "admin")
        .expr_as(DbaFlag.into_expr(), "dba")
        .from(users::Entity)
        .and_where(Status.eq(UserStatus::Active))
        .take()
}
