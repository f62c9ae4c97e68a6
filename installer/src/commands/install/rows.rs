//! The rows that an installation needs: the admin account and the auth server's clients.

use super::answers::Answers;
use super::journal::{Rows, Undo};
use super::plan::{InstallPlan, env_file, receiver};
use super::work::Work;
use crate::installation::accounts;
use crate::installation::core_settings;
use crate::installation::credentials::random_secret;
use crate::installation::database::tables;
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT, Grant, Registration};
use crate::installation::{CliError, Installation, event};
use crate::verification::probe_account;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr,
    EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter, QuerySelect, Select,
};
use shared::audit::EventKind;
use shared::db::{self, BUSINESS_TIME_ZONE};
use shared::entity::{
    auth_sessions, contacts, loans, oauth_clients, signing_keys, user_credentials, users,
};
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::time::Timestamp;

/// True if a database has been used: someone has logged in; or there are users, contacts or loans
/// that no installation creates; or another installation has added rows, if the one in question had
/// not reached that step (`rows`).
pub(super) async fn are_used(db: &DatabaseConnection, rows: bool) -> Result<bool, DbErr> {
    let tables = tables(db).await?;
    // An installation interrupted while creating the schema lacks some of them.
    let exists = |table: &str| tables.iter().any(|it| it == table);
    if ["users", "contacts", "loans", "auth_sessions", "oauth_clients"]
        .into_iter()
        .any(|table| !exists(table))
    {
        return Ok(false);
    }
    // The probe account of an interrupted verification does not count as use.
    let probe_names = format!("{}%", probe_account::PREFIX);
    let users = users::Entity::find().filter(users::Column::UserName.not_like(&probe_names));
    let sessions = auth_sessions::Entity::find();
    let sessions = sessions.filter(auth_sessions::Column::ClientId.not_like(&probe_names));
    Ok(count(db, users).await? > 1
        || count(db, contacts::Entity::find()).await? > 0
        || count(db, loans::Entity::find()).await? > 0
        || count(db, sessions).await? > 0
        || !rows && count(db, oauth_clients::Entity::find()).await? > 0)
}

/// Counts rows, whichever columns their table has so far.
async fn count<E: EntityTrait>(db: &DatabaseConnection, rows: Select<E>) -> Result<u64, DbErr> {
    let ones = rows.select_only().expr_as(Expr::value(1), "one");
    ones.into_tuple::<i32>().count(db).await
}

/// Adds the missing rows in one transaction.
pub(super) async fn add(work: &mut Work<'_>) -> Result<(), String> {
    let (answers, plan) = (work.answers, work.plan);
    work.journal.note(Undo::RemoveRows(Rows {
        database_url: answers.database_url.clone(),
        admin: plan.admin.clone(),
        clients: plan.clients.clone(),
        signing_keys: !work.found.in_use,
    }))?;
    let mut secrets = Vec::new();
    let added = async {
        let db = db::connect(&answers.database_url, 2, false).await?;
        let now = db::time(&db).await?;
        let admin = match (&plan.admin, &answers.admin_password) {
            (Some(name), Some(password)) => {
                let hash = passwords(answers)?.hash(&password.text).await.map_err(CliError)?;
                Some((name, password, hash))
            }
            (Some(_), None) => {
                return Err(CliError("the admin account has no password".to_owned()));
            }
            (None, _) => None,
        };
        let tx = db::begin_write(&db).await?;
        if let Some((name, password, hash)) = admin {
            let admin = users::ActiveModel {
                admin_flag: Set(true),
                ..accounts::row(name, "Administrator", now)
            };
            let account = accounts::add(&tx, admin).await?;
            accounts::set_password(&tx, account.kind, account.user_id, hash).await?;
            account.event(EventKind::UserAdded).record(&tx).await?;
            if password.generated() {
                secrets.push((format!("the password of {name}"), password.text.clone()));
            }
        }
        for id in &plan.clients {
            let secret = add_client(&tx, id, plan, &answers.api_url, now).await?;
            // The api-server's secret is in its settings.
            secrets.extend(
                secret
                    .filter(|_| id != API_SERVER_CLIENT)
                    .map(|secret| (format!("the secret of the client {id}"), secret)),
            );
        }
        db::commit(tx).await?;
        db.close().await?;
        Ok(())
    };
    added.await.map_err(|error: CliError| error.to_string())?;
    work.secrets.extend(secrets);
    Ok(())
}

/// The auth server's password hashing, peppers included.
pub(super) fn passwords(answers: &Answers) -> Result<Passwords, CliError> {
    let env_file = Some(env_file(answers, "auth-server"));
    Installation { env_file, database_url: None }.passwords()
}

/// Adds a client, and returns its secret, if it has one.
async fn add_client(
    tx: &impl ConnectionTrait,
    id: &str,
    plan: &InstallPlan,
    api_url: &str,
    now: Timestamp,
) -> Result<Option<String>, CliError> {
    let both = vec![UserKind::Core, UserKind::Web];
    let registration = match id {
        API_SERVER_CLIENT => Registration { resource_server: true, ..Registration::default() },
        BROWSER_CLIENT => Registration {
            name: Some("the API documentation".to_owned()),
            public: true,
            grants: vec![Grant::AuthorizationCode, Grant::RefreshToken],
            user_kinds: both,
            redirect_uris: vec![receiver(api_url)],
            cors_origins: vec![api_url.to_owned()],
            ..Registration::default()
        },
        _ => Registration {
            grants: vec![Grant::Password, Grant::RefreshToken],
            user_kinds: both,
            ..Registration::default()
        },
    };
    let registration = Registration { id: id.to_owned(), ..registration };
    registration.check()?;
    let secret = match id {
        API_SERVER_CLIENT => plan.api.get("API_AUTH_CLIENT_SECRET").map(str::to_owned),
        _ => registration.wants_secret().then(random_secret),
    };
    let row = registration.row(secret.as_deref(), None, now);
    oauth_clients::Entity::insert(row).exec_without_returning(tx).await?;
    event(EventKind::ClientChanged).reason("added").client(id).record(tx).await?;
    Ok(secret)
}

/// Sets the business time zone.
pub(super) async fn set_time_zone(work: &mut Work<'_>) -> Result<(), String> {
    let (url, zone) = (work.answers.database_url.clone(), work.plan.time_zone.clone());
    let before = work.found.time_zone.clone();
    work.journal.note(Undo::RestoreTimeZone { database_url: url.clone(), zone: before })?;
    restore_time_zone(&url, zone.as_deref()).await
}

/// Sets the business time zone to this one, or back to the default.
pub(super) async fn restore_time_zone(
    database_url: &str,
    zone: Option<&str>,
) -> Result<(), String> {
    let set = async {
        let db = db::connect(database_url, 2, false).await?;
        let tx = db::begin_write(&db).await?;
        core_settings::write(&tx, BUSINESS_TIME_ZONE, zone).await?;
        event(EventKind::SettingChanged).reason(BUSINESS_TIME_ZONE).record(&tx).await?;
        db::commit(tx).await?;
        db.close().await
    };
    set.await.map_err(|error: DbErr| format!("cannot set the business time zone: {error}"))
}

/// Allows the documentation's client for the present URL of the api-server as well: the former URL
/// may belong to another machine.
pub(super) async fn add_receiver(work: &mut Work<'_>) -> Result<(), String> {
    let (database_url, api_url) = (work.answers.database_url.clone(), work.answers.api_url.clone());
    let undo =
        Undo::RemoveReceiver { database_url: database_url.clone(), api_url: api_url.clone() };
    work.journal.note(undo)?;
    let added = set_receiver(&database_url, &api_url, true);
    added.await.map_err(|error| format!("cannot change the documentation's client: {error}"))
}

/// Removes that URL again.
pub(super) async fn remove_receiver(database_url: &str, api_url: &str) -> Result<(), String> {
    let removed = set_receiver(database_url, api_url, false);
    removed.await.map_err(|error| format!("cannot restore the documentation's client: {error}"))
}

/// Adds those of this URL to the client's redirect URIs and origins, or removes them.
async fn set_receiver(database_url: &str, api_url: &str, allowed: bool) -> Result<(), DbErr> {
    let db = db::connect(database_url, 2, false).await?;
    let tx = db::begin_write(&db).await?;
    if let Some(client) = oauth_clients::Entity::find_by_id(BROWSER_CLIENT).one(&tx).await? {
        let changed = |list: &str, uri: String| {
            let others = list.split_whitespace().filter(|it| **it != uri);
            let uris: Vec<_> = others.chain(allowed.then_some(uri.as_str())).collect();
            uris.join(" ")
        };
        let redirect_uris = changed(&client.redirect_uris, receiver(api_url));
        let cors_origins = changed(&client.cors_origins, api_url.to_owned());
        let mut row = client.into_active_model();
        row.redirect_uris = Set(redirect_uris);
        row.cors_origins = Set(cors_origins);
        row.update(&tx).await?;
        let changed = event(EventKind::ClientChanged).reason("changed").client(BROWSER_CLIENT);
        changed.record(&tx).await?;
    }
    db::commit(tx).await?;
    db.close().await
}

/// Removes the rows again, before anyone has used them.
pub(super) async fn remove(rows: &Rows) -> Result<(), String> {
    let removed = async {
        let db = db::connect(&rows.database_url, 2, false).await?;
        probe_account::remove_older(&db, 0).await?;
        let tx = db::begin_write(&db).await?;
        for id in &rows.clients {
            shared::sessions::end_of_client(&tx, id).await?;
            oauth_clients::Entity::delete_by_id(id).exec(&tx).await?;
        }
        if let Some(name) = &rows.admin {
            let user = users::Entity::find().filter(users::Column::UserName.eq(name));
            if let Some(user) = user.one(&tx).await? {
                user_credentials::Entity::delete_by_id(user.user_id).exec(&tx).await?;
                users::Entity::delete_by_id(user.user_id).exec(&tx).await?;
                shared::user_names::release(&tx, UserKind::Core, name).await?;
            }
        }
        if rows.signing_keys {
            signing_keys::Entity::delete_many().exec(&tx).await?;
        }
        db::commit(tx).await?;
        db.close().await
    };
    removed.await.map_err(|error: DbErr| format!("cannot remove the added rows: {error}"))
}
