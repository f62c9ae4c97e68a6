//! Business day filter: selects rows by the business day of a timestamp.

use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait};
use shared::database;
use shared::time::{Clock, Day};

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
    let instant = |instant| database::literal(db, instant);
    let begin = from.map(|Day(day)| clock.start_of(day));
    let end = to.and_then(|Day(day)| clock.end_of(day));
    Condition::all()
        .add_option(begin.map(|begin| column.into_expr().gte(instant(begin))))
        .add_option(end.map(|end| column.into_expr().lt(instant(end))))
}
