//! Batched look-ups of resource servers and the tokens that they introspect: one statement, at most
//! three, serves all requests that arrived while the previous batch was running ([`Coalesced`]).

use crate::http::oauth_error::OAuthError;
use crate::store::active_tokens::live_tokens;
use crate::store::lifetimes::Lifetimes;
use crate::store::lifetimes::seconds_of;
use crate::store::tokens::{AccessToken, TokenKeys};
use futures_util::try_join;
use sea_orm::sea_query::{Asterisk, Expr, JoinType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, QueryFilter,
    QueryResult, QueryTrait,
};
use shared::database::coalesced::{BatchLimits, Coalesced, padded};
use shared::database::reads::ReadPool;
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
pub struct ClientAndToken {
    /// The client, not yet authenticated.
    pub client: Arc<Model>,
    pub token: Option<LiveToken>,
}

/// A live token and the user it speaks for.
#[derive(Clone, Debug)]
pub struct LiveToken {
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
    pub created: Timestamp,
    pub lifetime_seconds: i64,
}

impl LiveToken {
    /// Reads the columns of [`live_tokens`], which begin at this one with the token's hash.
    fn read(row: &QueryResult, first: usize, kind: UserKind) -> Result<Self, DbErr> {
        Ok(Self {
            kind,
            subject_id: row.try_get_by_index(first + 1)?,
            username: row.try_get_by_index(first + 2)?,
            admin: row.try_get_by_index(first + 3)?,
            dba: row.try_get_by_index(first + 4)?,
            client_id: row.try_get_by_index(first + 5)?,
            created: row.try_get_by_index(first + 6)?,
            lifetime_seconds: seconds_of(row, first + 7)?.unwrap_or_default(),
        })
    }
}

/// `None`: there is no such client.
type LookupResult = Result<Option<ClientAndToken>, DbErr>;

/// Looks clients and tokens up in batches.
pub struct TokenLookups(Coalesced<Lookup, LookupResult>);

impl TokenLookups {
    /// Returns the look-ups in this database.
    pub fn new(db: ReadPool, lifetimes: Lifetimes) -> Self {
        Self(Coalesced::new(BatchLimits::of_reads(TOKENS_MAX), move |lookups| {
            let db = db.clone();
            async move { answer(&db, &lifetimes, &lookups).await }
        }))
    }

    /// Finds the client and the token; `None` if there is no such client.
    pub async fn find(&self, lookup: Lookup) -> Result<Option<ClientAndToken>, OAuthError> {
        match self.0.ask(lookup).await {
            Ok(found) => Ok(found?),
            Err(unanswered) => Err(OAuthError::unavailable(unanswered.to_string())),
        }
    }
}

type Clients = HashMap<String, Arc<Model>>;
type Tokens = HashMap<String, LiveToken>;

async fn answer(db: &ReadPool, lifetimes: &Lifetimes, lookups: &[Lookup]) -> Vec<LookupResult> {
    let (clients, tokens) = match read(db, lifetimes, lookups).await {
        Ok(found) => found,
        Err(error) => return vec![Err(error); lookups.len()],
    };
    let found = |lookup: &Lookup| {
        let client = Arc::clone(clients.get(&lookup.client_id)?);
        let token = lookup.hashes().iter().find_map(|hash| tokens.get(hash)).cloned();
        Some(ClientAndToken { client, token })
    };
    lookups.iter().map(|lookup| Ok(found(lookup))).collect()
}

/// Reads the clients of these look-ups by id, and the live ones of their tokens by hash.
async fn read(
    db: &ReadPool,
    lifetimes: &Lifetimes,
    lookups: &[Lookup],
) -> Result<(Clients, Tokens), DbErr> {
    let ids: BTreeSet<&str> = lookups.iter().map(|lookup| lookup.client_id.as_str()).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let hashes_of = |kind| -> Vec<&str> {
        let tokens = lookups.iter().filter_map(|lookup| lookup.token.as_ref());
        let tokens = tokens.filter(|(of_kind, _)| *of_kind == kind);
        tokens.flat_map(|(_, hashes)| hashes).map(String::as_str).collect()
    };
    let (core, web) = (hashes_of(UserKind::Core), hashes_of(UserKind::Web));
    match (&ids[..], core.is_empty(), web.is_empty()) {
        // As a rule one client asks, about tokens of one kind.
        ([id], false, true) => read_together(db, lifetimes, id, UserKind::Core, core).await,
        ([id], true, false) => read_together(db, lifetimes, id, UserKind::Web, web).await,
        _ => {
            let (clients, mut tokens, web_tokens) = try_join!(
                read_clients(db, ids),
                read_tokens(db, lifetimes, UserKind::Core, core),
                read_tokens(db, lifetimes, UserKind::Web, web),
            )?;
            tokens.extend(web_tokens);
            Ok((clients, tokens))
        }
    }
}

/// Reads a client and tokens of one kind in one statement.
#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
async fn read_together(
    db: &ReadPool,
    lifetimes: &Lifetimes,
    client_id: &str,
    kind: UserKind,
    hashes: Vec<&str>,
) -> Result<(Clients, Tokens), DbErr> {
    let tokens = live_tokens(lifetimes, db, kind, padded(hashes));
    let mut select = Entity::find().filter(Column::ClientId.eq(client_id)).into_query();
    select.column(("token", Asterisk)).join_subquery(
        JoinType::LeftJoin,
        tokens,
        "token",
        Expr::value(true),
    );
    let (mut clients, mut tokens) = (Clients::new(), Tokens::new());
    let first_column = Column::iter().count();
    for row in &db.query_all(&select).await? {
        if clients.is_empty() {
            let client = Model::from_query_result(row, "")?;
            clients.insert(client.client_id.clone(), Arc::new(client));
        }
        let hash: Option<String> = row.try_get_by_index(first_column)?;
        if let Some(hash) = hash {
            tokens.insert(hash, LiveToken::read(row, first_column, kind)?);
        }
    }
    Ok((clients, tokens))
}

#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
async fn read_clients(db: &ReadPool, ids: Vec<&str>) -> Result<Clients, DbErr> {
    let clients = Entity::find().filter(Column::ClientId.is_in(padded(ids))).all(db).await?;
    Ok(clients.into_iter().map(|client| (client.client_id.clone(), Arc::new(client))).collect())
}

async fn read_tokens(
    db: &ReadPool,
    lifetimes: &Lifetimes,
    kind: UserKind,
    hashes: Vec<&str>,
) -> Result<Tokens, DbErr> {
    if hashes.is_empty() {
        return Ok(Tokens::new());
    }
    let select = live_tokens(lifetimes, db, kind, padded(hashes));
    let rows = db.query_all(&select).await?;
    rows.iter().map(|row| Ok((row.try_get_by_index(0)?, LiveToken::read(row, 0, kind)?))).collect()
}
