//! Web users: looking one up, and locking the verified credentials until the log-in commits.

use crate::login::core_users::Login;
use sea_orm::sea_query::{Expr, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter, QuerySelect,
};
use shared::database::galera::GuardMode;
use shared::entity::web_credentials;
use shared::entity::web_credentials::Column::{
    ContactId, PasswordHash, WebAccessFlag, WebUserName,
};
use shared::introspection::UserKind;
use shared::secrets::Secret;
use shared::sessions;

/// Finds the web user of this name, whether or not they may log in.
pub async fn find(db: &DatabaseConnection, user_name: &str) -> Result<Option<Login>, DbErr> {
    let select = Query::select()
        .columns([ContactId, WebAccessFlag, PasswordHash])
        .from(web_credentials::Entity)
        .and_where(WebUserName.eq(user_name))
        .take();
    let Some(row) = db.query_one(&select).await? else { return Ok(None) };
    Ok(Some(Login {
        user_id: row.try_get("", "contact_id")?,
        enabled: row.try_get("", "web_access_flag")?,
        password_hash: row.try_get("", "password_hash")?,
    }))
}

/// Locks the web user's credentials. Returns whether the user may log in; `None` if the hash has
/// changed.
#[expect(clippy::disallowed_methods, reason = "credentials are not rows of the resource API")]
pub async fn lock(tx: &DatabaseTransaction, user: &Login) -> Result<Option<bool>, DbErr> {
    let row = web_credentials::Entity::find_by_id(user.user_id)
        .filter(PasswordHash.eq(user.password_hash.reveal()))
        .lock_exclusive()
        .one(tx)
        .await?;
    sessions::guard_credentials(tx, UserKind::Web, user.user_id, GuardMode::Shared).await?;
    Ok(row.map(|row| row.web_access_flag))
}

/// Replaces the hash that was verified, unless it has changed since.
pub async fn replace_hash(
    tx: &DatabaseTransaction,
    user: &Login,
    hash: &Secret,
) -> Result<(), DbErr> {
    web_credentials::Entity::update_many()
        .col_expr(PasswordHash, hash.reveal().into())
        .filter(ContactId.eq(user.user_id))
        .filter(PasswordHash.eq(user.password_hash.reveal()))
        .exec(tx)
        .await
        .map(drop)
}

/// Selects the web users that rows of `cif_web_active_users` can speak for: those without web
/// access are left out.
pub fn subjects() -> SelectStatement {
    Query::select()
        .expr_as(ContactId.into_expr(), "subject_id")
        .expr_as(WebUserName.into_expr(), "username")
        .expr_as(Expr::value(false), "admin")
        .expr_as(Expr::value(false), "dba")
        .from(web_credentials::Entity)
        .and_where(WebAccessFlag.eq(true))
        .take()
}
