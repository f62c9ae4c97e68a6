//! `installer client list` and `show`: registered clients, without their credentials.

use crate::installation::registration::words;
use crate::installation::table;
use crate::installation::{CliError, Installation, print};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};
use shared::entity::oauth_clients::{ClientKind, Column, Entity, Model};

pub(super) async fn list(installation: &Installation, json: bool) -> Result<(), CliError> {
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
        "authentication",
        "grants",
        "user kinds",
        "resource server",
        "redirect URIs",
    ];
    let rows: Vec<_> = clients.iter().map(as_cells).collect();
    print(&table::align(heading, &rows))
}

/// Shows a client, each item of a list on a line of its own.
pub(super) async fn show(
    installation: &Installation,
    id: &str,
    json: bool,
) -> Result<(), CliError> {
    let db = installation.open().await?;
    let client = Entity::find_by_id(id).one(&db).await?;
    let client = client.ok_or_else(|| CliError(super::unknown(id)))?;
    if json {
        return print(&format!("{:#}", as_json(&client)));
    }
    let [id, name, kind, authentication, grants, user_kinds, resource_server, redirect_uris] =
        as_cells(&client);
    let forwards_addresses = if client.forwards_addresses_flag { "yes" } else { "" };
    let properties = [
        ("id", vec![id]),
        ("name", vec![name]),
        ("kind", vec![kind]),
        ("authentication", vec![authentication]),
        ("grants", words(&grants)),
        ("user kinds", words(&user_kinds)),
        ("resource server", vec![resource_server]),
        ("forwards addresses", vec![forwards_addresses.to_owned()]),
        ("redirect URIs", words(&redirect_uris)),
        ("post-logout redirect URIs", words(&client.post_logout_redirect_uris)),
        ("CORS origins", words(&client.cors_origins)),
        ("created", vec![client.created_date.to_string()]),
    ];
    let rows = properties.into_iter().flat_map(|(name, mut values)| {
        if values.is_empty() {
            values.push(String::new());
        }
        let names = std::iter::once(name).chain(std::iter::repeat(" "));
        names.map(str::to_owned).zip(values).map(|(name, value)| [name, value]).collect::<Vec<_>>()
    });
    print(&table::align(["property", "value"], &rows.collect::<Vec<_>>()))
}

fn as_json(client: &Model) -> Value {
    json!({
        "client_id": client.client_id,
        "name": client.name(),
        "kind": client.kind,
        "secrets": secrets(client),
        "keys": client.public_keys.is_some(),
        "grants": words(&client.grants),
        "user_kinds": words(&client.user_kinds),
        "resource_server": client.resource_server_flag,
        "forwards_addresses": client.forwards_addresses_flag,
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
    let methods: Vec<&str> = secrets.into_iter().chain(keys).collect();
    let resource_server = if client.resource_server_flag { "yes" } else { "" };
    [
        client.client_id.clone(),
        client.display_name.clone().unwrap_or_default(),
        kind.to_owned(),
        methods.join(", "),
        client.grants.clone(),
        client.user_kinds.clone(),
        resource_server.to_owned(),
        client.redirect_uris.clone(),
    ]
}

fn secrets(client: &Model) -> usize {
    [&client.secret_hash1, &client.secret_hash2].into_iter().flatten().count()
}
