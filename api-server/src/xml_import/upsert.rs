//! Upserts of the rows that elements stand for: new rows are staged, existing ones updated or
//! deleted.

use super::batch::BatchTable;
use super::element_fields::{ElementFields, UpdateMode};
use super::report::Action;
use super::{ElementOutcome, ImportTransaction, RecordError};
use crate::audit::{self, AuditTarget, Audited, Changes};
use crate::auth::visibility::Visible;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, Iterable, ModelTrait,
    PrimaryKeyToColumn, PrimaryKeyTrait, QueryFilter,
};
use shared::entity::json_names::xml_name;

impl ImportTransaction<'_, '_> {
    /// Finds the row that an element changes or deletes, by its key, within its parent. `None` for
    /// a new row.
    pub(super) async fn own_row<C: ColumnTrait<EntityName: Visible>>(
        &self,
        fields: &mut ElementFields<'_>,
        key: C,
        (parent, parent_id): (C, i64),
    ) -> Result<Option<<C::EntityName as EntityTrait>::Model>, RecordError> {
        let name = &xml_name(key.as_str());
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
                let found = self.caller.find::<C::EntityName>().filter(key.eq(id));
                let found = found.filter(parent.eq(parent_id)).one(self.tx).await?;
                if found.is_none() {
                    fields.error(name, "does not exist in the enclosing element");
                }
                Ok(found)
            }
        }
    }

    /// Finds the row that a parent has at most once. That of a staged parent is staged, too.
    pub(super) async fn only_row<C, M>(
        &mut self,
        parent: C,
        parent_id: i64,
    ) -> Result<Option<M>, RecordError>
    where
        C: ColumnTrait<EntityName: Visible + EntityTrait<Model = M>>,
        M: BatchTable,
    {
        match parent_id {
            ..0 => Ok(self.stage.find(|row: &M| row.record_id() == parent_id).cloned()),
            _ => {
                let rows = self.caller.find::<C::EntityName>();
                Ok(rows.filter(parent.eq(parent_id)).one(self.tx).await?)
            }
        }
    }

    /// Inserts, updates or deletes the row that an element stands for, as its `UpdateFlag` says. The
    /// key of a new row is a placeholder; a row that is still staged is replaced where it is.
    pub(super) async fn upsert<M, A>(
        &mut self,
        fields: ElementFields<'_>,
        before: Option<M>,
        row: M,
        target: AuditTarget,
    ) -> Result<ElementOutcome, RecordError>
    where
        M: BatchTable + IntoActiveModel<A>,
        M::Entity: EntityTrait<Model = M, PrimaryKey: PrimaryKeyTrait<ValueType = i64>>,
        A: ActiveModelTrait<Entity = M::Entity>,
    {
        let (element, update) = (fields.element, fields.update);
        let messages = fields.finish()?;
        let id = row.record_id();
        let action = match (update, before) {
            // Only data that a parent has once can be deleted where there is none.
            (UpdateMode::Delete, None) => Action::Deleted,
            (UpdateMode::Delete, Some(before)) => {
                self.remove(&target, &before).await?;
                Action::Deleted
            }
            (_, Some(before)) => {
                match self.stage.find::<M>(|staged| staged.record_id() == id) {
                    Some(staged) => *staged = row,
                    None => self.change(&target, &before, &row).await?,
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
        target: &AuditTarget,
        before: &M,
        after: &M,
    ) -> Result<(), RecordError>
    where
        M: Audited + IntoActiveModel<A> + ModelTrait,
        M::Entity: EntityTrait<Model = M>,
        A: ActiveModelTrait<Entity = M::Entity>,
    {
        let columns = audit::changed_columns::<M, A>(before, after);
        let Some(columns) = columns else { return Ok(()) };
        let mut update = M::Entity::update_many().set(columns);
        for key in <M::Entity as EntityTrait>::PrimaryKey::iter() {
            update = update.filter(key.into_column().eq(before.record_id()));
        }
        update.exec(self.tx).await?;
        let recorded = audit::recording(self.tx, &self.author, self.clock.now, async |changes| {
            changes.add(target, Some(before), Some(after))
        });
        Ok(recorded.await?)
    }

    /// Deletes a row, with its field history.
    pub(super) async fn remove<M>(&self, target: &AuditTarget, row: &M) -> Result<(), RecordError>
    where
        M: Audited + ModelTrait,
        M::Entity: EntityTrait<Model = M, PrimaryKey: PrimaryKeyTrait<ValueType = i64>>,
    {
        M::Entity::delete_by_id(row.record_id()).exec(self.tx).await?;
        let recorded = audit::recording(self.tx, &self.author, self.clock.now, async |changes| {
            changes.add(target, Some(row), None)
        });
        Ok(recorded.await?)
    }

    /// Deletes all rows of a table that depend on a row being deleted, without field history.
    pub(super) async fn delete_all<C: ColumnTrait>(
        &self,
        column: C,
        id: i64,
    ) -> Result<(), RecordError>
    where
        C::EntityName: EntityTrait,
    {
        C::EntityName::delete_many().filter(column.eq(id)).exec(self.tx).await?;
        Ok(())
    }

    /// Deletes all rows of a table that depend on a row being deleted, and records the changes.
    pub(super) async fn remove_all<C>(
        &self,
        changes: &mut Changes<'_>,
        target: &AuditTarget,
        column: C,
        id: i64,
    ) -> Result<(), RecordError>
    where
        C: ColumnTrait<EntityName: Visible + EntityTrait<Model: Audited>>,
    {
        for row in self.caller.find::<C::EntityName>().filter(column.eq(id)).all(self.tx).await? {
            changes.add(target, Some(&row), None)?;
        }
        self.delete_all(column, id).await
    }
}
