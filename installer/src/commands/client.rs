//! `installer client`: the programs that may ask the auth server for something.
//!
//! A secret is made here, shown once, and kept as a hash. Two are valid while one replaces the
//! other, so that no program is locked out in between.

use crate::installation::columns;
use crate::installation::credentials::random_secret;
use crate::installation::registration::{Registration, check_display_name};
use crate::installation::{Installation, Refused, change, event, print, print_once, refuse};
use auth_server::store::clients::secret_hash;
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::{Value, json};
use shared::audit::Kind;
use shared::cluster::Hold;
use shared::db::{self, Fault};
use shared::entity::oauth_clients::{ActiveModel, ClientKind, Column, Entity, Model};
use shared::secrecy::Secret;
use shared::sessions;

/// What the command takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum Action {
    /// Adds a client; prints its secret, once
    Add(Box<Registration>),
    /// Lists all clients
    List {
        /// As a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Changes what people know a client by, on the log-in page
    Name {
        /// The client
        id: String,
        /// Its name: up to 100 characters
        name: String,
    },
    /// Gives a client another secret, printed once; the one before it stays valid until --finish
    Rotate {
        /// The client
        id: String,
        /// Ends the rotation: removes the older secret
        #[arg(long)]
        finish: bool,
        /// The secret as JSON
        #[arg(long, conflicts_with = "finish")]
        json: bool,
    },
    /// Removes a client and ends every session it was given
    Remove {
        /// The client
        id: String,
        /// Although the api-server asks with it: without a client every call is 503
        #[arg(long)]
        of_the_api_server: bool,
    },
}

/// Does what the arguments say.
pub async fn run(arguments: &Arguments) -> Result<(), Refused> {
    let installation = &arguments.installation;
    match &arguments.action {
        Action::Add(registration) => add(installation, registration).await,
        Action::List { json } => list(installation, *json).await,
        Action::Name { id, name } => rename(installation, id, name).await,
        Action::Rotate { id, finish: true, .. } => finish(installation, id).await,
        Action::Rotate { id, json, .. } => rotate(installation, id, *json).await,
        Action::Remove { id, of_the_api_server } => {
            remove(installation, id, *of_the_api_server).await
        }
    }
}

async fn add(installation: &Installation, registration: &Registration) -> Result<(), Refused> {
    let public_keys = registration.check()?;
    let id = &registration.id;
    let secret = registration.wants_secret().then(random_secret);
    let db = installation.open().await?;
    let now = db::time(&db).await?;
    let taken = || Refused(format!("there is a client {id} already; nothing was changed"));
    let row = registration.row(secret.as_deref(), public_keys, now);
    change(&db, async |tx| {
        if Entity::find_by_id(id).one(tx).await?.is_some() {
            return Err(taken().into());
        }
        match Entity::insert(row.clone()).exec_without_returning(tx).await {
            Err(error) if db::fault(&error) == Fault::Conflict => return Err(taken().into()),
            inserted => inserted?,
        };
        Ok(event(Kind::ClientChanged).reason("added").client(id).record(tx).await?)
    })
    .await?;
    match &secret {
        Some(secret) => print_once(&with_secret(id, "is added", secret, registration.json)),
        None if registration.json => print(&json!({"client_id": id}).to_string()),
        None => print(&format!("client {id} is added")),
    }
}

/// What the api-server asks the auth server with.
struct Used {
    /// The file of its settings.
    file: String,
    secret: String,
}

/// The api-server's settings, if this is the client that they name.
fn used(installation: &Installation, id: &str) -> Option<Used> {
    let (file, settings) = installation.api_settings()?;
    let same = settings.optional("API_AUTH_CLIENT_ID").as_deref() == Some(id);
    same.then(|| Used {
        file: file.display().to_string(),
        secret: settings.optional("API_AUTH_CLIENT_SECRET").unwrap_or_default(),
    })
}

fn with_secret(id: &str, what: &str, secret: &str, json: bool) -> String {
    if json {
        return json!({"client_id": id, "client_secret": secret}).to_string();
    }
    format!(
        "client {id} {what}\nclient_secret  {secret}\nThis is shown once: only a hash of it is kept."
    )
}

async fn list(installation: &Installation, json: bool) -> Result<(), Refused> {
    let db = installation.open().await?;
    let clients = Entity::find().order_by_asc(Column::ClientId).all(&db).await?;
    if json {
        let clients: Vec<Value> = clients.iter().map(as_json).collect();
        return print(&format!("{:#}", Value::from(clients)));
    }
    let heading = [
        "id",
        "name",
        "kind",
        "authenticates by",
        "grants",
        "users",
        "resource server",
        "redirect URIs",
    ];
    let rows: Vec<_> = clients.iter().map(as_cells).collect();
    print(&columns::align(heading, &rows))
}

fn secrets(client: &Model) -> usize {
    [&client.secret_hash1, &client.secret_hash2].into_iter().flatten().count()
}

/// Everything about a client but what it authenticates with.
fn as_json(client: &Model) -> Value {
    let words = |list: &str| list.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    json!({
        "client_id": client.client_id,
        "name": client.name(),
        "kind": client.kind,
        "secrets": secrets(client),
        "keys": client.public_keys.is_some(),
        "grants": words(&client.grants),
        "user_kinds": words(&client.user_kinds),
        "resource_server": client.resource_server_flag,
        "redirect_uris": words(&client.redirect_uris),
        "post_logout_redirect_uris": words(&client.post_logout_redirect_uris),
        "cors_origins": words(&client.cors_origins),
        "created_date": client.created_date,
    })
}

fn as_cells(client: &Model) -> [String; 8] {
    let kind = match client.kind {
        ClientKind::Confidential => "confidential",
        ClientKind::Public => "public",
    };
    let secrets = match secrets(client) {
        0 => None,
        1 => Some("secret"),
        _ => Some("2 secrets"),
    };
    let keys = client.public_keys.as_ref().map(|_| "keys");
    let authenticates: Vec<&str> = secrets.into_iter().chain(keys).collect();
    let resource_server = if client.resource_server_flag { "yes" } else { "" };
    [
        client.client_id.clone(),
        client.display_name.clone().unwrap_or_default(),
        kind.to_owned(),
        authenticates.join(", "),
        client.grants.clone(),
        client.user_kinds.clone(),
        resource_server.to_owned(),
        client.redirect_uris.clone(),
    ]
}

async fn rename(installation: &Installation, id: &str, name: &str) -> Result<(), Refused> {
    check_display_name(name)?;
    let db = installation.open().await?;
    change(&db, async |tx| {
        taken(tx, id).await?;
        let name = Set(Some(name.to_owned()));
        set(tx, id, ActiveModel { display_name: name, ..Default::default() }).await?;
        Ok(event(Kind::ClientChanged).reason("renamed").client(id).record(tx).await?)
    })
    .await?;
    print(&format!("client {id} is known as {name}"))
}

async fn rotate(installation: &Installation, id: &str, json: bool) -> Result<(), Refused> {
    let db = installation.open().await?;
    let secret = random_secret();
    change(&db, async |tx| {
        let client = taken(tx, id).await?;
        if client.secret_hash2.is_some() {
            return Ok(refuse(format!(
                "client {id} has two secrets already: when nobody uses the older one any more, \
                 remove it with: installer client rotate {id} --finish"
            ))?);
        }
        if client.secret_hash1.is_none() {
            return Ok(refuse(format!("client {id} has no secret that could be replaced"))?);
        }
        let hashes = ActiveModel {
            secret_hash1: Set(Some(Secret::new(secret_hash(&secret)))),
            secret_hash2: Set(client.secret_hash1),
            ..Default::default()
        };
        set(tx, id, hashes).await?;
        Ok(event(Kind::ClientChanged).reason("rotated").client(id).record(tx).await?)
    })
    .await?;
    let what = "has another secret; the one before it stays valid until rotate --finish";
    let mut text = with_secret(id, what, &secret, json);
    if let Some(Used { file, .. }) = used(installation, id).filter(|_| !json) {
        text += &format!(
            "\nThe api-server asks with it: put it into API_AUTH_CLIENT_SECRET in {file}, restart \
             the api-server, then: installer client rotate {id} --finish"
        );
    }
    print_once(&text)
}

async fn finish(installation: &Installation, id: &str) -> Result<(), Refused> {
    let db = installation.open().await?;
    let used = used(installation, id);
    change(&db, async |tx| {
        let Some(older) = taken(tx, id).await?.secret_hash2 else {
            let why = format!("client {id} has no older secret: no rotation is under way");
            return Ok(refuse(why)?);
        };
        if let Some(Used { file, secret }) = &used
            && secret_hash(secret) == older.reveal()
        {
            return Ok(refuse(format!(
                "the api-server still asks with the older secret: put the new one into \
                 API_AUTH_CLIENT_SECRET in {file}, and restart the api-server first"
            ))?);
        }
        set(tx, id, ActiveModel { secret_hash2: Set(None), ..Default::default() }).await?;
        Ok(event(Kind::ClientChanged).reason("rotation_finished").client(id).record(tx).await?)
    })
    .await?;
    print(&format!("client {id} has one secret: the older one is no longer valid"))
}

async fn remove(installation: &Installation, id: &str, although: bool) -> Result<(), Refused> {
    if let Some(Used { file, .. }) = used(installation, id).filter(|_| !although) {
        return refuse(format!(
            "the api-server asks with the client {id} ({file}), and without it every call is 503: \
             name another one there first, or say --of-the-api-server"
        ));
    }
    let db = installation.open().await?;
    let tokens = change(&db, async |tx| {
        // The client first: whoever issues to it waits, and finds it gone.
        if Entity::delete_by_id(id).exec(tx).await?.rows_affected == 0 {
            return Ok(refuse(unknown(id))?);
        }
        sessions::guard_client(tx, id, Hold::AgainstAll).await?;
        let tokens = sessions::end_of_client(tx, id).await?;
        event(Kind::ClientChanged).reason("removed").client(id).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("client {id} is removed; tokens ended: {tokens}"))
}

/// The client, held until the transaction ends.
async fn taken(tx: &impl ConnectionTrait, id: &str) -> Result<Model, Refused> {
    let client = Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    client.ok_or_else(|| Refused(unknown(id)))
}

fn unknown(id: &str) -> String {
    format!("there is no client {id}")
}

async fn set(tx: &impl ConnectionTrait, id: &str, columns: ActiveModel) -> Result<(), DbErr> {
    let only = Column::ClientId.eq(id);
    Entity::update_many().set(columns).filter(only).exec(tx).await.map(drop)
}
