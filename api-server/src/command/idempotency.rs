//! Requests that are sent again: one effect, and the same answer each time.
//!
//! A claim is committed before the effect begins. The effect's own transaction keeps the answer,
//! and only while the claim is still its own; so there is never an effect without an answer to
//! replay, nor two effects. A process that dies leaves a claim that is given up after its lease.

mod answers;
mod path;

pub use self::answers::{Created, CreatedVersion, Replayable, answer, replayed};

use crate::auth::caller::Caller;
use crate::http::admission::KEY;
use aws_lc_rs::digest;
use poem::Request;
use poem::http::StatusCode;
use poem::http::header::HeaderName;
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, QueryFilter,
};
use shared::db::{self, Contended, Fault};
use shared::entity::idempotency_records::{Column, Entity};
use shared::entity::{gateway_payments, import_records, import_runs};
use shared::problem::Problem;
use shared::random::random_bytes;
use shared::time::Timestamp;
use std::time::Duration;

/// How long answers are kept.
pub const KEPT_SECONDS: i64 = 24 * 60 * 60;
/// How long a claim on an ordinary request holds.
pub const LEASE_SECONDS: i64 = 60;
/// How long a claim on an import holds.
pub const IMPORT_LEASE_SECONDS: i64 = 10 * 60;
/// Tries to give a key back.
const FREE_TRIES: usize = 3;
/// The pause between them.
const FREE_PAUSE: Duration = Duration::from_secs(1);
/// The header of an answer that was kept.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// What makes two requests the same one.
pub struct Scope {
    /// The caller's kind and id.
    pub subject: String,
    /// The operation's path with its ids, however the client spelt them. The method is always POST.
    pub path: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// SHA-256 of query and body as sent.
    pub fingerprint: String,
}

impl Scope {
    /// The scope of a request that has a key. `body` is what was sent, part by part.
    pub fn of(request: &Request, caller: &Caller, body: &[&[u8]]) -> Result<Option<Self>, Problem> {
        Ok(Keyed::of(request, caller)?.map(|keyed| keyed.scope(body)))
    }

    /// Names the claim, whatever was sent under it.
    pub fn hash(&self) -> String {
        let Self { subject, path, key, .. } = self;
        fingerprint(&[subject.as_bytes(), b"POST", path.as_bytes(), key.as_bytes()])
    }

    /// Names caller and key, wherever it was sent: one key is for one request.
    fn key_hash(&self) -> String {
        fingerprint(&[self.subject.as_bytes(), self.key.as_bytes()])
    }
}

/// A request that has a key, and whose body is still to be read.
pub struct Keyed {
    subject: String,
    path: String,
    key: String,
    query: String,
}

impl Keyed {
    /// The request, if it has a key.
    pub fn of(request: &Request, caller: &Caller) -> Result<Option<Self>, Problem> {
        let Some(key) = key(request)? else { return Ok(None) };
        let query = request.original_uri().query().unwrap_or_default();
        Ok(Some(Self::new(caller, path::of(request)?, key, query)))
    }

    /// The request of a caller who has this key, and need not have sent it over HTTP.
    pub fn new(caller: &Caller, path: String, key: String, query: &str) -> Self {
        Self { subject: caller.subject(), path, key, query: query.to_owned() }
    }

    /// Its scope, with the body as it was sent, part by part.
    pub fn scope(self, body: &[&[u8]]) -> Scope {
        let fingerprint = fingerprint(&[&[self.query.as_bytes()], body].concat());
        Scope { subject: self.subject, path: self.path, key: self.key, fingerprint }
    }
}

/// SHA-256 in hexadecimal over these parts, each behind its length.
fn fingerprint(parts: &[&[u8]]) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    hex::encode(context.finish())
}

/// The key of a request, if it has one: 1 to 255 printable ASCII characters, once; else 400.
///
/// Read from the headers themselves: the framework takes a key it cannot decode for none, and the
/// request would lose its protection without a word.
fn key(request: &Request) -> Result<Option<String>, Problem> {
    let mut values = request.headers().get_all(KEY).iter();
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

/// What to do with a request.
pub enum Claimed {
    /// It is new: do it, and keep the answer.
    New(Claim),
    /// It was done before: this was the answer.
    Done(Kept),
}

/// An answer that was kept.
pub struct Kept {
    /// Names the claim.
    pub scope_hash: String,
    /// Its status.
    pub status: StatusCode,
    /// Its body, byte for byte.
    pub body: String,
}

/// The right to carry out a request, as long as the lease holds.
pub struct Claim {
    scope_hash: String,
    key_hash: String,
    fingerprint: String,
    token: String,
    lease_seconds: i64,
}

/// Why a key gives no right to carry out a request, and no answer either.
#[derive(Debug)]
pub enum KeyError {
    /// It stands for another request.
    Mismatch,
    /// The request is under way.
    InProgress,
    /// The database did not say.
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
            Self::Mismatch | Self::InProgress => false,
        }
    }
}

/// Claims a request, or finds its answer.
pub async fn claim(
    db: &DatabaseConnection,
    scope: &Scope,
    lease_seconds: i64,
) -> Result<Claimed, KeyError> {
    db::again(|| try_claim(db, scope, lease_seconds)).await
}

async fn try_claim(
    db: &DatabaseConnection,
    scope: &Scope,
    lease_seconds: i64,
) -> Result<Claimed, KeyError> {
    let claim = Claim {
        scope_hash: scope.hash(),
        key_hash: scope.key_hash(),
        fingerprint: scope.fingerprint.clone(),
        token: hex::encode(random_bytes::<16>()),
        lease_seconds,
    };
    if claim.insert(db).await? {
        return Ok(Claimed::New(claim));
    }
    let Some(found) = claim.find(db).await? else {
        // Freed between the two statements: the client's next try will get it.
        return Err(KeyError::InProgress);
    };
    let other = found.scope_hash != claim.scope_hash || found.fingerprint != claim.fingerprint;
    if found.given_up {
        if other && found.status.is_none() && is_half_done(db, &found.scope_hash).await? {
            return Err(KeyError::Mismatch);
        }
        return match claim.take_over(db, &found).await? {
            true => Ok(Claimed::New(claim)),
            false => Err(KeyError::InProgress),
        };
    }
    if other {
        return Err(KeyError::Mismatch);
    }
    match (found.status, found.body) {
        (Some(status), Some(body)) => {
            let status = StatusCode::from_u16(status as u16).unwrap_or(StatusCode::OK);
            Ok(Claimed::Done(Kept { scope_hash: claim.scope_hash, status, body }))
        }
        _ => Err(KeyError::InProgress),
    }
}

/// When a claim that somebody holds will be given up; `None` if nobody holds one.
pub async fn held_until(
    db: &impl ConnectionTrait,
    scope: &Scope,
) -> Result<Option<Timestamp>, DbErr> {
    let select = Query::select()
        .column(Column::LeaseUntil)
        .from(Entity)
        .and_where(Column::ScopeHash.eq(scope.hash()))
        .and_where(Column::Status.is_null())
        .take();
    let row = db.query_one(&select).await?;
    row.map(|row| row.try_get("", "lease_until")).transpose()
}

/// True for a request without an answer that has left something behind: records of an import, or a
/// payment at the gateway. Its key is for nothing else.
async fn is_half_done(db: &DatabaseConnection, scope_hash: &str) -> Result<bool, DbErr> {
    let mut imports = held_by_imports();
    imports.and_where(import_runs::Column::ScopeHash.eq(scope_hash));
    let mut payments = held_by_payments();
    payments.and_where(gateway_payments::Column::ScopeHash.eq(scope_hash));
    Ok(db.query_one(&imports).await?.is_some() || db.query_one(&payments).await?.is_some())
}

/// The keys of unfinished imports that have done a part of their work.
fn held_by_imports() -> SelectStatement {
    use import_runs::Column::{CommittedFlag, ImportId, ScopeHash};
    let of_run = (import_records::Entity, import_records::Column::ImportId);
    let records = Query::select()
        .expr(Expr::value(1))
        .from(import_records::Entity)
        .and_where(Expr::col(of_run).equals((import_runs::Entity, ImportId)))
        .take();
    Query::select()
        .column(ScopeHash)
        .from(import_runs::Entity)
        .and_where(CommittedFlag.is_null())
        .and_where(Expr::exists(records))
        .take()
}

/// The keys of card payments: of those on their way, and of those that were over a day ago at most.
fn held_by_payments() -> SelectStatement {
    use gateway_payments::{Column, Entity};
    let held = Column::ScopeHash.is_not_null();
    Query::select().column(Column::ScopeHash).from(Entity).and_where(held).take()
}

/// True for a claim whose lease has lapsed, and for an answer that is no longer kept.
fn given_up(backend: DbBackend) -> Expr {
    let lapsed = Column::Status.is_null().and(Column::LeaseUntil.into_expr().lt(db::now(backend)));
    lapsed.or(kept_no_longer(backend))
}

/// Counted from when the answer was given: the lease is held until then, however long it takes.
fn kept_no_longer(backend: DbBackend) -> Expr {
    Column::LeaseUntil.into_expr().lt(db::seconds_ago(backend, Expr::value(KEPT_SECONDS)))
}

struct Found {
    scope_hash: String,
    fingerprint: String,
    token: String,
    status: Option<i32>,
    body: Option<String>,
    given_up: bool,
}

impl Claim {
    /// Names the claim.
    pub fn scope_hash(&self) -> &str {
        &self.scope_hash
    }

    /// SHA-256 of the query and body it was made for.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// How long it holds each time.
    pub fn lease_seconds(&self) -> i64 {
        self.lease_seconds
    }

    async fn insert(&self, db: &DatabaseConnection) -> Result<bool, DbErr> {
        let backend = db.get_database_backend();
        let columns = [
            Column::ScopeHash,
            Column::KeyHash,
            Column::Fingerprint,
            Column::ClaimToken,
            Column::LeaseUntil,
            Column::CreatedDate,
        ];
        let insert = Query::insert()
            .into_table(Entity)
            .columns(columns)
            .values_panic([
                self.scope_hash.as_str().into(),
                self.key_hash.as_str().into(),
                self.fingerprint.as_str().into(),
                self.token.as_str().into(),
                self.lease_until(db),
                db::now(backend),
            ])
            .take();
        match db.execute(&insert).await {
            Ok(_) => Ok(true),
            Err(error) if db::fault(&error) == Fault::Conflict => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The row of this request, or of another one under this key. Rows of earlier releases have no
    /// `key_hash`: where each is in a row of its own, this request's is the one.
    async fn find(&self, db: &DatabaseConnection) -> Result<Option<Found>, DbErr> {
        let given_up = given_up(db.get_database_backend());
        let own = Column::ScopeHash.eq(self.scope_hash.as_str());
        let select = Query::select()
            .columns([
                Column::ScopeHash,
                Column::Fingerprint,
                Column::ClaimToken,
                Column::Status,
                Column::Body,
            ])
            .expr_as(Expr::case(given_up, 1).finally(0), "given_up")
            .from(Entity)
            .and_where(own.clone().or(Column::KeyHash.eq(self.key_hash.as_str())))
            .order_by_expr(Expr::case(own, 0).finally(1).into(), Order::Asc)
            .limit(1)
            .take();
        let Some(row) = db.query_one(&select).await? else { return Ok(None) };
        Ok(Some(Found {
            scope_hash: row.try_get("", "scope_hash")?,
            fingerprint: row.try_get("", "fingerprint")?,
            token: row.try_get("", "claim_token")?,
            status: row.try_get("", "status")?,
            body: row.try_get("", "body")?,
            given_up: row.try_get::<i32>("", "given_up")? == 1,
        }))
    }

    /// Makes a claim that was given up, or an answer that is no longer kept, this request's own.
    /// Whoever outlived his lease may have kept his answer, or held on, since the claim was found.
    async fn take_over(&self, db: &DatabaseConnection, found: &Found) -> Result<bool, DbErr> {
        let backend = db.get_database_backend();
        let update = Entity::update_many()
            .col_expr(Column::ClaimToken, self.token.as_str().into())
            .col_expr(Column::ScopeHash, self.scope_hash.as_str().into())
            .col_expr(Column::Fingerprint, self.fingerprint.as_str().into())
            .col_expr(Column::LeaseUntil, self.lease_until(db))
            .col_expr(Column::CreatedDate, db::now(backend))
            .col_expr(Column::Status, Expr::value(None::<i32>))
            .col_expr(Column::Body, Expr::value(None::<String>))
            .filter(Column::ScopeHash.eq(found.scope_hash.as_str()))
            .filter(Column::ClaimToken.eq(found.token.as_str()))
            .filter(given_up(backend));
        match update.exec(db).await {
            Ok(updated) => Ok(updated.rows_affected == 1),
            // Claimed meanwhile in a row of its own.
            Err(error) if db::fault(&error) == Fault::Conflict => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn lease_until(&self, db: &impl ConnectionTrait) -> Expr {
        db::seconds_ago(db.get_database_backend(), Expr::value(-self.lease_seconds))
    }

    fn own(&self, token: &str) -> Expr {
        Column::ScopeHash.eq(self.scope_hash.as_str()).and(Column::ClaimToken.eq(token))
    }

    /// Keeps the answer, within the effect's own transaction where it has one. Fails, and with it the effect, when
    /// the lease ran out and another request took the claim over.
    pub async fn keep(
        &self,
        db: &impl ConnectionTrait,
        status: StatusCode,
        body: &str,
    ) -> Result<(), KeyError> {
        let update = Entity::update_many()
            .col_expr(Column::Status, i32::from(status.as_u16()).into())
            .col_expr(Column::Body, body.into())
            .col_expr(Column::LeaseUntil, self.lease_until(db))
            .filter(self.own(&self.token).and(Column::Status.is_null()));
        match update.exec(db).await?.rows_affected {
            1 => Ok(()),
            _ => Err(KeyError::InProgress),
        }
    }

    /// Holds the claim for longer, within the effect's own transaction or beside it. Fails when the
    /// lease ran out and another request took the claim over: then nothing more may be done.
    pub async fn hold(&self, db: &impl ConnectionTrait) -> Result<(), KeyError> {
        let update = Entity::update_many()
            .col_expr(Column::LeaseUntil, self.lease_until(db))
            .filter(self.own(&self.token).and(Column::Status.is_null()));
        match update.exec(db).await?.rows_affected {
            1 => Ok(()),
            _ => Err(KeyError::InProgress),
        }
    }

    /// Gives the key back after a refusal: the client may send something else under it. Where part
    /// of the work is done, or where the answer may be kept after all because only its commit was
    /// not acknowledged, the same request goes on or is answered instead. True if it was given back.
    pub async fn free(&self, db: &DatabaseConnection) -> bool {
        let mut tries = 1;
        loop {
            match self.try_free(db).await {
                Ok(freed) => return freed,
                Err(error) if tries == FREE_TRIES => {
                    tracing::warn!(%error, "an idempotency key is held until its lease ends");
                    return false;
                }
                Err(_) => tries += 1,
            }
            // A database that went away takes its connections along: the next try has a new one.
            tokio::time::sleep(FREE_PAUSE).await;
        }
    }

    async fn try_free(&self, db: &DatabaseConnection) -> Result<bool, DbErr> {
        let own = || self.own(&self.token).and(Column::Status.is_null());
        if !is_half_done(db, &self.scope_hash).await? {
            return Ok(Entity::delete_many().filter(own()).exec(db).await?.rows_affected > 0);
        }
        let a_second_ago = db::seconds_ago(db.get_database_backend(), Expr::value(1_i64));
        let update = Entity::update_many().col_expr(Column::LeaseUntil, a_second_ago).filter(own());
        update.exec(db).await.map(|_| false)
    }
}

/// Removes answers that are no longer kept. What is half done is remembered until it is done: begun anew, it would be done twice.
pub async fn sweep(db: &DatabaseConnection) -> Result<u64, DbErr> {
    let backend = db.get_database_backend();
    let oldest = db::seconds_ago(backend, Expr::value(KEPT_SECONDS));
    let in_parts = Column::ScopeHash.in_subquery(held_by_imports());
    let at_gateway = Column::ScopeHash.in_subquery(held_by_payments());
    // The day of the claim has an index.
    let old = Column::CreatedDate.into_expr().lt(oldest).and(kept_no_longer(backend));
    let swept = Entity::delete_many()
        .filter(old)
        .filter(Column::Status.is_not_null().or(in_parts.or(at_gateway).not()))
        .exec(db)
        .await?;
    Ok(swept.rows_affected)
}
