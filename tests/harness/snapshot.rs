//! A snapshot of every row of every table, to detect any change at all.

use crate::world::World;
use sea_orm::{DatabaseConnection, EntityTrait};
use serde_json::Value;
use shared::entity::*;
use std::collections::BTreeMap;

/// Table names with their rows. Live tokens, the id of the document store and what readiness writes are
/// left out: logging in, sweeping the store and asking for readiness are not business changes.
pub type Snapshot = BTreeMap<&'static str, Vec<Value>>;

async fn rows<E: EntityTrait>(db: &DatabaseConnection) -> Vec<Value> {
    let mut rows = E::find().into_json().all(db).await.expect("the rows");
    rows.retain(|row| row["name"] != "document_store_id" && row["name"] != "readiness_probe");
    rows.sort_by_key(Value::to_string);
    rows
}

macro_rules! snapshot {
    ($world:ident: $($table:ident)*) => {
        BTreeMap::from([$((stringify!($table), rows::<$table::Entity>(&$world.db).await),)*])
    };
}

impl World {
    /// All current rows.
    pub async fn snapshot(&self) -> Snapshot {
        snapshot!(self: users user_credentials user_groups group_members privileges
            privilege_grants trustees settings oauth_clients contacts web_credentials loans
            loan_contacts loan_interest_rates payments_due payment_allocations loan_transactions
            loan_snapshots credit_lines cash_drawers cash_drawer_assignments cash_drawer_sessions
            cash_drawer_transactions cash_drawer_reconciliations
            comments documents document_files user_defined_fields user_defined_values
            transaction_codes loan_groups portfolios loan_status_codes risk_ratings interest_plans
            entities relationship_codes contact_types payment_methods idempotency_records
            import_runs import_records field_changes contact_addresses credit_profiles
            recurring_transactions automated_payments collaterals loan_collaterals
            collateral_vehicles collateral_locations collateral_insurance_policies
            collateral_taxes collateral_descriptions comment_categories payment_gateway_tokens
            payment_gateway_secrets gateway_payments payment_method_sessions sandbox_payments)
    }
}
