//! `installer client change`: a client's properties, but for its id, its kind and its secret.

use super::{ApiServerClient, api_server_client, lock_client, update};
use crate::installation::registration::{Grant, Registration, user_kinds};
use crate::installation::{CliError, Installation, change, event, print, refuse};
use sea_orm::ActiveValue::Set;
use shared::audit::EventKind;
use shared::database::galera::GuardMode;
use shared::entity::oauth_clients::Model;
use shared::introspection::UserKind;
use shared::sessions;
use std::path::PathBuf;

/// Properties to change. Each list replaces the one that the client has.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Modification {
    /// The client's id
    id: String,
    /// Display name on the log-in page, up to 100 characters
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// How the client gets tokens
    #[arg(long = "grant", value_name = "GRANT", num_args = 0..)]
    grants: Option<Vec<Grant>>,
    /// Kinds of users that the client may log in
    #[arg(long = "user-kind", value_name = "KIND", num_args = 0.., value_parser = user_kinds())]
    user_kinds: Option<Vec<UserKind>>,
    /// Redirect URIs after a log-in: https, or http on 127.0.0.1, ::1 or localhost
    #[arg(long = "redirect-uri", value_name = "URI", num_args = 0..)]
    redirect_uris: Option<Vec<String>>,
    /// Redirect URIs after a log-out, with the same rules as --redirect-uri
    #[arg(long = "post-logout-redirect-uri", value_name = "URI", num_args = 0..)]
    post_logout_redirect_uris: Option<Vec<String>>,
    /// Origins of a public client's pages, such as https://app.example.com
    #[arg(long = "cors-origin", value_name = "ORIGIN", num_args = 0..)]
    cors_origins: Option<Vec<String>>,
    /// Allow the client to introspect tokens, as a resource server, or forbid it
    #[arg(long, value_name = "BOOLEAN")]
    resource_server: Option<bool>,
    /// Let the client, which passes passwords on, name the address of the person who typed them in
    /// X-Forwarded-For, or forbid it
    #[arg(long, value_name = "BOOLEAN")]
    forwards_addresses: Option<bool>,
    /// File with its public keys or certificates (JWKS), which replace those it has
    #[arg(long, value_name = "FILE")]
    jwks: Option<PathBuf>,
}

impl Modification {
    fn is_empty(&self) -> bool {
        let Self { name, grants, user_kinds, resource_server, jwks, .. } = self;
        let lists = [&self.redirect_uris, &self.post_logout_redirect_uris, &self.cors_origins];
        name.is_none()
            && grants.is_none()
            && user_kinds.is_none()
            && lists.into_iter().all(Option::is_none)
            && resource_server.is_none()
            && self.forwards_addresses.is_none()
            && jwks.is_none()
    }

    /// Returns the client as it is to be.
    fn applied_to(&self, client: &Model) -> Registration {
        let mut changed = Registration::of(client);
        changed.name = self.name.clone().or(changed.name);
        changed.jwks = self.jwks.clone();
        changed.resource_server = self.resource_server.unwrap_or(changed.resource_server);
        changed.forwards_addresses = self.forwards_addresses.unwrap_or(changed.forwards_addresses);
        replace(&mut changed.grants, &self.grants);
        replace(&mut changed.user_kinds, &self.user_kinds);
        replace(&mut changed.redirect_uris, &self.redirect_uris);
        replace(&mut changed.post_logout_redirect_uris, &self.post_logout_redirect_uris);
        replace(&mut changed.cors_origins, &self.cors_origins);
        changed
    }
}

fn loses_any<T: PartialEq>(before: &[T], after: &[T]) -> bool {
    before.iter().any(|it| !after.contains(it))
}

fn replace<T: Clone>(list: &mut Vec<T>, new: &Option<Vec<T>>) {
    if let Some(new) = new {
        list.clone_from(new);
    }
}

/// Changes a client. If it loses a grant or a kind of user, its sessions end, so that no token outlives
/// the permission that it was issued by; if it loses a redirect URI, log-ins in progress end.
pub(super) async fn run(
    installation: &Installation,
    modification: &Modification,
) -> Result<(), CliError> {
    let id = &modification.id;
    if modification.is_empty() {
        return refuse(format!(
            "nothing to change: add options, such as --redirect-uri; installer client change \
             --help lists them, and installer client show {id} shows what the client has"
        ));
    }
    if let Some(ApiServerClient { file, .. }) = api_server_client(installation, id)
        && modification.resource_server == Some(false)
    {
        return refuse(format!(
            "the api-server uses the client {id} ({file}), and must be a resource server"
        ));
    }
    let db = installation.open().await?;
    let tokens = change(&db, async |tx| {
        let client = lock_client(tx, id).await?;
        let before = Registration::of(&client);
        let after = modification.applied_to(&client);
        let public_keys = after.check()?;
        let mut columns = after.properties();
        if public_keys.is_some() {
            columns.public_keys = Set(public_keys);
        }
        update(tx, id, columns).await?;
        let mut tokens = 0;
        if loses_any(&before.grants, &after.grants)
            || loses_any(&before.user_kinds, &after.user_kinds)
        {
            sessions::guard_client(tx, id, GuardMode::Exclusive).await?;
            tokens = sessions::end_of_client(tx, id).await?;
        } else if loses_any(&before.redirect_uris, &after.redirect_uris) {
            sessions::guard_client(tx, id, GuardMode::Exclusive).await?;
            sessions::end_requests_of_client(tx, id).await?;
        }
        event(EventKind::ClientChanged).reason("changed").client(id).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("client {id} changed; tokens revoked: {tokens}"))
}
