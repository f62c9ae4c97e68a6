//! Rows written as whole models, so that no column of a new row is forgotten. Where the database
//! numbers a table's rows, the key in the model does not count.

use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Iterable,
    PrimaryKeyToColumn, PrimaryKeyTrait,
};

/// Rows of one INSERT: a database takes only so many parameters per statement.
const ROWS_PER_INSERT: usize = 500;

/// Adds a row; gives back its key.
pub async fn add<M, A>(db: &impl ConnectionTrait, row: M) -> Result<i64, DbErr>
where
    M: IntoActiveModel<A>,
    A: ActiveModelTrait,
    <A::Entity as EntityTrait>::PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
{
    let inserted = A::Entity::insert(new_row(row)).exec(db).await?;
    Ok(inserted.last_insert_id)
}

/// Adds many rows.
pub async fn add_all<M, A>(db: &impl ConnectionTrait, rows: Vec<M>) -> Result<(), DbErr>
where
    M: IntoActiveModel<A>,
    A: ActiveModelTrait,
{
    let mut rows = rows.into_iter().map(new_row).peekable();
    while rows.peek().is_some() {
        let some: Vec<A> = rows.by_ref().take(ROWS_PER_INSERT).collect();
        A::Entity::insert_many(some).exec_without_returning(db).await?;
    }
    Ok(())
}

fn new_row<M, A>(row: M) -> A
where
    M: IntoActiveModel<A>,
    A: ActiveModelTrait,
{
    let mut row = row.into_active_model().reset_all();
    if <A::Entity as EntityTrait>::PrimaryKey::auto_increment() {
        for key in <A::Entity as EntityTrait>::PrimaryKey::iter() {
            row.not_set(key.into_column());
        }
    }
    row
}
