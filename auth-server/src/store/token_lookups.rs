//! Token look-ups of resource servers, in batches: one statement finds the requesting client and
//! all the tokens it asked for while the previous statement was running ([`Coalesced`]).

use crate::http::oauth_error::OAuthError;
use crate::store::active_tokens::{live_tokens, seconds_of};
use crate::store::lifetimes::Lifetimes;
use crate::store::tokens::{AccessToken, TokenKeys};
use sea_orm::sea_query::{Expr, JoinType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, FromQueryResult,
    Iterable, QueryFilter, QueryResult, QueryTrait,
};
use shared::coalesced::{Coalesced, padded};
use shared::entity::oauth_clients::{self, Model};
use shared::introspection::UserKind;
use shared::time::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// Most tokens per statement, and per request for many.
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

    /// Look-ups with the same client and kind of user are one statement.
    fn group(&self) -> (&str, Option<UserKind>) {
        (&self.client_id, self.token.as_ref().map(|(kind, _)| *kind))
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

/// Columns of a live token, in the order in which [`LiveToken::read`] reads them.
const TOKEN_COLUMNS: [&str; 8] = [
    "token_hash",
    "subject_id",
    "username",
    "admin",
    "dba",
    "token_client_id",
    "created",
    "lifetime_seconds",
];

impl LiveToken {
    /// Reads the token's columns, of which this is the first, and its hash; `None` if the row has no
    /// token.
    fn read(
        row: &QueryResult,
        first: usize,
        kind: UserKind,
    ) -> Result<Option<(String, Self)>, DbErr> {
        let hash: Option<String> = row.try_get_by_index(first)?;
        let Some(hash) = hash else { return Ok(None) };
        let token = Self {
            kind,
            subject_id: row.try_get_by_index(first + 1)?,
            username: row.try_get_by_index(first + 2)?,
            admin: row.try_get_by_index(first + 3)?,
            dba: row.try_get_by_index(first + 4)?,
            client_id: row.try_get_by_index(first + 5)?,
            created: row.try_get_by_index(first + 6)?,
            lifetime_seconds: seconds_of(row, first + 7)?.unwrap_or_default(),
        };
        Ok(Some((hash, token)))
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

/// A client and the live tokens among those looked up, by hash.
struct Group {
    client: Arc<Model>,
    tokens: HashMap<String, LiveToken>,
}

async fn answer(
    db: &DatabaseConnection,
    lifetimes: &Lifetimes,
    lookups: &[Lookup],
) -> Vec<LookupResult> {
    let mut hashes: HashMap<_, Vec<&str>> = HashMap::new();
    for lookup in lookups {
        let hashes = hashes.entry(lookup.group()).or_default();
        hashes.extend(lookup.hashes().iter().map(String::as_str));
    }
    let mut groups = HashMap::new();
    for ((client_id, kind), hashes) in hashes {
        let group = find_group(db, lifetimes, client_id, kind, hashes).await;
        groups.insert((client_id, kind), group);
    }
    let found = |lookup: &Lookup| match &groups[&lookup.group()] {
        Ok(None) => Ok(None),
        Ok(Some(Group { client, tokens })) => {
            let token = lookup.hashes().iter().find_map(|hash| tokens.get(hash));
            Ok(Some(Found { client: Arc::clone(client), token: token.cloned() }))
        }
        Err(error) => Err(error.clone()),
    };
    lookups.iter().map(found).collect()
}

#[expect(clippy::disallowed_methods, reason = "clients are no rows of the resource API")]
async fn find_group(
    db: &DatabaseConnection,
    lifetimes: &Lifetimes,
    client_id: &str,
    kind: Option<UserKind>,
    hashes: Vec<&str>,
) -> Result<Option<Group>, DbErr> {
    let client = oauth_clients::Column::ClientId.eq(client_id);
    let mut select = oauth_clients::Entity::find().filter(client).into_query();
    if let Some(kind) = kind {
        let tokens = live_tokens(lifetimes, db.get_database_backend(), kind, padded(hashes));
        select.columns(TOKEN_COLUMNS.map(|column| ("token", column))).join_subquery(
            JoinType::LeftJoin,
            tokens,
            "token",
            Expr::value(true),
        );
    }
    let rows = db.query_all(&select).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let client = Arc::new(Model::from_query_result(first, "")?);
    let mut tokens = HashMap::new();
    if let Some(kind) = kind {
        let first_column = oauth_clients::Column::iter().count();
        for row in &rows {
            tokens.extend(LiveToken::read(row, first_column, kind)?);
        }
    }
    Ok(Some(Group { client, tokens }))
}
