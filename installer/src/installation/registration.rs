//! Client registrations, and which of their properties may be combined.

mod keys;
mod uris;

use crate::installation::cli_error::{CliError, refuse};
use auth_server::store::clients::secret_hash;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sea_orm::ActiveValue::Set;
use shared::entity::oauth_clients::{ActiveModel, ClientKind, Model};
use shared::introspection::UserKind;
use shared::secrets::Secret;
use shared::time::Timestamp;
use std::path::PathBuf;

/// The public client of the documentation page: authorization code flow.
pub const BROWSER_CLIENT: &str = "browser";
/// The api-server's client, a resource server.
pub const API_SERVER_CLIENT: &str = "api-server";

const USER_KINDS: [UserKind; 2] = [UserKind::Core, UserKind::Web];
const ID_CHARACTERS_MAX: usize = 100;
const NAME_CHARACTERS_MAX: usize = 100;

/// A client to add.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Registration {
    /// The client's id: 1 to 100 characters of A-Z, a-z, 0-9, '.', '_', '-'
    pub id: String,
    /// Display name on the log-in page, up to 100 characters [default: the id]
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// Public client, which cannot keep a secret: a program in a browser or on a desktop
    #[arg(long)]
    pub public: bool,
    /// How the client gets tokens
    #[arg(long = "grant", value_name = "GRANT", num_args = 1..)]
    pub grants: Vec<Grant>,
    /// Kinds of users that the client may log in
    #[arg(long = "user-kind", value_name = "KIND", num_args = 1.., value_parser = user_kinds())]
    pub user_kinds: Vec<UserKind>,
    /// Redirect URI after a log-in: https, or http on 127.0.0.1, ::1 or localhost
    #[arg(long = "redirect-uri", value_name = "URI", num_args = 1..)]
    pub redirect_uris: Vec<String>,
    /// Redirect URI after a log-out, with the same rules as --redirect-uri
    #[arg(long = "post-logout-redirect-uri", value_name = "URI", num_args = 1..)]
    pub post_logout_redirect_uris: Vec<String>,
    /// Origin of a public client's pages, such as https://app.example.com
    #[arg(long = "cors-origin", value_name = "ORIGIN", num_args = 1..)]
    pub cors_origins: Vec<String>,
    /// Allow the client to introspect tokens, as a resource server
    #[arg(long)]
    pub resource_server: bool,
    /// Let the client, which passes passwords on, name the address of the person who typed them in
    /// X-Forwarded-For: failed log-ins then count for that address
    #[arg(long)]
    pub forwards_addresses: bool,
    /// File with its public keys or certificates (JWKS), used instead of a secret
    #[arg(long, value_name = "FILE")]
    pub jwks: Option<PathBuf>,
    /// Generate a secret in addition to the keys
    #[arg(long)]
    pub secret: bool,
    /// Print the id and the secret as JSON
    #[arg(long)]
    pub json: bool,
}

/// How a client gets tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Grant {
    /// With a user's name and password
    Password,
    /// With a code from the log-in page
    AuthorizationCode,
    /// With a refresh token
    RefreshToken,
}

impl Grant {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
        }
    }
}

/// Parses `core` or `web` from the command line.
pub fn user_kinds() -> impl TypedValueParser<Value = UserKind> {
    let words = USER_KINDS.map(UserKind::as_str);
    PossibleValuesParser::new(words).map(|word| match word == UserKind::Web.as_str() {
        true => UserKind::Web,
        false => UserKind::Core,
    })
}

/// Refuses an invalid client id.
pub fn check_id(id: &str) -> Result<(), CliError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    match (1..=ID_CHARACTERS_MAX).contains(&id.len()) && id.bytes().all(allowed) {
        true => Ok(()),
        false => refuse(format!(
            "{id:?} is not a client id: use 1 to {ID_CHARACTERS_MAX} characters of A-Z, a-z, 0-9, \
             '.', '_', '-'"
        )),
    }
}

/// Refuses an invalid display name.
fn check_display_name(name: &str) -> Result<(), CliError> {
    let plain = !name.chars().any(char::is_control) && name.trim() == name;
    match plain && (1..=NAME_CHARACTERS_MAX).contains(&name.chars().count()) {
        true => Ok(()),
        false => refuse(format!(
            "{name:?} is not a client name: use 1 to {NAME_CHARACTERS_MAX} characters, with no \
             control characters and no leading or trailing spaces"
        )),
    }
}

impl Registration {
    /// The registration of an existing client. Its secrets and keys are left out.
    pub fn of(client: &Model) -> Self {
        let grants = words(&client.grants);
        let grant = |word: &String| Grant::from_str(word, false).ok();
        let kinds = words(&client.user_kinds);
        let kind = |word: &String| USER_KINDS.into_iter().find(|kind| kind.as_str() == word);
        Self {
            id: client.client_id.clone(),
            name: client.display_name.clone(),
            public: client.kind == ClientKind::Public,
            grants: grants.iter().filter_map(grant).collect(),
            user_kinds: kinds.iter().filter_map(kind).collect(),
            redirect_uris: words(&client.redirect_uris),
            post_logout_redirect_uris: words(&client.post_logout_redirect_uris),
            cors_origins: words(&client.cors_origins),
            resource_server: client.resource_server_flag,
            forwards_addresses: client.forwards_addresses_flag,
            ..Self::default()
        }
    }

    /// Refuses a client that is unsafe or could do nothing; returns its public keys.
    pub fn check(&self) -> Result<Option<String>, CliError> {
        check_id(&self.id)?;
        self.name.as_deref().map_or(Ok(()), check_display_name)?;
        self.check_grants()?;
        for uri in self.redirect_uris.iter().chain(&self.post_logout_redirect_uris) {
            uris::check_redirect(uri)?;
        }
        for origin in &self.cors_origins {
            uris::check_origin(origin)?;
        }
        if self.forwards_addresses && !self.has(Grant::Password) {
            return refuse("--forwards-addresses is only for clients with --grant password");
        }
        if self.public {
            self.check_public()?;
        } else if !self.cors_origins.is_empty() {
            return refuse("--cors-origin is only for public clients: a page cannot keep a secret");
        }
        self.jwks.as_deref().map(keys::read).transpose()
    }

    fn check_grants(&self) -> Result<(), CliError> {
        let code = self.has(Grant::AuthorizationCode);
        let uris = self.redirect_uris.len() + self.post_logout_redirect_uris.len();
        if code && self.redirect_uris.is_empty() {
            return refuse("--grant authorization_code needs a --redirect-uri");
        }
        if !code && uris > 0 {
            return refuse("redirect URIs are only for clients with --grant authorization_code");
        }
        if !code && !self.has(Grant::Password) {
            if self.has(Grant::RefreshToken) {
                return refuse("--grant refresh_token also needs password or authorization_code");
            }
            if !self.user_kinds.is_empty() {
                return refuse("--user-kind is only for clients with a --grant");
            }
            if !self.resource_server && !self.public {
                return refuse("this client could do nothing: add --grant or --resource-server");
            }
        } else if self.user_kinds.is_empty() {
            return refuse(
                "specify which users this client may log in: add --user-kind core, web, or both",
            );
        }
        Ok(())
    }

    fn check_public(&self) -> Result<(), CliError> {
        if self.secret || self.jwks.is_some() {
            return refuse("a public client cannot have a secret or keys");
        }
        if self.has(Grant::Password) {
            return refuse("--grant password is only for confidential clients");
        }
        if self.resource_server {
            return refuse("--resource-server is only for confidential clients");
        }
        match self.has(Grant::AuthorizationCode) {
            true => Ok(()),
            false => refuse("a public client needs --grant authorization_code"),
        }
    }

    fn has(&self, grant: Grant) -> bool {
        self.grants.contains(&grant)
    }

    /// True unless it authenticates differently, or cannot authenticate.
    pub fn wants_secret(&self) -> bool {
        !self.public && (self.secret || self.jwks.is_none())
    }

    /// The row of this client.
    pub fn row(
        &self,
        secret: Option<&str>,
        public_keys: Option<String>,
        now: Timestamp,
    ) -> ActiveModel {
        let kind = if self.public { ClientKind::Public } else { ClientKind::Confidential };
        ActiveModel {
            client_id: Set(self.id.clone()),
            kind: Set(kind),
            secret_hash1: Set(secret.map(|secret| Secret::new(secret_hash(secret)))),
            secret_hash2: Set(None),
            public_keys: Set(public_keys),
            created_date: Set(now),
            ..self.properties()
        }
    }

    /// The columns that can be changed later, but for the public keys.
    pub fn properties(&self) -> ActiveModel {
        ActiveModel {
            display_name: Set(self.name.clone()),
            redirect_uris: Set(join_unique(self.redirect_uris.iter().map(String::as_str))),
            post_logout_redirect_uris: Set(join_unique(
                self.post_logout_redirect_uris.iter().map(String::as_str),
            )),
            cors_origins: Set(join_unique(self.cors_origins.iter().map(String::as_str))),
            grants: Set(join_unique(self.grants.iter().map(|grant| grant.as_str()))),
            user_kinds: Set(join_unique(self.user_kinds.iter().map(|kind| kind.as_str()))),
            resource_server_flag: Set(self.resource_server),
            forwards_addresses_flag: Set(self.forwards_addresses),
            ..ActiveModel::default()
        }
    }
}

/// Splits a stored list.
pub fn words(list: &str) -> Vec<String> {
    list.split_ascii_whitespace().map(str::to_owned).collect()
}

/// The stored form of a list: each word once, separated by spaces.
fn join_unique<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut unique: Vec<&str> = Vec::new();
    for word in words {
        if !unique.contains(&word) {
            unique.push(word);
        }
    }
    unique.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confidential(grants: &[Grant]) -> Registration {
        Registration {
            id: "app".to_owned(),
            grants: grants.to_vec(),
            user_kinds: vec![UserKind::Core],
            redirect_uris: match grants.contains(&Grant::AuthorizationCode) {
                true => vec!["https://app.example.com/callback".to_owned()],
                false => Vec::new(),
            },
            ..Registration::default()
        }
    }

    fn public() -> Registration {
        Registration { public: true, ..confidential(&[Grant::AuthorizationCode]) }
    }

    fn refusal(client: &Registration) -> String {
        client.check().expect_err("refused").to_string()
    }

    #[test]
    fn clients_in_order_pass() {
        use Grant::{AuthorizationCode, Password, RefreshToken};
        let resource_server =
            Registration { id: "api".to_owned(), resource_server: true, ..Default::default() };
        for client in [
            confidential(&[Password]),
            confidential(&[Password, RefreshToken]),
            confidential(&[AuthorizationCode]),
            public(),
            Registration { cors_origins: vec!["https://app.example.com".to_owned()], ..public() },
            resource_server,
        ] {
            assert_eq!(client.check(), Ok(None), "{client:?}");
        }
    }

    #[test]
    fn an_id_is_a_plain_word() {
        let longest = "x".repeat(100);
        for id in ["a", "A.b_c-9", &longest] {
            let client = Registration { id: id.to_owned(), ..confidential(&[Grant::Password]) };
            assert_eq!(client.check(), Ok(None), "{id}");
        }
        let long = "x".repeat(101);
        for id in ["", "a b", "a:b", "ä", "a/b", "a\n", &long] {
            let client = Registration { id: id.to_owned(), ..confidential(&[Grant::Password]) };
            assert!(refusal(&client).contains("1 to 100 characters"), "{id}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        use Grant::{AuthorizationCode, Password, RefreshToken};
        let uri = || vec!["https://app.example.com/".to_owned()];
        let origin = || vec!["https://app.example.com".to_owned()];
        let password = || confidential(&[Password]);
        let jwks = || Some(PathBuf::from("keys.json"));
        for (client, why) in [
            (confidential(&[]), "--user-kind is only for clients with a --grant"),
            (Registration { user_kinds: vec![], ..confidential(&[]) }, "could do nothing"),
            (Registration { user_kinds: vec![], ..password() }, "--user-kind core, web, or both"),
            (confidential(&[RefreshToken]), "needs password or authorization_code"),
            (
                Registration { redirect_uris: vec![], ..confidential(&[AuthorizationCode]) },
                "needs a --redirect-uri",
            ),
            (Registration { redirect_uris: uri(), ..password() }, "redirect URIs are only for"),
            (
                Registration { post_logout_redirect_uris: uri(), ..password() },
                "redirect URIs are only for",
            ),
            (Registration { cors_origins: origin(), ..password() }, "for public clients"),
            (
                Registration { forwards_addresses: true, ..confidential(&[AuthorizationCode]) },
                "--forwards-addresses is only for clients with --grant password",
            ),
            (
                Registration { public: true, ..password() },
                "password is only for confidential clients",
            ),
            (
                Registration { user_kinds: vec![], public: true, ..confidential(&[]) },
                "a public client needs --grant authorization_code",
            ),
            (Registration { secret: true, ..public() }, "cannot have a secret or keys"),
            (Registration { jwks: jwks(), ..public() }, "cannot have a secret or keys"),
            (Registration { resource_server: true, ..public() }, "--resource-server is only for"),
        ] {
            let message = refusal(&client);
            assert!(message.contains(why), "{message}: {client:?}");
        }
    }

    #[test]
    fn a_secret_is_made_unless_something_else_takes_its_place() {
        let password = || confidential(&[Grant::Password]);
        let jwks = || Some(PathBuf::from("keys.json"));
        assert!(password().wants_secret());
        assert!(!Registration { jwks: jwks(), ..password() }.wants_secret());
        assert!(Registration { jwks: jwks(), secret: true, ..password() }.wants_secret());
        assert!(!public().wants_secret());
    }

    #[test]
    fn a_word_stands_once_in_a_list() {
        assert_eq!(join_unique(["a", "b", "a"].into_iter()), "a b");
    }
}
