//! Upserts of the rows that elements stand for: new rows are staged, existing ones updated or
//! deleted.

use super::batch::BatchTable;
use super::element_fields::{ElementFields, UpdateMode};
use super::parse::Element;
use super::report::Action;
use super::{ElementOutcome, Import, RecordError};
use crate::audit::{self, AuditTarget, Audited, Changes};
use crate::auth::visibility::Visible;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, Iterable,
    PrimaryKeyToColumn, QueryFilter,
};

impl Import<'_> {
    /// Finds the row that an element changes or deletes, by its key, within its parent. `None` for
    /// a new row.
    pub(super) async fn own_row<E: Visible>(
        &self,
        tx: &DatabaseTransaction,
        fields: &mut ElementFields<'_>,
        (name, key): (&str, E::Column),
        (parent, parent_id): (E::Column, i64),
    ) -> Result<Option<E::Model>, RecordError> {
        let id = fields.get::<i64>(name);
        match (fields.update, id) {
            (UpdateMode::Insert, None) => Ok(None),
            (UpdateMode::Insert, Some(_)) => {
                fields.error(name, "is assigned by the service: leave it out of a new row");
                Ok(None)
            }
            (UpdateMode::Change | UpdateMode::Delete, None) => {
                if !fields.has(name) {
                    fields.missing(name);
                }
                Ok(None)
            }
            (UpdateMode::Change | UpdateMode::Delete, Some(id)) => {
                let found = self.caller.find::<E>().filter(key.eq(id));
                let found = found.filter(parent.eq(parent_id)).one(tx).await?;
                if found.is_none() {
                    fields.error(name, "does not exist in the enclosing element");
                }
                Ok(found)
            }
        }
    }

    /// Inserts, updates or deletes the row that an element stands for, as its `UpdateFlag` says. The
    /// key of a new row is a placeholder; a row that is still staged is replaced where it is.
    pub(super) async fn upsert<M, A>(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        fields: ElementFields<'_>,
        before: Option<M>,
        row: M,
        target: AuditTarget,
    ) -> Result<ElementOutcome, RecordError>
    where
        M: BatchTable + IntoActiveModel<A>,
        M::Entity: EntityTrait<Model = M>,
        A: ActiveModelTrait<Entity = M::Entity>,
    {
        let update = fields.update;
        let messages = fields.finish()?;
        let id = row.record_id();
        let action = match (update, before) {
            // Only data that a parent has once can be deleted where there is none.
            (UpdateMode::Delete, None) => Action::Deleted,
            (UpdateMode::Delete, Some(before)) => {
                self.remove(tx, &target, &before).await?;
                Action::Deleted
            }
            (_, Some(before)) => {
                match self.stage.find::<M>(|staged| staged.record_id() == id) {
                    Some(staged) => *staged = row,
                    None => self.change(tx, &target, &before, &row).await?,
                }
                Action::Updated
            }
            (_, None) => {
                self.stage.add(row, target);
                Action::Inserted
            }
        };
        Ok(ElementOutcome::applied(element, action, id, messages))
    }

    /// Writes the changed columns of a row, with their field history.
    pub(super) async fn change<M, A>(
        &self,
        tx: &DatabaseTransaction,
        target: &AuditTarget,
        before: &M,
        after: &M,
    ) -> Result<(), RecordError>
    where
        M: Audited + IntoActiveModel<A> + sea_orm::ModelTrait,
        M::Entity: EntityTrait<Model = M>,
        A: ActiveModelTrait<Entity = M::Entity>,
    {
        let columns = audit::changed_columns::<M, A>(before, after);
        let Some(columns) = columns else { return Ok(()) };
        let mut update = M::Entity::update_many().set(columns);
        for key in <M::Entity as EntityTrait>::PrimaryKey::iter() {
            update = update.filter(key.into_column().eq(before.record_id()));
        }
        update.exec(tx).await?;
        let recorded = audit::recording(tx, &self.author, self.clock.now, async |changes| {
            changes.add(target, Some(before), Some(after))
        });
        Ok(recorded.await?)
    }

    /// Deletes a row, with its field history.
    pub(super) async fn remove<M>(
        &self,
        tx: &DatabaseTransaction,
        target: &AuditTarget,
        row: &M,
    ) -> Result<(), RecordError>
    where
        M: Audited + sea_orm::ModelTrait,
        M::Entity: EntityTrait<Model = M>,
    {
        let mut delete = M::Entity::delete_many();
        for key in <M::Entity as EntityTrait>::PrimaryKey::iter() {
            delete = delete.filter(key.into_column().eq(row.record_id()));
        }
        delete.exec(tx).await?;
        let recorded = audit::recording(tx, &self.author, self.clock.now, async |changes| {
            changes.add(target, Some(row), None)
        });
        Ok(recorded.await?)
    }

    /// Deletes all rows of a table that depend on a row being deleted, and records the changes.
    pub(super) async fn remove_all<E>(
        &self,
        tx: &DatabaseTransaction,
        changes: &mut Changes<'_>,
        target: &AuditTarget,
        (column, id): (E::Column, i64),
    ) -> Result<(), RecordError>
    where
        E: Visible,
        E::Model: Audited,
    {
        for row in self.caller.find::<E>().filter(column.eq(id)).all(tx).await? {
            changes.add(target, Some(&row), None)?;
        }
        E::delete_many().filter(column.eq(id)).exec(tx).await?;
        Ok(())
    }
}
