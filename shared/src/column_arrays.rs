//! Many rows as arrays of their columns, for PostgreSQL: a statement then has one parameter or two
//! for each column and the same text for any number of rows, so that it stays prepared.

use sea_orm::sea_query::ArrayType;
use sea_orm::{ColumnTrait, DbBackend, Statement, Value};
use std::fmt::Write;

/// Rows per statement.
pub(crate) const ROWS_MAX: usize = 5_000;

/// Columns of rows, each as an array.
#[derive(Default)]
pub(crate) struct ColumnArrays {
    rows: usize,
    /// Names of the arrays, in the order of the parameters.
    names: Vec<String>,
    parameters: Vec<Value>,
    columns: Vec<String>,
    /// The value of each column, as an expression over the arrays.
    expressions: Vec<String>,
}

impl ColumnArrays {
    /// Adds a column: one value for each row.
    ///
    /// The driver's arrays hold no NULL. A nullable column is therefore two arrays: flags that say
    /// whether there is a value, and the values, of which there need not be any after the last one
    /// that is flagged.
    pub(crate) fn push(&mut self, column: &impl ColumnTrait, mut values: Vec<Value>) {
        self.rows = values.len();
        let name = quoted(column.as_str());
        let element_type = values.first().map_or(ArrayType::String, Value::array_type);
        if column.def().is_null() {
            let has = quoted(&format!("has {}", column.as_str()));
            self.expressions.push(format!("CASE WHEN batch.{has} THEN batch.{name} END"));
            let flags = values.iter().map(|value| value.is_some().into()).collect();
            self.push_array(has, ArrayType::Bool, flags);
            let used = values.iter().rposition(Value::is_some).map_or(0, |last| last + 1);
            values.truncate(used);
            for value in values.iter_mut().filter(|value| !value.is_some()) {
                *value = value.dummy_value();
            }
        } else {
            self.expressions.push(format!("batch.{name}"));
        }
        self.push_array(name.clone(), element_type, values);
        self.columns.push(name);
    }

    fn push_array(&mut self, name: String, element_type: ArrayType, values: Vec<Value>) {
        self.names.push(name);
        self.parameters.push(Value::Array(element_type, Some(Box::new(values))));
    }

    /// Returns the statement that inserts the rows and returns this column of each.
    pub(crate) fn insert(self, table: &str, returning: Option<&impl ColumnTrait>) -> ArrayWrite {
        let (table, columns) = (quoted(table), self.columns.join(", "));
        let expressions = self.expressions.join(", ");
        let returning = returning.map(|column| format!(" RETURNING {}", quoted(column.as_str())));
        ArrayWrite {
            before: format!("INSERT INTO {table} ({columns}) SELECT {expressions} FROM "),
            after: returning.unwrap_or_default(),
            arrays: self,
        }
    }

    /// Returns the statement that updates the rows with these keys, the first column.
    pub(crate) fn update(self, table: &str) -> ArrayWrite {
        let table = quoted(table);
        let mut columns = self.columns.iter().zip(&self.expressions);
        let key = columns.next().map_or("", |(key, _)| key.as_str());
        let set: Vec<String> =
            columns.map(|(column, expression)| format!("{column} = {expression}")).collect();
        ArrayWrite {
            before: format!("UPDATE {table} SET {} FROM ", set.join(", ")),
            after: format!(" WHERE {table}.{key} = batch.{key}"),
            arrays: self,
        }
    }
}

/// A statement that writes rows. Its parameters are numbered when it is combined with others.
pub(crate) struct ArrayWrite {
    /// The text before and after the rows.
    before: String,
    after: String,
    arrays: ColumnArrays,
}

impl ArrayWrite {
    /// The number of rows written.
    pub(crate) fn rows(&self) -> usize {
        self.arrays.rows
    }

    /// Returns one statement that writes all of these. In a data-modifying `WITH` each sees the
    /// tables as they were before; keys to rows that others write are checked at the end.
    pub(crate) fn together(writes: Vec<Self>) -> Statement {
        let mut text = String::new();
        let mut parameters = Vec::new();
        let last = writes.len().saturating_sub(1);
        for (index, write) in writes.into_iter().enumerate() {
            let begin = match (index, last) {
                (_, 0) => String::new(),
                (0, _) => "WITH write0 AS (".to_owned(),
                (index, last) if index < last => format!(", write{index} AS ("),
                _ => " ".to_owned(),
            };
            text.push_str(&begin);
            write.append(&mut text, &mut parameters);
            if index < last {
                text.push(')');
            }
        }
        Statement::from_sql_and_values(DbBackend::Postgres, text, parameters)
    }

    fn append(self, text: &mut String, parameters: &mut Vec<Value>) {
        let Self { before, after, arrays } = self;
        let numbers = parameters.len() + 1..=parameters.len() + arrays.names.len();
        let numbers: Vec<String> = numbers.map(|it| format!("${it}")).collect();
        let (numbers, names) = (numbers.join(", "), arrays.names.join(", "));
        // Writing to a string cannot fail.
        let _ = write!(text, "{before}UNNEST({numbers}) AS batch ({names}){after}");
        parameters.extend(arrays.parameters);
    }
}

/// Quotes a name of this program, none of which contains a quote.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::portfolios::Column;

    /// The statement that gives portfolios 1, 2 and so on these masks.
    fn statement(masks: &[Option<&str>]) -> Statement {
        let mut arrays = ColumnArrays::default();
        let keys = (1_i64..).take(masks.len()).map(Value::from);
        arrays.push(&Column::PortfolioId, keys.collect());
        let masks = masks.iter().map(|mask| mask.map(str::to_owned).into());
        arrays.push(&Column::NumberMask, masks.collect());
        ArrayWrite::together(vec![arrays.update("portfolios")])
    }

    fn array(element_type: ArrayType, values: impl IntoIterator<Item = Value>) -> Value {
        Value::Array(element_type, Some(Box::new(values.into_iter().collect())))
    }

    #[test]
    fn the_text_is_the_same_for_any_rows() {
        let text = statement(&[Some("A")]).sql;
        assert_eq!(
            text,
            "UPDATE \"portfolios\" SET \"number_mask\" = \
             CASE WHEN batch.\"has number_mask\" THEN batch.\"number_mask\" END \
             FROM UNNEST($1, $2, $3) AS batch (\"portfolio_id\", \"has number_mask\", \
             \"number_mask\") WHERE \"portfolios\".\"portfolio_id\" = batch.\"portfolio_id\""
        );
        assert_eq!(statement(&[None, Some("B"), None]).sql, text);
        assert_eq!(statement(&[None]).sql, text);
    }

    #[test]
    fn null_is_a_flag_and_values_end_with_the_last_one() {
        let values = statement(&[None, Some("B"), None]).values.expect("parameters").0;
        let flags = [false, true, false].map(Value::from);
        assert_eq!(values[1], array(ArrayType::Bool, flags));
        assert_eq!(values[2], array(ArrayType::String, ["", "B"].map(Value::from)));
        let values = statement(&[None]).values.expect("parameters").0;
        assert_eq!(values[2], array(ArrayType::String, []));
    }

    #[test]
    fn several_are_one_statement_whose_parameters_are_numbered_through() {
        let keys = |key: i64| {
            let mut arrays = ColumnArrays::default();
            arrays.push(&Column::PortfolioId, vec![key.into()]);
            arrays
        };
        let none: Option<&Column> = None;
        let writes = vec![
            keys(1).insert("first", none),
            keys(2).insert("second", none),
            keys(3).insert("third", Some(&Column::PortfolioId)),
        ];
        let Statement { sql, values, .. } = ArrayWrite::together(writes);
        let insert = |table: &str, parameter: u8| {
            format!(
                "INSERT INTO \"{table}\" (\"portfolio_id\") SELECT batch.\"portfolio_id\" \
                 FROM UNNEST(${parameter}) AS batch (\"portfolio_id\")"
            )
        };
        let (first, second, third) = (insert("first", 1), insert("second", 2), insert("third", 3));
        assert_eq!(
            sql,
            format!(
                "WITH write0 AS ({first}), write1 AS ({second}) {third} RETURNING \"portfolio_id\""
            )
        );
        let expected = [1_i64, 2, 3].map(|key| array(ArrayType::BigInt, [key.into()]));
        assert_eq!(values.expect("parameters").0, expected);
    }
}
