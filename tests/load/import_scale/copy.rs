//! The same rows through PostgreSQL's own COPY, the fastest way to load them.

use super::rows::{FilledTable, WrittenRows};
use acceptance::postgres::psql::Psql;
use acceptance::world::World;
use serde::Serialize;
use shared::database;
use std::time::Instant;

/// How long COPY took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CopyRun {
    /// Rows of all tables.
    pub rows: u64,
    /// Seconds for copying from one database to the other through a pipe.
    pub seconds: f64,
    /// Seconds for reading from the first database only.
    pub sending_seconds: f64,
}

impl CopyRun {
    /// Rows loaded per second.
    pub fn rows_per_second(&self) -> f64 {
        self.rows as f64 / self.seconds
    }

    /// Copies what the import wrote into a database equal to the world's before the import: schema,
    /// indexes, foreign keys and setup rows.
    pub async fn measure(
        world: &World,
        written: &[WrittenRows],
        target: &str,
    ) -> Result<Self, String> {
        let (from, to) = (Psql::new(&world.database_url)?, Psql::new(target)?);
        let mut copies = Vec::new();
        for table in written {
            copies.push(copy_statements(world, table).await);
        }
        let started = Instant::now();
        for (copy_out, _) in &copies {
            from.run(copy_out).await?;
        }
        let sending = started.elapsed();
        let started = Instant::now();
        for (copy_out, copy_in) in &copies {
            from.pipe(copy_out, &to, copy_in).await?;
        }
        let duration = started.elapsed();
        compare(target, written).await?;
        Ok(Self {
            rows: written.iter().map(|table| table.rows).sum(),
            seconds: duration.as_secs_f64(),
            sending_seconds: sending.as_secs_f64(),
        })
    }
}

/// Returns the statements that copy a table out and in. The database computes generated columns.
async fn copy_statements(world: &World, table: &WrittenRows) -> (String, String) {
    let FilledTable { name, .. } = table.table;
    let columns = format!(
        "SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) \
         FROM information_schema.columns WHERE table_schema = current_schema() \
         AND table_name = '{name}' AND is_generated = 'NEVER'"
    );
    let columns = world.text(&columns).await;
    let copy_out = format!("COPY (SELECT {columns} FROM {}) TO STDOUT", table.source());
    (copy_out + " (FORMAT csv)", format!("COPY {name} ({columns}) FROM STDIN (FORMAT csv)"))
}

/// Checks that all rows have arrived.
async fn compare(target: &str, written: &[WrittenRows]) -> Result<(), String> {
    use sea_orm::{ConnectionTrait, Statement};
    let failed = |error: sea_orm::DbErr| format!("{target}: {error}");
    let db = database::connect(target, 1).await.map_err(failed)?;
    for table in written {
        let sql = format!("SELECT COUNT(*) FROM {}", table.source());
        let statement = Statement::from_string(db.get_database_backend(), sql);
        let row = db.query_one_raw(statement).await.map_err(failed)?.ok_or("no count")?;
        let rows: i64 = row.try_get_by_index(0).map_err(failed)?;
        if u64::try_from(rows) != Ok(table.rows) {
            let FilledTable { name, .. } = table.table;
            return Err(format!("COPY brought {rows} rows of {name}, not {}", table.rows));
        }
    }
    db.close().await.map_err(failed)
}
