//! Field history: one row of `field_changes` per changed column, in the change's own transaction.

pub mod listing;

use crate::access::Caller;
use sea_orm::ActiveValue::Set;
use sea_orm::{DatabaseTransaction, DbErr, EntityTrait, NotSet};
use serde::Serialize;
use serde_json::{Map, Value};
use shared::entity::field_changes::{self, ChangeSource};
use shared::entity::{
    contacts, credit_lines, json_names, loan_contacts, loan_interest_rates, loans, web_credentials,
};
use shared::telemetry::RequestId;
use shared::time::Timestamp;

/// Rows of one INSERT: a database takes only so many parameters per statement.
const ROWS_PER_INSERT: usize = 500;

/// Who changes something, from where, and when.
#[derive(Clone, Debug)]
pub struct Author {
    user_id: Option<i64>,
    name: String,
    source: ChangeSource,
    request_id: String,
}

impl Author {
    /// A caller of the API.
    pub fn new(caller: &Caller, source: ChangeSource, request_id: &RequestId) -> Self {
        let name = match caller {
            Caller::Core(user) => user.user_name.clone(),
            Caller::Web { contact_id } => format!("web user of contact {contact_id}"),
        };
        let request_id = request_id.as_str().to_owned();
        Self { user_id: caller.user_id(), name, source, request_id }
    }

    /// The core-system user, for columns that name him.
    pub fn user_id(&self) -> Option<i64> {
        self.user_id
    }
}

/// Whose history a row's changes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A loan's.
    Loan(i64),
    /// A contact's.
    Contact(i64),
}

/// A row whose changes are kept.
pub trait Tracked: Serialize {
    /// Its table.
    const TABLE: &'static str;
    /// The privilege path whose View reads the row.
    const PRIVILEGE_PATH: &'static str;
    /// Columns that move by themselves.
    const UNTRACKED: &'static [&'static str] = &[];
    /// Columns of which only is told that they changed.
    const SECRET: &'static [&'static str] = &[];

    /// Whose history it belongs to.
    fn owner(&self) -> Owner;
    /// Its key.
    fn record_id(&self) -> i64;
}

impl Tracked for loans::Model {
    const TABLE: &'static str = "loans";
    const PRIVILEGE_PATH: &'static str = "Loan > Records";
    const UNTRACKED: &'static [&'static str] = &[
        "interest_accrued_thru_date",
        "interest_accrued_total",
        "accrual_base_date",
        "accrual_base_total",
    ];

    fn owner(&self) -> Owner {
        Owner::Loan(self.loan_id)
    }

    fn record_id(&self) -> i64 {
        self.loan_id
    }
}

impl Tracked for loan_contacts::Model {
    const TABLE: &'static str = "loan_contacts";
    const PRIVILEGE_PATH: &'static str = "Loan > Records";

    fn owner(&self) -> Owner {
        Owner::Loan(self.loan_id)
    }

    fn record_id(&self) -> i64 {
        self.row_id
    }
}

impl Tracked for loan_interest_rates::Model {
    const TABLE: &'static str = "loan_interest_rates";
    const PRIVILEGE_PATH: &'static str = "Loan > Records";

    fn owner(&self) -> Owner {
        Owner::Loan(self.loan_id)
    }

    fn record_id(&self) -> i64 {
        self.row_id
    }
}

impl Tracked for credit_lines::Model {
    const TABLE: &'static str = "credit_lines";
    const PRIVILEGE_PATH: &'static str = "Loan > Credit Lines";

    fn owner(&self) -> Owner {
        Owner::Loan(self.loan_id)
    }

    fn record_id(&self) -> i64 {
        self.creditline_id
    }
}

impl Tracked for contacts::Model {
    const TABLE: &'static str = "contacts";
    const PRIVILEGE_PATH: &'static str = "Contact > Records";

    fn owner(&self) -> Owner {
        Owner::Contact(self.contact_id)
    }

    fn record_id(&self) -> i64 {
        self.contact_id
    }
}

impl Tracked for web_credentials::Model {
    const TABLE: &'static str = "web_credentials";
    const PRIVILEGE_PATH: &'static str = "Contact > Records";
    const SECRET: &'static [&'static str] = &["password_hash"];

    fn owner(&self) -> Owner {
        Owner::Contact(self.contact_id)
    }

    fn record_id(&self) -> i64 {
        self.contact_id
    }
}

/// Records what became of a row: inserted (`before` is `None`), changed, or deleted (`after`).
pub async fn record<T: Tracked>(
    tx: &DatabaseTransaction,
    author: &Author,
    now: Timestamp,
    before: Option<&T>,
    after: Option<&T>,
) -> Result<(), DbErr> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let (old, new) = (columns(before)?, columns(after)?);
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    let changed = names.filter(|name| !T::UNTRACKED.contains(&name.as_str()));
    let changes = changed.filter_map(|name| {
        let (old_value, new_value) = (old.get(name), new.get(name));
        (old_value != new_value).then(|| change(row, author, now, name, old_value, new_value))
    });
    let changes: Vec<field_changes::ActiveModel> = changes.collect();
    for rows in changes.chunks(ROWS_PER_INSERT) {
        field_changes::Entity::insert_many(rows.to_vec()).exec_without_returning(tx).await?;
    }
    Ok(())
}

fn change<T: Tracked>(
    row: &T,
    author: &Author,
    now: Timestamp,
    column: &str,
    old_value: Option<&Value>,
    new_value: Option<&Value>,
) -> field_changes::ActiveModel {
    let text = |value: Option<&Value>| {
        value.map(|value| match value {
            _ if T::SECRET.contains(&column) => "(changed)".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    let (loan_id, contact_id) = match row.owner() {
        Owner::Loan(loan_id) => (Some(loan_id), None),
        Owner::Contact(contact_id) => (None, Some(contact_id)),
    };
    field_changes::ActiveModel {
        row_id: NotSet,
        loan_id: Set(loan_id),
        contact_id: Set(contact_id),
        table_name: Set(T::TABLE.to_owned()),
        record_id: Set(row.record_id()),
        field_name: Set(json_names::json_name(column)),
        field_label: Set(json_names::label(column)),
        old_value: Set(text(old_value)),
        new_value: Set(text(new_value)),
        modified_by_user_id: Set(author.user_id),
        modified_by_name: Set(author.name.clone()),
        modified_date: Set(now),
        source: Set(author.source),
        request_id: Set(author.request_id.clone()),
        privilege_path: Set(T::PRIVILEGE_PATH.to_owned()),
        comment_category_id: Set(None),
    }
}

/// A row's columns in their stored form; those that are NULL are left out.
fn columns<T: Tracked>(row: Option<&T>) -> Result<Map<String, Value>, DbErr> {
    let Some(row) = row else { return Ok(Map::new()) };
    match serde_json::to_value(row) {
        Ok(Value::Object(mut columns)) => {
            columns.retain(|_, value| !value.is_null());
            Ok(columns)
        }
        Ok(_) => Err(DbErr::Type("a row is a JSON object".to_owned())),
        Err(error) => Err(DbErr::Type(error.to_string())),
    }
}
