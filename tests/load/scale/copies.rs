//! A large portfolio: copies of all loans of a database, made by the database itself with one
//! `INSERT … SELECT` per table and copy. A row of copy `n` has the original's id plus `n` times the
//! largest id of the originals in that table; the same holds for ids that refer to copied rows.
//! References to anything else (setup rows, users) stay unchanged.

use sea_orm::sea_query::{Alias, Condition, Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, IdenStatic,
    Iterable,
};
use shared::database;
use shared::entity::automated_payments::AutomatedPaymentType;
use shared::entity::user_defined_fields::{self, Form};
use shared::entity::{
    automated_payments, collateral_descriptions, collateral_insurance_policies,
    collateral_locations, collateral_taxes, collateral_vehicles, collaterals, comments,
    contact_addresses, contacts, credit_lines, credit_profiles, loan_collaterals, loan_contacts,
    loan_interest_rates, loan_transactions, loans, payment_allocations, payments_due,
    recurring_transactions, user_defined_values,
};
use std::collections::HashMap;

/// The tables whose rows are copied, parents first. Setup rows, users, web credentials, cards,
/// documents, drawers, batches, field history and loan snapshots are not copied: there is only one of
/// each, or they describe the originals.
fn tables() -> Vec<Table> {
    use automated_payments::Column as A;
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
        "contact_number" | "loan_number" => Change::Numbered,
        // Drawers and cards are not copied.
        "cash_drawer_id" | "payment_gateway_token_id" => Change::Cleared,
        _ => Change::Same,
    }
}

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

    /// Selects the originals as they are in this copy.
    fn select(&self, largest: &HashMap<&str, i64>, copy: i64) -> SelectStatement {
        let largest_of = |table: &str| largest.get(table).copied().unwrap_or_default();
        let mut select = Query::select();
        for (name, change) in &self.columns {
            let column = Expr::col(Alias::new(*name));
            select.expr(match change {
                Change::Same => column,
                Change::Link(to) => column.add(largest_of(to) * copy),
                Change::Numbered => {
                    let suffix = Expr::value(format!("-{copy}"));
                    Func::cust("concat").args([column, suffix]).into()
                }
                Change::Cleared => Expr::null(),
            });
        }
        select
            .from(Alias::new(self.name))
            .and_where(Expr::col(Alias::new(self.key)).lte(largest_of(self.keys_of)))
            .cond_where(self.only.clone())
            .take()
    }
}

/// Adds copies of all loans until there are this many times as many.
pub async fn multiply(db: &DatabaseConnection, times: u32) -> Result<(), DbErr> {
    let tables = tables();
    let mut largest = HashMap::new();
    for table in &tables {
        largest.insert(table.name, largest_key(db, table).await?);
    }
    for copy in 1..times {
        let tx = database::begin_write(db).await?;
        for table in &tables {
            let columns = table.columns.iter().map(|(name, _)| Alias::new(*name));
            let mut insert = Query::insert();
            insert.into_table(Alias::new(table.name)).columns(columns);
            insert
                .select_from(table.select(&largest, i64::from(copy)))
                .map_err(|error| DbErr::Custom(error.to_string()))?;
            tx.execute(&insert).await?;
        }
        database::commit(tx).await?;
    }
    if db.get_database_backend() == DbBackend::Postgres {
        advance_sequences(db, &tables).await?;
    }
    Ok(())
}

/// Makes PostgreSQL number new rows after the copies.
async fn advance_sequences(db: &DatabaseConnection, tables: &[Table]) -> Result<(), DbErr> {
    for Table { name, key, .. } in tables.iter().filter(|table| table.name == table.keys_of) {
        db.execute_unprepared(&format!(
            "SELECT setval(pg_get_serial_sequence('{name}', '{key}'), max({key})) FROM {name}"
        ))
        .await?;
    }
    Ok(())
}

async fn largest_key(db: &impl ConnectionTrait, table: &Table) -> Result<i64, DbErr> {
    let key = Expr::col(Alias::new(table.key));
    let select = Query::select().expr_as(key.max(), "largest").from(Alias::new(table.name)).take();
    let row = db.query_one(&select).await?;
    let largest: Option<i64> = row.map(|row| row.try_get("", "largest")).transpose()?.flatten();
    Ok(largest.unwrap_or_default())
}
