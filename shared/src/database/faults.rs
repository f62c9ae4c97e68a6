//! What database errors mean.

use super::galera;
use crate::problem::{Problem, ProblemType};
use sea_orm::sqlx::mysql::MySqlDatabaseError;
use sea_orm::sqlx::postgres::PgDatabaseError;
use sea_orm::sqlx::{self, error::DatabaseError};
use sea_orm::{DbErr, RuntimeErr};
use std::str::FromStr;

fn driver_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

fn database_error(error: &DbErr) -> Option<&dyn DatabaseError> {
    driver_error(error).and_then(|error| error.as_database_error())
}

/// Returns the database's own message, or else the driver's.
pub fn error_message(error: &DbErr) -> String {
    match (database_error(error), driver_error(error)) {
        (Some(error), _) => error.message().to_owned(),
        (None, Some(error)) => error.to_string(),
        (None, None) => error.to_string(),
    }
}

/// Returns the database's own error code: an SQLSTATE, MariaDB's number, or SQLite's result code. Empty
/// for an error that is not the database's.
pub fn error_code(error: &DbErr) -> String {
    let Some(error) = database_error(error) else { return String::new() };
    match error.try_downcast_ref::<MySqlDatabaseError>() {
        Some(error) => error.number().to_string(),
        None => error.code().unwrap_or_default().into_owned(),
    }
}

/// Classification of a database error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Another transaction came first: a retry may succeed.
    Contention,
    /// A lock wait timed out.
    LockTimeout,
    /// The database is unavailable, full, or out of connections.
    Unavailable,
    /// A unique or foreign key constraint rejected the row.
    Conflict,
    /// Anything else: a defect of this product.
    Defect,
}

/// True if the database refused a write because it may not be written, or not by this user.
pub(super) fn is_refused_write(error: &DbErr) -> bool {
    let (DbErr::Exec(_) | DbErr::Query(_)) = error else { return false };
    let Some(error) = database_error(error) else { return false };
    if let Some(error) = error.try_downcast_ref::<MySqlDatabaseError>() {
        return [1142, 1143, 1290, 1792].contains(&error.number());
    }
    let code = error.code().unwrap_or_default();
    match error.try_downcast_ref::<PgDatabaseError>() {
        Some(_) => ["25006", "42501"].contains(&&*code),
        None => i32::from_str(&code).unwrap_or_default() & 0xff == 8,
    }
}

/// Classifies a database error.
pub fn fault(error: &DbErr) -> Fault {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Fault::Unavailable,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            sqlx_fault(error)
        }
        error if galera::is_lost(error) => Fault::Contention,
        _ => Fault::Defect,
    }
}

fn sqlx_fault(error: &sqlx::Error) -> Fault {
    use sqlx::Error;
    match error {
        Error::Io(_)
        | Error::Tls(_)
        | Error::Protocol(_)
        | Error::PoolTimedOut
        | Error::PoolClosed
        | Error::WorkerCrashed => Fault::Unavailable,
        Error::Database(error) => database_fault(error.as_ref()),
        _ => Fault::Defect,
    }
}

fn database_fault(error: &dyn DatabaseError) -> Fault {
    if let Some(error) = error.try_downcast_ref::<MySqlDatabaseError>() {
        return match error.number() {
            1213 | 1020 => Fault::Contention,
            1205 => Fault::LockTimeout,
            1062 | 1451 | 1452 => Fault::Conflict,
            // A node that has lost its cluster (1047), one that is stopping (1053, 1317, 1927), a
            // commit that failed to replicate (1180), too many prepared statements (1461).
            1021 | 1040 | 1041 | 1047 | 1053 | 1114 | 1180 | 1290 | 1317 | 1461 | 1927 => {
                Fault::Unavailable
            }
            _ => Fault::Defect,
        };
    }
    let code = error.code().unwrap_or_default();
    if error.try_downcast_ref::<PgDatabaseError>().is_some() {
        return match &*code {
            "40001" | "40P01" => Fault::Contention,
            "55P03" => Fault::LockTimeout,
            "23505" | "23503" => Fault::Conflict,
            "25006" => Fault::Unavailable,
            code if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => {
                Fault::Unavailable
            }
            _ => Fault::Defect,
        };
    }
    // SQLite: the primary result code is the low byte of the extended one.
    let extended = i32::from_str(&code).unwrap_or_default();
    match (extended & 0xff, extended) {
        (_, 517) => Fault::Contention,
        (5 | 6, _) => Fault::LockTimeout,
        (_, 787 | 1555 | 2067) => Fault::Conflict,
        // Read-only, an I/O error, a damaged file (which a disk's read error counts as), a full disk,
        // and a file that cannot be opened or is no database.
        (8 | 10 | 11 | 13 | 14 | 26, _) => Fault::Unavailable,
        _ => Fault::Defect,
    }
}

impl From<DbErr> for Problem {
    fn from(error: DbErr) -> Self {
        match fault(&error) {
            Fault::Contention | Fault::LockTimeout | Fault::Unavailable => {
                tracing::warn!(%error, "database");
                Self::new(ProblemType::DatabaseUnavailable)
            }
            Fault::Conflict | Fault::Defect => Self::internal(&error),
        }
    }
}

/// True if the connection to a database server was lost: neither the server nor a pool is the reason.
pub(super) fn is_lost(error: &DbErr) -> bool {
    match driver_error(error) {
        Some(sqlx::Error::Io(_) | sqlx::Error::Protocol(_)) => true,
        // Terminated by an administrator, a crash or a shutdown; killed (MariaDB).
        Some(sqlx::Error::Database(_)) => {
            ["57P01", "57P02", "57P05", "1053", "1927"].contains(&error_code(error).as_str())
        }
        _ => false,
    }
}
