//! Bulk inserts of field changes: an import writes about sixty per loan.

use super::{Actor, Changes, CommentTarget, FieldNames, HistoryOwner};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::ArrayType;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait, NotSet, Statement, Value,
};
use shared::bulk_insert::rows_at_once;
use shared::entity::field_changes::{ActiveModel, Entity};
use shared::time::Timestamp;
use std::sync::Arc;

/// Rows per INSERT: databases limit the parameters of a statement.
const ROWS_PER_INSERT: usize = 500;
/// Rows per INSERT on PostgreSQL, where each column is one parameter.
const ROWS_PER_ARRAY: usize = 5_000;

/// The values that differ from change to change.
pub(super) struct FieldChangeRow {
    pub owner: HistoryOwner,
    pub table: &'static str,
    pub record_id: i64,
    pub names: Arc<FieldNames>,
    pub old_value: Option<String>,
    pub new_value: Option<String>,
    pub privilege_path: &'static str,
    pub comment: Option<CommentTarget>,
}

impl FieldChangeRow {
    fn loan_id(&self) -> Option<i64> {
        match self.owner {
            HistoryOwner::Loan(id) => Some(id),
            HistoryOwner::Contact(_) => None,
        }
    }

    fn contact_id(&self) -> Option<i64> {
        match self.owner {
            HistoryOwner::Loan(_) => None,
            HistoryOwner::Contact(id) => Some(id),
        }
    }

    fn into_model(self, author: &Actor, now: Timestamp) -> ActiveModel {
        ActiveModel {
            row_id: NotSet,
            loan_id: Set(self.loan_id()),
            contact_id: Set(self.contact_id()),
            table_name: Set(self.table.to_owned()),
            record_id: Set(self.record_id),
            field_name: Set(self.names.field.clone()),
            field_label: Set(self.names.label.clone()),
            old_value: Set(self.old_value),
            new_value: Set(self.new_value),
            modified_by_user_id: Set(author.user_id),
            modified_by_name: Set(author.name.clone()),
            modified_date: Set(now),
            source: Set(author.source),
            request_id: Set(author.request_id.clone()),
            privilege_path: Set(self.privilege_path.to_owned()),
            comment_category_id: Set(self.comment.map(|comment| comment.category_id)),
            comment_id: Set(self.comment.map(|comment| comment.comment_id)),
        }
    }
}

impl Changes<'_> {
    /// Writes the collected changes.
    pub(super) async fn write(&mut self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        let mut rows = std::mem::take(&mut self.rows).into_iter();
        while rows.len() > 0 {
            match tx.get_database_backend() {
                DbBackend::Postgres => {
                    let chunk: Vec<FieldChangeRow> = rows.by_ref().take(ROWS_PER_ARRAY).collect();
                    tx.execute_raw(self.arrays(&chunk)).await?;
                }
                _ => {
                    let count = rows_at_once(rows.len(), ROWS_PER_INSERT);
                    let chunk = rows.by_ref().take(count);
                    let chunk = chunk.map(|row| row.into_model(self.author, self.now));
                    Entity::insert_many(chunk).exec_without_returning(tx).await?;
                }
            }
        }
        Ok(())
    }

    /// Returns a statement whose text is always the same, so that PostgreSQL need not parse
    /// thousands of parameters. The arrays contain no NULL: 0 stands for no key, and flags say
    /// whether there is a value.
    fn arrays(&self, rows: &[FieldChangeRow]) -> Statement {
        const INSERT: &str = "INSERT INTO field_changes (loan_id, contact_id, table_name, \
            record_id, field_name, field_label, old_value, new_value, privilege_path, \
            comment_category_id, comment_id, modified_by_user_id, modified_by_name, \
            modified_date, source, request_id) \
            SELECT NULLIF(loan_id, 0), NULLIF(contact_id, 0), table_name, record_id, field_name, \
            field_label, CASE WHEN had THEN old_value END, CASE WHEN has THEN new_value END, \
            privilege_path, NULLIF(category_id, 0), NULLIF(comment_id, 0), $14, $15, $16, $17, $18 \
            FROM UNNEST($1::bigint[], $2::bigint[], $3::varchar[], $4::bigint[], $5::varchar[], \
            $6::varchar[], $7::boolean[], $8::text[], $9::boolean[], $10::text[], $11::varchar[], \
            $12::bigint[], $13::bigint[]) AS change (loan_id, contact_id, table_name, record_id, \
            field_name, field_label, had, old_value, has, new_value, privilege_path, category_id, \
            comment_id)";
        let keys = |key: fn(&FieldChangeRow) -> Option<i64>| {
            let values = rows.iter().map(|row| key(row).unwrap_or_default().into());
            array(ArrayType::BigInt, values)
        };
        let texts = |text: fn(&FieldChangeRow) -> &str| {
            array(ArrayType::String, rows.iter().map(|row| text(row).into()))
        };
        let flags = |flag: fn(&FieldChangeRow) -> bool| {
            array(ArrayType::Bool, rows.iter().map(|row| flag(row).into()))
        };
        let values = [
            keys(FieldChangeRow::loan_id),
            keys(FieldChangeRow::contact_id),
            texts(|row| row.table),
            keys(|row| Some(row.record_id)),
            texts(|row| &row.names.field),
            texts(|row| &row.names.label),
            flags(|row| row.old_value.is_some()),
            texts(|row| row.old_value.as_deref().unwrap_or_default()),
            flags(|row| row.new_value.is_some()),
            texts(|row| row.new_value.as_deref().unwrap_or_default()),
            texts(|row| row.privilege_path),
            keys(|row| row.comment.map(|comment| comment.category_id)),
            keys(|row| row.comment.map(|comment| comment.comment_id)),
            self.author.user_id.into(),
            self.author.name.as_str().into(),
            self.now.into(),
            self.author.source.into(),
            self.author.request_id.as_str().into(),
        ];
        Statement::from_sql_and_values(DbBackend::Postgres, INSERT, values)
    }
}

fn array(element_type: ArrayType, values: impl Iterator<Item = Value>) -> Value {
    Value::Array(element_type, Some(Box::new(values.collect())))
}
