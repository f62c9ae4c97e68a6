//! Why a command did nothing, in words for the person running it.

use crate::installation::checks::Failure;
use crate::installation::db_probe::DatabaseUnreachable;
use sea_orm::DbErr;
use shared::database::{self, Fault};
use std::fmt;

/// The reason why a command did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError(pub String);

/// Refuses with this reason.
pub fn refuse<T>(why: impl Into<String>) -> Result<T, CliError> {
    Err(CliError(why.into()))
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<DatabaseUnreachable> for CliError {
    fn from(DatabaseUnreachable(Failure { found, advice }): DatabaseUnreachable) -> Self {
        Self(format!("the database cannot be reached: {found}: {advice}"))
    }
}

impl From<DbErr> for CliError {
    fn from(error: DbErr) -> Self {
        Self(match database::fault(&error) {
            Fault::Contention | Fault::LockTimeout => {
                format!("another transaction is using the same rows, try again: {error}")
            }
            Fault::Unavailable => format!("the database cannot be reached: {error}"),
            Fault::Conflict | Fault::Defect => format!("the database reports an error: {error}"),
        })
    }
}
