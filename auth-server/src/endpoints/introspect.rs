//! `POST /oauth2/introspect`: token introspection for resource servers (RFC 7662).
//! `POST /oauth2/introspect-many`: the same for many tokens at once, for the api-server; a request
//! has a space-separated parameter `tokens`, the response is an array in their order.
//!
//! One SQL statement finds the requesting client and the live tokens; the client is authenticated
//! first. When the database is unavailable the response is 503, never a false "inactive".

use super::json;
use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::state::State;
use crate::store::clients::{self, Credentials};
use crate::store::keys;
use crate::store::token_lookups::{LiveToken, Lookup, TOKENS_MAX};
use futures_util::future::try_join_all;
use poem::{Request, Response};
use serde::Serialize;
use shared::introspection::{ActiveToken, Introspection, True, UserKind};
use shared::server::TrustedPeer;
use std::sync::Arc;

/// Introspects a token for a resource server.
pub async fn introspect(state: Arc<State>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let found = find(&state, &request, &form, &[form.get("token")]).await?;
    form.required("token")?;
    Ok(respond(&found.first().unwrap_or(&Introspection::INACTIVE)))
}

/// Introspects many tokens for a resource server.
pub async fn introspect_many(
    state: Arc<State>,
    mut request: Request,
) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let tokens = form.get("tokens").unwrap_or_default().split(' ');
    let tokens: Vec<Option<&str>> = tokens.take(TOKENS_MAX + 1).map(Some).collect();
    if tokens.len() > TOKENS_MAX {
        let description = format!("tokens must have at most {TOKENS_MAX} tokens");
        return Err(OAuthError::invalid_request(description));
    }
    Ok(respond(&find(&state, &request, &form, &tokens).await?))
}

fn respond(answer: &impl Serialize) -> Response {
    let mut response = json(answer);
    response.set_data(TrustedPeer);
    response
}

/// Finds the tokens, in their order, for a client that proves to be a resource server.
async fn find(
    state: &State,
    request: &Request,
    form: &Form,
    tokens: &[Option<&str>],
) -> Result<Vec<Introspection>, OAuthError> {
    let credentials = Credentials::read(request, form)?;
    let lookup = |token: &Option<&str>| {
        let lookup = Lookup::new(&state.store.token_keys, &credentials.client_id, *token);
        state.token_lookups.find(lookup)
    };
    let found = try_join_all(tokens.iter().map(lookup)).await?;
    let client = found.iter().flatten().next().map(|found| Arc::clone(&found.client));
    let source = ClientAddress::of(request, &state.proxies);
    let client =
        clients::authenticate_confidential(&state.store, client, &credentials, &source).await?;
    if !client.resource_server_flag {
        return Err(OAuthError::not_a_resource_server());
    }
    let tokens = found.iter().map(|found| found.as_ref().and_then(|found| found.token.as_ref()));
    Ok(tokens.map(|token| describe(state, token)).collect())
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
