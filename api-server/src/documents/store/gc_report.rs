//! What a comparison of the store with the database found, or why there was none.

use super::in_one_line;
use object_store::Error;
use sea_orm::DbErr;
use std::fmt::{self, Display};

/// Reason why the store and the database could not be compared.
#[derive(Debug)]
pub enum GcError {
    Store(Error),
    Database(DbErr),
    /// The store belongs to another database.
    OtherOwner,
    /// The store's clock and the database's differ.
    Clocks,
    /// The store has no owner, although the database's store has one.
    NoOwner,
}

impl Display for GcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the object store: {}", in_one_line(error)),
            Self::Database(error) => write!(f, "the database: {error}"),
            Self::OtherOwner => f.write_str(
                "the object store now belongs to another database (this one is a copy, or was \
                 restored from an older dump): nothing is removed; give this database a separate \
                 store, or, if the store belongs to it from now on, run `installer documents \
                 adopt`",
            ),
            Self::Clocks => f.write_str(
                "the clocks of the object store and the database are more than an hour apart: \
                 nothing is removed",
            ),
            Self::NoOwner => f.write_str(
                "this is not the database's object store, which has its name in it: mount it, \
                 correct API_DOCUMENTS, or, if this store belongs to the database from now on, run \
                 `installer documents adopt`",
            ),
        }
    }
}

impl std::error::Error for GcError {}

impl From<Error> for GcError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<DbErr> for GcError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

/// Result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    pub removed: u64,
    /// Objects that could not be removed.
    pub left: u64,
}
