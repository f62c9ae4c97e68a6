//! The core database, one file per table, named after the table.
//!
//! A `Model` that the API returns unchanged is declared an `object`; a model with secret columns never
//! is. Its *stored* form, unmasked values under column names, is used for field history and version
//! hashes and never reaches a client. Joins are written where they are needed.

/// Enums stored as one word in a column, with the same word in the stored form and in the API: the
/// variant in snake case.
macro_rules! text_enum {
    ($($(#[$attribute:meta])* pub enum $name:ident { $($variants:tt)* })*) => {$(
        $(#[$attribute])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            sea_orm::EnumIter,
            sea_orm::DeriveActiveEnum,
            poem_openapi::Enum,
            serde::Serialize,
            serde::Deserialize,
        )]
        #[sea_orm(
            rs_type = "String",
            db_type = "String(sea_orm::sea_query::StringLen::N(30))",
            rename_all = "snake_case"
        )]
        #[serde(rename_all = "snake_case")]
        #[oai(rename_all = "snake_case")]
        pub enum $name { $($variants)* }
    )*};
}

/// Lists the values of an enum.
pub use sea_orm::Iterable;

pub mod json_names;
pub mod payment_distribution;

pub mod active_users;
pub mod auth_events;
pub mod auth_sessions;
pub mod authorization_requests;
pub mod automated_payments;
pub mod batch_failures;
pub mod batch_runs;
pub mod browser_log_ins;
pub mod cash_drawer_assignments;
pub mod cash_drawer_reconciliations;
pub mod cash_drawer_sessions;
pub mod cash_drawer_transactions;
pub mod cash_drawers;
pub mod cif_web_active_users;
pub mod client_assertions;
pub mod collateral_descriptions;
pub mod collateral_insurance_policies;
pub mod collateral_locations;
pub mod collateral_taxes;
pub mod collateral_vehicles;
pub mod collaterals;
pub mod comment_categories;
pub mod comments;
pub mod contact_addresses;
pub mod contact_search_keys;
pub mod contact_types;
pub mod contacts;
pub mod convenience_fee_rules;
pub mod credit_lines;
pub mod credit_profiles;
pub mod document_files;
pub mod documents;
pub mod draws;
pub mod entities;
pub mod field_changes;
pub mod gateway_payments;
pub mod group_members;
pub mod idempotency_records;
pub mod import_records;
pub mod import_runs;
pub mod interest_plans;
pub mod loan_collaterals;
pub mod loan_contacts;
pub mod loan_groups;
pub mod loan_interest_rates;
pub mod loan_snapshots;
pub mod loan_status_codes;
pub mod loan_transactions;
pub mod loans;
pub mod log_in_failures;
pub mod name_skeletons;
pub mod oauth_clients;
pub mod payment_allocations;
pub mod payment_gateway_secrets;
pub mod payment_gateway_tokens;
pub mod payment_method_sessions;
pub mod payment_methods;
pub mod payments_due;
pub mod portfolios;
pub mod privilege_grants;
pub mod privileges;
pub mod recurring_transactions;
pub mod relationship_codes;
pub mod risk_ratings;
pub mod row_guards;
pub mod sandbox_payments;
pub mod settings;
pub mod signing_keys;
pub mod transaction_codes;
pub mod trustees;
pub mod user_credentials;
pub mod user_defined_fields;
pub mod user_defined_values;
pub mod user_groups;
pub mod users;
pub mod web_credentials;
