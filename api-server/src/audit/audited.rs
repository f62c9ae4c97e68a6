//! Tracked tables: where the changes of each row go, and which columns are not recorded.

use super::{AuditTarget, Audited, HasAuditTarget, HistoryOwner};
use shared::entity::*;

/// Implements `Audited` for tables, with their keys. Every column is recorded, except those listed
/// as `UNTRACKED`; those listed as `SECRET` are recorded without their values.
macro_rules! audited {
    ($($table:ident: $key:ident $(, $columns:ident = $names:expr)*;)*) => {$(
        impl Audited for $table::Model {
            const TABLE: &'static str = stringify!($table);
            $(const $columns: &'static [&'static str] = &$names;)*

            fn record_id(&self) -> i64 {
                self.$key
            }
        }
    )*};
}

audited! {
    automated_payments: row_id;
    collateral_descriptions: collateral_id;
    collateral_insurance_policies: row_id;
    collateral_locations: collateral_id;
    collateral_taxes: row_id;
    collateral_vehicles: collateral_id;
    collaterals: collateral_id;
    comments: comment_id;
    contact_addresses: row_id;
    contacts: contact_id;
    credit_lines: creditline_id;
    credit_profiles: report_id;
    document_files: file_id, UNTRACKED = ["object_key"];
    documents: document_id;
    loan_collaterals: row_id;
    loan_contacts: row_id;
    loan_interest_rates: row_id;
    loans: loan_id, UNTRACKED = [
        "interest_accrued_thru_date",
        "interest_accrued_total",
        "accrual_base_date",
        "accrual_base_total",
    ];
    payment_gateway_secrets: payment_gateway_token_id,
        UNTRACKED = ["payment_gateway_token_id"], SECRET = ["gateway_token"];
    payment_gateway_tokens: payment_gateway_token_id,
        UNTRACKED = ["last_used_date", "used_count"];
    recurring_transactions: row_id;
    web_credentials: contact_id, SECRET = ["password_hash"];
}

/// Recorded by form and field: see `FieldNote`.
impl Audited for user_defined_values::Model {
    const TABLE: &'static str = "user_defined_values";

    #[expect(
        clippy::misnamed_getters,
        reason = "the row's own key, not that of the record it belongs to"
    )]
    fn record_id(&self) -> i64 {
        self.row_id
    }
}

/// Implements `HasAuditTarget` for tables whose rows name the owner of the history.
macro_rules! audit_targets {
    ($($table:ident: $owner:ident($owner_id:ident), $privilege_path:literal;)*) => {$(
        impl HasAuditTarget for $table::Model {
            fn audit_target(&self) -> AuditTarget {
                AuditTarget::of(HistoryOwner::$owner(self.$owner_id), $privilege_path)
            }
        }
    )*};
}

audit_targets! {
    contacts: Contact(contact_id), "Contact > Records";
    credit_lines: Loan(loan_id), "Loan > Credit Lines";
    loan_contacts: Loan(loan_id), "Loan > Records";
    loan_interest_rates: Loan(loan_id), "Loan > Records";
    loans: Loan(loan_id), "Loan > Records";
    web_credentials: Contact(contact_id), "Contact > Records";
}
