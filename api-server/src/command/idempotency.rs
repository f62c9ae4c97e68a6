//! Idempotency keys: a request that is sent again has one effect, and gets the same response each
//! time.
//!
//! An effect within the database stores its response in its own transaction ([`in_transaction`]):
//! the key's unique index lets only one of several equal requests commit, and the others find the
//! stored response. A refused request stores nothing.
//!
//! A request whose effects one transaction cannot hold (card payments, imports) claims its key
//! first. The claim is committed before the effect begins, and the effect's own transaction stores
//! the response, only if the claim still belongs to this request. If a process dies, its claim
//! lapses at the end of the lease, and another request may take it over: once the effect has begun,
//! only the same request, which continues it.

pub mod in_transaction;
mod path;
mod responses;

pub use self::responses::{Created, CreatedVersion, Replayable, answer, replayed};

use crate::auth::caller::Caller;
use crate::http::admission::IDEMPOTENCY_KEY;
use aws_lc_rs::digest;
use poem::Request;
use poem::http::StatusCode;
use poem::http::header::HeaderName;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, FromQueryResult,
    QueryFilter, UpdateMany,
};
use shared::database::coalesced::padded;
use shared::database::{self, Contended, Fault, batch};
use shared::entity::idempotency_records::{Column, Entity};
use shared::problem::Problem;
use shared::random::random_bytes;
use shared::time::Timestamp;
use std::time::Duration;

/// How long responses are stored.
pub const RESPONSE_RETENTION_SECONDS: i64 = 24 * 60 * 60;
/// Lease of a claim. An import renews it.
pub const LEASE_SECONDS: i64 = 60;
const RELEASE_ATTEMPTS: usize = 3;
const RELEASE_PAUSE: Duration = Duration::from_secs(1);
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// What identifies a request. A key is for one request of its caller: two requests with equal key
/// hashes are the same request if their fingerprints are equal, too.
pub struct IdempotencyScope {
    /// SHA-256 of the caller's kind and id, and of the `Idempotency-Key`.
    pub(super) key_hash: String,
    /// SHA-256 of the method, the path, and the query and body as sent.
    fingerprint: String,
}

impl IdempotencyScope {
    /// Returns the scope of a request, or `None` if it has no key. `body` is the body as sent, part
    /// by part.
    pub fn of(request: &Request, caller: &Caller, body: &[&[u8]]) -> Result<Option<Self>, Problem> {
        Ok(IdempotencyKey::of(request, caller)?.map(|key| key.scope(body)))
    }
}

/// A request that has a key, before its body is read.
pub struct IdempotencyKey {
    key_hash: String,
    path: String,
    query: String,
}

impl IdempotencyKey {
    /// Returns the request, or `None` if it has no key.
    pub fn of(request: &Request, caller: &Caller) -> Result<Option<Self>, Problem> {
        let Some(key) = key(request)? else { return Ok(None) };
        let query = request.original_uri().query().unwrap_or_default();
        Ok(Some(Self::new(caller, path::of(request)?, &key, query)))
    }

    /// Returns the POST of a caller to this path with this key, which need not have been sent over
    /// HTTP.
    pub fn new(caller: &Caller, path: String, key: &str, query: &str) -> Self {
        let key_hash = sha256(&[caller.subject().as_bytes(), key.as_bytes()]);
        Self { key_hash, path, query: query.to_owned() }
    }

    /// Returns its scope. `body` is the body as sent, part by part.
    pub fn scope(self, body: &[&[u8]]) -> IdempotencyScope {
        let Self { key_hash, path, query } = self;
        let request: [&[u8]; 3] = [b"POST", path.as_bytes(), query.as_bytes()];
        IdempotencyScope { key_hash, fingerprint: sha256(&[&request, body].concat()) }
    }
}

/// Returns the SHA-256, in hexadecimal, of these parts, each preceded by its length.
fn sha256(parts: &[&[u8]]) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    hex::encode(context.finish())
}

/// Returns the key of a request, if it has one: 1 to 255 printable ASCII characters, sent once.
/// Anything else is a 400.
///
/// Read from the headers directly: the framework treats a key that it cannot decode as no key, and
/// the request would silently lose its protection.
fn key(request: &Request) -> Result<Option<String>, Problem> {
    let mut values = request.headers().get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match std::str::from_utf8(value.as_bytes()) {
        Ok(key) if is_key(key) && values.next().is_none() => Ok(Some(key.to_owned())),
        _ => {
            let message = "must be one value of 1 to 255 printable ASCII characters";
            Err(Problem::bad_request("the Idempotency-Key is malformed")
                .field("Idempotency-Key", message))
        }
    }
}

/// True for 1 to 255 printable ASCII characters.
pub fn is_key(text: &str) -> bool {
    let printable = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    printable && (1..=255).contains(&text.len())
}

/// Result of claiming a request.
pub enum ClaimOutcome {
    /// The request is new: execute it and store the response.
    New(Claim),
    /// The request was executed before: replay this response.
    Done(StoredResponse),
}

pub struct StoredResponse {
    /// Names the claim.
    pub key_hash: String,
    pub status: StatusCode,
    /// Its body, byte for byte.
    pub body: String,
}

/// The right to execute a request, as long as the lease holds.
#[derive(Clone)]
pub struct Claim {
    key_hash: String,
    fingerprint: String,
    token: String,
    lease_seconds: i64,
}

/// Reason why a key yields neither the right to execute a request nor a stored response.
#[derive(Debug)]
pub enum KeyError {
    /// The key was used for a different request.
    Mismatch,
    /// The request is still running.
    InProgress,
    /// Another request has just taken the key: a retry will find what it stored.
    Taken,
    Database(DbErr),
}

impl From<DbErr> for KeyError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl Contended for KeyError {
    fn is_contention(&self) -> bool {
        match self {
            Self::Database(error) => error.is_contention(),
            Self::Taken => true,
            Self::Mismatch | Self::InProgress => false,
        }
    }
}

/// Claims a request, or returns its stored response.
pub async fn claim(
    db: &DatabaseConnection,
    scope: &IdempotencyScope,
    lease_seconds: i64,
) -> Result<ClaimOutcome, KeyError> {
    database::retry(|| try_claim(db, scope, lease_seconds)).await
}

async fn try_claim(
    db: &DatabaseConnection,
    scope: &IdempotencyScope,
    lease_seconds: i64,
) -> Result<ClaimOutcome, KeyError> {
    let claim = Claim {
        key_hash: scope.key_hash.clone(),
        fingerprint: scope.fingerprint.clone(),
        token: hex::encode(random_bytes::<16>()),
        lease_seconds,
    };
    if claim.insert(db).await? {
        return Ok(ClaimOutcome::New(claim));
    }
    let Some(stored) = find(db, &[scope]).await?.pop() else {
        // Released between the two statements: the client's next attempt will claim it.
        return Err(KeyError::InProgress);
    };
    if let Some(response) = replay(scope, &stored)? {
        return Ok(ClaimOutcome::Done(response));
    }
    match claim.take_over(db, &stored).await? {
        true => Ok(ClaimOutcome::New(claim)),
        false => Err(KeyError::InProgress),
    }
}

/// Returns the response of a stored row to a request with its key. `None`: the claim has lapsed, or
/// the response has expired, so this request may take its place.
fn replay(
    scope: &IdempotencyScope,
    stored: &StoredKey,
) -> Result<Option<StoredResponse>, KeyError> {
    let is_same_request = stored.fingerprint == scope.fingerprint;
    match (is_same_request, stored.given_up == 1, stored.status, &stored.body) {
        (false, true, None, _) if stored.begun_flag => Err(KeyError::Mismatch),
        (_, true, _, _) => Ok(None),
        (false, false, _, _) => Err(KeyError::Mismatch),
        (true, false, Some(status), Some(body)) => Ok(Some(StoredResponse {
            key_hash: stored.key_hash.clone(),
            status: StatusCode::from_u16(status as u16).unwrap_or(StatusCode::OK),
            body: body.clone(),
        })),
        (true, false, _, _) => Err(KeyError::InProgress),
    }
}

/// Finds the rows of the keys of these requests.
async fn find(
    db: &impl ConnectionTrait,
    scopes: &[&IdempotencyScope],
) -> Result<Vec<StoredKey>, DbErr> {
    let given_up = given_up(db);
    let key_hashes = padded(scopes.iter().map(|scope| scope.key_hash.clone()).collect());
    let select = Query::select()
        .columns([
            Column::KeyHash,
            Column::Fingerprint,
            Column::ClaimToken,
            Column::BegunFlag,
            Column::Status,
            Column::Body,
        ])
        .expr_as(Expr::case(given_up, 1).finally(0), "given_up")
        .from(Entity)
        .and_where(Column::KeyHash.is_in(key_hashes))
        .take();
    let rows = db.query_all(&select).await?;
    rows.iter().map(|row| StoredKey::from_query_result(row, "")).collect()
}

/// Returns the time at which the lease of a pending claim ends, or `None` if there is no pending
/// claim.
pub async fn held_until(
    db: &impl ConnectionTrait,
    scope: &IdempotencyScope,
) -> Result<Option<Timestamp>, DbErr> {
    let select = Query::select()
        .column(Column::LeaseUntil)
        .from(Entity)
        .and_where(Column::KeyHash.eq(scope.key_hash.as_str()))
        .and_where(Column::Status.is_null())
        .take();
    let row = db.query_one(&select).await?;
    row.map(|row| row.try_get("", "lease_until")).transpose()
}

/// True for a claim whose lease has lapsed, and for a stored response that has expired.
fn given_up(db: &impl ConnectionTrait) -> Expr {
    let lapsed = Column::Status.is_null().and(Column::LeaseUntil.into_expr().lt(database::now(db)));
    lapsed.or(is_past_retention(db))
}

/// True if the retention period is over. It is counted from the time of the response, however long
/// the request took: storing the response sets `lease_until` anew.
fn is_past_retention(db: &impl ConnectionTrait) -> Expr {
    Column::LeaseUntil
        .into_expr()
        .lt(database::seconds_ago(db, Expr::value(RESPONSE_RETENTION_SECONDS)))
}

/// A stored row: a claim, or a response.
#[derive(FromQueryResult)]
struct StoredKey {
    key_hash: String,
    fingerprint: String,
    claim_token: String,
    /// True once the request has done part of its work: until it ends, its key serves no other.
    begun_flag: bool,
    status: Option<i32>,
    body: Option<String>,
    /// 1 if another request may take its place.
    given_up: i32,
}

impl Claim {
    /// Names the claim.
    pub fn key_hash(&self) -> &str {
        &self.key_hash
    }

    /// Fingerprint of the request for which it was made.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Length of its lease, from each renewal.
    pub fn lease_seconds(&self) -> i64 {
        self.lease_seconds
    }

    async fn insert(&self, db: &DatabaseConnection) -> Result<bool, DbErr> {
        let insert = batch::insert_values(
            Entity,
            [
                (Column::KeyHash, self.key_hash.as_str().into()),
                (Column::Fingerprint, self.fingerprint.as_str().into()),
                (Column::ClaimToken, self.token.as_str().into()),
                (Column::LeaseUntil, self.lease_until(db)),
                (Column::BegunFlag, false.into()),
                (Column::CreatedDate, database::now(db)),
            ],
        );
        match db.execute(&insert).await {
            Ok(_) => Ok(true),
            Err(error) if database::fault(&error) == Fault::Conflict => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Takes over a claim whose lease has lapsed, or the row of an expired response. The update
    /// repeats these conditions: a request that outlived its lease may have stored its response, or
    /// renewed the lease, since the row was read.
    async fn take_over(&self, db: &DatabaseConnection, stored: &StoredKey) -> Result<bool, DbErr> {
        let update = Entity::update_many()
            .col_expr(Column::ClaimToken, self.token.as_str().into())
            .col_expr(Column::Fingerprint, self.fingerprint.as_str().into())
            .col_expr(Column::LeaseUntil, self.lease_until(db))
            .col_expr(Column::BegunFlag, (stored.begun_flag && stored.status.is_none()).into())
            .col_expr(Column::CreatedDate, database::now(db))
            .col_expr(Column::Status, Expr::value(None::<i32>))
            .col_expr(Column::Body, Expr::value(None::<String>))
            .filter(Column::KeyHash.eq(stored.key_hash.as_str()))
            .filter(Column::ClaimToken.eq(stored.claim_token.as_str()))
            .filter(given_up(db));
        Ok(update.exec(db).await?.rows_affected == 1)
    }

    fn lease_until(&self, db: &impl ConnectionTrait) -> Expr {
        database::seconds_from_now(db, self.lease_seconds)
    }

    /// The row of the claim, as long as it belongs to this request and has no response.
    fn own_row(&self) -> Expr {
        let own = Column::KeyHash.eq(self.key_hash.as_str());
        own.and(Column::ClaimToken.eq(self.token.as_str())).and(Column::Status.is_null())
    }

    /// Stores the response, within the effect's own transaction if it has one. Fails, and the
    /// effect with it, if the lease ran out and another request took the claim over.
    pub async fn complete(
        &self,
        db: &impl ConnectionTrait,
        status: StatusCode,
        body: &str,
    ) -> Result<(), KeyError> {
        let update = Entity::update_many()
            .col_expr(Column::Status, i32::from(status.as_u16()).into())
            .col_expr(Column::Body, body.into());
        self.extend(db, update).await
    }

    /// Records that part of the work is done, in the transaction that does it. From then on the key
    /// serves no other request until this one has ended. Renews the lease, and fails as
    /// [`Self::renew`] does.
    pub async fn mark_begun(&self, tx: &impl ConnectionTrait) -> Result<(), KeyError> {
        self.extend(tx, Entity::update_many().col_expr(Column::BegunFlag, true.into())).await
    }

    /// Renews the lease, within the effect's own transaction or outside it. Fails if the lease ran
    /// out and another request took the claim over: then the request must stop.
    pub async fn renew(&self, db: &impl ConnectionTrait) -> Result<(), KeyError> {
        self.extend(db, Entity::update_many()).await
    }

    async fn extend(
        &self,
        db: &impl ConnectionTrait,
        update: UpdateMany<Entity>,
    ) -> Result<(), KeyError> {
        let update = update.col_expr(Column::LeaseUntil, self.lease_until(db));
        match update.filter(self.own_row()).exec(db).await?.rows_affected {
            1 => Ok(()),
            _ => Err(KeyError::InProgress),
        }
    }

    /// Releases the key after a refusal, so that the client may send another request under it. True
    /// if it was released. There are two cases in which it is not. If part of the work is done,
    /// only the lease ends, and the same request resumes the work. If the response was stored after
    /// all, because only the acknowledgement of the commit was lost, the same request gets that
    /// response.
    pub async fn release(&self, db: &DatabaseConnection) -> bool {
        for _ in 1..RELEASE_ATTEMPTS {
            if let Ok(released) = self.try_release(db).await {
                return released;
            }
            // If the database went away, its connections are broken: the next attempt gets a new
            // one.
            tokio::time::sleep(RELEASE_PAUSE).await;
        }
        self.try_release(db).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "an idempotency key is held until its lease ends");
            false
        })
    }

    async fn try_release(&self, db: &DatabaseConnection) -> Result<bool, DbErr> {
        let unbegun = Entity::delete_many().filter(self.own_row());
        let deleted = unbegun.filter(Column::BegunFlag.eq(false)).exec(db).await?;
        if deleted.rows_affected > 0 {
            return Ok(true);
        }
        let a_second_ago = database::seconds_ago(db, Expr::value(1_i64));
        let update = Entity::update_many().col_expr(Column::LeaseUntil, a_second_ago);
        update.filter(self.own_row()).exec(db).await.map(|_| false)
    }
}

/// Frees these keys for other requests, although the work that was begun under them has no stored
/// response.
pub async fn free(db: &impl ConnectionTrait, key_hashes: SelectStatement) -> Result<(), DbErr> {
    let free = Entity::update_many().col_expr(Column::BegunFlag, false.into());
    let begun = Column::BegunFlag.eq(true).and(Column::KeyHash.in_subquery(key_hashes));
    free.filter(begun).exec(db).await.map(drop)
}

/// Deletes expired responses. Claims of work that has begun are kept until it is done: if the
/// request started over, that part would be done twice.
pub async fn sweep(db: &DatabaseConnection) -> Result<u64, DbErr> {
    let oldest = database::seconds_ago(db, Expr::value(RESPONSE_RETENTION_SECONDS));
    // The creation date of the claim has an index.
    let old = Column::CreatedDate.into_expr().lt(oldest).and(is_past_retention(db));
    let ended = Column::Status.is_not_null().or(Column::BegunFlag.eq(false));
    let deleted = Entity::delete_many().filter(old.and(ended)).exec(db).await?;
    Ok(deleted.rows_affected)
}
