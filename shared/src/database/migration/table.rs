//! Table definitions in this product's terms (keys, amounts, instants, choices), and the column
//! types they map to on each database.

use sea_orm::DbBackend;
use sea_orm::sea_query::{
    ColumnDef, ConditionalStatement, Expr, ExprTrait, ForeignKey, ForeignKeyAction, Index,
    IndexCreateStatement, TableCreateStatement,
};

/// Day-count bases of interest.
pub(super) const YEARS: &[&str] = &["360", "364", "365", "366", "ACT"];
/// Payment periods of a loan.
pub(super) const PERIODS: &[&str] = &[
    "none",
    "weekly",
    "biweekly",
    "semimonthly",
    "monthly",
    "bimonthly",
    "quarterly",
    "semiannual",
    "annual",
    "maturity",
];
/// Balances of a loan.
pub(super) const BALANCES: &[&str] =
    &["principal", "interest", "late_charge", "fees", "impound", "suspense"];
/// Card brands.
pub(super) const BRANDS: &[&str] = &["visa", "mastercard", "amex", "discover", "other"];

pub(super) struct Table {
    pub name: &'static str,
    columns: Vec<Column>,
    indexes: Vec<TableIndex>,
}

struct TableIndex {
    columns: &'static [&'static str],
    unique: bool,
    /// It leaves out rows without a value in this column, where the database can.
    optional: Option<&'static str>,
}

pub(super) struct Column {
    name: &'static str,
    kind: ColumnKind,
    optional: bool,
    primary: bool,
    references: Option<(&'static str, &'static str)>,
    cascading: bool,
    computed: Option<fn(DbBackend) -> Expr>,
}

enum ColumnKind {
    Key,
    Int,
    Long,
    Date,
    Time,
    Flag,
    Text,
    Json,
    Modified,
    String(u32),
    Choice(&'static [&'static str]),
}

fn column(name: &'static str, kind: ColumnKind) -> Column {
    let (optional, primary, cascading) = (false, false, false);
    Column { name, kind, optional, primary, references: None, cascading, computed: None }
}

macro_rules! column_kinds {
    ($($(#[$doc:meta])* $name:ident: $kind:ident,)*) => {$(
        $(#[$doc])*
        pub(super) fn $name(name: &'static str) -> Column {
            column(name, ColumnKind::$kind)
        }
    )*};
}

column_kinds! {
    /// A primary key, auto-numbered by the database.
    key: Key,
    /// The key of another row, 64 bits.
    id: Long,
    int: Int,
    long: Long,
    /// Money, a rate or an accrual, in smallest units.
    amount: Long,
    date: Date,
    /// An instant with microseconds, in UTC.
    time: Time,
    flag: Flag,
    /// Long text, more than 64 KiB.
    text: Text,
    json: Json,
}

/// Text of at most this many characters, compared by code point.
pub(super) fn string(name: &'static str, characters: u32) -> Column {
    column(name, ColumnKind::String(characters))
}

/// The time of the row's last change, which the database keeps, whichever program writes the row:
/// with triggers, but on MariaDB ([`super::baseline`]).
pub(super) fn modified_date() -> Column {
    column("modified_date", ColumnKind::Modified)
}

/// One of these words, with a check constraint.
pub(super) fn choice(name: &'static str, words: &'static [&'static str]) -> Column {
    column(name, ColumnKind::Choice(words))
}

impl Table {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, columns: Vec::new(), indexes: Vec::new() }
    }

    pub(super) fn columns<const N: usize>(mut self, columns: [Column; N]) -> Self {
        self.columns = columns.into();
        self
    }

    pub(super) fn unique(mut self, columns: &'static [&'static str]) -> Self {
        self.indexes.push(TableIndex { columns, unique: true, optional: None });
        self
    }

    pub(super) fn index(mut self, columns: &'static [&'static str]) -> Self {
        self.indexes.push(TableIndex { columns, unique: false, optional: None });
        self
    }

    /// Makes the last index leave out the rows without a value in this column, which are nearly all of
    /// them. MariaDB has no such indexes.
    pub(super) fn of_rows_with(mut self, optional: &'static str) -> Self {
        if let Some(index) = self.indexes.last_mut() {
            index.optional = Some(optional);
        }
        self
    }

    /// Returns the statements that create the indexes. On MariaDB there are none: it creates indexes
    /// together with the table in a fraction of the time.
    pub(super) fn separate_indexes(&self, backend: DbBackend) -> Vec<IndexCreateStatement> {
        let indexes = self.indexes.iter().filter(|_| backend != DbBackend::MySql);
        indexes.map(|index| index.definition(self.name, backend).if_not_exists().take()).collect()
    }

    pub(super) fn definition(&self, backend: DbBackend) -> TableCreateStatement {
        let mut table = sea_orm::sea_query::Table::create();
        table.table(self.name).if_not_exists();
        for index in self.indexes.iter().filter(|_| backend == DbBackend::MySql) {
            table.index(&mut index.definition(self.name, backend));
        }
        for column in &self.columns {
            table.col(column.definition(backend));
            if let Some((other, key)) = column.references {
                let mut reference = ForeignKey::create();
                reference.from(self.name, column.name).to(other, key);
                if column.cascading {
                    reference.on_delete(ForeignKeyAction::Cascade);
                }
                table.foreign_key(&mut reference);
            }
        }
        table
    }
}

impl TableIndex {
    fn definition(&self, table: &'static str, backend: DbBackend) -> IndexCreateStatement {
        let mut index = Index::create();
        // At most 63 characters on PostgreSQL, 64 on MariaDB.
        let mut name = format!("{table}_{}", self.columns.join("_"));
        name.truncate(60);
        if let Some(optional) = self.optional.filter(|_| backend != DbBackend::MySql) {
            name.push_str("_set");
            index.and_where(Expr::col(optional).is_not_null());
        }
        index.name(name).table(table);
        for column in self.columns {
            index.col(*column);
        }
        if self.unique {
            index.unique();
        }
        index
    }
}

impl Column {
    pub(super) fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    pub(super) fn primary(self) -> Self {
        Self { primary: true, ..self }
    }

    pub(super) fn references(self, table: &'static str, key: &'static str) -> Self {
        Self { references: Some((table, key)), ..self }
    }

    /// Deletes the row together with the one that its foreign key refers to.
    pub(super) fn cascading(self) -> Self {
        Self { cascading: true, ..self }
    }

    pub(super) fn computed(self, expression: fn(DbBackend) -> Expr) -> Self {
        Self { computed: Some(expression), ..self }
    }

    fn definition(&self, backend: DbBackend) -> ColumnDef {
        let mut column = ColumnDef::new(self.name);
        match self.kind {
            ColumnKind::Modified => return modified(column, backend),
            ColumnKind::Key => {
                return column.big_integer().not_null().auto_increment().primary_key().take();
            }
            ColumnKind::Long => column.big_integer(),
            ColumnKind::Int => column.integer(),
            ColumnKind::Date => column.date(),
            ColumnKind::Flag => column.boolean(),
            ColumnKind::Time => column.custom(time_type(backend)),
            ColumnKind::Text => column.custom(text_type(backend)),
            ColumnKind::Json => column.json(),
            ColumnKind::String(characters) => column.custom(string_type(backend, characters)),
            ColumnKind::Choice(words) => column
                .custom(string_type(backend, 30))
                .check(Expr::col(self.name).is_in(words.iter().copied())),
        };
        if let Some(expression) = self.computed {
            // PostgreSQL indexes only stored ones; MariaDB's recovery after a crash is not safe with
            // indexes of others.
            let is_stored = backend != DbBackend::Sqlite;
            return column.generated(expression(backend), is_stored).take();
        }
        if self.primary {
            column.primary_key();
        }
        if self.optional { column.null() } else { column.not_null() }.take()
    }
}

fn modified(mut column: ColumnDef, backend: DbBackend) -> ColumnDef {
    match backend {
        DbBackend::Postgres => {
            column.custom("timestamptz").not_null().default(Expr::cust("clock_timestamp()"))
        }
        // Not DATETIME, whose automatic values are in the time zone of each session.
        DbBackend::MySql => column
            .custom("timestamp(6)")
            .not_null()
            .default(Expr::cust("current_timestamp(6)"))
            .extra("ON UPDATE current_timestamp(6)"),
        _ => column.custom("text").null(),
    };
    column
}

fn time_type(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => "timestamptz",
        DbBackend::MySql => "datetime(6)",
        _ => "text",
    }
}

/// MariaDB's default collations ignore case and trailing spaces; this one compares code points.
const MARIADB_COLLATION: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";

fn text_type(backend: DbBackend) -> String {
    match backend {
        DbBackend::MySql => format!("mediumtext {MARIADB_COLLATION}"),
        _ => "text".to_owned(),
    }
}

fn string_type(backend: DbBackend, characters: u32) -> String {
    match backend {
        DbBackend::Postgres => format!("varchar({characters}) COLLATE \"C\""),
        DbBackend::MySql => format!("varchar({characters}) {MARIADB_COLLATION}"),
        _ => format!("varchar({characters})"),
    }
}
