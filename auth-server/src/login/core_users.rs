//! Core-system users: finding one, and holding what was checked until the log-in is done.

use sea_orm::sea_query::{ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter, QuerySelect,
};
use shared::cluster::Hold;
use shared::entity::users::UserStatus;
use shared::entity::{user_credentials, users};
use shared::introspection::UserKind;
use shared::secrecy::Secret;
use shared::sessions;

/// What a log-in needs to know of a user, or of a web user.
#[derive(Debug)]
pub struct Login {
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// False for the disabled and for web users whose access was withdrawn.
    pub enabled: bool,
    /// The stored password.
    pub password_hash: Secret,
}

impl Login {
    /// Stands for a user who does not exist where the same work must be done.
    pub fn nobody() -> Self {
        Self { user_id: 0, enabled: false, password_hash: Secret::new("") }
    }
}

/// The user of this name, whether or not he may log in.
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

/// Locks the user's credentials and tells whether he may log in; nothing if the hash is no longer
/// this one.
#[expect(clippy::disallowed_methods, reason = "credentials are no rows of the resource API")]
pub async fn hold(tx: &DatabaseTransaction, user: &Login) -> Result<Option<bool>, DbErr> {
    let row = user_credentials::Entity::find_by_id(user.user_id)
        .filter(user_credentials::Column::PasswordHash.eq(user.password_hash.reveal()))
        .lock_exclusive()
        .one(tx)
        .await?;
    sessions::guard_credentials(tx, UserKind::Core, user.user_id, Hold::Together).await?;
    // Read with the lock in hand: whoever disables a user takes it first.
    let status = users::Entity::find_by_id(user.user_id).one(tx).await?.map(|user| user.status);
    Ok(row.map(|_| status == Some(UserStatus::Active)))
}

/// Replaces a hash that is weaker than the settings ask for.
pub async fn store_hash(tx: &DatabaseTransaction, user: &Login, hash: Secret) -> Result<(), DbErr> {
    user_credentials::Entity::update_many()
        .col_expr(user_credentials::Column::PasswordHash, hash.reveal().into())
        .filter(user_credentials::Column::UserId.eq(user.user_id))
        .exec(tx)
        .await
        .map(drop)
}

/// Who the tokens of `active_users` speak for: the disabled are left out.
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
