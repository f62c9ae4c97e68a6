//! Drawer counts (reconciliations): the counted amounts against the balances. The counted amounts
//! become the balances, and the rows up to then are frozen.

use super::ledger::Movement;
use super::{Drawer, DrawerError};
use crate::auth::caller::Caller;
use crate::http::bounded_string::{LongString, checked};
use poem_openapi::Object;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::amounts::{AmountText, Money};
use shared::entity::cash_drawer_reconciliations::{self as counts, ReconciliationStatus};
use shared::entity::cash_drawer_transactions::{self as entries, DrawerTransactionType, Tender};
use shared::entity::cash_drawers;
use shared::interface_names;
use shared::json_columns::{Denomination, Denominations};
use shared::problem::InvalidValue;
use shared::time::Timestamp;
use std::collections::HashSet;

/// Maximum number of denominations: more than any currency has.
const DENOMINATIONS_MAX: usize = 100;

/// A reconciliation to be posted: the result of counting a drawer.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewReconciliation {
    /// Cash counted: zero or more.
    pub counted_cash: AmountText,
    /// Total of the checks counted: zero or more.
    pub counted_check: AmountText,
    /// Notes and coins counted, up to 100 denominations, each once. They sum to `Counted_Cash`.
    pub denominations: Option<Vec<NewDenomination>>,
    /// Comment on the count, up to 64 KiB.
    pub comment: Option<LongString>,
    /// Ends the session of the drawer's active user, so that the next assigned user can work with
    /// it.
    pub close_drawer: Option<bool>,
}

/// Notes or coins of one denomination.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewDenomination {
    /// Value of a single note or coin, above zero.
    pub value: AmountText,
    /// Number of notes or coins: zero or more.
    pub count: i32,
}

/// A count that passed the checks that need no database.
#[derive(Clone, Debug)]
pub struct Count {
    cash: Money,
    check: Money,
    denominations: Denominations,
    comment: Option<String>,
    ends_session: bool,
}

impl NewReconciliation {
    /// Runs the checks that need no database, and returns the count.
    pub fn count(self) -> Result<Count, InvalidValue> {
        let comment = checked("Comment", self.comment)?;
        let cash = counted("Counted_Cash", &self.counted_cash)?;
        let check = counted("Counted_Check", &self.counted_check)?;
        let denominations = match self.denominations {
            None => Denominations::default(),
            Some(denominations) => add_up(&denominations, cash)?,
        };
        let ends_session = self.close_drawer.unwrap_or(false);
        Ok(Count { cash, check, denominations, comment, ends_session })
    }
}

fn counted(field: &str, amount: &AmountText) -> Result<Money, InvalidValue> {
    match amount.posted() {
        Ok(amount) if amount < Money::ZERO => Err(InvalidValue::new(field, "must not be negative")),
        Ok(amount) => Ok(amount),
        Err(error) => Err(InvalidValue::new(field, error.to_string())),
    }
}

/// Checks the denominations, and that they sum to the cash.
fn add_up(list: &[NewDenomination], cash: Money) -> Result<Denominations, InvalidValue> {
    let refused = |message: String| Err(InvalidValue::new("Denominations", message));
    if list.len() > DENOMINATIONS_MAX {
        return refused(format!("may list at most {DENOMINATIONS_MAX} values"));
    }
    let (mut seen, mut sum) = (HashSet::new(), 0_i128);
    let mut denominations = Vec::with_capacity(list.len());
    for NewDenomination { value, count } in list {
        let value = match value.posted() {
            Ok(value) if value.is_positive() => value,
            Ok(value) => return refused(format!("the value {value} is not above zero")),
            Err(error) => return refused(format!("a value {error}")),
        };
        if *count < 0 {
            return refused(format!("the count of {value} must not be negative"));
        }
        if !seen.insert(value) {
            return refused(format!("the value {value} is listed twice"));
        }
        sum += i128::from(value.units()) * i128::from(*count);
        denominations.push(Denomination { value, count: *count });
    }
    match Money::from_wide_units(sum) {
        Ok(sum) if sum == cash => Ok(Denominations(denominations)),
        Ok(sum) => refused(format!("sum to {sum}, not to Counted_Cash {cash}")),
        Err(error) => refused(format!("cannot be summed: {error}")),
    }
}

/// Compares the amounts counted in a drawer that the caller may see with its balances, enters the
/// differences, and freezes all rows that no earlier count froze.
pub async fn reconcile(
    tx: &DatabaseTransaction,
    caller: &Caller,
    now: Timestamp,
    drawer_id: i64,
    count: &Count,
) -> Result<counts::Model, DrawerError> {
    let mut drawer = Drawer::lock(tx, caller, drawer_id).await?;
    // A count is not a posting: it makes no one the active user.
    drawer.becomes_active = false;
    let (expected_cash, expected_check) = (drawer.row.cash_balance, drawer.row.check_balance);
    let over_short_cash = count.cash.minus(expected_cash)?;
    let over_short_check = count.check.minus(expected_check)?;
    let row = counts::ActiveModel {
        drawer_id: Set(drawer_id),
        user_id: Set(drawer.user_id),
        reconciled_date: Set(now),
        expected_cash: Set(expected_cash),
        counted_cash: Set(count.cash),
        expected_check: Set(expected_check),
        counted_check: Set(count.check),
        over_short_cash: Set(over_short_cash),
        over_short_check: Set(over_short_check),
        denominations: Set(count.denominations.clone()),
        status: Set(status(over_short_cash, over_short_check)),
        comment: Set(count.comment.clone()),
        ..Default::default()
    };
    let reconciliation_id = counts::Entity::insert(row).exec(tx).await?.last_insert_id;
    for (tender, amount) in [(Tender::Cash, over_short_cash), (Tender::Check, over_short_check)] {
        if !amount.is_zero() {
            let transaction_type = DrawerTransactionType::OverShort;
            let movement = Movement { transaction_type, tender, amount, now };
            drawer.enter(tx, movement, entries::ActiveModel::default()).await?;
        }
    }
    use entries::Column::{DrawerId, ReconciliationId};
    entries::Entity::update_many()
        .col_expr(ReconciliationId, Expr::value(reconciliation_id))
        .filter(DrawerId.eq(drawer_id))
        .filter(ReconciliationId.is_null())
        .exec(tx)
        .await?;
    cash_drawers::Entity::update_many()
        .col_expr(cash_drawers::Column::LastReconciledDate, Expr::value(now))
        .filter(cash_drawers::Column::DrawerId.eq(drawer_id))
        .exec(tx)
        .await?;
    if count.ends_session {
        drawer.end_session(tx, now).await?;
    }
    Ok(caller.get::<counts::Entity>(tx, reconciliation_id).await?)
}

fn status(cash: Money, check: Money) -> ReconciliationStatus {
    let over = cash.is_positive() || check.is_positive();
    let short = cash < Money::ZERO || check < Money::ZERO;
    match (over, short) {
        (false, false) => ReconciliationStatus::Balanced,
        (true, false) => ReconciliationStatus::Over,
        (false, true) => ReconciliationStatus::Short,
        (true, true) => ReconciliationStatus::Mixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denominations(list: &[(&str, i32)]) -> Vec<NewDenomination> {
        let denomination = |(value, count): &(&str, i32)| NewDenomination {
            value: value.parse().unwrap(),
            count: *count,
        };
        list.iter().map(denomination).collect()
    }

    #[test]
    fn denominations_must_add_up_exactly() {
        let sum = |list: &[(&str, i32)], cash: &str| {
            add_up(&denominations(list), cash.parse().unwrap()).map_err(|refused| refused.message)
        };
        assert!(sum(&[("20.00", 3), ("0.25", 1), ("0.01", 0)], "60.25").is_ok());
        assert!(sum(&[], "0.00").is_ok());
        for (list, cash, expected) in [
            (&[("20.00", 3)][..], "60.01", "sum to 60.00, not to Counted_Cash 60.01"),
            (&[], "0.01", "sum to 0.00"),
            (&[("20.00", 1), ("20.0", 2)], "60.00", "20.00 is listed twice"),
            (&[("20.00", -1)], "0.00", "20.00 must not be negative"),
            (&[("0.00", 1)], "0.00", "0.00 is not above zero"),
            (&[("-5.00", 1)], "0.00", "-5.00 is not above zero"),
            (&[("0.005", 200)], "1.00", "has too many decimals"),
            (&[("900000000000000", i32::MAX)], "1.00", "exceeds what the service can store"),
        ] {
            let refused = sum(list, cash).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
        let many: Vec<_> = (1..=101).map(|cents| (format!("{cents}.00"), 0)).collect();
        let many: Vec<_> = many.iter().map(|(value, count)| (value.as_str(), *count)).collect();
        assert!(sum(&many[..100], "0.00").is_ok());
        assert!(sum(&many, "0.00").unwrap_err().contains("at most 100"));
    }

    #[test]
    fn a_count_is_over_or_short_per_tender() {
        let status_of = |cash: i64, check: i64| {
            let cents = |cents| Money::from_cents(cents).unwrap();
            status(cents(cash), cents(check))
        };
        use ReconciliationStatus::{Balanced, Mixed, Over, Short};
        assert_eq!(
            [status_of(0, 0), status_of(1, 0), status_of(0, 1), status_of(1, 1)],
            [Balanced, Over, Over, Over]
        );
        assert_eq!([status_of(-1, 0), status_of(0, -1), status_of(-1, -1)], [Short; 3]);
        assert_eq!([status_of(1, -1), status_of(-1, 1)], [Mixed; 2]);
    }
}
