//! Steps of a migration: an ordered list of statements, and how to tell whether a schema change has
//! taken effect.

use super::table::Table;
use sea_orm::sea_query::{
    ColumnDef, ConditionalStatement, Expr, ExprTrait, Index, IndexCreateStatement,
};
use sea_orm::{DbBackend, Statement, StatementBuilder};

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
    /// What it does, for an administrator.
    pub description: String,
}

/// Effect of a statement on the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The object exists.
    Created(Object),
    /// The object does not exist.
    Dropped(Object),
    /// The first object has become the second.
    Renamed(Object, Object),
}

/// An object in the catalogue: its table, and its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Table(&'static str),
    Column(&'static str, &'static str),
    Index(&'static str, String),
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
        let is_mariadb = self.backend == DbBackend::MySql;
        // MariaDB creates indexes together with the table in a fraction of the time.
        for (columns, unique) in table.indexes.iter().filter(|_| is_mariadb) {
            definition.index(&mut index(table.name, columns, *unique));
        }
        let created = Effect::Created(Object::Table(table.name));
        self.change(&definition, created, format!("create table {}", table.name));
        for (columns, unique) in table.indexes.iter().filter(|_| !is_mariadb) {
            self.add_index(table.name, columns, *unique);
        }
    }

    /// Drops a table.
    pub(super) fn drop_table(&mut self, table: &'static str) {
        let drop = sea_orm::sea_query::Table::drop().table(table).to_owned();
        let dropped = Effect::Dropped(Object::Table(table));
        self.change(&drop, dropped, format!("drop table {table}"));
    }

    /// Renames a table.
    pub(super) fn rename_table(&mut self, from: &'static str, to: &'static str) {
        let rename = sea_orm::sea_query::Table::rename().table(from, to).to_owned();
        let renamed = Effect::Renamed(Object::Table(from), Object::Table(to));
        self.change(&rename, renamed, format!("rename table {from} to {to}"));
    }

    /// Adds a column.
    pub(super) fn add_column(
        &mut self,
        table: &'static str,
        name: &'static str,
        column: ColumnDef,
    ) {
        let add = sea_orm::sea_query::Table::alter().table(table).add_column(column).take();
        let created = Effect::Created(Object::Column(table, name));
        self.change(&add, created, format!("add column {name} to {table}"));
    }

    /// Drops a column.
    pub(super) fn drop_column(&mut self, table: &'static str, name: &'static str) {
        let drop = sea_orm::sea_query::Table::alter().table(table).drop_column(name).take();
        let dropped = Effect::Dropped(Object::Column(table, name));
        self.change(&drop, dropped, format!("drop column {name} from {table}"));
    }

    /// Renames a column.
    pub(super) fn rename_column(
        &mut self,
        table: &'static str,
        from: &'static str,
        to: &'static str,
    ) {
        let rename = sea_orm::sea_query::Table::alter().table(table).rename_column(from, to).take();
        let renamed = Effect::Renamed(Object::Column(table, from), Object::Column(table, to));
        self.change(&rename, renamed, format!("rename column {from} in {table} to {to}"));
    }

    /// Adds an index on these columns.
    pub(super) fn add_index(
        &mut self,
        table: &'static str,
        columns: &[&'static str],
        unique: bool,
    ) {
        let name = index_name(table, columns);
        let description = format!("create index {name} on {table}");
        let created = Effect::Created(Object::Index(table, name));
        self.change(&index(table, columns, unique), created, description);
    }

    /// Adds an index on these columns, of those rows that have a value in the column `optional`. It
    /// is to replace the one that [`Steps::add_index`] created on the same columns.
    pub(super) fn add_partial_index(
        &mut self,
        table: &'static str,
        columns: &[&'static str],
        optional: &'static str,
        unique: bool,
    ) {
        let name = format!("{}_set", index_name(table, columns));
        let create = index(table, columns, unique)
            .name(&name)
            .and_where(Expr::col(optional).is_not_null())
            .take();
        let description = format!("create index {name} on {table}");
        self.change(&create, Effect::Created(Object::Index(table, name)), description);
    }

    /// Drops the index that [`Steps::add_index`] created on the same columns.
    pub(super) fn drop_index(&mut self, table: &'static str, columns: &[&'static str]) {
        let name = index_name(table, columns);
        let drop = Index::drop().name(&name).table(table).to_owned();
        let description = format!("drop index {name} on {table}");
        self.change(&drop, Effect::Dropped(Object::Index(table, name)), description);
    }

    /// Drops an index that MariaDB made for a foreign key, if it still exists: MariaDB itself drops
    /// it once another index serves the key, but not in a database restored from a dump.
    pub(super) fn drop_index_of_key(&mut self, table: &'static str, column: &'static str) {
        if self.backend != DbBackend::MySql {
            return;
        }
        let sql = format!("ALTER TABLE {table} DROP INDEX IF EXISTS {column}");
        let statement = Statement::from_string(self.backend, sql);
        let dropped = Effect::Dropped(Object::Index(table, column.to_owned()));
        let description = format!("drop index {column} on {table}");
        self.list.push(Step { statement, effect: Some(dropped), description });
    }

    fn change(&mut self, statement: &impl StatementBuilder, effect: Effect, description: String) {
        let statement = self.backend.build(statement);
        self.list.push(Step { statement, effect: Some(effect), description });
    }

    /// Writes rows.
    pub(super) fn write(&mut self, statement: &impl StatementBuilder) {
        self.write_rows(self.backend.build(statement));
    }

    /// Writes rows, with SQL in the database's dialect.
    pub(super) fn write_sql(&mut self, sql: &str) {
        self.write_rows(Statement::from_string(self.backend, sql));
    }

    /// Creates or changes what has no [`Effect`] of its own, such as a trigger. Not for MariaDB,
    /// where such a step could not be resumed.
    pub(super) fn run_sql(&mut self, sql: &str, description: &str) {
        debug_assert!(self.backend != DbBackend::MySql, "{sql}");
        let statement = Statement::from_string(self.backend, sql);
        self.list.push(Step { statement, effect: None, description: description.to_owned() });
    }

    fn write_rows(&mut self, statement: Statement) {
        self.list.push(Step { statement, effect: None, description: "write rows".to_owned() });
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
