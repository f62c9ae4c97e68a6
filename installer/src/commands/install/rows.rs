//! The rows that an installation needs: the auth server's clients, the admin account, the business
//! time zone.

use super::plan::{NewAdmin, receiver};
use super::unfinished::{BELONGS_TO_ANOTHER, CLIENT_SECRET};
use super::work::Work;
use crate::installation::accounts::{self, Account};
use crate::installation::core_settings;
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT, Grant, Registration};
use crate::installation::{ChangeError, CliError, change, event, refuse};
use auth_server::store::clients::secret_hash;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter};
use shared::audit::EventKind;
use shared::database::{self, BUSINESS_TIME_ZONE, Fault};
use shared::entity::{oauth_clients, users};
use shared::introspection::UserKind;
use shared::secrets::Secret;
use shared::settings::Settings;

/// The secret of the api-server's client, as its new settings have it.
pub(super) fn client_secret(work: &Work<'_>) -> Result<String, CliError> {
    let file = work.staged().or_present("api-server.env");
    let mut settings = Settings::read(api_server::config::SETTINGS, Some(&file));
    let secret = settings.text(CLIENT_SECRET);
    settings.finish(secret).map_err(CliError)
}

/// Registers the api-server, which makes the database this installation's.
pub(super) async fn add_api_server(work: &Work<'_>) -> Result<(), CliError> {
    let secret = &client_secret(work)?;
    let registration = &Registration {
        id: API_SERVER_CLIENT.to_owned(),
        resource_server: true,
        ..Registration::default()
    };
    let db = database::connect(&work.answers.database_url, 2).await?;
    let added = change(&db, async |tx| match add_client(tx, registration, Some(secret)).await {
        // Another installer was faster.
        Err(ChangeError::Failed(error)) if database::fault(&error) == Fault::Conflict => {
            Ok(refuse(BELONGS_TO_ANOTHER)?)
        }
        added => added,
    });
    added.await?;
    Ok(db.close().await?)
}

/// Sets whatever else is planned, in one transaction.
pub(super) async fn set(work: &Work<'_>) -> Result<(), CliError> {
    let (answers, plan) = (work.answers, work.plan);
    let hash = &match &plan.admin {
        Some(admin) => {
            let passwords = work.installation().passwords()?;
            Some(passwords.hash(&admin.password).await.map_err(CliError)?)
        }
        None => None,
    };
    let db = database::connect(&answers.database_url, 2).await?;
    let all = change(&db, async |tx| {
        if let Some(zone) = &plan.time_zone {
            core_settings::write(tx, BUSINESS_TIME_ZONE, Some(zone)).await?;
            event(EventKind::SettingChanged).reason(BUSINESS_TIME_ZONE).record(tx).await?;
        }
        if let (Some(admin), Some(hash)) = (&plan.admin, hash) {
            set_admin(tx, admin, hash.clone()).await?;
        }
        for id in &plan.clients {
            let secret = plan.unfinished.clients.get(id).map(String::as_str);
            set_client(tx, &registration(id, &answers.api_url), secret).await?;
        }
        if plan.documentation {
            add_receiver(tx, &answers.api_url).await?;
        }
        Ok(())
    });
    all.await?;
    Ok(db.close().await?)
}

/// Adds the admin account, or sets the password of one that an interrupted run has added.
async fn set_admin(
    tx: &DatabaseTransaction,
    admin: &NewAdmin,
    hash: Secret,
) -> Result<(), ChangeError> {
    let existing = users::Entity::find()
        .filter(users::Column::UserName.eq(&admin.name))
        .filter(users::Column::AdminFlag.eq(true));
    let account = match existing.one(tx).await? {
        Some(_) => Account::find(tx, UserKind::Core, &admin.name).await?,
        None => {
            let row = accounts::row(&admin.name, "Administrator", database::time(tx).await?);
            let row = users::ActiveModel { admin_flag: Set(true), ..row };
            let account = accounts::add(tx, row).await?;
            account.event(EventKind::UserAdded).record(tx).await?;
            account
        }
    };
    Ok(accounts::set_password(tx, account.kind, account.user_id, hash).await?)
}

/// What a client of this id may do.
fn registration(id: &str, api_url: &str) -> Registration {
    let user_kinds = vec![UserKind::Core, UserKind::Web];
    let registration = match id {
        BROWSER_CLIENT => Registration {
            name: Some("the API documentation".to_owned()),
            public: true,
            grants: vec![Grant::AuthorizationCode, Grant::RefreshToken],
            redirect_uris: vec![receiver(api_url)],
            cors_origins: vec![api_url.to_owned()],
            ..Registration::default()
        },
        _ => Registration {
            grants: vec![Grant::Password, Grant::RefreshToken],
            ..Registration::default()
        },
    };
    Registration { id: id.to_owned(), user_kinds, ..registration }
}

/// Adds a client, or sets the secret of one that an interrupted run has added.
async fn set_client(
    tx: &DatabaseTransaction,
    registration: &Registration,
    secret: Option<&str>,
) -> Result<(), ChangeError> {
    match oauth_clients::Entity::find_by_id(&registration.id).one(tx).await? {
        None => add_client(tx, registration, secret).await,
        Some(client) => {
            let mut row = client.into_active_model();
            row.secret_hash1 = Set(secret.map(|secret| Secret::new(secret_hash(secret))));
            oauth_clients::Entity::update(row).exec(tx).await?;
            Ok(())
        }
    }
}

async fn add_client(
    tx: &DatabaseTransaction,
    registration: &Registration,
    secret: Option<&str>,
) -> Result<(), ChangeError> {
    registration.check()?;
    let row = registration.row(secret, None, database::time(tx).await?);
    oauth_clients::Entity::insert(row).exec_without_returning(tx).await?;
    let added = event(EventKind::ClientChanged).reason("added").client(&registration.id);
    Ok(added.record(tx).await?)
}

/// Allows the documentation's client for the present URL of the api-server as well: the former URL
/// may belong to another machine.
async fn add_receiver(tx: &DatabaseTransaction, api_url: &str) -> Result<(), ChangeError> {
    let Some(client) = oauth_clients::Entity::find_by_id(BROWSER_CLIENT).one(tx).await? else {
        return Ok(());
    };
    let with = |list: &str, uri: String| {
        let others = list.split_whitespace().filter(|it| **it != uri);
        others.chain([uri.as_str()]).collect::<Vec<_>>().join(" ")
    };
    let redirect_uris = with(&client.redirect_uris, receiver(api_url));
    let cors_origins = with(&client.cors_origins, api_url.to_owned());
    let mut row = client.into_active_model();
    row.redirect_uris = Set(redirect_uris);
    row.cors_origins = Set(cors_origins);
    oauth_clients::Entity::update(row).exec(tx).await?;
    let changed = event(EventKind::ClientChanged).reason("changed").client(BROWSER_CLIENT);
    Ok(changed.record(tx).await?)
}
