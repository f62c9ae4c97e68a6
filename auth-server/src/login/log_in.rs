//! A user proves who he is with a name and a password, at the log-in page or by the password grant.
//!
//! Whatever is wrong (no such user, wrong password, disabled, locked), the answer, the statements
//! and the time it takes are the same; only the audit knows the reason. The lock is judged after the
//! password was checked, so that guesses sent all at once do not get past it.
//!
//! Each source network has places for log-ins at once, and a line of its own where they wait to be
//! judged: however many it sends, the log-ins of others wait for one of each other network. A client that has proved who it is has places and a line by its name, because its users come from
//! one network. Each account has places, too.

use crate::http::oauth_error::{CROWDED_SECONDS, OAuthError};
use crate::http::source::Source;
use crate::login::core_users;
use crate::login::core_users::Login;
use crate::login::lockout::{self, TooMany};
use crate::login::web_users;
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr};
use shared::audit::{self, Kind};
use shared::db;
use shared::entity::log_in_failures;
use shared::fair_queue::FairQueue;
use shared::introspection::UserKind;
use shared::passwords::{Failure, PASSWORD_BYTES_MAX, Passwords, Verdict};
use shared::places::Places;

/// Who wants to log in, by which client.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Where it came from.
    pub source: &'a Source,
    /// The client it is for.
    pub client_id: &'a str,
    /// The client has proved who it is: all its users come from its own network.
    pub by_known_client: bool,
    /// Which kind of user.
    pub kind: UserKind,
    /// What was typed as name.
    pub user_name: &'a str,
    /// What was typed as password.
    pub password: &'a str,
}

/// A user who has proved who he is, and the transaction that holds his credentials still: a
/// password change waits for its end, and then ends what was begun in it.
#[derive(Debug)]
pub struct LoggedIn {
    /// To be committed with whatever the log-in is for.
    pub tx: DatabaseTransaction,
    /// The user, or the web user's contact.
    pub user_id: i64,
}

/// What strangers have this server do: log-ins, and the requests that lead to them.
#[derive(Debug)]
pub struct Strangers {
    sources: Places<String>,
    accounts: Places<String>,
    /// Where they wait for each other, source by source.
    pub lines: FairQueue,
}

impl Default for Strangers {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let lines = FairQueue::new(AT_WORK_PER_CORE * cores, WAITING_MAX);
        Self { sources: Places::default(), accounts: Places::default(), lines }
    }
}

/// What it takes to check a name and a password.
pub struct Authenticator {
    /// The core database.
    pub db: DatabaseConnection,
    /// How passwords are hashed.
    pub passwords: Passwords,
    /// Failures of one network per half hour.
    pub source_failures_max: i32,
    /// What strangers have this server do.
    pub strangers: Strangers,
}

/// Strangers at once, for each core, for whom the database is asked and passwords are checked; and
/// those who wait.
const AT_WORK_PER_CORE: usize = 2;
const WAITING_MAX: usize = 1024;

/// Log-ins of one source network at once, and of one client that has proved who it is.
const OF_NETWORK_MAX: u32 = 32;
const OF_KNOWN_CLIENT_MAX: u32 = 128;
/// Log-ins of one account at once, whether there is such a user or not: they wait for each other in
/// the database.
const OF_ACCOUNT_MAX: u32 = 32;

/// Why nobody was logged in.
#[derive(Debug)]
pub enum Refusal {
    /// The name or the password is wrong, or so it must seem.
    Wrong,
    /// The name or the password is longer than any may be.
    TooLong,
    /// The source network has failed too often.
    TooMany(TooMany),
    /// Too many log-ins of this source network, client or account are under way.
    Crowded,
    /// Too many passwords are being checked.
    Busy,
    /// The database failed.
    Database(DbErr),
}

impl From<DbErr> for Refusal {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<Refusal> for OAuthError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Wrong => Self::invalid_grant("the user name or the password is wrong"),
            Refusal::TooLong => {
                Self::invalid_request("username and password have at most 1024 bytes")
            }
            Refusal::TooMany(too_many) => Self::too_many_failures(too_many.retry_after_seconds),
            Refusal::Crowded => {
                let description = "too many log-ins from your network or under this name at once";
                Self::too_many(description, CROWDED_SECONDS)
            }
            Refusal::Busy => Self::unavailable("too many people are logging in"),
            Refusal::Database(error) => error.into(),
        }
    }
}

/// Checks a name and a password.
pub async fn log_in(
    authenticator: &Authenticator,
    attempt: Attempt<'_>,
) -> Result<LoggedIn, Refusal> {
    let Attempt { kind, user_name, password, .. } = attempt;
    if user_name.len() > PASSWORD_BYTES_MAX || password.len() > PASSWORD_BYTES_MAX {
        return Err(Refusal::TooLong);
    }
    let account = log_in_failures::account(kind, user_name);
    let (line, places_max) = match attempt.by_known_client {
        true => (format!("client {}", attempt.client_id), OF_KNOWN_CLIENT_MAX),
        false => (attempt.source.network(), OF_NETWORK_MAX),
    };
    let strangers = &authenticator.strangers;
    let place = strangers.sources.take(line.clone(), places_max).ok_or(Refusal::Crowded)?;
    let of_account = strangers.accounts.take(account.clone(), OF_ACCOUNT_MAX);
    let _places = (place, of_account.ok_or(Refusal::Crowded)?);
    if let Some(too_many) = lockout::admit(authenticator, attempt.source, &account).await? {
        return Err(Refusal::TooMany(too_many));
    }
    let _turn = strangers.lines.acquire(&line).await.ok_or(Refusal::Busy)?;
    // PostgreSQL refuses U+0000 in text; no stored name holds one.
    let user = match kind {
        _ if user_name.contains('\0') => None,
        UserKind::Core => core_users::find(&authenticator.db, user_name).await?,
        UserKind::Web => web_users::find(&authenticator.db, user_name).await?,
    };
    let hash = user.as_ref().map(|user| &user.password_hash);
    let (verdict, broken) = match authenticator.passwords.verify(password, hash).await {
        Ok(verdict) => (verdict, false),
        Err(Failure::Busy) => return Err(Refusal::Busy),
        // Told to the operators alone: an error of its own would say that there is such a user.
        Err(Failure::Broken(error)) => {
            tracing::error!(error, "a stored password cannot be checked");
            (Verdict::Wrong, true)
        }
    };
    let tx = db::begin_write(&authenticator.db).await?;
    let enabled = hold_credentials(&tx, kind, user.as_ref()).await?;
    let locked = lockout::locked(&tx, &account).await?;
    let reason = match &user {
        None => "unknown_user",
        Some(_) if locked => "locked",
        Some(_) if broken => "broken_hash",
        Some(_) if verdict == Verdict::Wrong || enabled.is_none() => "wrong_password",
        Some(_) if enabled == Some(false) => "disabled",
        Some(user) => {
            welcome(&tx, &attempt, user, verdict, &account).await?;
            return Ok(LoggedIn { tx, user_id: user.user_id });
        }
    };
    refuse(tx, &attempt, user.as_ref(), &account, reason).await?;
    Err(Refusal::Wrong)
}

/// Locks the credentials that were checked and tells whether the user may log in; nothing if they
/// have changed since.
async fn hold_credentials(
    tx: &DatabaseTransaction,
    kind: UserKind,
    user: Option<&Login>,
) -> Result<Option<bool>, DbErr> {
    let nobody = Login::nobody();
    let user = user.unwrap_or(&nobody);
    match kind {
        UserKind::Core => core_users::hold(tx, user).await,
        UserKind::Web => web_users::hold(tx, user).await,
    }
}

async fn welcome(
    tx: &DatabaseTransaction,
    attempt: &Attempt<'_>,
    user: &Login,
    verdict: Verdict,
    account: &str,
) -> Result<(), DbErr> {
    if let Verdict::RightButWeak(hash) = verdict {
        match attempt.kind {
            UserKind::Core => core_users::store_hash(tx, user, hash).await?,
            UserKind::Web => web_users::store_hash(tx, user, hash).await?,
        }
    }
    lockout::forget(tx, account).await?;
    let event = attempt.source.event(Kind::LogIn).client(attempt.client_id);
    event.user(attempt.kind, user.user_id).user_name(attempt.user_name).record(tx).await?;
    tracing::info!(kind = attempt.kind.as_str(), user.user_id, attempt.client_id, "logged in");
    Ok(())
}

async fn refuse(
    tx: DatabaseTransaction,
    attempt: &Attempt<'_>,
    user: Option<&Login>,
    account: &str,
    reason: &'static str,
) -> Result<(), DbErr> {
    let failures = lockout::count_account(&tx, account).await?;
    lockout::count_source(&tx, attempt.source).await?;
    let event = |kind: Kind| {
        let event = attempt.source.event(kind).client(attempt.client_id).reason(reason);
        match user {
            Some(user) => event.user(attempt.kind, user.user_id).user_name(attempt.user_name),
            None => event,
        }
    };
    let mut events = vec![event(Kind::LogInFailed)];
    if failures == lockout::FAILURES_MAX {
        events.push(event(Kind::Locked));
    }
    audit::record(&tx, events).await?;
    tx.commit().await?;
    tracing::info!(kind = attempt.kind.as_str(), reason, attempt.client_id, "log-in refused");
    Ok(())
}
