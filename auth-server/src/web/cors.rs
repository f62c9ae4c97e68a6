//! Cross-origin requests (CORS): pages of public clients may call the endpoints that browser
//! applications need, from the origins they have registered. Public documents are readable from any
//! origin.

use poem::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
    VARY,
};
use poem::http::{HeaderValue, Method, StatusCode};
use poem::{Endpoint, IntoResponse, Request, Response};
use sea_orm::{ColumnTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QuerySelect};
use shared::entity::oauth_clients::{ClientKind, Column, Entity};

/// Paths that a page of any origin may read.
const PUBLIC_PATHS: [&str; 3] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/oauth2/jwks",
];
/// Paths that pages of public clients may call.
const CLIENT_PATHS: [&str; 4] = ["/oauth2/token", "/oauth2/revoke", "/oauth2/userinfo", "/logout"];

/// Middleware that adds the CORS headers.
pub struct Cors<E> {
    inner: E,
    db: DatabaseConnection,
}

impl<E> Cors<E> {
    /// Wraps the routes.
    pub fn new(inner: E, db: DatabaseConnection) -> Self {
        Self { inner, db }
    }
}

impl<E: Endpoint> Endpoint for Cors<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let public = PUBLIC_PATHS.contains(&request.uri().path());
        let Some(origin) = request.headers().get(ORIGIN).cloned() else {
            let mut response = self.inner.call(request).await.map(IntoResponse::into_response)?;
            if public {
                // A cache may serve this response to a page of any origin.
                let any = HeaderValue::from_static("*");
                response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, any);
            }
            return Ok(response);
        };
        let path = request.uri().path();
        let allowed = if public {
            Some(HeaderValue::from_static("*"))
        } else if CLIENT_PATHS.contains(&path) && is_registered(&self.db, &origin).await {
            Some(origin)
        } else {
            None
        };
        let preflight = request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        let mut response = match &allowed {
            Some(_) if preflight => preflight_response(),
            _ => self.inner.call(request).await.map(IntoResponse::into_response)?,
        };
        let headers = response.headers_mut();
        headers.append(VARY, HeaderValue::from_static("origin"));
        if let Some(origin) = allowed {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            let exposed = HeaderValue::from_static("www-authenticate, retry-after, x-request-id");
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
        Ok(response)
    }
}

fn preflight_response() -> Response {
    Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(ACCESS_CONTROL_ALLOW_METHODS, "GET, POST")
        .header(ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, x-requested-with")
        .header(ACCESS_CONTROL_MAX_AGE, "600")
        .finish()
}

/// True if a public client has registered this origin. False while the database is unavailable.
async fn is_registered(db: &DatabaseConnection, origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    let lists: Result<Vec<String>, DbErr> = load_origins(db).await;
    lists.is_ok_and(|lists| {
        lists
            .iter()
            .any(|list| list.split_ascii_whitespace().any(|registered| registered == origin))
    })
}

#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
async fn load_origins(db: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::CorsOrigins)
        .filter(Column::Kind.eq(ClientKind::Public))
        .filter(Column::CorsOrigins.ne(""))
        .into_tuple()
        .all(db)
        .await
}
