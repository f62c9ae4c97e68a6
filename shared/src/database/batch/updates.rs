//! Bulk updates: columns of many rows, each row with its own values, in one statement.

use super::json_rows::{self, JsonRows};
use super::{Write, WriteBatch, parameters_max};
use crate::database::coalesced::padded;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityName, EntityTrait, IntoSimpleExpr,
    QueryFilter, QueryTrait, Value,
};
use std::iter;

const ROWS_MAX: usize = 512;

/// The new values of one row, in the order of the columns.
#[derive(Clone, Debug)]
pub struct RowUpdate {
    /// Key of the row.
    pub key: i64,
    /// Its new values.
    pub values: Vec<Value>,
}

/// Sets these columns of each row. The statement's text depends only on the columns and, except on
/// PostgreSQL, in steps, on the number of rows.
pub async fn update_rows<C: ColumnTrait>(
    db: &impl ConnectionTrait,
    key: C,
    columns: &[C],
    rows: &[RowUpdate],
) -> Result<(), DbErr>
where
    C::EntityName: EntityTrait<Column = C>,
{
    let mut batch = WriteBatch::new(db);
    batch.update(key, columns, rows)?;
    batch.execute(db).await
}

impl WriteBatch {
    /// Adds an update of these columns of each row.
    pub fn update<C: ColumnTrait>(
        &mut self,
        key: C,
        columns: &[C],
        rows: &[RowUpdate],
    ) -> Result<(), DbErr>
    where
        C::EntityName: EntityTrait<Column = C>,
    {
        if rows.iter().any(|row| row.values.len() != columns.len()) {
            return Err(DbErr::Type("a row does not have a value for each column".to_owned()));
        }
        let backend = self.backend;
        if backend == DbBackend::Postgres {
            for chunk in rows.chunks(json_rows::ROWS_MAX) {
                let mut json = JsonRows::default();
                for row in chunk {
                    let key_value = row.key.into();
                    let values = columns.iter().copied().zip(&row.values);
                    json.push(iter::once((key, &key_value)).chain(values))?;
                }
                self.writes.push(Write::Json(json.update(C::EntityName::default().table_name())));
            }
            return Ok(());
        }
        let rows_max = (parameters_max(backend) / (2 * columns.len() + 1)).clamp(1, ROWS_MAX);
        let rows_max = 1 << rows_max.ilog2();
        for chunk in rows.chunks(rows_max) {
            let chunk = padded(chunk.to_vec());
            let mut update = C::EntityName::update_many();
            for (index, column) in columns.iter().enumerate() {
                let values = chunk.iter().filter_map(|row| Some((row.key, row.values.get(index)?)));
                let case = values.fold(CaseStatement::new(), |case, (id, value)| {
                    case.case(key.into_expr().eq(id), Expr::value(value.clone()))
                });
                update = update.col_expr(*column, case.finally(column.into_simple_expr()).into());
            }
            let update = update.filter(key.is_in(chunk.iter().map(|row| row.key)));
            self.writes.push(Write::Statement(update.build(backend)));
        }
        Ok(())
    }
}
