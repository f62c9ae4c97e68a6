//! Keyset pages of a search: rows in the order of a sort key, then of the id, from several branches
//! that are each read in that order through an index of its own, and then merged.
//!
//! A cursor holds the sort key and the id of the page's last row, and nothing else.

use super::pagination::{Cursor, Page, invalid_cursor};
use chrono::NaiveDate;
use sea_orm::sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement, UnionType};
use sea_orm::{Condition, ConnectionTrait, DbErr, QueryResult};
use shared::database;
use shared::problem::Problem;
use shared::time::{Day, Timestamp};
use std::fmt;

/// What rows are sorted by, before their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// Nothing: by id alone.
    Id,
    Date(&'static str),
    /// An instant.
    Time(&'static str),
    /// A text, by code point.
    Text(&'static str),
}

impl SortKey {
    /// Its name as the value of the parameter `order`.
    fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Date(name) | Self::Time(name) | Self::Text(name) => name,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyValue {
    Id(i64),
    Date(NaiveDate),
    Time(Timestamp),
    Text(String),
}

impl fmt::Display for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Date(date) => date.fmt(f),
            Self::Time(instant) => instant.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// The place of a row in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPosition {
    key: KeyValue,
    /// Id of the row.
    pub id: i64,
}

impl RowPosition {
    /// Returns the cursor after the row.
    pub fn cursor(&self) -> Cursor {
        match self.key {
            KeyValue::Id(id) => Cursor::new(&[&id]),
            _ => Cursor::new(&[&self.key, &self.id]),
        }
    }
}

/// Returns a column for a criterion. Unless it is `indexed`, it is in a form for which no index is
/// used: a branch of an officer is read through the index of the officer, and not through one in
/// which the rows of all officers are.
pub fn criterion(column: Expr, indexed: bool) -> Expr {
    match indexed {
        true => column,
        false => Func::coalesce([column.clone(), column]).into(),
    }
}

/// An order, and the position after which a page begins.
#[derive(Clone, Debug)]
pub struct Keyset {
    sort_key: SortKey,
    descending: bool,
    after: Option<RowPosition>,
    rows_max: u64,
}

impl Keyset {
    /// Reads the order and the cursor of a request. `order` may be the sort key's name, or the same
    /// after `-` for the reverse; anything else is 400, and so is a cursor of another order.
    pub fn new(page: &Page, sort_key: SortKey, order: Option<&str>) -> Result<Self, Problem> {
        let name = sort_key.name();
        let descending = match order {
            None => false,
            Some(order) if order == name => false,
            Some(order) if order.strip_prefix('-') == Some(name) => true,
            Some(_) => {
                let message = format!("must be {name} or -{name} with these parameters");
                return Err(
                    Problem::bad_request("a parameter is malformed").field("order", message)
                );
            }
        };
        let after = position_after(page, sort_key)?;
        Ok(Self { sort_key, descending, after, rows_max: page.rows_to_fetch() })
    }

    /// Returns the order of a first page of this many rows.
    pub fn first_page(sort_key: SortKey, rows_max: u64) -> Self {
        Self { sort_key, descending: false, after: None, rows_max }
    }

    pub fn continue_after(&mut self, position: RowPosition) {
        self.after = Some(position);
    }

    /// Completes a branch, which has tables and conditions, with its columns, order and limit.
    /// `key` must not be NULL in any of its rows.
    pub fn branch(
        &self,
        mut rows: SelectStatement,
        key: Expr,
        id: Expr,
        db: &impl ConnectionTrait,
    ) -> SelectStatement {
        rows.expr_as(key.clone(), "sort_key").expr_as(id.clone(), "row_id");
        self.put_in_order(&mut rows, key, id, db);
        rows
    }

    /// Puts the rows of a statement in this order, begins after the position, and limits their
    /// number. `key` must not be NULL in any of them.
    pub fn put_in_order(
        &self,
        rows: &mut SelectStatement,
        key: Expr,
        id: Expr,
        db: &impl ConnectionTrait,
    ) {
        let order = self.direction();
        if let Some(after) = &self.after {
            rows.cond_where(self.beyond(after, &key, &id, db));
        }
        if self.sort_key != SortKey::Id {
            rows.order_by_expr(key, order.clone());
        }
        rows.order_by_expr(id, order).limit(self.rows_max);
    }

    fn direction(&self) -> Order {
        if self.descending { Order::Desc } else { Order::Asc }
    }

    /// Condition: the row comes after this one. Its first part repeats what follows from the second,
    /// in the form for which databases use an index.
    fn beyond(
        &self,
        after: &RowPosition,
        key: &Expr,
        id: &Expr,
        db: &impl ConnectionTrait,
    ) -> Condition {
        let is_beyond = |expression: &Expr, value: Expr| match self.descending {
            false => expression.clone().gt(value),
            true => expression.clone().lt(value),
        };
        let id_beyond = is_beyond(id, Expr::val(after.id));
        let value = || match &after.key {
            KeyValue::Id(id) => Expr::val(*id),
            KeyValue::Date(date) => Expr::val(*date),
            KeyValue::Time(instant) => database::literal(db, *instant),
            KeyValue::Text(text) => Expr::val(text.clone()),
        };
        if self.sort_key == SortKey::Id {
            return Condition::all().add(id_beyond);
        }
        let bound = match self.descending {
            false => key.clone().gte(value()),
            true => key.clone().lte(value()),
        };
        let same_key = Condition::all().add(key.clone().eq(value())).add(id_beyond);
        let further = Condition::any().add(is_beyond(key, value())).add(same_key);
        Condition::all().add(bound).add(further)
    }

    /// Merges the branches, which must not have a row in common.
    pub fn merge(&self, branches: Vec<SelectStatement>) -> Option<SelectStatement> {
        let mut branches = branches.into_iter();
        let first = branches.next()?;
        let Some(second) = branches.next() else { return Some(first) };
        let of = |branch| {
            Query::select().columns(["sort_key", "row_id"]).from_subquery(branch, "branch").take()
        };
        let mut merged = of(first);
        for branch in [second].into_iter().chain(branches) {
            merged.union(UnionType::All, of(branch));
        }
        let order = self.direction();
        merged.order_by("sort_key", order.clone()).order_by("row_id", order).limit(self.rows_max);
        Some(merged)
    }

    /// Reads the positions of the rows of a page, one more than the page has if there are more.
    pub async fn read(
        &self,
        db: &impl ConnectionTrait,
        branches: Vec<SelectStatement>,
    ) -> Result<Vec<RowPosition>, DbErr> {
        let Some(select) = self.merge(branches) else { return Ok(Vec::new()) };
        db.query_all(&select).await?.iter().map(|row| self.position(row)).collect()
    }

    fn position(&self, row: &QueryResult) -> Result<RowPosition, DbErr> {
        let id = row.try_get("", "row_id")?;
        let key = match self.sort_key {
            SortKey::Id => KeyValue::Id(id),
            SortKey::Date(_) => KeyValue::Date(row.try_get("", "sort_key")?),
            SortKey::Time(_) => KeyValue::Time(row.try_get("", "sort_key")?),
            SortKey::Text(_) => KeyValue::Text(row.try_get("", "sort_key")?),
        };
        Ok(RowPosition { key, id })
    }
}

/// Reads the position from the request's cursor.
fn position_after(page: &Page, sort_key: SortKey) -> Result<Option<RowPosition>, Problem> {
    if sort_key == SortKey::Id {
        let Some([id]) = page.after()? else { return Ok(None) };
        let id = id.parse().map_err(|_| invalid_cursor())?;
        return Ok(Some(RowPosition { key: KeyValue::Id(id), id }));
    }
    let Some([key, id]) = page.after()? else { return Ok(None) };
    let key = match sort_key {
        SortKey::Id => None,
        SortKey::Date(_) => key.parse().ok().map(|Day(date)| KeyValue::Date(date)),
        SortKey::Time(_) => key.parse().ok().map(KeyValue::Time),
        SortKey::Text(_) => Some(KeyValue::Text(key)),
    };
    match (key, id.parse()) {
        (Some(key), Ok(id)) => Ok(Some(RowPosition { key, id })),
        _ => Err(invalid_cursor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str) -> Page {
        Page::from_query(&format!("/loans?{query}").parse().unwrap()).unwrap()
    }

    #[test]
    fn only_the_sort_key_is_an_order_either_way() {
        let key = SortKey::Date("maturityDate");
        let descends =
            |order| Keyset::new(&page(""), key, order).map(|keyset| keyset.descending).ok();
        assert_eq!(descends(None), Some(false));
        assert_eq!(descends(Some("maturityDate")), Some(false));
        assert_eq!(descends(Some("-maturityDate")), Some(true));
        for other in ["", "-", "id", "--maturityDate", "maturitydate", "maturityDate,id"] {
            assert_eq!(descends(Some(other)), None, "{other}");
        }
    }

    #[test]
    fn a_cursor_holds_the_key_and_the_id_and_fits_its_order_only() {
        let date = KeyValue::Date(NaiveDate::from_ymd_opt(2026, 1, 31).unwrap());
        let position = RowPosition { key: date, id: 7 };
        let after = |position: &RowPosition| page(&format!("after={}", position.cursor().text()));
        let read = |position: &RowPosition, key| position_after(&after(position), key);
        assert_eq!(read(&position, SortKey::Date("d")).unwrap(), Some(position.clone()));
        let by_id = RowPosition { key: KeyValue::Id(7), id: 7 };
        assert_eq!(read(&by_id, SortKey::Id).unwrap(), Some(by_id.clone()));
        assert!(read(&position, SortKey::Id).is_err());
        assert!(read(&position, SortKey::Time("t")).is_err());
        assert!(read(&by_id, SortKey::Date("d")).is_err());
    }

    #[test]
    fn a_cursor_with_a_date_that_some_database_does_not_have_is_refused() {
        for (date, known) in [("2026-01-31", true), ("-0001-01-01", false), ("+10000-01-01", false)]
        {
            let after = page(&format!("after={}", Cursor::new(&[&date, &7]).text()));
            assert_eq!(position_after(&after, SortKey::Date("d")).is_ok(), known, "{date}");
        }
    }
}
