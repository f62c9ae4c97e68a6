//! Password verification, for the log-in page and for the password grant.
//!
//! Whatever the reason for a refusal (unknown user, wrong password, disabled, locked), the
//! response, the SQL statements and the time taken are the same; only the audit trail records the
//! reason. The lock is checked after the password, so a burst of concurrent guesses cannot get past
//! it.
//!
//! Each source network has a concurrency limit for log-ins and a separate queue. The queues are
//! served round-robin, so a busy network delays another network's log-in by at most one of its own. An
//! authenticated client that does not name its users' addresses has a separate limit and queue, because
//! all of them come from its network. Each account has a concurrency limit, too.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::{CONCURRENCY_RETRY_SECONDS, OAuthError};
use crate::login::core_users;
use crate::login::core_users::Login;
use crate::login::lockout::{self, TooMany};
use crate::login::web_users;
use governor::Quota;
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr};
use shared::audit::{self, EventKind};
use shared::database;
use shared::entity::log_in_failures;
use shared::fair_queue::FairQueue;
use shared::introspection::UserKind;
use shared::keyed_permits::KeyedPermits;
use shared::passwords::{Failure, PASSWORD_BYTES_MAX, Passwords, Verdict};
use shared::rate_limit::KeyedRateLimiter;
use std::num::NonZeroU32;
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct LoginAttempt<'a> {
    /// Source of the request, or the one that a client names.
    pub source: &'a ClientAddress,
    /// Client that the log-in is for.
    pub client_id: &'a str,
    /// The source is that of an authenticated client, and so of all its users.
    pub is_shared_source: bool,
    pub kind: UserKind,
    /// User name as typed.
    pub user_name: &'a str,
    pub password: &'a str,
}

/// An authenticated user, and the transaction that locks their credentials: a password change waits
/// for it to end, and then ends the sessions begun in it.
#[derive(Debug)]
pub struct LoggedIn {
    /// To be committed together with what the log-in is for.
    pub tx: DatabaseTransaction,
    /// The user, or the web user's contact.
    pub user_id: i64,
}

/// Limits on unauthenticated work: log-ins, and the authorization requests that lead to them.
#[derive(Debug)]
pub struct AnonymousLimits {
    sources: KeyedPermits<String>,
    accounts: KeyedPermits<String>,
    /// The queue in which they wait, one line per source.
    pub queue: FairQueue,
}

impl Default for AnonymousLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let queue = FairQueue::new(CONCURRENT_PER_CORE * cores, WAITING_MAX);
        Self { sources: KeyedPermits::default(), accounts: KeyedPermits::default(), queue }
    }
}

/// Verifies user names and passwords.
pub struct Authenticator {
    pub db: DatabaseConnection,
    pub passwords: Passwords,
    /// Failures allowed per network and half hour.
    pub source_failures_max: i32,
    /// Limits on unauthenticated work.
    pub anonymous_limits: AnonymousLimits,
    /// Rate of failed log-ins through each client that does not name its users' addresses.
    client_failures: KeyedRateLimiter,
    /// Failed log-ins that are being slowed down, by client.
    slowed: KeyedPermits<String>,
}

impl Authenticator {
    /// Returns an authenticator that allows each network this many failures per half hour, and each
    /// client that many before it is slowed down.
    pub fn new(db: DatabaseConnection, passwords: Passwords, source_failures_max: u32) -> Self {
        let failures = NonZeroU32::new(source_failures_max).unwrap_or(NonZeroU32::MIN);
        let interval = lockout::LOCK_TIME / failures.get();
        let quota = Quota::with_period(interval).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        Self {
            db,
            passwords,
            source_failures_max: i32::try_from(source_failures_max).unwrap_or(i32::MAX),
            anonymous_limits: AnonymousLimits::default(),
            client_failures: KeyedRateLimiter::new(quota.allow_burst(failures)),
            slowed: KeyedPermits::default(),
        }
    }

    /// Delays the response to a wrong password if too many were sent through this client. Right ones
    /// are answered without delay.
    async fn slow_down(&self, client_id: &str) -> Result<(), LoginRefusal> {
        if self.client_failures.check(client_id).is_ok() {
            return Ok(());
        }
        let permit = self.slowed.take(client_id.to_owned(), SLOWED_MAX);
        let _permit = permit.ok_or(LoginRefusal::TooManyConcurrent)?;
        tokio::time::sleep(SLOW_DOWN).await;
        Ok(())
    }
}

/// Unauthenticated requests served concurrently per core (database queries and password checks),
/// and how many may wait.
const CONCURRENT_PER_CORE: usize = 2;
const WAITING_MAX: usize = 1024;

/// Concurrent log-ins of one source network, and of one authenticated client.
const PER_NETWORK_MAX: u32 = 32;
const PER_CLIENT_MAX: u32 = 128;
/// How much longer the response to a wrong password takes through a client with too many of them, and
/// how many such responses it may wait for.
const SLOW_DOWN: Duration = Duration::from_secs(2);
const SLOWED_MAX: u32 = 64;
/// Concurrent log-ins of one account, whether or not the user exists: they wait for each other in
/// the database.
const PER_ACCOUNT_MAX: u32 = 32;

/// Why a log-in was refused.
#[derive(Debug)]
pub enum LoginRefusal {
    /// The user name or password is wrong, or has to appear so.
    WrongCredentials,
    /// The user name or password is too long.
    TooLong,
    /// The source network has failed too often.
    TooMany(TooMany),
    /// Too many log-ins of this source network, client or account are in progress.
    TooManyConcurrent,
    /// Too many passwords are being checked.
    Busy,
    Database(DbErr),
}

impl From<DbErr> for LoginRefusal {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<LoginRefusal> for OAuthError {
    fn from(refusal: LoginRefusal) -> Self {
        match refusal {
            LoginRefusal::WrongCredentials => {
                Self::invalid_grant("the user name or password is incorrect")
            }
            LoginRefusal::TooLong => {
                Self::invalid_request("username and password may have at most 1024 bytes each")
            }
            LoginRefusal::TooMany(too_many) => {
                Self::too_many_failures(too_many.retry_after_seconds)
            }
            LoginRefusal::TooManyConcurrent => {
                let description = "too many concurrent log-ins from your network or for this user";
                Self::too_many(description, CONCURRENCY_RETRY_SECONDS)
            }
            LoginRefusal::Busy => Self::unavailable("too many log-ins are in progress"),
            LoginRefusal::Database(error) => error.into(),
        }
    }
}

/// Verifies a user name and password. On success the credentials stay locked in the returned
/// transaction.
pub async fn log_in(
    authenticator: &Authenticator,
    attempt: LoginAttempt<'_>,
) -> Result<LoggedIn, LoginRefusal> {
    let logged_in = verify(authenticator, attempt).await;
    // Here, no permit and no transaction is held.
    if attempt.is_shared_source && matches!(logged_in, Err(LoginRefusal::WrongCredentials)) {
        authenticator.slow_down(attempt.client_id).await?;
    }
    logged_in
}

async fn verify(
    authenticator: &Authenticator,
    attempt: LoginAttempt<'_>,
) -> Result<LoggedIn, LoginRefusal> {
    let LoginAttempt { kind, user_name, password, .. } = attempt;
    if user_name.len() > PASSWORD_BYTES_MAX || password.len() > PASSWORD_BYTES_MAX {
        return Err(LoginRefusal::TooLong);
    }
    let account = log_in_failures::account(kind, user_name);
    let (queue_key, permits_max) = match attempt.is_shared_source {
        true => (format!("client {}", attempt.client_id), PER_CLIENT_MAX),
        false => (attempt.source.network(), PER_NETWORK_MAX),
    };
    let limits = &authenticator.anonymous_limits;
    let source_permit = limits
        .sources
        .take(queue_key.clone(), permits_max)
        .ok_or(LoginRefusal::TooManyConcurrent)?;
    let account_permit = limits.accounts.take(account.clone(), PER_ACCOUNT_MAX);
    let _permits = (source_permit, account_permit.ok_or(LoginRefusal::TooManyConcurrent)?);
    let own_source = (!attempt.is_shared_source).then_some(attempt.source);
    if let Some(too_many) =
        lockout::admit(&authenticator.db, authenticator.source_failures_max, own_source, &account)
            .await?
    {
        return Err(LoginRefusal::TooMany(too_many));
    }
    let _queue_permit = limits.queue.acquire(&queue_key).await.ok_or(LoginRefusal::Busy)?;
    let mut checked = check(authenticator, attempt).await?;
    if checked.verdict != Verdict::Wrong && checked.enabled.is_none() {
        // A concurrent log-in has replaced a weak hash, or the password has been changed.
        checked.tx.rollback().await?;
        checked = check(authenticator, attempt).await?;
    }
    let CheckedPassword { tx, user, verdict, is_unverifiable, enabled } = checked;
    let locked = lockout::locked(&tx, &account).await?;
    let reason = match &user {
        None => "unknown_user",
        Some(_) if locked => "locked",
        Some(_) if is_unverifiable => "broken_hash",
        Some(_) if verdict == Verdict::Wrong || enabled.is_none() => "wrong_password",
        Some(_) if enabled == Some(false) => "disabled",
        Some(user) => {
            record_success(&tx, &attempt, user, &account).await?;
            if verdict == Verdict::RightButWeak {
                replace_hash(authenticator, attempt, user);
            }
            return Ok(LoggedIn { tx, user_id: user.user_id });
        }
    };
    record_failure(tx, &attempt, user.as_ref(), &account, reason).await?;
    Err(LoginRefusal::WrongCredentials)
}

/// A password that was verified, and the transaction that locks its user's credentials.
struct CheckedPassword {
    tx: DatabaseTransaction,
    user: Option<Login>,
    verdict: Verdict,
    is_unverifiable: bool,
    /// Whether the user may log in; `None` if the credentials have changed since.
    enabled: Option<bool>,
}

async fn check(
    authenticator: &Authenticator,
    LoginAttempt { kind, user_name, password, .. }: LoginAttempt<'_>,
) -> Result<CheckedPassword, LoginRefusal> {
    // PostgreSQL rejects U+0000 in text; no stored name has one.
    let user = match kind {
        _ if user_name.contains('\0') => None,
        UserKind::Core => {
            database::once_more(|| core_users::find(&authenticator.db, user_name)).await?
        }
        UserKind::Web => {
            database::once_more(|| web_users::find(&authenticator.db, user_name)).await?
        }
    };
    let hash = user.as_ref().map(|user| &user.password_hash);
    let (verdict, is_unverifiable) = match authenticator.passwords.verify(password, hash).await {
        Ok(verdict) => (verdict, false),
        Err(Failure::Busy) => return Err(LoginRefusal::Busy),
        // Reported to the operators only: a separate error would reveal that the user exists.
        Err(Failure::Broken(error)) => {
            tracing::error!(error, "a stored password hash cannot be verified");
            (Verdict::Wrong, true)
        }
    };
    let tx = database::begin_write(&authenticator.db).await?;
    let enabled = lock_credentials(&tx, kind, user.as_ref()).await?;
    Ok(CheckedPassword { tx, user, verdict, is_unverifiable, enabled })
}

/// Replaces the hash of a user who has logged in by one that is as strong as the settings require, in
/// a task of its own: neither the response nor the lock on the credentials waits for it.
fn replace_hash(authenticator: &Authenticator, attempt: LoginAttempt<'_>, user: &Login) {
    let (passwords, db) = (authenticator.passwords.clone(), authenticator.db.clone());
    let (kind, password, user) = (attempt.kind, attempt.password.to_owned(), user.clone());
    tokio::spawn(async move {
        let replaced = async {
            let hash = &passwords.hash(&password).await?;
            let stored = database::write(&db, async |tx| match kind {
                UserKind::Core => core_users::replace_hash(tx, &user, hash).await,
                UserKind::Web => web_users::replace_hash(tx, &user, hash).await,
            });
            stored.await.map_err(|error: DbErr| error.to_string())
        };
        if let Err(error) = replaced.await {
            tracing::warn!(error, "a weak password hash was not replaced; the next log-in will");
        }
    });
}

/// Locks the verified credentials. Returns whether the user may log in; `None` if the credentials
/// have changed since.
async fn lock_credentials(
    tx: &DatabaseTransaction,
    kind: UserKind,
    user: Option<&Login>,
) -> Result<Option<bool>, DbErr> {
    let placeholder = Login::placeholder();
    let user = user.unwrap_or(&placeholder);
    match kind {
        UserKind::Core => core_users::lock(tx, user).await,
        UserKind::Web => web_users::lock(tx, user).await,
    }
}

async fn record_success(
    tx: &DatabaseTransaction,
    attempt: &LoginAttempt<'_>,
    user: &Login,
    account: &str,
) -> Result<(), DbErr> {
    lockout::clear(tx, account).await?;
    let event = attempt.source.event(EventKind::LogIn).client(attempt.client_id);
    event.user(attempt.kind, user.user_id).user_name(attempt.user_name).record(tx).await?;
    tracing::info!(kind = attempt.kind.as_str(), user.user_id, attempt.client_id, "logged in");
    Ok(())
}

async fn record_failure(
    tx: DatabaseTransaction,
    attempt: &LoginAttempt<'_>,
    user: Option<&Login>,
    account: &str,
    reason: &'static str,
) -> Result<(), DbErr> {
    let failures = lockout::count_account(&tx, account).await?;
    if !attempt.is_shared_source {
        lockout::count_source(&tx, attempt.source).await?;
    }
    let event = |kind: EventKind| {
        let event = attempt.source.event(kind).client(attempt.client_id).reason(reason);
        match user {
            Some(user) => event.user(attempt.kind, user.user_id).user_name(attempt.user_name),
            None => event,
        }
    };
    let mut events = vec![event(EventKind::LogInFailed)];
    if failures == lockout::FAILURES_MAX {
        events.push(event(EventKind::Locked));
    }
    audit::record(&tx, events).await?;
    database::commit(tx).await?;
    tracing::info!(kind = attempt.kind.as_str(), reason, attempt.client_id, "log-in refused");
    Ok(())
}
