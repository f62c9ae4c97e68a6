//! `installer client`: the auth server's clients.
//!
//! Secrets are generated here, shown once, and stored as hashes. During a rotation both the new and
//! the previous secret are valid, so that no program is locked out in between.

mod modification;
mod registered;

use self::modification::Modification;
use crate::installation::credentials::random_secret;
use crate::installation::registration::Registration;
use crate::installation::{CliError, Installation, change, event, print, print_once, refuse};
use auth_server::store::clients::secret_hash;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use serde_json::json;
use shared::audit::EventKind;
use shared::database::galera::GuardMode;
use shared::database::{self, Fault};
use shared::entity::oauth_clients::{ActiveModel, Column, Entity, Model};
use shared::secrets::Secret;
use shared::sessions;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct ClientArgs {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    action: ClientAction,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum ClientAction {
    /// Add a client and print its secret, once
    Add(Box<Registration>),
    /// List all clients
    List {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Show a client
    Show {
        /// The client's id
        id: String,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Change a client without a new secret
    ///
    /// Properties that no option names stay as they are. The values of an option replace the list
    /// that the client has; without values, as in --cors-origin, the list is emptied. A client that
    /// loses a grant or a kind of user loses its sessions, too.
    Change(Box<Modification>),
    /// Generate a new secret and print it once; the previous one stays valid until you run this
    /// again with --finish
    Rotate {
        /// The client's id
        id: String,
        /// Finish the rotation: remove the previous secret
        #[arg(long)]
        finish: bool,
        /// Print the secret as JSON
        #[arg(long, conflicts_with = "finish")]
        json: bool,
    },
    /// Remove a client and end all of its sessions
    Remove {
        /// The client's id
        id: String,
        /// Remove the client even if the api-server uses it: every API call then gets 503
        #[arg(long)]
        of_the_api_server: bool,
    },
}

pub async fn run(arguments: &ClientArgs) -> Result<(), CliError> {
    let installation = &arguments.installation;
    match &arguments.action {
        ClientAction::Add(registration) => add(installation, registration).await,
        ClientAction::List { json } => registered::list(installation, *json).await,
        ClientAction::Show { id, json } => registered::show(installation, id, *json).await,
        ClientAction::Change(change) => modification::run(installation, change).await,
        ClientAction::Rotate { id, finish: true, .. } => finish(installation, id).await,
        ClientAction::Rotate { id, json, .. } => rotate(installation, id, *json).await,
        ClientAction::Remove { id, of_the_api_server } => {
            remove(installation, id, *of_the_api_server).await
        }
    }
}

async fn add(installation: &Installation, registration: &Registration) -> Result<(), CliError> {
    let public_keys = registration.check()?;
    let id = &registration.id;
    let secret = registration.wants_secret().then(random_secret);
    let db = installation.open().await?;
    let now = database::time(&db).await?;
    let already_exists =
        || CliError(format!("the client {id} already exists; nothing was changed"));
    let row = registration.row(secret.as_deref(), public_keys, now);
    change(&db, async |tx| {
        if Entity::find_by_id(id).one(tx).await?.is_some() {
            return Err(already_exists().into());
        }
        match Entity::insert(row.clone()).exec_without_returning(tx).await {
            Err(error) if database::fault(&error) == Fault::Conflict => {
                return Err(already_exists().into());
            }
            inserted => inserted?,
        };
        Ok(event(EventKind::ClientChanged).reason("added").client(id).record(tx).await?)
    })
    .await?;
    match &secret {
        Some(secret) => print_once(&with_secret(id, "added", secret, registration.json)),
        None if registration.json => print(&json!({"client_id": id}).to_string()),
        None => print(&format!("client {id} added")),
    }
}

/// The api-server's own client, as its settings have it.
struct ApiServerClient {
    /// The api-server's settings file.
    file: String,
    secret: String,
}

/// The api-server's settings, if they name this client.
fn api_server_client(installation: &Installation, id: &str) -> Option<ApiServerClient> {
    let (file, settings) = installation.api_settings()?;
    let is_same = settings.optional("API_AUTH_CLIENT_ID").as_deref() == Some(id);
    is_same.then(|| ApiServerClient {
        file: file.display().to_string(),
        secret: settings.optional("API_AUTH_CLIENT_SECRET").unwrap_or_default(),
    })
}

fn with_secret(id: &str, what: &str, secret: &str, json: bool) -> String {
    if json {
        return json!({"client_id": id, "client_secret": secret}).to_string();
    }
    format!(
        "client {id} {what}\nclient_secret  {secret}\nShown only once: only its hash is stored."
    )
}

async fn rotate(installation: &Installation, id: &str, json: bool) -> Result<(), CliError> {
    let db = installation.open().await?;
    let secret = random_secret();
    change(&db, async |tx| {
        let client = lock_client(tx, id).await?;
        if client.secret_hash2.is_some() {
            return Ok(refuse(format!(
                "client {id} already has two secrets: once the previous one is no longer used, \
                 remove it with: installer client rotate {id} --finish"
            ))?);
        }
        if client.secret_hash1.is_none() {
            return Ok(refuse(format!("client {id} has no secret to rotate"))?);
        }
        let hashes = ActiveModel {
            secret_hash1: Set(Some(Secret::new(secret_hash(&secret)))),
            secret_hash2: Set(client.secret_hash1),
            ..Default::default()
        };
        update(tx, id, hashes).await?;
        Ok(event(EventKind::ClientChanged).reason("rotated").client(id).record(tx).await?)
    })
    .await?;
    let what = "has a new secret; the previous one stays valid until rotate --finish";
    let mut text = with_secret(id, what, &secret, json);
    if let Some(ApiServerClient { file, .. }) =
        api_server_client(installation, id).filter(|_| !json)
    {
        text += &format!(
            "\nThe api-server uses this client: set API_AUTH_CLIENT_SECRET to the new secret in \
             {file}, restart the api-server, then run: installer client rotate {id} --finish"
        );
    }
    print_once(&text)
}

async fn finish(installation: &Installation, id: &str) -> Result<(), CliError> {
    let db = installation.open().await?;
    let api_server_client = api_server_client(installation, id);
    change(&db, async |tx| {
        let Some(previous_hash) = lock_client(tx, id).await?.secret_hash2 else {
            let why = format!("client {id} has no previous secret: no rotation is in progress");
            return Ok(refuse(why)?);
        };
        if let Some(ApiServerClient { file, secret }) = &api_server_client
            && secret_hash(secret) == previous_hash.reveal()
        {
            return Ok(refuse(format!(
                "the api-server still uses the previous secret: set API_AUTH_CLIENT_SECRET in \
                 {file} to the new one and restart the api-server first"
            ))?);
        }
        update(tx, id, ActiveModel { secret_hash2: Set(None), ..Default::default() }).await?;
        Ok(event(EventKind::ClientChanged)
            .reason("rotation_finished")
            .client(id)
            .record(tx)
            .await?)
    })
    .await?;
    print(&format!("client {id} has one secret: the previous one is no longer valid"))
}

async fn remove(installation: &Installation, id: &str, force: bool) -> Result<(), CliError> {
    if let Some(ApiServerClient { file, .. }) =
        api_server_client(installation, id).filter(|_| !force)
    {
        return refuse(format!(
            "the api-server uses the client {id} ({file}), and without it every call is 503: name \
             another client there first, or pass --of-the-api-server"
        ));
    }
    let db = installation.open().await?;
    let tokens = change(&db, async |tx| {
        // Lock order: the client's row first, so that issuing a token to it waits and then finds it
        // gone.
        if Entity::delete_by_id(id).exec(tx).await?.rows_affected == 0 {
            return Ok(refuse(unknown(id))?);
        }
        sessions::guard_client(tx, id, GuardMode::Exclusive).await?;
        let tokens = sessions::end_of_client(tx, id).await?;
        event(EventKind::ClientChanged).reason("removed").client(id).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("client {id} removed; tokens revoked: {tokens}"))
}

/// The client's row, locked until the transaction ends.
async fn lock_client(tx: &impl ConnectionTrait, id: &str) -> Result<Model, CliError> {
    let client = Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    client.ok_or_else(|| CliError(unknown(id)))
}

fn unknown(id: &str) -> String {
    format!("no such client: {id}")
}

async fn update(tx: &impl ConnectionTrait, id: &str, columns: ActiveModel) -> Result<(), DbErr> {
    let this_client = Column::ClientId.eq(id);
    Entity::update_many().set(columns).filter(this_client).exec(tx).await.map(drop)
}
