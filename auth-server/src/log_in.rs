//! A user proves who he is with a name and a password, at the log-in page or by the password grant.
//!
//! Whatever is wrong (no such user, wrong password, disabled, locked), the answer, the statements
//! and the time it takes are the same; only the audit knows the reason. The lock is judged after the
//! password was checked, so that guesses sent all at once do not get past it.

use crate::app::App;
use crate::core_users::Login;
use crate::lockout::{self, TooMany};
use crate::source::Source;
use crate::{core_users, web_users};
use sea_orm::{DatabaseTransaction, DbErr};
use shared::audit::{self, Kind};
use shared::db;
use shared::entity::log_in_failures;
use shared::introspection::UserKind;
use shared::passwords::{Failure, PASSWORD_BYTES_MAX, Verdict};

/// Who wants to log in, by which client.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Where it came from.
    pub source: &'a Source,
    /// The client it is for.
    pub client_id: &'a str,
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

/// Why nobody was logged in.
#[derive(Debug)]
pub enum Refusal {
    /// The name or the password is wrong, or so it must seem.
    Wrong,
    /// The name or the password is longer than any may be.
    TooLong,
    /// The source network has failed too often.
    TooMany(TooMany),
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

/// Checks a name and a password.
pub async fn log_in(app: &App, attempt: Attempt<'_>) -> Result<LoggedIn, Refusal> {
    let Attempt { kind, user_name, password, .. } = attempt;
    if user_name.len() > PASSWORD_BYTES_MAX || password.len() > PASSWORD_BYTES_MAX {
        return Err(Refusal::TooLong);
    }
    let account = log_in_failures::account(kind, user_name);
    if let Some(too_many) = lockout::admit(app, attempt.source, &account).await? {
        return Err(Refusal::TooMany(too_many));
    }
    // PostgreSQL refuses U+0000 in text; no stored name holds one.
    let user = match kind {
        _ if user_name.contains('\0') => None,
        UserKind::Core => core_users::find(&app.db, user_name).await?,
        UserKind::Web => web_users::find(&app.db, user_name).await?,
    };
    let hash = user.as_ref().map(|user| &user.password_hash);
    let (verdict, broken) = match app.passwords.verify(password, hash).await {
        Ok(verdict) => (verdict, false),
        Err(Failure::Busy) => return Err(Refusal::Busy),
        // Told to the operators alone: an error of its own would say that there is such a user.
        Err(Failure::Broken(error)) => {
            tracing::error!(error, "a stored password cannot be checked");
            (Verdict::Wrong, true)
        }
    };
    let tx = db::begin_write(&app.db).await?;
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
