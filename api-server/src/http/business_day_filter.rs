//! Business day filter: selects rows by the business day of a timestamp.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbBackend};
use shared::time::{Clock, Day, Timestamp};

/// Most days before today that a filter may name.
pub const DAYS_BACK_MAX: i32 = 36_500;

/// Returns the condition for rows whose timestamp falls on one of these business days, inclusive.
pub fn within(
    db: &impl ConnectionTrait,
    clock: &Clock,
    column: impl ColumnTrait,
    from: Option<Day>,
    to: Option<Day>,
) -> Condition {
    let instant = |instant| literal(db.get_database_backend(), instant);
    let begin = from.map(|Day(day)| clock.start_of(day));
    let end = to.and_then(|Day(day)| clock.end_of(day));
    Condition::all()
        .add_option(begin.map(|begin| column.into_expr().gte(instant(begin))))
        .add_option(end.map(|end| column.into_expr().lt(instant(end))))
}

/// Formats a timestamp as the column stores it. The MariaDB driver sends a timestamp value as a
/// TIMESTAMP, which covers 1970 to 2038 only; where MariaDB uses an index, a value outside that
/// range matches no row.
pub fn literal(backend: DbBackend, instant: Timestamp) -> Expr {
    match backend {
        DbBackend::MySql => Expr::val(instant.0.naive_utc()),
        _ => Expr::val(instant),
    }
}
