//! Field history: one row of `field_changes` per changed column, written in the transaction of the
//! change.

mod audited;
mod field_names;
pub mod history;
mod stored_columns;

pub use self::field_names::FieldNames;

use self::stored_columns::{ChangedColumn, RowStates};
use crate::auth::caller::Caller;
use sea_orm::{ActiveModelTrait, DatabaseTransaction, DbErr, EntityTrait, Iterable, ModelTrait};
use serde::Serialize;
use serde_json::value::RawValue;
use shared::database::batch::{self, WriteBatch};
use shared::entity::field_changes::{self, ChangeSource};
use shared::telemetry::RequestId;
use shared::time::Timestamp;
use std::sync::Arc;

/// Number of changes collected before they are written together.
const BUFFERED_MAX: usize = 2_000;

/// Author of a change: the user, the source and the request.
#[derive(Clone, Debug)]
pub struct Actor {
    user_id: Option<i64>,
    name: String,
    source: ChangeSource,
    request_id: String,
}

impl Actor {
    /// Returns the author for a caller of the API.
    pub fn new(caller: &Caller, source: ChangeSource, request_id: &RequestId) -> Self {
        let name = match caller {
            Caller::Core(user) => user.user_name.clone(),
            Caller::Web { contact_id } => format!("web user of contact {contact_id}"),
        };
        let request_id = request_id.as_str().to_owned();
        Self { user_id: caller.user_id(), name, source, request_id }
    }

    /// Returns the author for a request that is continued after it ended.
    pub fn again(caller: &Caller, source: ChangeSource, request_id: &str) -> Self {
        let request_id = request_id.to_owned();
        Self { request_id, ..Self::new(caller, source, &RequestId::random()) }
    }

    /// Returns the author for changes that the service makes without a request.
    pub fn service(source: ChangeSource) -> Self {
        let request_id = RequestId::random().as_str().to_owned();
        Self { user_id: None, name: "api-server".to_owned(), source, request_id }
    }

    /// Id of the request that makes the change.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The core user, for columns that name one.
    pub fn user_id(&self) -> Option<i64> {
        self.user_id
    }
}

/// Owner of a field history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryOwner {
    Loan(i64),
    Contact(i64),
}

/// The field histories that a row's changes go to, and who may read them there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditTarget {
    /// Owners of the histories: a change is written once for each.
    pub owners: Vec<HistoryOwner>,
    /// Privilege path whose View is needed to read the row.
    pub privilege_path: &'static str,
    /// The comment, if the row is a comment or belongs to one.
    pub comment: Option<CommentTarget>,
}

/// A comment, and who may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentTarget {
    pub comment_id: i64,
    /// Its category, whose trustees may read it.
    pub category_id: i64,
}

impl AuditTarget {
    /// Returns the place in the history of one loan or contact.
    pub fn of(owner: HistoryOwner, privilege_path: &'static str) -> Self {
        Self { owners: vec![owner], privilege_path, comment: None }
    }
}

/// A row whose changes are recorded.
pub trait Audited: Serialize {
    /// Name of its table.
    const TABLE: &'static str;
    /// Columns that are not recorded: those that change as a matter of course, and those that no
    /// response contains.
    const UNTRACKED: &'static [&'static str] = &[];
    /// Columns recorded as changed, without their values.
    const SECRET: &'static [&'static str] = &[];

    fn record_id(&self) -> i64;
}

/// A row that determines where its changes go.
pub trait HasAuditTarget: Audited {
    /// Returns where its changes go.
    fn audit_target(&self) -> AuditTarget;
}

/// A change of a value that is not a column of a tracked row.
#[derive(Clone, Debug)]
pub struct FieldNote {
    /// Where the change goes.
    pub target: AuditTarget,
    /// Name recorded in place of a table.
    pub table: &'static str,
    /// Key of the record that has the value.
    pub record_id: i64,
    /// Name and label of the field.
    pub names: Arc<FieldNames>,
    pub old_value: Option<String>,
    pub new_value: Option<String>,
}

/// Records the change of a row: inserted (`before` is `None`), updated, or deleted (`after` is
/// `None`).
pub async fn record<T: HasAuditTarget>(
    tx: &DatabaseTransaction,
    author: &Actor,
    now: Timestamp,
    before: Option<&T>,
    after: Option<&T>,
) -> Result<(), DbErr> {
    let Some(row) = after.or(before) else { return Ok(()) };
    record_in(&row.audit_target(), tx, author, now, before, after).await
}

/// Records the change of a row like [`record`], in these histories.
pub async fn record_in<T: Audited>(
    target: &AuditTarget,
    tx: &DatabaseTransaction,
    author: &Actor,
    now: Timestamp,
    before: Option<&T>,
    after: Option<&T>,
) -> Result<(), DbErr> {
    recording(tx, author, now, async |changes| changes.add(target, before, after)).await
}

/// An updated row, before and after, and the author of the update.
pub struct UpdatedRow<'a, T> {
    /// Author of the update.
    pub author: &'a Actor,
    pub before: &'a T,
    pub after: &'a T,
}

/// Adds the records of updated rows, each by its own author, to these writes.
pub fn queue_updates<'a, T: HasAuditTarget + 'a>(
    writes: &mut WriteBatch,
    now: Timestamp,
    updates: impl IntoIterator<Item = UpdatedRow<'a, T>>,
) -> Result<(), DbErr> {
    let mut rows = Vec::new();
    for UpdatedRow { author, before, after } in updates {
        let mut changes = Changes { author, now, rows };
        changes.add(&after.audit_target(), Some(before), Some(after))?;
        rows = changes.rows;
    }
    writes.insert(rows)
}

/// Executes `work`, which changes tracked rows, and writes the changes that it noted in the same
/// transaction, so that it cannot forget to.
pub async fn recording<T, E: From<DbErr>>(
    tx: &DatabaseTransaction,
    author: &Actor,
    now: Timestamp,
    work: impl AsyncFnOnce(&mut Changes<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut changes = Changes { author, now, rows: Vec::new() };
    let result = work(&mut changes).await?;
    changes.write(tx).await?;
    Ok(result)
}

/// Changes of many rows, saved together by [`recording`].
pub struct Changes<'a> {
    author: &'a Actor,
    now: Timestamp,
    rows: Vec<field_changes::Model>,
}

impl Changes<'_> {
    /// Adds the change of a row.
    pub fn add<T: Audited>(
        &mut self,
        target: &AuditTarget,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), DbErr> {
        self.add_across(target, target, before, after)
    }

    /// Adds the change of a row that moved from one place to another. If not everyone who may read
    /// one place may read the other, the old value is written to the first and the new value to the
    /// second.
    pub fn add_across<T: Audited>(
        &mut self,
        from: &AuditTarget,
        to: &AuditTarget,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), DbErr> {
        let Some(row) = after.or(before) else { return Ok(()) };
        if from.owners.is_empty() && to.owners.is_empty() {
            return Ok(());
        }
        let states = RowStates::new(before, after)?;
        for column in states.changed_columns()? {
            let ChangedColumn { name, before, after } = column;
            if T::UNTRACKED.contains(&name) {
                continue;
            }
            let text = |value: &RawValue| match T::SECRET.contains(&name) {
                true => Ok("(changed)".to_owned()),
                false => stored_columns::text(value),
            };
            let (old_value, new_value) =
                (before.map(text).transpose()?, after.map(text).transpose()?);
            let note = |target: &AuditTarget, old_value, new_value| FieldNote {
                target: target.clone(),
                table: T::TABLE,
                record_id: row.record_id(),
                names: FieldNames::of(name),
                old_value,
                new_value,
            };
            if from == to {
                self.note(note(to, old_value, new_value));
                continue;
            }
            if old_value.is_some() {
                self.note(note(from, old_value, None));
            }
            if new_value.is_some() {
                self.note(note(to, None, new_value));
            }
        }
        Ok(())
    }

    /// Adds the change of a value that is not a column of a tracked row.
    pub fn note(&mut self, note: FieldNote) {
        let FieldNote { target, table, record_id, names, old_value, new_value } = note;
        for owner in target.owners {
            let (loan_id, contact_id) = match owner {
                HistoryOwner::Loan(id) => (Some(id), None),
                HistoryOwner::Contact(id) => (None, Some(id)),
            };
            self.rows.push(field_changes::Model {
                row_id: 0,
                loan_id,
                contact_id,
                table_name: table.to_owned(),
                record_id,
                field_name: names.field.clone(),
                field_label: names.label.clone(),
                old_value: old_value.clone(),
                new_value: new_value.clone(),
                modified_by_user_id: self.author.user_id,
                modified_by_name: self.author.name.clone(),
                modified_date: self.now,
                source: self.author.source,
                request_id: self.author.request_id.clone(),
                privilege_path: target.privilege_path.to_owned(),
                comment_category_id: target.comment.map(|comment| comment.category_id),
                comment_id: target.comment.map(|comment| comment.comment_id),
            });
        }
    }

    async fn write(&mut self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        batch::insert_rows(tx, std::mem::take(&mut self.rows)).await
    }

    /// Writes the collected changes if there are many.
    pub async fn save_if_many(&mut self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        if self.rows.len() < BUFFERED_MAX {
            return Ok(());
        }
        self.write(tx).await
    }
}

/// Returns the columns in which two states of a row differ, if any.
pub fn changed_columns<M, A>(before: &M, after: &M) -> Option<A>
where
    M: ModelTrait,
    A: ActiveModelTrait<Entity = M::Entity>,
{
    let mut columns = A::default();
    for column in <M::Entity as EntityTrait>::Column::iter() {
        let value = after.get(column);
        if value != before.get(column) {
            columns.set(column, value);
        }
    }
    columns.is_changed().then_some(columns)
}
