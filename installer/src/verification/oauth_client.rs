//! A client that logs a user in, introspects their token, refreshes it and logs them out, with the
//! crates `oauth2` (without its default features), `reqwest` and `url`.

use oauth2::basic::{
    BasicClient, BasicErrorResponse, BasicTokenIntrospectionResponse, BasicTokenResponse,
};
use oauth2::{
    AccessToken, ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    IntrospectionUrl, RefreshToken, RequestTokenError, ResourceOwnerPassword,
    ResourceOwnerUsername, Scope, TokenUrl,
};
use url::ParseError;

/// An auth server's responses are never longer.
const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// A confidential client with the password grant.
pub(super) struct OAuthClient {
    oauth: BasicClient<EndpointNotSet, EndpointNotSet, EndpointSet, EndpointNotSet, EndpointSet>,
    http: reqwest::Client,
    log_out_url: String,
}

/// Why there is no token: the server's `error` and `error_description`, or no response.
pub(super) type NoToken = RequestTokenError<reqwest::Error, BasicErrorResponse>;

impl OAuthClient {
    /// `issuer` is the auth server's public URL, without a trailing slash. `http` must trust the
    /// authority of its certificate and follow no redirects.
    pub(super) fn new(
        http: reqwest::Client,
        issuer: &str,
        client_id: &str,
        secret: &str,
    ) -> Result<Self, ParseError> {
        let oauth = BasicClient::new(ClientId::new(client_id.to_owned()))
            .set_client_secret(ClientSecret::new(secret.to_owned()))
            .set_token_uri(TokenUrl::new(format!("{issuer}/oauth2/token"))?)
            .set_introspection_url(IntrospectionUrl::new(format!("{issuer}/oauth2/introspect"))?);
        Ok(Self { oauth, http, log_out_url: format!("{issuer}/logout") })
    }

    /// Logs in; the scope is `core` for a user of the core system, `web` for a borrower.
    pub(super) async fn log_in(
        &self,
        scope: &str,
        user_name: &str,
        password: &str,
    ) -> Result<BasicTokenResponse, NoToken> {
        let user_name = ResourceOwnerUsername::new(user_name.to_owned());
        let password = ResourceOwnerPassword::new(password.to_owned());
        let request = self.oauth.exchange_password(&user_name, &password);
        let request = request.add_scope(Scope::new(scope.to_owned()));
        request.request_async(&|request| self.send(request)).await
    }

    /// Introspects a token: its user, and whether it is active. For clients registered as resource
    /// servers.
    pub(super) async fn introspect(
        &self,
        token: &AccessToken,
    ) -> Result<BasicTokenIntrospectionResponse, NoToken> {
        self.oauth.introspect(token).request_async(&|request| self.send(request)).await
    }

    /// Gets a new access token and a new refresh token; use the new one from now on.
    pub(super) async fn refresh(
        &self,
        token: &RefreshToken,
    ) -> Result<BasicTokenResponse, NoToken> {
        self.oauth.exchange_refresh_token(token).request_async(&|request| self.send(request)).await
    }

    /// Logs the user out: afterwards no token of this log-in is valid.
    pub(super) async fn log_out(&self, token: &AccessToken) -> Result<(), reqwest::Error> {
        let request = self.http.post(&self.log_out_url).bearer_auth(token.secret());
        request.send().await?.error_for_status().map(drop)
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
        let mut response = self.http.execute(request.try_into()?).await?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > ANSWER_BYTES_MAX {
                break;
            }
        }
        let mut answer = HttpResponse::new(body);
        *answer.status_mut() = response.status();
        *answer.headers_mut() = response.headers().clone();
        Ok(answer)
    }
}
