//! What each kind of database writes differently.

use crate::time::Timestamp;
use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{ConnectionTrait, DbBackend};

/// True for SQLite: it has one writer at a time, whose transaction locks every row.
pub fn is_embedded(db: &impl ConnectionTrait) -> bool {
    db.get_database_backend() == DbBackend::Sqlite
}

/// Returns an instant as an SQL expression. MariaDB's driver sends one as a TIMESTAMP, which covers 1970 to
/// 2038 only; where an index is used, a value outside that range matches no row.
pub fn literal(db: &impl ConnectionTrait, instant: Timestamp) -> Expr {
    match db.get_database_backend() {
        DbBackend::MySql => Expr::val(instant.0.naive_utc()),
        _ => Expr::val(instant),
    }
}

/// Returns the name of the 64-bit integer, as the type of a cast.
pub fn integer_type(db: &impl ConnectionTrait) -> &'static str {
    match db.get_database_backend() {
        DbBackend::MySql => "signed",
        _ => "bigint",
    }
}

/// Returns the lock that others can hold, too: MariaDB has no FOR SHARE, and SQLite a single writer.
pub fn shared_lock(db: &impl ConnectionTrait) -> LockType {
    match db.get_database_backend() {
        DbBackend::Postgres => LockType::Share,
        _ => LockType::Update,
    }
}

/// Returns SQL for the number in a column of text: NULL unless it is one to five digits. Text that is
/// no number must not reach the cast: PostgreSQL would fail the whole statement.
pub fn digits_as_integer(db: &impl ConnectionTrait, column: &str) -> String {
    let (is_number, integer) = match db.get_database_backend() {
        DbBackend::Postgres => (format!("{column} ~ '^[0-9]{{1,5}}$'"), "integer"),
        DbBackend::MySql => (format!("{column} REGEXP '^[0-9]{{1,5}}$'"), "signed"),
        _ => (
            format!("{column} NOT GLOB '*[^0-9]*' AND length({column}) BETWEEN 1 AND 5"),
            "integer",
        ),
    };
    format!("CASE WHEN {is_number} THEN CAST({column} AS {integer}) END")
}
