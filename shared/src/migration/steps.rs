//! Steps of a migration: an ordered list of statements, and how to tell whether a schema change has
//! taken effect.

use super::table::Table;
use sea_orm::sea_query::{ColumnDef, Index, IndexCreateStatement};
use sea_orm::{DbBackend, Statement, StatementBuilder};
use std::fmt;

/// The statements of a migration: always the same ones in the same order.
#[derive(Debug)]
pub(super) struct Steps {
    backend: DbBackend,
    list: Vec<Step>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The SQL statement.
    pub statement: Statement,
    /// Its effect on the catalogue; `None` if it only writes rows.
    pub effect: Option<Effect>,
}

/// Effect of a statement on the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The table exists.
    Table(&'static str),
    /// The table does not exist.
    NoTable(&'static str),
    /// The table has its new name.
    Renamed(&'static str, &'static str),
    /// The column exists.
    Column(&'static str, &'static str),
    /// The column does not exist.
    NoColumn(&'static str, &'static str),
    /// The column has its new name.
    RenamedColumn(&'static str, &'static str, &'static str),
    /// The index exists.
    Index(&'static str, String),
    /// The index does not exist.
    NoIndex(&'static str, String),
}

impl Steps {
    /// Returns an empty list, for a database of this kind.
    pub(super) fn new(backend: DbBackend) -> Self {
        Self { backend, list: Vec::new() }
    }

    /// Returns the kind of database.
    pub(super) fn backend(&self) -> DbBackend {
        self.backend
    }

    /// Returns the steps.
    pub(super) fn into_list(self) -> Vec<Step> {
        self.list
    }

    /// Creates a table and its indexes.
    pub(super) fn create(&mut self, table: &Table) {
        let mut definition = table.definition(self.backend);
        let indexes = table.indexes().iter().map(|(unique, columns)| (columns, *unique));
        // MariaDB creates indexes together with the table in a fraction of the time.
        if self.backend == DbBackend::MySql {
            for (columns, unique) in indexes {
                definition.index(&mut index(table.name(), columns, unique));
            }
            return self.add(&definition, Some(Effect::Table(table.name())));
        }
        self.add(&definition, Some(Effect::Table(table.name())));
        for (columns, unique) in indexes {
            self.add_index(table.name(), columns, unique);
        }
    }

    /// Drops a table.
    pub(super) fn drop_table(&mut self, table: &'static str) {
        let drop = sea_orm::sea_query::Table::drop().table(table).to_owned();
        self.add(&drop, Some(Effect::NoTable(table)));
    }

    /// Renames a table.
    pub(super) fn rename_table(&mut self, from: &'static str, to: &'static str) {
        let rename = sea_orm::sea_query::Table::rename().table(from, to).to_owned();
        self.add(&rename, Some(Effect::Renamed(from, to)));
    }

    /// Adds a column.
    pub(super) fn add_column(
        &mut self,
        table: &'static str,
        name: &'static str,
        column: ColumnDef,
    ) {
        let change = sea_orm::sea_query::Table::alter().table(table).add_column(column).take();
        self.add(&change, Some(Effect::Column(table, name)));
    }

    /// Drops a column.
    pub(super) fn drop_column(&mut self, table: &'static str, name: &'static str) {
        let change = sea_orm::sea_query::Table::alter().table(table).drop_column(name).take();
        self.add(&change, Some(Effect::NoColumn(table, name)));
    }

    /// Renames a column.
    pub(super) fn rename_column(
        &mut self,
        table: &'static str,
        from: &'static str,
        to: &'static str,
    ) {
        let change = sea_orm::sea_query::Table::alter().table(table).rename_column(from, to).take();
        self.add(&change, Some(Effect::RenamedColumn(table, from, to)));
    }

    /// Adds an index on these columns.
    pub(super) fn add_index(
        &mut self,
        table: &'static str,
        columns: &[&'static str],
        unique: bool,
    ) {
        let name = index_name(table, columns);
        self.add(&index(table, columns, unique), Some(Effect::Index(table, name)));
    }

    /// Drops the index that [`Steps::add_index`] created on the same columns.
    pub(super) fn drop_index(&mut self, table: &'static str, columns: &[&'static str]) {
        let name = index_name(table, columns);
        let drop = Index::drop().name(&name).table(table).to_owned();
        self.add(&drop, Some(Effect::NoIndex(table, name)));
    }

    /// Writes rows.
    pub(super) fn write(&mut self, statement: &impl StatementBuilder) {
        self.add(statement, None);
    }

    /// Writes rows, with SQL in the database's dialect.
    pub(super) fn write_sql(&mut self, sql: &str) {
        self.list.push(Step { statement: Statement::from_string(self.backend, sql), effect: None });
    }

    fn add(&mut self, statement: &impl StatementBuilder, effect: Option<Effect>) {
        self.list.push(Step { statement: self.backend.build(statement), effect });
    }
}

fn index(table: &'static str, columns: &[&'static str], unique: bool) -> IndexCreateStatement {
    let mut index = Index::create();
    index.name(index_name(table, columns)).table(table);
    for column in columns {
        index.col(*column);
    }
    if unique {
        index.unique();
    }
    index
}

/// Returns an index name: at most 63 characters on PostgreSQL, 64 on MariaDB.
fn index_name(table: &str, columns: &[&str]) -> String {
    let mut name = format!("{table}_{}", columns.join("_"));
    name.truncate(60);
    name
}

impl fmt::Display for Step {
    /// Describes the step to an administrator.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.effect {
            None => f.write_str("write rows"),
            Some(Effect::Table(table)) => write!(f, "create table {table}"),
            Some(Effect::NoTable(table)) => write!(f, "drop table {table}"),
            Some(Effect::Renamed(from, to)) => write!(f, "rename table {from} to {to}"),
            Some(Effect::Column(table, name)) => write!(f, "add column {name} to {table}"),
            Some(Effect::NoColumn(table, name)) => write!(f, "drop column {name} from {table}"),
            Some(Effect::RenamedColumn(table, from, to)) => {
                write!(f, "rename column {from} in {table} to {to}")
            }
            Some(Effect::Index(table, name)) => write!(f, "create index {name} on {table}"),
            Some(Effect::NoIndex(table, name)) => write!(f, "drop index {name} on {table}"),
        }
    }
}
