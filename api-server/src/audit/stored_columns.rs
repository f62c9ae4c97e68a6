//! A row's columns in the form in which their history is stored.

use sea_orm::DbErr;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::fmt;

/// The columns of two states of a row in JSON; the columns of one that does not exist are absent.
pub(super) struct RowStates {
    before: Option<Box<RawValue>>,
    after: Option<Box<RawValue>>,
}

/// A column whose values differ. A value that is absent or NULL is `None`.
pub(super) struct ChangedColumn<'a> {
    pub(super) name: &'a str,
    pub(super) before: Option<&'a RawValue>,
    pub(super) after: Option<&'a RawValue>,
}

impl ChangedColumn<'_> {
    fn differs(&self) -> bool {
        self.before.map(RawValue::get) != self.after.map(RawValue::get)
    }
}

/// The columns of one state, in the order of the row's fields, which is that of every other state.
#[derive(Default)]
struct StoredColumns<'a>(Vec<(&'a str, Option<&'a RawValue>)>);

impl RowStates {
    pub(super) fn new<T: Serialize>(before: Option<&T>, after: Option<&T>) -> Result<Self, DbErr> {
        let stored = |row: Option<&T>| row.map(serde_json::value::to_raw_value).transpose();
        let stored = |row| stored(row).map_err(invalid);
        Ok(Self { before: stored(before)?, after: stored(after)? })
    }

    /// Returns the columns whose values differ, in their order.
    pub(super) fn changed_columns(&self) -> Result<impl Iterator<Item = ChangedColumn<'_>>, DbErr> {
        let (before, after) = (StoredColumns::of(&self.before)?, StoredColumns::of(&self.after)?);
        let columns = (0..before.0.len().max(after.0.len())).filter_map(move |index| {
            let (before, after) = (before.0.get(index), after.0.get(index));
            let (name, _) = *before.or(after)?;
            let (before, after) = (before.and_then(|it| it.1), after.and_then(|it| it.1));
            Some(ChangedColumn { name, before, after })
        });
        Ok(columns.filter(ChangedColumn::differs))
    }
}

/// Returns a value as the history shows it: a string without its quotes.
pub(super) fn text(value: &RawValue) -> Result<String, DbErr> {
    match value.get() {
        string if string.starts_with('"') => serde_json::from_str(string).map_err(invalid),
        other => Ok(other.to_owned()),
    }
}

impl<'a> StoredColumns<'a> {
    fn of(row: &'a Option<Box<RawValue>>) -> Result<Self, DbErr> {
        match row {
            Some(row) => serde_json::from_str(row.get()).map_err(invalid),
            None => Ok(Self::default()),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for StoredColumns<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Columns;

        impl<'de> Visitor<'de> for Columns {
            type Value = StoredColumns<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut row: A) -> Result<Self::Value, A::Error> {
                let mut columns = Vec::with_capacity(64);
                while let Some(column) = row.next_entry()? {
                    columns.push(column);
                }
                Ok(StoredColumns(columns))
            }
        }

        deserializer.deserialize_map(Columns)
    }
}

fn invalid(error: serde_json::Error) -> DbErr {
    DbErr::Type(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row<'a> {
        key: i64,
        name: Option<&'a str>,
        places: [i32; 2],
    }

    fn changes(before: Option<Row<'_>>, after: Option<Row<'_>>) -> Vec<String> {
        let states = RowStates::new(before.as_ref(), after.as_ref()).expect("JSON");
        let shown = |value: Option<&RawValue>| value.map(|value| text(value).expect("a value"));
        let changed = states.changed_columns().expect("columns");
        changed
            .map(|it| format!("{}: {:?} {:?}", it.name, shown(it.before), shown(it.after)))
            .collect()
    }

    #[test]
    fn columns_that_differ_are_shown_in_order() {
        let row = |name, places| Some(Row { key: 1, name, places });
        let first = || row(None, [1, 2]);
        assert_eq!(changes(first(), first()), [""; 0]);
        assert_eq!(
            changes(first(), row(Some("a \"b\""), [1, 3])),
            [r#"name: None Some("a \"b\"")"#, r#"places: Some("[1,2]") Some("[1,3]")"#]
        );
        assert_eq!(
            changes(None, first()),
            [r#"key: None Some("1")"#, r#"places: None Some("[1,2]")"#]
        );
        assert_eq!(changes(row(Some(""), [1, 2]), None).len(), 3);
    }
}
