//! Further blocks of a large portfolio: copies of the first block, made by the database itself with
//! one `INSERT … SELECT` per table and block. A row of copy `n` has the original's id plus `n`
//! times the span of ids that the first block occupies in that table; the same holds for ids that
//! refer to rows of the block. References to anything else (setup rows, users) stay unchanged.

use sea_orm::sea_query::{Alias, Condition, Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    EntityTrait, IdenStatic, Iterable,
};
use shared::entity::automated_payments::AutomatedPaymentType;
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{self, Form};
use shared::entity::{
    automated_payments, collateral_descriptions, collateral_insurance_policies,
    collateral_locations, collateral_taxes, collateral_vehicles, collaterals, comments,
    contact_addresses, contacts, credit_lines, credit_profiles, document_files, documents,
    loan_collaterals, loan_contacts, loan_interest_rates, loan_transactions, loans,
    payment_allocations, payments_due, recurring_transactions, user_defined_values,
};
use std::collections::HashMap;

/// The tables whose rows are copied, parents first. Setup rows, users, web credentials, cards,
/// drawers, batches, field history and loan snapshots are not copied: there is only one of each, or
/// they describe the originals.
fn tables() -> Vec<Table> {
    use automated_payments::Column as A;
    use documents::Column as D;
    use user_defined_values::Column as V;
    vec![
        table(contacts::Entity),
        table(contact_addresses::Entity),
        table(credit_profiles::Entity),
        table(loans::Entity),
        table(loan_contacts::Entity),
        table(loan_interest_rates::Entity),
        table(payments_due::Entity),
        table(credit_lines::Entity),
        table(loan_transactions::Entity),
        table(payment_allocations::Entity),
        table(recurring_transactions::Entity),
        table(automated_payments::Entity).only(A::PaymentType.eq(AutomatedPaymentType::Ach)),
        table(collaterals::Entity),
        table(loan_collaterals::Entity),
        table(collateral_vehicles::Entity),
        table(collateral_locations::Entity),
        table(collateral_descriptions::Entity),
        table(collateral_insurance_policies::Entity),
        table(collateral_taxes::Entity),
        table(comments::Entity),
        table(documents::Entity).link(D::OwnerId, "comments").only(D::OwnerType.is_in(ON_COMMENTS)),
        table(documents::Entity).link(D::OwnerId, "loans").only(D::OwnerType.is_in(ON_LOANS)),
        table(documents::Entity).link(D::OwnerId, "contacts").only(D::OwnerType.is_in(ON_CONTACTS)),
        table(document_files::Entity),
        table(user_defined_values::Entity)
            .link(V::RecordId, "loans")
            .only(V::FieldId.in_subquery(loan_fields())),
        table(user_defined_values::Entity)
            .link(V::RecordId, "contacts")
            .only(V::FieldId.not_in_subquery(loan_fields())),
    ]
}

/// The value of a column in a copy.
#[derive(Clone, Copy)]
enum Change {
    Same,
    /// The id of a copied row of this table.
    Link(&'static str),
    /// Unique: the original's value followed by the number of the copy.
    Numbered,
    /// Null.
    Cleared,
}

/// The columns that change, by their names, whatever their table.
fn change_of(column: &str) -> Change {
    match column {
        "contact_id" | "paid_by_contact_id" => Change::Link("contacts"),
        "loan_id" => Change::Link("loans"),
        "creditline_id" => Change::Link("credit_lines"),
        "transaction_id" | "transaction_reference_no" | "reversal_transaction_id" => {
            Change::Link("loan_transactions")
        }
        "payment_due_id" => Change::Link("payments_due"),
        "collateral_id" => Change::Link("collaterals"),
        "document_id" => Change::Link("documents"),
        "contact_number" | "loan_number" | "object_key" => Change::Numbered,
        // Drawers and cards are not copied.
        "cash_drawer_id" | "payment_gateway_token_id" => Change::Cleared,
        _ => Change::Same,
    }
}

const ON_COMMENTS: [DocumentOwner; 3] =
    [DocumentOwner::LoanComment, DocumentOwner::ContactComment, DocumentOwner::CollateralComment];
const ON_LOANS: [DocumentOwner; 2] = [DocumentOwner::LoanDetail1, DocumentOwner::LoanDetail2];
const ON_CONTACTS: [DocumentOwner; 3] = [
    DocumentOwner::ContactDetail,
    DocumentOwner::ContactDemographics,
    DocumentOwner::ContactFinancials,
];

/// The fields of the loan forms; all other values belong to contacts.
fn loan_fields() -> SelectStatement {
    Query::select()
        .column(user_defined_fields::Column::FieldId)
        .from(user_defined_fields::Entity)
        .and_where(user_defined_fields::Column::Form.is_in([Form::LoanDetail1, Form::LoanDetail2]))
        .take()
}

/// How the rows of a table are copied, or only those that meet a condition.
struct Table {
    name: &'static str,
    key: &'static str,
    /// The table whose ids its keys are, if not its own.
    keys_of: &'static str,
    columns: Vec<(&'static str, Change)>,
    only: Condition,
}

/// Copies all columns of an entity.
fn table<E: EntityTrait>(entity: E) -> Table {
    let name = entity.table_name();
    let key = E::PrimaryKey::iter().next().map_or("", |key| key.as_str());
    // Details of collateral have its ids; other tables have ids of their own.
    let keys_of = if let Change::Link(other) = change_of(key) { other } else { name };
    let columns = E::Column::iter().map(|column| match column.as_str() {
        column if column == key => (column, Change::Link(keys_of)),
        column => (column, change_of(column)),
    });
    Table { name, key, keys_of, columns: columns.collect(), only: Condition::all() }
}

impl Table {
    fn link(mut self, column: impl IdenStatic, to: &'static str) -> Self {
        for (name, change) in &mut self.columns {
            if *name == column.as_str() {
                *change = Change::Link(to);
            }
        }
        self
    }

    fn only(mut self, condition: Expr) -> Self {
        self.only = self.only.add(condition);
        self
    }

    /// Selects the rows of the first block as they are in this copy.
    fn select(&self, spans: &HashMap<&str, Span>, copy: i64) -> SelectStatement {
        let span_of = |table: &str| spans.get(table).copied().unwrap_or_default();
        let mut select = Query::select();
        for (name, change) in &self.columns {
            let column = Expr::col(Alias::new(*name));
            select.expr(match change {
                Change::Same => column,
                Change::Link(to) => column.add(span_of(to).length() * copy),
                Change::Numbered => {
                    let suffix = Expr::value(format!("-{copy}"));
                    Func::cust("concat").args([column, suffix]).into()
                }
                Change::Cleared => Expr::null(),
            });
        }
        let span = span_of(self.keys_of);
        select
            .from(Alias::new(self.name))
            .and_where(Expr::col(Alias::new(self.key)).gt(span.above))
            .and_where(Expr::col(Alias::new(self.key)).lte(span.last))
            .cond_where(self.only.clone())
            .take()
    }
}

/// The range of ids that the first block has in a table: above one, up to another.
#[derive(Clone, Copy, Default)]
struct Span {
    above: i64,
    last: i64,
}

impl Span {
    const fn length(self) -> i64 {
        self.last - self.above
    }
}

/// The largest id in each table before the first block was created.
pub struct Before(HashMap<&'static str, i64>);

impl Before {
    /// Reads the current ids.
    pub async fn read(db: &impl ConnectionTrait) -> Result<Self, DbErr> {
        let mut largest = HashMap::new();
        for table in tables() {
            largest.insert(table.name, largest_key(db, &table).await?);
        }
        Ok(Self(largest))
    }
}

/// The first block, which the others are copied from.
pub struct Original {
    tables: Vec<Table>,
    spans: HashMap<&'static str, Span>,
}

impl Original {
    /// All rows added to the tables since then.
    pub async fn since(db: &impl ConnectionTrait, Before(before): &Before) -> Result<Self, DbErr> {
        let tables = tables();
        let mut spans = HashMap::new();
        for table in &tables {
            let above = before.get(table.name).copied().unwrap_or_default();
            spans.insert(table.name, Span { above, last: largest_key(db, table).await? });
        }
        Ok(Self { tables, spans })
    }

    /// Creates the copy with this number, from 1.
    pub async fn copy(&self, tx: &DatabaseTransaction, copy: u32) -> Result<(), DbErr> {
        for table in &self.tables {
            let columns = table.columns.iter().map(|(name, _)| Alias::new(*name));
            let mut insert = Query::insert();
            insert.into_table(Alias::new(table.name)).columns(columns);
            insert
                .select_from(table.select(&self.spans, i64::from(copy)))
                .map_err(|error| DbErr::Custom(error.to_string()))?;
            tx.execute(&insert).await?;
        }
        Ok(())
    }

    /// Makes the database number new rows after the copies. Only PostgreSQL needs this.
    pub async fn advance_sequences(&self, db: &DatabaseConnection) -> Result<(), DbErr> {
        if db.get_database_backend() != DbBackend::Postgres {
            return Ok(());
        }
        for Table { name, key, keys_of, .. } in &self.tables {
            if name == keys_of {
                db.execute_unprepared(&format!(
                    "SELECT setval(pg_get_serial_sequence('{name}', '{key}'), max({key})) \
                     FROM {name}"
                ))
                .await?;
            }
        }
        Ok(())
    }
}

async fn largest_key(db: &impl ConnectionTrait, table: &Table) -> Result<i64, DbErr> {
    let key = Expr::col(Alias::new(table.key));
    let select = Query::select().expr_as(key.max(), "largest").from(Alias::new(table.name)).take();
    let row = db.query_one(&select).await?;
    let largest: Option<i64> = row.map(|row| row.try_get("", "largest")).transpose()?.flatten();
    Ok(largest.unwrap_or_default())
}

/// Updates the database's statistics: it plans badly for tables that were empty when it last
/// looked.
pub async fn gather_statistics(db: &DatabaseConnection) -> Result<(), DbErr> {
    match db.get_database_backend() {
        DbBackend::MySql => {
            let names = Query::select()
                .expr_as(Expr::cust("group_concat(table_name)"), "names")
                .from(("information_schema", "tables"))
                .and_where(Expr::cust("table_schema = database()"))
                .take();
            let row = db.query_one(&names).await?;
            let names: Option<String> = row.map(|row| row.try_get("", "names")).transpose()?;
            db.execute_unprepared(&format!("ANALYZE TABLE {}", names.unwrap_or_default())).await
        }
        DbBackend::Sqlite => {
            // A sample of each index is enough; all rows would take minutes.
            db.execute_unprepared("PRAGMA analysis_limit = 1000; ANALYZE").await
        }
        _ => db.execute_unprepared("ANALYZE").await,
    }
    .map(drop)
}
