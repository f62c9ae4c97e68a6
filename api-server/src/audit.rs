//! Field history: one row of `field_changes` per changed column, in the change's own transaction.

pub mod listing;
mod names;
mod tracked;
mod writing;

pub use self::names::Names;

use self::writing::Row;
use crate::auth::caller::Caller;
use sea_orm::{ActiveModelTrait, DatabaseTransaction, DbErr, EntityTrait, Iterable, ModelTrait};
use serde::Serialize;
use serde_json::{Map, Value};
use shared::entity::field_changes::ChangeSource;
use shared::telemetry::RequestId;
use shared::time::Timestamp;
use std::sync::Arc;

/// So many changes are held before they are saved together.
const HELD_MAX: usize = 2_000;

/// Who changes something, from where, and when.
#[derive(Clone, Debug)]
pub struct Author {
    user_id: Option<i64>,
    name: String,
    source: ChangeSource,
    request_id: String,
}

impl Author {
    /// A caller of the API.
    pub fn new(caller: &Caller, source: ChangeSource, request_id: &RequestId) -> Self {
        let name = match caller {
            Caller::Core(user) => user.user_name.clone(),
            Caller::Web { contact_id } => format!("web user of contact {contact_id}"),
        };
        let request_id = request_id.as_str().to_owned();
        Self { user_id: caller.user_id(), name, source, request_id }
    }

    /// Whoever sent a request that is carried on after it.
    pub fn again(caller: &Caller, source: ChangeSource, request_id: &str) -> Self {
        let request_id = request_id.to_owned();
        Self { request_id, ..Self::new(caller, source, &RequestId::random()) }
    }

    /// The service itself, where nobody asked.
    pub fn service(source: ChangeSource) -> Self {
        let request_id = RequestId::random().as_str().to_owned();
        Self { user_id: None, name: "api-server".to_owned(), source, request_id }
    }

    /// Of the request that changes something.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The core-system user, for columns that name him.
    pub fn user_id(&self) -> Option<i64> {
        self.user_id
    }
}

/// Whose history a row's changes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A loan's.
    Loan(i64),
    /// A contact's.
    Contact(i64),
}

/// Whose history a row's changes go into, and who may read them there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose history: a change is written once for each of them.
    pub owners: Vec<Owner>,
    /// The privilege path whose View reads the row.
    pub privilege_path: &'static str,
    /// The comment, of a comment and of what hangs on it.
    pub comment: Option<OfComment>,
}

/// A comment, and who may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfComment {
    /// The comment.
    pub comment_id: i64,
    /// The category whose trustees read it.
    pub category_id: i64,
}

impl Place {
    /// The history of one loan or contact.
    pub fn of(owner: Owner, privilege_path: &'static str) -> Self {
        Self { owners: vec![owner], privilege_path, comment: None }
    }
}

/// A row whose changes are kept.
pub trait Tracked: Serialize {
    /// Its table.
    const TABLE: &'static str;
    /// Columns that move by themselves, and those that no answer tells of.
    const UNTRACKED: &'static [&'static str] = &[];
    /// Columns of which only is told that they changed.
    const SECRET: &'static [&'static str] = &[];

    /// Its key.
    fn record_id(&self) -> i64;
}

/// A row that says itself where its changes go.
pub trait Placed: Tracked {
    /// Where its changes go.
    fn place(&self) -> Place;
}

/// A value that is no column of a tracked row, and what became of it.
#[derive(Clone, Debug)]
pub struct FieldNote {
    /// Where the change goes.
    pub place: Place,
    /// What stands for the table.
    pub table: &'static str,
    /// The key of what has the value.
    pub record_id: i64,
    /// The name of the field, and what people call it.
    pub names: Arc<Names>,
    /// What it was.
    pub old_value: Option<String>,
    /// What it is.
    pub new_value: Option<String>,
}

/// Records what became of a row: inserted (`before` is `None`), changed, or deleted (`after`).
pub async fn record<T: Placed>(
    tx: &DatabaseTransaction,
    author: &Author,
    now: Timestamp,
    before: Option<&T>,
    after: Option<&T>,
) -> Result<(), DbErr> {
    let Some(row) = after.or(before) else { return Ok(()) };
    recording(tx, author, now, async |changes| changes.add(&row.place(), before, after)).await
}

/// Does work that changes tracked rows, and saves the changes it noted with its transaction: no work
/// can forget to.
pub async fn recording<T, E: From<DbErr>>(
    tx: &DatabaseTransaction,
    author: &Author,
    now: Timestamp,
    work: impl AsyncFnOnce(&mut Changes<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut changes = Changes { author, now, rows: Vec::new() };
    let done = work(&mut changes).await?;
    changes.write(tx).await?;
    Ok(done)
}

/// Changes of many rows, saved together by [`recording`].
pub struct Changes<'a> {
    author: &'a Author,
    now: Timestamp,
    rows: Vec<Row>,
}

impl Changes<'_> {
    /// Adds what became of a row.
    pub fn add<T: Tracked>(
        &mut self,
        place: &Place,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), DbErr> {
        self.add_across(place, place, before, after)
    }

    /// The same of a row that went from one place to another. Where not everybody who may read the
    /// one may read the other, what was is written at the first and what is at the second.
    pub fn add_across<T: Tracked>(
        &mut self,
        from: &Place,
        to: &Place,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), DbErr> {
        let Some(row) = after.or(before) else { return Ok(()) };
        if from.owners.is_empty() && to.owners.is_empty() {
            return Ok(());
        }
        let (old, new) = (columns(before)?, columns(after)?);
        let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
        for column in names.filter(|name| !T::UNTRACKED.contains(&name.as_str())) {
            let (old, new) = (old.get(column), new.get(column));
            if old == new {
                continue;
            }
            let text = |value: &Value| match value {
                _ if T::SECRET.contains(&column.as_str()) => "(changed)".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let (old_value, new_value) = (old.map(text), new.map(text));
            let note = |place: &Place, old_value, new_value| FieldNote {
                place: place.clone(),
                table: T::TABLE,
                record_id: row.record_id(),
                names: Names::of(column),
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

    /// Adds what became of a value that is no column of a tracked row.
    pub fn note(&mut self, note: FieldNote) {
        let FieldNote { place, table, record_id, names, old_value, new_value } = note;
        let Place { owners, privilege_path, comment } = place;
        for owner in owners {
            self.rows.push(Row {
                owner,
                table,
                record_id,
                names: Arc::clone(&names),
                old_value: old_value.clone(),
                new_value: new_value.clone(),
                privilege_path,
                comment,
            });
        }
    }

    /// Saves them once they are many.
    pub async fn save_if_many(&mut self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        if self.rows.len() < HELD_MAX {
            return Ok(());
        }
        self.write(tx).await
    }
}

/// The columns in which two states of a row differ, if any.
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

/// A row's columns in their stored form; those that are NULL are left out.
fn columns<T: Tracked>(row: Option<&T>) -> Result<Map<String, Value>, DbErr> {
    let Some(row) = row else { return Ok(Map::new()) };
    match serde_json::to_value(row) {
        Ok(Value::Object(mut columns)) => {
            columns.retain(|_, value| !value.is_null());
            Ok(columns)
        }
        Ok(_) => Err(DbErr::Type("a row is a JSON object".to_owned())),
        Err(error) => Err(DbErr::Type(error.to_string())),
    }
}
