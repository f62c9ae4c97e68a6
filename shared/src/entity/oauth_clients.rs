//! OAuth clients of the auth server. Administered by the installer only.

use crate::secrets::Secret;
use crate::time::Timestamp;

#[shared_macros::table("oauth_clients")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub client_id: String,
    /// Name shown to people.
    pub display_name: Option<String>,
    pub kind: ClientKind,
    /// SHA-256 of the current secret.
    pub secret_hash1: Option<Secret>,
    /// SHA-256 of a second secret, during secret rotation.
    pub secret_hash2: Option<Secret>,
    /// JWKS for `private_key_jwt`.
    pub public_keys: Option<String>,
    /// Redirect URIs; space-separated, as all lists here.
    pub redirect_uris: String,
    pub post_logout_redirect_uris: String,
    pub cors_origins: String,
    /// Among `password`, `authorization_code`, `refresh_token`.
    pub grants: String,
    /// Among `core`, `web`.
    pub user_kinds: String,
    /// True if the client may introspect.
    pub resource_server_flag: bool,
    pub created_date: Timestamp,
    /// True if the client names the addresses of the people whose passwords it passes on.
    pub forwards_addresses_flag: bool,
}

impl Model {
    /// Returns the name shown to people, or else the client id.
    pub fn name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.client_id)
    }
}

text_enum! {
    /// Whether a client can keep a secret (RFC 6749, 2.1).
    pub enum ClientKind {
        /// Authenticates with a secret or a key.
        Confidential,
        /// Cannot keep a secret.
        Public,
    }
}
