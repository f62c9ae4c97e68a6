//! The core database: one file per table, file name = table name.
//!
//! A `Model` that is an answer of the API also derives poem-openapi's `Object` and is returned as
//! it is. Models with secret columns never do. `serde` gives a row its *stored* form, used for
//! field history and version hashes: whole values, column names; it never reaches a client.

pub mod json_names;
pub mod payment_distribution;

pub mod active_users;
pub mod auth_events;
pub mod auth_sessions;
pub mod authorization_requests;
pub mod browser_log_ins;
pub mod cif_web_active_users;
pub mod client_assertions;
pub mod contact_types;
pub mod contacts;
pub mod entities;
pub mod field_changes;
pub mod group_members;
pub mod idempotency_records;
pub mod import_records;
pub mod interest_plans;
pub mod loan_contacts;
pub mod loan_groups;
pub mod loan_interest_rates;
pub mod loan_status_codes;
pub mod loan_transactions;
pub mod loans;
pub mod log_in_failures;
pub mod oauth_clients;
pub mod payment_allocations;
pub mod payment_methods;
pub mod payments_due;
pub mod portfolios;
pub mod privilege_grants;
pub mod privileges;
pub mod relationship_codes;
pub mod risk_ratings;
pub mod settings;
pub mod signing_keys;
pub mod transaction_codes;
pub mod trustees;
pub mod user_credentials;
pub mod user_groups;
pub mod users;
pub mod web_credentials;
