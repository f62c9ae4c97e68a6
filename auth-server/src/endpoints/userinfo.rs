//! `GET /oauth2/userinfo`, `POST /oauth2/userinfo`: claims about the user (OpenID Connect Core,
//! 5.3).

use super::json;
use crate::http::oauth_error::OAuthError;
use crate::http::request::bearer_token;
use crate::state::State;
use crate::store::active_tokens;
use crate::store::clients;
use crate::store::keys;
use crate::store::tokens::AccessToken;
use poem::{Request, Response};
use sea_orm::sea_query::{Expr, ExprTrait, JoinType};
use sea_orm::{ColumnTrait, ConnectionTrait};
use serde_json::json;
use shared::entity::auth_sessions;
use shared::introspection::UserKind;
use std::sync::Arc;

/// Returns the claims of the token's user, if it was issued with the scope `openid`.
pub async fn show(state: Arc<State>, request: Request) -> Result<Response, OAuthError> {
    let token = bearer_token(&request).ok_or_else(OAuthError::token_missing)?;
    let token =
        AccessToken::parse(&state.store.token_keys, token).ok_or_else(OAuthError::invalid_token)?;
    let store = &state.store;
    let mut select = active_tokens::live_tokens(
        &store.lifetimes,
        &store.db,
        token.kind(),
        store.token_keys.hashes(token.text()),
    );
    let session = auth_sessions::Column::SessionId;
    let of_token = Expr::col((active_tokens::table_of(token.kind()).table, "session_id"));
    select.expr_as(Expr::col((auth_sessions::Entity, auth_sessions::Column::Scope)), "scope").join(
        JoinType::InnerJoin,
        auth_sessions::Entity,
        session.into_expr().eq(of_token),
    );
    let row = state.store.db.query_one(&select).await?.ok_or_else(OAuthError::invalid_token)?;
    let scope: String = row.try_get("", "scope")?;
    if !clients::contains_word(&scope, "openid") {
        return Err(OAuthError::insufficient_scope("openid"));
    }
    let (kind, user_id) = (token.kind(), row.try_get::<i64>("", "subject_id")?);
    let mut claims = json!({
        "sub": keys::sub(kind, user_id),
        "preferred_username": row.try_get::<String>("", "username")?,
        "user_kind": kind,
    });
    match kind {
        UserKind::Core => claims["user_id"] = json!(user_id),
        UserKind::Web => claims["contact_id"] = json!(user_id),
    }
    Ok(json(&claims))
}
