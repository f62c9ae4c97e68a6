//! `POST /oauth2/introspect`: token introspection for resource servers (RFC 7662).
//! `POST /oauth2/introspect-many`: the same for many tokens, for the api-server. The parameter `tokens`
//! is a space-separated list; the response is an array in the same order.
//!
//! The client is authenticated before anything in its request is examined. When the database is
//! unavailable the response is 503, never a false "inactive".

use super::json;
use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::state::State;
use crate::store::clients::{self, Credentials};
use crate::store::keys;
use crate::store::token_lookups::{ClientAndToken, LiveToken, Lookup, TOKENS_MAX};
use futures_util::future::try_join_all;
use poem::{Request, Response};
use serde::Serialize;
use shared::entity::oauth_clients::Model;
use shared::introspection::{ActiveToken, Introspection, True, UserKind};
use shared::server::TrustedPeer;
use std::sync::Arc;

/// Introspects a token for a resource server.
pub async fn introspect(state: Arc<State>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let (_, token) = authenticate(&state, &request, &form, form.get("token")).await?;
    form.required("token")?;
    Ok(respond(&describe(&state, token.as_ref())))
}

/// Introspects many tokens for a resource server.
pub async fn introspect_many(
    state: Arc<State>,
    mut request: Request,
) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let (client, _) = authenticate(&state, &request, &form, None).await?;
    let tokens: Vec<&str> = form.required("tokens")?.split(' ').collect();
    if tokens.len() > TOKENS_MAX {
        let description = format!("tokens must have at most {TOKENS_MAX} tokens");
        return Err(OAuthError::invalid_request(description));
    }
    let found = tokens.iter().map(|token| find(&state, &client.client_id, Some(token)));
    let found = try_join_all(found).await?;
    let tokens = found.iter().map(|found| found.as_ref().and_then(|found| found.token.as_ref()));
    let described: Vec<Introspection> = tokens.map(|token| describe(&state, token)).collect();
    Ok(respond(&described))
}

fn respond(answer: &impl Serialize) -> Response {
    let mut response = json(answer);
    response.set_data(TrustedPeer);
    response
}

/// Returns the client, authenticated and a resource server, and the token if it is live.
async fn authenticate(
    state: &State,
    request: &Request,
    form: &Form,
    token: Option<&str>,
) -> Result<(Arc<Model>, Option<LiveToken>), OAuthError> {
    let credentials = Credentials::read(request, form)?;
    let found = find(state, &credentials.client_id, token).await?;
    let (client, token) = found.map(|found| (found.client, found.token)).unzip();
    let source = ClientAddress::of(request, &state.config.proxies);
    let client =
        clients::authenticate_confidential(&state.store, client, &credentials, &source).await?;
    match client.resource_server_flag {
        true => Ok((client, token.flatten())),
        false => Err(OAuthError::not_a_resource_server()),
    }
}

async fn find(
    state: &State,
    client_id: &str,
    token: Option<&str>,
) -> Result<Option<ClientAndToken>, OAuthError> {
    state.token_lookups.find(Lookup::new(&state.store.token_keys, client_id, token)).await
}

fn describe(state: &State, token: Option<&LiveToken>) -> Introspection {
    let Some(token) = token else { return Introspection::INACTIVE };
    let iat = token.created.0.timestamp();
    let id_of = |kind| (token.kind == kind).then_some(token.subject_id);
    Introspection::Active(Box::new(ActiveToken {
        active: True,
        iss: state.store.issuer.clone(),
        sub: keys::sub(token.kind, token.subject_id),
        username: token.username.clone(),
        client_id: token.client_id.clone(),
        scope: token.kind.as_str().to_owned(),
        token_type: "Bearer".to_owned(),
        iat,
        exp: iat + token.lifetime_seconds,
        user_kind: token.kind,
        user_id: id_of(UserKind::Core),
        contact_id: id_of(UserKind::Web),
        admin: token.admin,
        dba: token.dba,
    }))
}
