//! Bulk inserts of whole models, so that no column of a new row is forgotten. If the database
//! generates the primary key, the key in the model is ignored.

use super::json_rows::{self, JsonRows, JsonWrite};
use super::{Write, WriteBatch, parameters_max};
use crate::database::galera;
use sea_orm::sea_query::{Expr, InsertStatement, Query};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbBackend, DbErr, EntityName, EntityTrait, IdenStatic,
    InsertMany, IntoActiveModel, Iterable, PrimaryKeyToColumn, PrimaryKeyTrait, QueryTrait,
    RuntimeErr, Statement,
};

const ROWS_MAX: usize = 500;
/// Up to this many remaining rows go into one INSERT, whatever their number.
const FEW_ROWS: usize = 8;

/// Returns how many of the remaining rows go into the next INSERT, at most `rows_max`. Above a few,
/// it is a power of two: a connection caches every statement it has seen, and there must not be one
/// for every number of rows.
fn rows_at_once(remaining: usize, rows_max: usize) -> usize {
    match remaining {
        remaining if remaining >= rows_max => rows_max,
        remaining if remaining <= FEW_ROWS => remaining,
        remaining => 1 << remaining.ilog2(),
    }
}

/// Returns the statement that inserts a row of these values. They are expressions rather than a
/// model's values, because the database's time is an expression.
pub fn insert_values<E: EntityTrait>(
    entity: E,
    values: impl IntoIterator<Item = (E::Column, Expr)>,
) -> InsertStatement {
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    Query::insert().into_table(entity).columns(columns).values_panic(values).take()
}

/// Inserts a row; returns its key.
pub async fn insert_row<M, A>(db: &impl ConnectionTrait, row: M) -> Result<i64, DbErr>
where
    M: IntoActiveModel<A>,
    A: ActiveModelTrait,
    <A::Entity as EntityTrait>::PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
{
    let inserted = A::Entity::insert(new_row(row)).exec(db).await?;
    Ok(inserted.last_insert_id)
}

/// Inserts many rows.
pub async fn insert_rows<M, A>(db: &impl ConnectionTrait, rows: Vec<M>) -> Result<(), DbErr>
where
    M: IntoActiveModel<A>,
    A: ActiveModelTrait,
{
    let mut rows = rows.into_iter().map(new_row);
    while rows.len() > 0 {
        let mut batch = WriteBatch::new(db);
        batch.writes.push(next_insert(batch.backend, &mut rows)?);
        batch.execute(db).await?;
    }
    Ok(())
}

impl WriteBatch {
    /// Adds the insertion of many rows.
    pub fn insert<M, A>(&mut self, rows: Vec<M>) -> Result<(), DbErr>
    where
        M: IntoActiveModel<A>,
        A: ActiveModelTrait,
    {
        self.insert_all(rows.into_iter().map(new_row))
    }

    /// Adds the insertion of many rows with the keys in the models, which [`reserve_keys`] has reserved.
    pub fn insert_keyed<M, A>(&mut self, rows: Vec<M>) -> Result<(), DbErr>
    where
        M: IntoActiveModel<A>,
        A: ActiveModelTrait,
    {
        self.insert_all(rows.into_iter().map(|row| row.into_active_model().reset_all()))
    }

    fn insert_all<A: ActiveModelTrait>(
        &mut self,
        mut rows: impl ExactSizeIterator<Item = A>,
    ) -> Result<(), DbErr> {
        while rows.len() > 0 {
            self.writes.push(next_insert(self.backend, &mut rows)?);
        }
        Ok(())
    }
}

fn next_insert<A: ActiveModelTrait>(
    backend: DbBackend,
    rows: &mut impl ExactSizeIterator<Item = A>,
) -> Result<Write, DbErr> {
    let batch = next_batch(backend, rows);
    Ok(match backend {
        DbBackend::Postgres => Write::Json(insert_json(batch, None)?),
        _ => Write::Statement(A::Entity::insert_many(batch).build(backend)),
    })
}

fn next_batch<A: ActiveModelTrait>(
    backend: DbBackend,
    rows: &mut impl ExactSizeIterator<Item = A>,
) -> Vec<A> {
    let count = match backend {
        DbBackend::Postgres => json_rows::ROWS_MAX,
        _ => rows_at_once(rows.len(), rows_per_insert::<A>(backend)),
    };
    rows.take(count).collect()
}

/// Returns the statement that inserts these rows on PostgreSQL. All of them must set the same
/// columns.
fn insert_json<A: ActiveModelTrait>(
    rows: Vec<A>,
    returning: Option<<A::Entity as EntityTrait>::Column>,
) -> Result<JsonWrite, DbErr> {
    let mut json = JsonRows::default();
    for mut row in rows {
        let columns = <A::Entity as EntityTrait>::Column::iter();
        json.push(columns.filter_map(|it| Some((it, row.take(it).into_value()?))))?;
    }
    Ok(json.insert(A::Entity::default().table_name(), returning))
}

/// Reserves keys of a table for rows yet to be written, in ascending order. `None` on databases that
/// number rows only as they are inserted.
pub async fn reserve_keys<E: EntityTrait>(
    db: &impl ConnectionTrait,
    entity: E,
    count: usize,
) -> Result<Option<Vec<i64>>, DbErr> {
    if db.get_database_backend() != DbBackend::Postgres {
        return Ok(None);
    }
    let key = E::PrimaryKey::iter().map(|key| key.into_column().as_str().to_owned()).next();
    // OFFSET 0 keeps the sequence from being looked up again for every key.
    let reserve = "SELECT nextval(sequence) FROM (SELECT pg_get_serial_sequence($1, $2)::regclass \
                   AS sequence OFFSET 0) AS named, generate_series(1, $3)";
    let values = [
        entity.table_name().into(),
        key.unwrap_or_default().into(),
        i64::try_from(count).unwrap_or(i64::MAX).into(),
    ];
    let reserve = Statement::from_sql_and_values(DbBackend::Postgres, reserve, values);
    let rows = db.query_all_raw(reserve).await?;
    let mut keys = rows.iter().map(|row| row.try_get_by_index(0)).collect::<Result<Vec<_>, _>>()?;
    keys.sort_unstable();
    Ok(Some(keys))
}

/// Inserts many rows into a table that the database numbers; returns their keys, in the order of
/// the rows.
///
/// On every database one statement's keys ascend in the order of its rows, so sorting them restores
/// that order.
pub async fn insert_numbered<M, A>(
    db: &impl ConnectionTrait,
    rows: Vec<M>,
) -> Result<Vec<i64>, DbErr>
where
    M: IntoActiveModel<A>,
    A: ActiveModelTrait,
    <A::Entity as EntityTrait>::PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
{
    let mut keys = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().map(new_row);
    let backend = db.get_database_backend();
    while rows.len() > 0 {
        let batch: Vec<A> = next_batch(backend, &mut rows);
        let count = batch.len() as i64;
        if backend == DbBackend::Postgres {
            let mut returned = returned_keys(db, batch).await?;
            returned.sort_unstable();
            keys.extend(returned);
            continue;
        }
        let insert = A::Entity::insert_many(batch);
        match backend {
            DbBackend::MySql => {
                let step_before = match galera::is_node(db) {
                    true => Some(auto_increment_step(db).await?),
                    false => None,
                };
                let first = last_insert_id(db, insert).await?;
                let step = auto_increment_step(db).await?;
                if step_before.is_some_and(|before| before != step) {
                    let text = "a cluster node joined or left while rows were numbered";
                    return Err(DbErr::Conn(RuntimeErr::Internal(text.to_owned())));
                }
                keys.extend((0..count).map(|index| first + index * step));
            }
            _ => {
                let last = last_insert_id(db, insert).await?;
                keys.extend(last - count + 1..=last);
            }
        }
    }
    Ok(keys)
}

async fn returned_keys<A: ActiveModelTrait>(
    db: &impl ConnectionTrait,
    rows: Vec<A>,
) -> Result<Vec<i64>, DbErr> {
    let key = <A::Entity as EntityTrait>::PrimaryKey::iter().map(|key| key.into_column()).next();
    let insert = JsonWrite::together(vec![insert_json(rows, key)?])?;
    let rows = db.query_all_raw(insert).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Returns the driver's `last_insert_id`: of several rows, the first row's key on MariaDB, the last
/// row's on SQLite.
async fn last_insert_id<A: ActiveModelTrait>(
    db: &impl ConnectionTrait,
    insert: InsertMany<A>,
) -> Result<i64, DbErr> {
    let inserted = db.execute(&insert.into_query()).await?;
    i64::try_from(inserted.last_insert_id()).map_err(|error| DbErr::Type(error.to_string()))
}

/// Returns the distance between two keys of one INSERT: the number of cluster nodes, which may
/// change with any statement.
async fn auto_increment_step(db: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let select = "SELECT CAST(@@auto_increment_increment AS SIGNED) AS step";
    let row = db.query_one_raw(Statement::from_string(DbBackend::MySql, select)).await?;
    row.map_or(Ok(1), |row| row.try_get("", "step"))
}

fn rows_per_insert<A: ActiveModelTrait>(backend: DbBackend) -> usize {
    let columns = <A::Entity as EntityTrait>::Column::iter().count();
    (parameters_max(backend) / columns.max(1)).clamp(1, ROWS_MAX)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_written_with_few_distinct_statements() {
        let mut seen = std::collections::BTreeSet::new();
        for rows in 0..3_000 {
            let mut left = rows;
            while left > 0 {
                let count = rows_at_once(left, ROWS_MAX);
                assert!((1..=ROWS_MAX.min(left)).contains(&count));
                seen.insert(count);
                left -= count;
            }
        }
        assert_eq!(seen.len(), FEW_ROWS + 6, "{seen:?}");
        assert_eq!(seen.last(), Some(&ROWS_MAX));
    }
}
