//! Queries of what a caller may see. Every query of the resource API starts here, and its rules are
//! in [`visibility`](super::visibility).

use super::caller::Caller;
use super::visibility::Visible;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityName, PrimaryKeyTrait,
    QueryFilter, QuerySelect, Select,
};
use shared::database::galera;
use shared::problem::Problem;

/// Why a row was not found.
#[derive(Debug)]
pub enum FindError {
    /// The row does not exist or is not visible to the caller; the two are indistinguishable.
    NotFound,
    /// The database query failed.
    Database(DbErr),
}

impl From<DbErr> for FindError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<FindError> for Problem {
    fn from(error: FindError) -> Self {
        match error {
            FindError::NotFound => Self::not_found(),
            FindError::Database(error) => error.into(),
        }
    }
}

impl Caller {
    /// Starts a query: `E::find()`, restricted to what the caller may see.
    #[expect(clippy::disallowed_methods, reason = "the only place that may start a query")]
    pub fn find<E: Visible>(&self) -> Select<E> {
        E::find().filter(E::visible_to(self))
    }

    /// Returns a row by primary key; a row that the caller may not see does not exist.
    #[expect(clippy::disallowed_methods, reason = "filtered by visibility on the same line")]
    pub async fn get<E: Visible>(
        &self,
        db: &impl ConnectionTrait,
        id: <E::PrimaryKey as PrimaryKeyTrait>::ValueType,
    ) -> Result<E::Model, FindError> {
        let row = E::find_by_id(id).filter(E::visible_to(self)).one(db).await?;
        row.ok_or(FindError::NotFound)
    }

    /// Locks a row until the transaction ends, so that it cannot be deleted in the meantime; a row
    /// that the caller may not see does not exist. `id_column` is the table's primary key.
    pub async fn hold<C: ColumnTrait<EntityName: Visible>>(
        &self,
        tx: &DatabaseTransaction,
        id_column: C,
        id: i64,
    ) -> Result<(), FindError> {
        let row = self.find::<C::EntityName>().filter(id_column.eq(id));
        let row = row.select_only().column(id_column).lock_exclusive();
        let locked: Option<i64> = row.into_tuple().one(tx).await?;
        galera::guard_row(tx, C::EntityName::default().table_name(), id).await?;
        locked.map(drop).ok_or(FindError::NotFound)
    }
}
