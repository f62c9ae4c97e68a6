//! A table in the words of this product (keys, amounts, instants, choices), and what they are on
//! each database.

use sea_orm::DbBackend;
use sea_orm::sea_query::{ColumnDef, Expr, ExprTrait, ForeignKey, TableCreateStatement};

/// Year bases of interest.
pub const YEARS: &[&str] = &["360", "364", "365", "366", "ACT"];
/// How often a loan is paid.
pub const PERIODS: &[&str] = &[
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
/// Brands of cards.
pub const BRANDS: &[&str] = &["visa", "mastercard", "amex", "discover", "other"];

/// A table to be created, with its indexes.
pub struct Table {
    name: &'static str,
    columns: Vec<Column>,
    indexes: Vec<(bool, &'static [&'static str])>,
}

/// A column of a table.
pub struct Column {
    name: &'static str,
    kind: Kind,
    optional: bool,
    primary: bool,
    references: Option<(&'static str, &'static str)>,
}

enum Kind {
    Key,
    Id,
    Int,
    Long,
    Amount,
    Date,
    Time,
    Flag,
    Text,
    Json,
    String(u32),
    Choice(&'static [&'static str]),
}

fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, optional: false, primary: false, references: None }
}

/// The primary key, numbered by the database.
pub fn key(name: &'static str) -> Column {
    column(name, Kind::Key)
}

/// The key of another row.
pub fn id(name: &'static str) -> Column {
    column(name, Kind::Id)
}

/// A 32-bit whole number.
pub fn int(name: &'static str) -> Column {
    column(name, Kind::Int)
}

/// A 64-bit whole number.
pub fn long(name: &'static str) -> Column {
    column(name, Kind::Long)
}

/// Money, a rate or an accrual, in smallest units.
pub fn amount(name: &'static str) -> Column {
    column(name, Kind::Amount)
}

/// A calendar date.
pub fn date(name: &'static str) -> Column {
    column(name, Kind::Date)
}

/// An instant with microseconds, in UTC.
pub fn time(name: &'static str) -> Column {
    column(name, Kind::Time)
}

/// Yes or no.
pub fn flag(name: &'static str) -> Column {
    column(name, Kind::Flag)
}

/// Text of up to 64 KiB and more.
pub fn text(name: &'static str) -> Column {
    column(name, Kind::Text)
}

/// A JSON document.
pub fn json(name: &'static str) -> Column {
    column(name, Kind::Json)
}

/// Text of up to so many characters, compared by code point.
pub fn string(name: &'static str, characters: u32) -> Column {
    column(name, Kind::String(characters))
}

/// One of these words.
pub fn choice(name: &'static str, words: &'static [&'static str]) -> Column {
    column(name, Kind::Choice(words))
}

impl Table {
    /// A table without columns.
    pub fn new(name: &'static str) -> Self {
        Self { name, columns: Vec::new(), indexes: Vec::new() }
    }

    /// It has these columns.
    pub fn columns<const N: usize>(mut self, columns: [Column; N]) -> Self {
        self.columns = columns.into();
        self
    }

    /// No two rows are alike in these columns.
    pub fn unique(mut self, columns: &'static [&'static str]) -> Self {
        self.indexes.push((true, columns));
        self
    }

    /// Rows are looked up by these columns.
    pub fn index(mut self, columns: &'static [&'static str]) -> Self {
        self.indexes.push((false, columns));
        self
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The statement that creates it, without its indexes.
    pub fn definition(&self, backend: DbBackend) -> TableCreateStatement {
        let mut table = sea_orm::sea_query::Table::create();
        table.table(self.name);
        for column in &self.columns {
            table.col(column.definition(backend));
            if let Some((other, key)) = column.references {
                table.foreign_key(ForeignKey::create().from(self.name, column.name).to(other, key));
            }
        }
        table
    }

    /// Its indexes: which columns, and whether no two rows are alike in them.
    pub fn indexes(&self) -> &[(bool, &'static [&'static str])] {
        &self.indexes
    }
}

impl Column {
    /// It may be NULL.
    pub fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// It is the primary key.
    pub fn primary(self) -> Self {
        Self { primary: true, ..self }
    }

    /// It names a row of another table.
    pub fn references(self, table: &'static str, key: &'static str) -> Self {
        Self { references: Some((table, key)), ..self }
    }

    fn definition(&self, backend: DbBackend) -> ColumnDef {
        let mut column = ColumnDef::new(self.name);
        match self.kind {
            Kind::Key => {
                return column.big_integer().not_null().auto_increment().primary_key().take();
            }
            Kind::Id | Kind::Long | Kind::Amount => column.big_integer(),
            Kind::Int => column.integer(),
            Kind::Date => column.date(),
            Kind::Flag => column.boolean(),
            Kind::Time => column.custom(time_type(backend)),
            Kind::Text => column.custom(text_type(backend)),
            Kind::Json => column.json(),
            Kind::String(characters) => column.custom(string_type(backend, characters)),
            Kind::Choice(words) => column
                .custom(string_type(backend, 30))
                .check(Expr::col(self.name).is_in(words.iter().copied())),
        };
        if self.primary {
            column.primary_key();
        }
        if self.optional { column.null() } else { column.not_null() }.take()
    }
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
