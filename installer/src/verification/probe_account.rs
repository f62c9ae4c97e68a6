//! The probe account: a user and a client that exist for one round trip, without privileges, with
//! names and secrets that no one knows.

use crate::installation::accounts;
use crate::installation::credentials::{random_password, random_secret};
use crate::installation::registration::{Grant, Registration};
use crate::installation::{CliError, event};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{
    ColumnTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
};
use shared::audit::EventKind;
use shared::database;
use shared::entity::{log_in_failures, oauth_clients, user_credentials, users};
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::random::random_bytes;
use shared::sessions;

/// The prefix of all their names.
pub(crate) const PREFIX: &str = "verify-round-trip-";
/// Older probe accounts were left by a run that was killed.
pub(super) const STALE_SECONDS: i64 = 3600;

/// A user and a client with the same name.
pub(super) struct ProbeAccount {
    pub(super) name: String,
    pub(super) password: String,
    pub(super) secret: String,
    pub(super) user_id: i64,
}

impl ProbeAccount {
    /// Adds the user and the client.
    pub(super) async fn add(
        db: &DatabaseConnection,
        passwords: &Passwords,
    ) -> Result<Self, CliError> {
        let name = format!("{PREFIX}{}", hex::encode(random_bytes::<12>()));
        let (password, secret) = (random_password(), random_secret());
        let hash = passwords.hash(&password).await.map_err(CliError)?;
        let now = database::time(db).await?;
        let tx = database::begin_write(db).await?;
        let user = accounts::row(&name, "Verify Auth Server", now);
        let account = accounts::add(&tx, user).await?;
        accounts::set_password(&tx, account.kind, account.user_id, hash).await?;
        let client = Registration {
            id: name.clone(),
            grants: vec![Grant::Password, Grant::RefreshToken],
            user_kinds: vec![UserKind::Core],
            resource_server: true,
            ..Registration::default()
        };
        let client = client.row(Some(&secret), None, now);
        oauth_clients::Entity::insert(client).exec_without_returning(&tx).await?;
        account.event(EventKind::UserAdded).reason("round_trip").record(&tx).await?;
        event(EventKind::ClientChanged).reason("added").client(&name).record(&tx).await?;
        database::commit(tx).await?;
        Ok(Self { name, password, secret, user_id: account.user_id })
    }

    /// Removes both and everything created through them, except the audit trail.
    pub(super) async fn remove(&self, db: &DatabaseConnection) -> Result<(), DbErr> {
        remove(db, &self.name).await
    }
}

/// Removes probe accounts of this age, left by runs that were killed.
pub(crate) async fn remove_older(db: &DatabaseConnection, seconds: i64) -> Result<(), DbErr> {
    let old = database::seconds_ago(db, seconds.into());
    let users = users::Entity::find()
        .filter(users::Column::UserName.starts_with(PREFIX))
        .filter(sea_orm::sea_query::Expr::col(users::Column::CreatedDate).lte(old))
        .all(db)
        .await?;
    for user in users {
        remove(db, &user.user_name).await?;
    }
    Ok(())
}

async fn remove(db: &DatabaseConnection, name: &str) -> Result<(), DbErr> {
    database::write(db, async |tx| remove_in(tx, name).await).await
}

async fn remove_in(tx: &DatabaseTransaction, name: &str) -> Result<(), DbErr> {
    // Lock order: the client's row first, so that issuing a token to it waits and then finds it
    // gone.
    oauth_clients::Entity::delete_by_id(name).exec(tx).await?;
    sessions::end_of_client(tx, name).await?;
    event(EventKind::ClientChanged).reason("removed").client(name).record(tx).await?;
    let user = users::Entity::find().filter(users::Column::UserName.eq(name)).one(tx).await?;
    if let Some(user) = user {
        user_credentials::Entity::delete_by_id(user.user_id).exec(tx).await?;
        sessions::end_all(tx, UserKind::Core, user.user_id).await?;
        let failures = log_in_failures::account(UserKind::Core, name);
        log_in_failures::Entity::delete_by_id(failures).exec(tx).await?;
        users::Entity::delete_by_id(user.user_id).exec(tx).await?;
        shared::user_names::release(tx, UserKind::Core, name).await?;
        let event = event(EventKind::UserDisabled).user(UserKind::Core, user.user_id);
        event.user_name(name).reason("removed").record(tx).await?;
    }
    Ok(())
}
