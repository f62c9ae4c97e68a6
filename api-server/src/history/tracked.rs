//! The tables whose changes are kept: where each row's go, and which of its columns are left out.

use super::{Owner, Place, Placed, Tracked};
use shared::entity::{
    comments, contacts, credit_lines, document_files, documents, loan_contacts,
    loan_interest_rates, loans, web_credentials,
};

impl Tracked for loans::Model {
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

impl Placed for loans::Model {
    fn place(&self) -> Place {
        Place::of(Owner::Loan(self.loan_id), "Loan > Records")
    }
}

impl Tracked for loan_contacts::Model {
    const TABLE: &'static str = "loan_contacts";

    fn record_id(&self) -> i64 {
        self.row_id
    }
}

impl Placed for loan_contacts::Model {
    fn place(&self) -> Place {
        Place::of(Owner::Loan(self.loan_id), "Loan > Records")
    }
}

impl Tracked for loan_interest_rates::Model {
    const TABLE: &'static str = "loan_interest_rates";

    fn record_id(&self) -> i64 {
        self.row_id
    }
}

impl Placed for loan_interest_rates::Model {
    fn place(&self) -> Place {
        Place::of(Owner::Loan(self.loan_id), "Loan > Records")
    }
}

impl Tracked for credit_lines::Model {
    const TABLE: &'static str = "credit_lines";

    fn record_id(&self) -> i64 {
        self.creditline_id
    }
}

impl Placed for credit_lines::Model {
    fn place(&self) -> Place {
        Place::of(Owner::Loan(self.loan_id), "Loan > Credit Lines")
    }
}

impl Tracked for contacts::Model {
    const TABLE: &'static str = "contacts";

    fn record_id(&self) -> i64 {
        self.contact_id
    }
}

impl Placed for contacts::Model {
    fn place(&self) -> Place {
        Place::of(Owner::Contact(self.contact_id), "Contact > Records")
    }
}

impl Tracked for web_credentials::Model {
    const TABLE: &'static str = "web_credentials";
    const SECRET: &'static [&'static str] = &["password_hash"];

    fn record_id(&self) -> i64 {
        self.contact_id
    }
}

impl Placed for web_credentials::Model {
    fn place(&self) -> Place {
        Place::of(Owner::Contact(self.contact_id), "Contact > Records")
    }
}

impl Tracked for comments::Model {
    const TABLE: &'static str = "comments";

    fn record_id(&self) -> i64 {
        self.comment_id
    }
}

impl Tracked for documents::Model {
    const TABLE: &'static str = "documents";

    fn record_id(&self) -> i64 {
        self.document_id
    }
}

impl Tracked for document_files::Model {
    const TABLE: &'static str = "document_files";
    const UNTRACKED: &'static [&'static str] = &["object_key"];

    fn record_id(&self) -> i64 {
        self.file_id
    }
}
