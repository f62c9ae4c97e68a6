//! Tracked tables: where the changes of each row go, and which columns are not recorded.

use super::{AuditTarget, Audited, HasAuditTarget, HistoryOwner};
use shared::entity::*;

/// Implements `Audited` for tables of which every column is recorded.
macro_rules! tracked {
    ($($table:ident: $key:ident;)*) => {$(
        impl Audited for $table::Model {
            const TABLE: &'static str = stringify!($table);

            fn record_id(&self) -> i64 {
                self.$key
            }
        }
    )*};
}

tracked! {
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
    documents: document_id;
    loan_collaterals: row_id;
    loan_contacts: row_id;
    loan_interest_rates: row_id;
    recurring_transactions: row_id;
}

impl Audited for payment_gateway_tokens::Model {
    const TABLE: &'static str = "payment_gateway_tokens";
    const UNTRACKED: &'static [&'static str] = &["last_used_date", "used_count"];

    fn record_id(&self) -> i64 {
        self.payment_gateway_token_id
    }
}

impl Audited for payment_gateway_secrets::Model {
    const TABLE: &'static str = "payment_gateway_secrets";
    const UNTRACKED: &'static [&'static str] = &["payment_gateway_token_id"];
    const SECRET: &'static [&'static str] = &["gateway_token"];

    fn record_id(&self) -> i64 {
        self.payment_gateway_token_id
    }
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

impl Audited for loans::Model {
    const TABLE: &'static str = "loans";
    const UNTRACKED: &'static [&'static str] = &[
        "interest_accrued_thru_date",
        "interest_accrued_total",
        "accrual_base_date",
        "accrual_base_total",
    ];

    fn record_id(&self) -> i64 {
        self.loan_id
    }
}

impl HasAuditTarget for loans::Model {
    fn place(&self) -> AuditTarget {
        AuditTarget::of(HistoryOwner::Loan(self.loan_id), "Loan > Records")
    }
}

impl HasAuditTarget for loan_contacts::Model {
    fn place(&self) -> AuditTarget {
        AuditTarget::of(HistoryOwner::Loan(self.loan_id), "Loan > Records")
    }
}

impl HasAuditTarget for loan_interest_rates::Model {
    fn place(&self) -> AuditTarget {
        AuditTarget::of(HistoryOwner::Loan(self.loan_id), "Loan > Records")
    }
}

impl HasAuditTarget for credit_lines::Model {
    fn place(&self) -> AuditTarget {
        AuditTarget::of(HistoryOwner::Loan(self.loan_id), "Loan > Credit Lines")
    }
}

impl HasAuditTarget for contacts::Model {
    fn place(&self) -> AuditTarget {
        AuditTarget::of(HistoryOwner::Contact(self.contact_id), "Contact > Records")
    }
}

impl Audited for web_credentials::Model {
    const TABLE: &'static str = "web_credentials";
    const SECRET: &'static [&'static str] = &["password_hash"];

    fn record_id(&self) -> i64 {
        self.contact_id
    }
}

impl HasAuditTarget for web_credentials::Model {
    fn place(&self) -> AuditTarget {
        AuditTarget::of(HistoryOwner::Contact(self.contact_id), "Contact > Records")
    }
}

impl Audited for document_files::Model {
    const TABLE: &'static str = "document_files";
    const UNTRACKED: &'static [&'static str] = &["object_key"];

    fn record_id(&self) -> i64 {
        self.file_id
    }
}
