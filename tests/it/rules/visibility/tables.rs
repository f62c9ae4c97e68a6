//! Every row of the database in memory, each table ordered by key.

use sea_orm::{DatabaseConnection, EntityTrait, Iterable, PrimaryKeyToColumn, QueryOrder};
use shared::entity::*;

macro_rules! rows {
    ($($table:ident),* $(,)?) => {
        /// The tables, under their own names.
        pub struct Tables {
            $(pub $table: Vec<$table::Model>,)*
        }

        impl Tables {
            /// Reads all tables.
            pub async fn read(db: &DatabaseConnection) -> Self {
                Self { $($table: read::<$table::Entity>(db).await,)* }
            }
        }
    };
}

rows!(
    automated_payments,
    batch_failures,
    batch_runs,
    cash_drawer_assignments,
    cash_drawer_reconciliations,
    cash_drawer_sessions,
    cash_drawer_transactions,
    cash_drawers,
    collateral_descriptions,
    collateral_insurance_policies,
    collateral_locations,
    collateral_taxes,
    collateral_vehicles,
    collaterals,
    comment_categories,
    comments,
    contact_types,
    contacts,
    convenience_fee_rules,
    credit_lines,
    credit_profiles,
    document_files,
    documents,
    entities,
    field_changes,
    gateway_payments,
    group_members,
    interest_plans,
    loan_collaterals,
    loan_contacts,
    loan_groups,
    loan_status_codes,
    loan_transactions,
    loans,
    payment_gateway_tokens,
    payment_methods,
    payments_due,
    portfolios,
    privilege_grants,
    privileges,
    recurring_transactions,
    relationship_codes,
    risk_ratings,
    transaction_codes,
    trustees,
    user_defined_fields,
    user_defined_values,
    user_groups,
    users,
);

/// The rows of one table.
pub async fn read<E: EntityTrait>(db: &DatabaseConnection) -> Vec<E::Model> {
    let keys = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    let query = keys.fold(E::find(), |query, key| query.order_by_asc(key));
    query.all(db).await.expect("rows")
}
