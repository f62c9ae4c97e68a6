//! Choosing rows by the business day of an instant.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbBackend};
use shared::time::{Clock, Day, Timestamp};

/// Rows whose instant falls on one of these business days, both included.
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

/// An instant as the column holds it. MariaDB takes what its driver calls a timestamp for one
/// between 1970 and 2038, and where it uses an index, it finds no row with any other.
fn literal(backend: DbBackend, instant: Timestamp) -> Expr {
    match backend {
        DbBackend::MySql => Expr::val(instant.0.naive_utc()),
        _ => Expr::val(instant),
    }
}
