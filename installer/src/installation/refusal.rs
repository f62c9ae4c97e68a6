//! Why a command did nothing, in words for the person running it.

use crate::installation::reach::Unreached;
use sea_orm::DbErr;
use shared::db::{self, Fault};
use std::fmt;

/// The reason why a command did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// Refuses with this reason.
pub fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(why.into()))
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Unreached> for Refused {
    fn from(unreached: Unreached) -> Self {
        let Unreached { found, advice } = unreached;
        Self(format!("the database cannot be reached: {found}: {advice}"))
    }
}

impl From<DbErr> for Refused {
    fn from(error: DbErr) -> Self {
        Self(match db::fault(&error) {
            Fault::Contention | Fault::LockTimeout => {
                format!("another transaction is using the same rows, try again: {error}")
            }
            Fault::Unavailable => format!("the database cannot be reached: {error}"),
            Fault::Conflict | Fault::Defect => format!("the database reports an error: {error}"),
        })
    }
}
