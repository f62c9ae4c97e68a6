//! Many rows as one JSON parameter, for PostgreSQL: the statement has the same text for any rows, and
//! a plan that does not depend on them, so that each connection keeps the plan.

use sea_orm::{DbBackend, DbErr, IdenStatic, Statement, Value};
use serde::Serialize;
use std::borrow::Borrow;

/// Rows per statement.
pub(super) const ROWS_MAX: usize = 5_000;

/// Rows that set the same columns: a JSON array of objects, without the members that are NULL.
#[derive(Default)]
pub(super) struct JsonRows {
    columns: Vec<&'static str>,
    rows: usize,
    json: Vec<u8>,
}

impl JsonRows {
    /// Adds a row. It must set the columns of the first one, in their order.
    pub(super) fn push(
        &mut self,
        values: impl IntoIterator<Item = (impl IdenStatic, impl Borrow<Value>)>,
    ) -> Result<(), DbErr> {
        self.json.extend_from_slice(if self.rows == 0 { b"[{" } else { b",{" });
        let mut position = 0;
        let mut separator: &[u8] = b"";
        for (column, value) in values {
            let column = column.as_str();
            match self.columns.get(position) {
                Some(expected) if *expected == column => {}
                None if self.rows == 0 => self.columns.push(column),
                _ => return Err(different(column)),
            }
            position += 1;
            let name_at = self.json.len();
            self.json.extend_from_slice(separator);
            self.append(column)?;
            self.json.push(b':');
            if self.append_value(column, value.borrow())? {
                separator = b",";
            } else {
                self.json.truncate(name_at);
            }
        }
        if let Some(missing) = self.columns.get(position) {
            return Err(different(missing));
        }
        self.json.push(b'}');
        self.rows += 1;
        Ok(())
    }

    /// Appends a value; returns false if it is NULL. PostgreSQL parses each member's text as its
    /// column's type.
    fn append_value(&mut self, column: &str, value: &Value) -> Result<bool, DbErr> {
        match value {
            Value::Bool(Some(value)) => self.append(value)?,
            Value::Int(Some(value)) => self.append(value)?,
            Value::BigInt(Some(value)) => self.append(value)?,
            Value::String(Some(value)) => self.append(value)?,
            Value::ChronoDate(Some(value)) => self.append(value)?,
            Value::ChronoDateTimeUtc(Some(value)) => self.append(value)?,
            Value::Json(Some(value)) => self.append(value)?,
            null if *null == null.as_null() => return Ok(false),
            _ => return Err(DbErr::Type(format!("cannot write the type of {column} as JSON"))),
        }
        Ok(true)
    }

    fn append(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), DbErr> {
        serde_json::to_writer(&mut self.json, value).map_err(|error| DbErr::Json(error.to_string()))
    }

    fn into_text(mut self) -> Result<String, DbErr> {
        self.json.push(b']');
        String::from_utf8(self.json).map_err(|error| DbErr::Json(error.to_string()))
    }

    /// Returns the statement that inserts the rows and returns this column of each.
    pub(super) fn insert(
        self,
        table: &'static str,
        returning: Option<impl IdenStatic>,
    ) -> JsonWrite {
        let returning = returning.map(|column| column.as_str());
        JsonWrite { table, kind: WriteKind::Insert { returning }, rows: self }
    }

    /// Returns the statement that updates the rows with these keys, the first column.
    pub(super) fn update(self, table: &'static str) -> JsonWrite {
        JsonWrite { table, kind: WriteKind::Update, rows: self }
    }
}

/// Rows to be written to a table.
pub(super) struct JsonWrite {
    table: &'static str,
    kind: WriteKind,
    rows: JsonRows,
}

#[derive(Clone, Copy)]
enum WriteKind {
    Insert { returning: Option<&'static str> },
    Update,
}

impl JsonWrite {
    /// The number of rows written.
    pub(super) fn rows(&self) -> usize {
        self.rows.rows
    }

    /// Returns one statement that writes all of these. In a data-modifying `WITH` each sees the
    /// tables as they were before; keys to rows that others write are checked at the end.
    pub(super) fn together(writes: Vec<Self>) -> Result<Statement, DbErr> {
        let numbered = (1..).zip(&writes);
        let mut with: Vec<String> = numbered.clone().map(|(it, write)| write.batch(it)).collect();
        let mut texts: Vec<String> = numbered.map(|(it, write)| write.text(it)).collect();
        let last = texts.pop().unwrap_or_default();
        with.extend((1..).zip(texts).map(|(it, text)| format!("write{it} AS ({text})")));
        let text = format!("WITH {} {last}", with.join(", "));
        let parameters = writes.into_iter().map(|write| write.rows.into_text());
        let parameters =
            parameters.collect::<Result<Vec<String>, _>>()?.into_iter().map(Value::from);
        Ok(Statement::from_sql_and_values(DbBackend::Postgres, text, parameters))
    }

    /// Returns the part that reads the parameter with this number.
    fn batch(&self, number: usize) -> String {
        let (table, columns) = (quoted(self.table), self.columns());
        let rows = format!("json_populate_recordset(NULL::{table}, ${number}::json)");
        format!("batch{number} AS (SELECT {columns} FROM {rows})")
    }

    /// Returns the part that writes the rows of the batch with this number.
    fn text(&self, number: usize) -> String {
        let (table, columns) = (quoted(self.table), self.columns());
        match self.kind {
            WriteKind::Insert { returning } => {
                let returning = returning.map(|column| format!(" RETURNING {}", quoted(column)));
                let returning = returning.unwrap_or_default();
                format!(
                    "INSERT INTO {table} ({columns}) SELECT {columns} FROM batch{number}{returning}"
                )
            }
            // The planner expects a hundred rows in a batch, for which it might read a whole table.
            // With the keys as an array, it uses the index.
            WriteKind::Update => {
                let mut names = self.rows.columns.iter().map(|name| quoted(name));
                let key = names.next().unwrap_or_default();
                let set: Vec<String> =
                    names.map(|name| format!("{name} = batch{number}.{name}")).collect();
                let set = set.join(", ");
                format!(
                    "UPDATE {table} SET {set} FROM batch{number} \
                     WHERE {table}.{key} = batch{number}.{key} \
                     AND {table}.{key} = ANY(ARRAY(SELECT {key} FROM batch{number}))"
                )
            }
        }
    }

    fn columns(&self) -> String {
        let columns: Vec<String> = self.rows.columns.iter().map(|name| quoted(name)).collect();
        columns.join(", ")
    }
}

fn different(column: &str) -> DbErr {
    DbErr::Type(format!(
        "the rows of a statement set different columns, or in a different order: {column}"
    ))
}

/// Quotes a name of this program, none of which contains a quote.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::portfolios::Column;
    use chrono::{DateTime, NaiveDate};

    /// A portfolio with this mask.
    fn portfolio(key: i64, mask: impl Into<Value>) -> [(Column, Value); 2] {
        [(Column::PortfolioId, key.into()), (Column::NumberMask, mask.into())]
    }

    fn json(rows: JsonRows) -> String {
        let statement = JsonWrite::together(vec![rows.update("portfolios")]).expect("a statement");
        let values = statement.values.expect("parameters").0;
        values[0].clone().unwrap()
    }

    #[test]
    fn the_text_is_the_same_for_any_rows() {
        let text = |masks: &[Option<&str>]| {
            let mut rows = JsonRows::default();
            for (key, mask) in (1..).zip(masks) {
                rows.push(portfolio(key, *mask)).expect("a row");
            }
            JsonWrite::together(vec![rows.update("portfolios")]).expect("a statement").sql
        };
        assert_eq!(
            text(&[Some("A")]),
            "WITH batch1 AS (SELECT \"portfolio_id\", \"number_mask\" \
             FROM json_populate_recordset(NULL::\"portfolios\", $1::json)) \
             UPDATE \"portfolios\" SET \"number_mask\" = batch1.\"number_mask\" FROM batch1 \
             WHERE \"portfolios\".\"portfolio_id\" = batch1.\"portfolio_id\" \
             AND \"portfolios\".\"portfolio_id\" = ANY(ARRAY(SELECT \"portfolio_id\" FROM batch1))"
        );
        assert_eq!(text(&[None, Some("B"), None]), text(&[Some("A")]));
        assert_eq!(text(&[None]), text(&[Some("A")]));
    }

    #[test]
    fn null_is_a_member_that_is_missing() {
        let mut rows = JsonRows::default();
        rows.push(portfolio(1, None::<String>)).expect("a row");
        rows.push(portfolio(2, "B")).expect("a row");
        let expected = "[{\"portfolio_id\":1},{\"portfolio_id\":2,\"number_mask\":\"B\"}]";
        assert_eq!(json(rows), expected);
    }

    #[test]
    fn values_are_written_as_postgresql_reads_them() {
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).expect("a date");
        let instant = DateTime::from_timestamp_micros(1_700_000_000_000_001).expect("an instant");
        let cases: [(Value, &str); 7] = [
            (true.into(), "true"),
            (i64::MIN.into(), "-9223372036854775808"),
            (7_i32.into(), "7"),
            ("\"\\\u{1}é".into(), "\"\\\"\\\\\\u0001é\""),
            (day.into(), "\"2024-02-29\""),
            (instant.into(), "\"2023-11-14T22:13:20.000001Z\""),
            (serde_json::json!(["a"]).into(), "[\"a\"]"),
        ];
        for (value, text) in cases {
            let mut rows = JsonRows::default();
            rows.push(portfolio(1, value)).expect("a row");
            let expected = format!("[{{\"portfolio_id\":1,\"number_mask\":{text}}}]");
            assert_eq!(json(rows), expected);
        }
    }

    #[test]
    fn rows_that_set_different_columns_are_refused() {
        let first = portfolio(1, "A");
        let others = [&first[..1], &[first[1].clone(), first[0].clone()]];
        for other in others {
            let mut rows = JsonRows::default();
            rows.push(first.clone()).expect("a row");
            assert!(rows.push(other.to_vec()).is_err(), "{other:?}");
        }
        assert!(JsonRows::default().push(portfolio(1, 1.5)).is_err(), "no column is a fraction");
    }

    #[test]
    fn several_are_one_statement_whose_parameters_are_numbered_through() {
        let keys = |key: i64| {
            let mut rows = JsonRows::default();
            rows.push([(Column::PortfolioId, Value::from(key))]).expect("a row");
            rows
        };
        let none: Option<Column> = None;
        let writes = vec![
            keys(1).insert("first", none),
            keys(2).insert("second", none),
            keys(3).insert("third", Some(Column::PortfolioId)),
        ];
        let Statement { sql, values, .. } = JsonWrite::together(writes).expect("a statement");
        let batch = |table: &str, number: u8| {
            let rows = format!("json_populate_recordset(NULL::\"{table}\", ${number}::json)");
            format!("batch{number} AS (SELECT \"portfolio_id\" FROM {rows})")
        };
        let insert = |table: &str, number: u8| {
            format!(
                "INSERT INTO \"{table}\" (\"portfolio_id\") \
                 SELECT \"portfolio_id\" FROM batch{number}"
            )
        };
        let (first, second, third) = (batch("first", 1), batch("second", 2), batch("third", 3));
        let with = format!(
            "{first}, {second}, {third}, write1 AS ({}), write2 AS ({})",
            insert("first", 1),
            insert("second", 2)
        );
        assert_eq!(sql, format!("WITH {with} {} RETURNING \"portfolio_id\"", insert("third", 3)));
        let expected = [1, 2, 3].map(|key| format!("[{{\"portfolio_id\":{key}}}]").into());
        assert_eq!(values.expect("parameters").0, expected);
    }
}
