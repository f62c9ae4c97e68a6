//! `POST /oauth2/introspect`: token introspection for resource servers (RFC 7662).
//!
//! One SQL statement finds the requesting client and the live token; the client is authenticated
//! first. When the database is unavailable the response is 503, never a false "inactive".

use super::json;
use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::state::State;
use crate::store::active_tokens::{self, seconds_of};
use crate::store::clients::{self, Credentials};
use crate::store::keys;
use crate::store::tokens::AccessToken;
use poem::{Request, Response};
use sea_orm::sea_query::{Expr, JoinType};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter};
use sea_orm::{QueryResult, QueryTrait};
use shared::entity::oauth_clients;
use shared::introspection::{ActiveToken, Introspection, True, UserKind};
use shared::server::TrustedPeer;
use shared::time::Timestamp;
use std::sync::Arc;

/// Introspects a token for a resource server.
pub async fn introspect(state: Arc<State>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let credentials = Credentials::read(&request, &form)?;
    let token =
        form.get("token").and_then(|text| AccessToken::parse(&state.store.token_keys, text));
    let row = find(&state, &credentials, token.as_ref()).await?;
    let client =
        row.as_ref().map(|row| oauth_clients::Model::from_query_result(row, "")).transpose()?;
    let source = ClientAddress::of(&request, &state.proxies);
    let client =
        clients::authenticate_confidential(&state.store, client, &credentials, &source).await?;
    if !client.resource_server_flag {
        return Err(OAuthError::not_a_resource_server());
    }
    form.required("token")?;
    let introspection = match (&row, token) {
        (Some(row), Some(token)) => describe(&state, row, token.kind())?,
        _ => Introspection::INACTIVE,
    };
    let mut response = json(&introspection);
    response.set_data(TrustedPeer);
    Ok(response)
}

/// Returns the client's row, joined with the live token if there is one.
#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
async fn find(
    state: &State,
    credentials: &Credentials,
    token: Option<&AccessToken>,
) -> Result<Option<QueryResult>, DbErr> {
    let client = oauth_clients::Column::ClientId.eq(credentials.client_id.as_str());
    let mut select = oauth_clients::Entity::find().filter(client).into_query();
    if let Some(token) = token {
        let columns = [
            "subject_id",
            "username",
            "admin",
            "dba",
            "token_client_id",
            "created",
            "lifetime_seconds",
        ];
        select.columns(columns.map(|column| ("token", column))).join_subquery(
            JoinType::LeftJoin,
            active_tokens::live_token(&state.store, token),
            "token",
            Expr::value(true),
        );
    }
    state.store.db.query_one(&select).await
}

fn describe(state: &State, row: &QueryResult, kind: UserKind) -> Result<Introspection, DbErr> {
    let Some(subject_id) = row.try_get::<Option<i64>>("", "subject_id")? else {
        return Ok(Introspection::INACTIVE);
    };
    let created: Timestamp = row.try_get("", "created")?;
    let lifetime = seconds_of(row, "lifetime_seconds")?.unwrap_or_default();
    let iat = created.0.timestamp();
    Ok(Introspection::Active(Box::new(ActiveToken {
        active: True,
        iss: state.store.issuer.clone(),
        sub: keys::sub(kind, subject_id),
        username: row.try_get("", "username")?,
        client_id: row.try_get("", "token_client_id")?,
        scope: kind.as_str().to_owned(),
        token_type: "Bearer".to_owned(),
        iat,
        exp: iat + lifetime,
        user_kind: kind,
        user_id: (kind == UserKind::Core).then_some(subject_id),
        contact_id: (kind == UserKind::Web).then_some(subject_id),
        admin: row.try_get("", "admin")?,
        dba: row.try_get("", "dba")?,
    })))
}
