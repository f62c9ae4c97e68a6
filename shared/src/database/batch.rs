//! Many rows in few statements: a [`WriteBatch`] collects what is written to several tables. On
//! PostgreSQL it is sent as one statement, in one round trip; elsewhere its statements follow each other.

mod inserts;
mod json_rows;
mod updates;

pub use self::inserts::{insert_numbered, insert_row, insert_rows, insert_values, reserve_keys};
pub use self::updates::{RowUpdate, update_rows};

use self::json_rows::JsonWrite;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

/// Returns the number of parameters per statement. Databases accept at least 32,766, but use a lot of
/// memory for them. SQLite uses this process's, for each connection's prepared statements, and there
/// are no round trips to save.
fn parameters_max(backend: DbBackend) -> usize {
    match backend {
        DbBackend::Sqlite => 1_000,
        _ => 8_000,
    }
}

/// Writes that are yet to be executed, in their order. None may read or change what another writes,
/// but a row may refer to one that is written with it.
pub struct WriteBatch {
    backend: DbBackend,
    writes: Vec<Write>,
}

enum Write {
    /// On PostgreSQL.
    Json(JsonWrite),
    /// On the other databases.
    Statement(Statement),
}

impl WriteBatch {
    /// Returns no writes yet, for this database.
    pub fn new(db: &impl ConnectionTrait) -> Self {
        Self { backend: db.get_database_backend(), writes: Vec::new() }
    }

    /// Executes them.
    pub async fn execute(self, db: &impl ConnectionTrait) -> Result<(), DbErr> {
        for statement in self.into_statements()? {
            db.execute_raw(statement).await?;
        }
        Ok(())
    }

    /// Combines what PostgreSQL can write at once.
    fn into_statements(self) -> Result<Vec<Statement>, DbErr> {
        let mut statements = Vec::new();
        let mut combined: Vec<JsonWrite> = Vec::new();
        let mut rows = 0;
        for write in self.writes {
            match write {
                Write::Statement(statement) => statements.push(statement),
                Write::Json(write) => {
                    if rows + write.rows() > json_rows::ROWS_MAX && !combined.is_empty() {
                        statements.push(JsonWrite::together(std::mem::take(&mut combined))?);
                        rows = 0;
                    }
                    rows += write.rows();
                    combined.push(write);
                }
            }
        }
        if !combined.is_empty() {
            statements.push(JsonWrite::together(combined)?);
        }
        Ok(statements)
    }
}

#[cfg(test)]
mod tests {
    use super::json_rows::JsonRows;
    use super::*;
    use crate::entity::portfolios::Column;

    fn insert(rows: usize) -> Write {
        let mut json = JsonRows::default();
        for key in (1_i64..).take(rows) {
            json.push([(Column::PortfolioId, sea_orm::Value::from(key))]).expect("a row");
        }
        Write::Json(json.insert("portfolios", None::<Column>))
    }

    #[test]
    fn a_statement_writes_a_limited_number_of_rows() {
        let max = json_rows::ROWS_MAX;
        let mut writes = WriteBatch { backend: DbBackend::Postgres, writes: Vec::new() };
        for rows in [1, 2, max, max - 1, 1, 1] {
            writes.writes.push(insert(rows));
        }
        let statements = writes.into_statements().expect("statements");
        let inserts = |it: &Statement| it.sql.matches("INSERT").count();
        assert_eq!(statements.iter().map(inserts).collect::<Vec<_>>(), [2, 1, 2, 1]);
    }
}
