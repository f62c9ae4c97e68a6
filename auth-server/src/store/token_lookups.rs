//! Look-ups of resource servers and of the tokens that they ask about, in batches: one statement
//! each finds the clients, the core users' tokens and the web users' tokens of all requests that
//! arrived while the previous batch was running ([`Coalesced`]).

use crate::http::oauth_error::OAuthError;
use crate::store::active_tokens::{live_tokens, seconds_of};
use crate::store::lifetimes::Lifetimes;
use crate::store::tokens::{AccessToken, TokenKeys};
use futures_util::try_join;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QueryResult,
};
use shared::coalesced::{Coalesced, padded};
use shared::entity::oauth_clients::{Column, Entity, Model};
use shared::introspection::UserKind;
use shared::time::Timestamp;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Most look-ups per batch, and tokens per request for many.
pub const TOKENS_MAX: usize = 64;

/// A look-up of a client and of the token that it asks about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    client_id: String,
    /// Kind of user and stored forms of the token; `None` for a malformed token.
    token: Option<(UserKind, Vec<String>)>,
}

impl Lookup {
    /// Returns the look-up of this client and token.
    pub fn new(keys: &TokenKeys, client_id: &str, token: Option<&str>) -> Self {
        let token = token.and_then(|text| AccessToken::parse(keys, text));
        let token = token.map(|token| (token.kind(), keys.hashes(token.text()).collect()));
        Self { client_id: client_id.to_owned(), token }
    }

    fn hashes(&self) -> &[String] {
        self.token.as_ref().map_or(&[], |(_, hashes)| hashes)
    }
}

/// A client, and the token that it asked about if that is live.
#[derive(Clone, Debug)]
pub struct Found {
    /// The client, not yet authenticated.
    pub client: Arc<Model>,
    /// The live token.
    pub token: Option<LiveToken>,
}

/// A live token and the user it speaks for.
#[derive(Clone, Debug)]
pub struct LiveToken {
    /// Kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub subject_id: i64,
    /// User name.
    pub username: String,
    /// The user holds every privilege.
    pub admin: bool,
    /// The user has the DBA flag.
    pub dba: bool,
    /// Client that the token was issued to.
    pub client_id: String,
    /// Creation time.
    pub created: Timestamp,
    /// Lifetime.
    pub lifetime_seconds: i64,
}

impl LiveToken {
    /// Reads a row of [`live_tokens`]: the token's hash, and the token.
    fn read(row: &QueryResult, kind: UserKind) -> Result<(String, Self), DbErr> {
        let token = Self {
            kind,
            subject_id: row.try_get_by_index(1)?,
            username: row.try_get_by_index(2)?,
            admin: row.try_get_by_index(3)?,
            dba: row.try_get_by_index(4)?,
            client_id: row.try_get_by_index(5)?,
            created: row.try_get_by_index(6)?,
            lifetime_seconds: seconds_of(row, 7)?.unwrap_or_default(),
        };
        Ok((row.try_get_by_index(0)?, token))
    }
}

/// `None`: there is no such client.
type LookupResult = Result<Option<Found>, DbErr>;

/// Looks clients and tokens up in batches.
pub struct TokenLookups(Coalesced<Lookup, LookupResult>);

impl TokenLookups {
    /// Returns the look-ups in this database.
    pub fn new(db: DatabaseConnection, lifetimes: Lifetimes) -> Self {
        Self(Coalesced::new(TOKENS_MAX, move |lookups| {
            let db = db.clone();
            async move { answer(&db, &lifetimes, &lookups).await }
        }))
    }

    /// Finds the client and the token; `None` if there is no such client.
    pub async fn find(&self, lookup: Lookup) -> Result<Option<Found>, OAuthError> {
        match self.0.ask(lookup).await {
            Ok(found) => Ok(found?),
            Err(unanswered) => Err(OAuthError::unavailable(unanswered.to_string())),
        }
    }
}

async fn answer(
    db: &DatabaseConnection,
    lifetimes: &Lifetimes,
    lookups: &[Lookup],
) -> Vec<LookupResult> {
    let found = try_join!(
        find_clients(db, lookups),
        find_tokens(db, lifetimes, UserKind::Core, lookups),
        find_tokens(db, lifetimes, UserKind::Web, lookups),
    );
    let (clients, core_tokens, web_tokens) = match found {
        Ok(found) => found,
        Err(error) => return vec![Err(error); lookups.len()],
    };
    let found = |lookup: &Lookup| {
        let client = Arc::clone(clients.get(&lookup.client_id)?);
        let tokens = |hash| core_tokens.get(hash).or_else(|| web_tokens.get(hash));
        let token = lookup.hashes().iter().find_map(tokens).cloned();
        Some(Found { client, token })
    };
    lookups.iter().map(|lookup| Ok(found(lookup))).collect()
}

/// Finds the clients of these look-ups, by id.
#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
async fn find_clients(
    db: &DatabaseConnection,
    lookups: &[Lookup],
) -> Result<HashMap<String, Arc<Model>>, DbErr> {
    let ids: BTreeSet<&str> = lookups.iter().map(|lookup| lookup.client_id.as_str()).collect();
    let ids = padded(ids.into_iter().collect());
    let clients = Entity::find().filter(Column::ClientId.is_in(ids)).all(db).await?;
    Ok(clients.into_iter().map(|client| (client.client_id.clone(), Arc::new(client))).collect())
}

/// Finds the live ones among the look-ups' tokens of this kind, by hash.
async fn find_tokens(
    db: &DatabaseConnection,
    lifetimes: &Lifetimes,
    kind: UserKind,
    lookups: &[Lookup],
) -> Result<HashMap<String, LiveToken>, DbErr> {
    let tokens = lookups.iter().filter_map(|lookup| lookup.token.as_ref());
    let hashes = tokens.filter(|(of_kind, _)| *of_kind == kind).flat_map(|(_, hashes)| hashes);
    let hashes: Vec<&str> = hashes.map(String::as_str).collect();
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    let select = live_tokens(lifetimes, db.get_database_backend(), kind, padded(hashes));
    let rows = db.query_all(&select).await?;
    rows.iter().map(|row| LiveToken::read(row, kind)).collect()
}
