//! Bulk inserts of field changes: an import writes about sixty per loan.

use super::{Actor, Changes, FieldNote, HistoryOwner};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::ArrayType;
use sea_orm::{
    ActiveEnum, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait, NotSet,
    Statement, Value,
};
use shared::bulk_insert::rows_at_once;
use shared::entity::field_changes::{ActiveModel, Entity};
use shared::time::Timestamp;

/// Rows per INSERT: databases limit the parameters of a statement.
const ROWS_PER_INSERT: usize = 500;
/// Rows per INSERT on PostgreSQL, where each column is one parameter.
const ROWS_PER_ARRAY: usize = 5_000;

/// A note in the history of one owner.
pub(super) struct FieldChangeRow<'a> {
    pub author: &'a Actor,
    pub owner: HistoryOwner,
    pub note: FieldNote,
}

impl FieldChangeRow<'_> {
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

    fn category_id(&self) -> Option<i64> {
        self.note.place.comment.map(|comment| comment.category_id)
    }

    fn comment_id(&self) -> Option<i64> {
        self.note.place.comment.map(|comment| comment.comment_id)
    }

    fn into_model(self, now: Timestamp) -> ActiveModel {
        ActiveModel {
            row_id: NotSet,
            loan_id: Set(self.loan_id()),
            contact_id: Set(self.contact_id()),
            comment_category_id: Set(self.category_id()),
            comment_id: Set(self.comment_id()),
            table_name: Set(self.note.table.to_owned()),
            record_id: Set(self.note.record_id),
            field_name: Set(self.note.names.field.clone()),
            field_label: Set(self.note.names.label.clone()),
            old_value: Set(self.note.old_value),
            new_value: Set(self.note.new_value),
            privilege_path: Set(self.note.place.privilege_path.to_owned()),
            modified_by_user_id: Set(self.author.user_id),
            modified_by_name: Set(self.author.name.clone()),
            modified_date: Set(now),
            source: Set(self.author.source),
            request_id: Set(self.author.request_id.clone()),
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
                    let chunk: Vec<_> = rows.by_ref().take(ROWS_PER_ARRAY).collect();
                    tx.execute_raw(self.arrays(&chunk)).await?;
                }
                _ => {
                    let count = rows_at_once(rows.len(), ROWS_PER_INSERT);
                    let chunk = rows.by_ref().take(count);
                    let chunk = chunk.map(|row| row.into_model(self.now));
                    Entity::insert_many(chunk).exec_without_returning(tx).await?;
                }
            }
        }
        Ok(())
    }

    /// Returns a statement whose text is always the same, so that PostgreSQL need not parse
    /// thousands of parameters. The arrays contain no NULL: 0 stands for no key, and flags say
    /// whether there is a value.
    fn arrays(&self, rows: &[FieldChangeRow<'_>]) -> Statement {
        const INSERT: &str = "INSERT INTO field_changes (loan_id, contact_id, table_name, \
            record_id, field_name, field_label, old_value, new_value, privilege_path, \
            comment_category_id, comment_id, modified_by_user_id, modified_by_name, \
            modified_date, source, request_id) \
            SELECT NULLIF(loan_id, 0), NULLIF(contact_id, 0), table_name, record_id, field_name, \
            field_label, CASE WHEN had THEN old_value END, CASE WHEN has THEN new_value END, \
            privilege_path, NULLIF(category_id, 0), NULLIF(comment_id, 0), NULLIF(user_id, 0), \
            user_name, $18, source, request_id \
            FROM UNNEST($1::bigint[], $2::bigint[], $3::varchar[], $4::bigint[], $5::varchar[], \
            $6::varchar[], $7::boolean[], $8::text[], $9::boolean[], $10::text[], $11::varchar[], \
            $12::bigint[], $13::bigint[], $14::bigint[], $15::varchar[], $16::varchar[], \
            $17::varchar[]) AS change (loan_id, contact_id, table_name, record_id, field_name, \
            field_label, had, old_value, has, new_value, privilege_path, category_id, comment_id, \
            user_id, user_name, source, request_id)";
        let keys = |key: fn(&FieldChangeRow<'_>) -> Option<i64>| {
            let values = rows.iter().map(|row| key(row).unwrap_or_default().into());
            array(ArrayType::BigInt, values)
        };
        let flags = |flag: fn(&FieldChangeRow<'_>) -> bool| {
            array(ArrayType::Bool, rows.iter().map(|row| flag(row).into()))
        };
        let values = [
            keys(|row| row.loan_id()),
            keys(|row| row.contact_id()),
            texts(rows, |row| row.note.table),
            keys(|row| Some(row.note.record_id)),
            texts(rows, |row| &row.note.names.field),
            texts(rows, |row| &row.note.names.label),
            flags(|row| row.note.old_value.is_some()),
            texts(rows, |row| row.note.old_value.as_deref().unwrap_or_default()),
            flags(|row| row.note.new_value.is_some()),
            texts(rows, |row| row.note.new_value.as_deref().unwrap_or_default()),
            texts(rows, |row| row.note.place.privilege_path),
            keys(|row| row.category_id()),
            keys(|row| row.comment_id()),
            keys(|row| row.author.user_id),
            texts(rows, |row| &row.author.name),
            array(ArrayType::String, rows.iter().map(|row| row.author.source.to_value().into())),
            texts(rows, |row| &row.author.request_id),
            self.now.into(),
        ];
        Statement::from_sql_and_values(DbBackend::Postgres, INSERT, values)
    }
}

fn array(element_type: ArrayType, values: impl Iterator<Item = Value>) -> Value {
    Value::Array(element_type, Some(Box::new(values.collect())))
}

fn texts<'r>(
    rows: &'r [FieldChangeRow<'r>],
    text: impl Fn(&'r FieldChangeRow<'r>) -> &'r str,
) -> Value {
    array(ArrayType::String, rows.iter().map(|row| text(row).into()))
}
