//! Steps of a migration: an ordered list of statements. Each does nothing if it has been done, so that
//! an interrupted migration is run again from its beginning.

use super::table::Table;
use sea_orm::sea_query::InsertStatement;
use sea_orm::{DbBackend, Statement, StatementBuilder};

#[derive(Debug)]
pub(super) struct Steps {
    backend: DbBackend,
    list: Vec<Step>,
    tables: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub statement: Statement,
    /// What it does, for an administrator.
    pub description: String,
}

impl Steps {
    pub(super) fn new(backend: DbBackend) -> Self {
        Self { backend, list: Vec::new(), tables: Vec::new() }
    }

    pub(super) fn backend(&self) -> DbBackend {
        self.backend
    }

    pub(super) fn into_list(self) -> Vec<Step> {
        self.list
    }

    pub(super) fn into_tables(self) -> Vec<&'static str> {
        self.tables
    }

    /// Creates a table and its indexes.
    pub(super) fn create(&mut self, table: &Table) {
        self.tables.push(table.name);
        let description = format!("create table {}", table.name);
        self.push(&table.definition(self.backend), description);
        for index in table.separate_indexes(self.backend) {
            self.push(&index, format!("create an index on {}", table.name));
        }
    }

    /// Inserts rows, without those that exist.
    pub(super) fn write(&mut self, insert: &InsertStatement) {
        self.push(insert, "write rows".to_owned());
    }

    /// Creates what [`Table`] does not define, such as a trigger.
    pub(super) fn run_sql(&mut self, sql: &str, description: &str) {
        let statement = Statement::from_string(self.backend, sql);
        self.list.push(Step { statement, description: description.to_owned() });
    }

    fn push(&mut self, statement: &impl StatementBuilder, description: String) {
        let statement = self.backend.build(statement);
        self.list.push(Step { statement, description });
    }
}
