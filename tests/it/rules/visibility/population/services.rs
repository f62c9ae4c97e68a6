//! Cash drawers, batches, and field history.

use super::{ACCOUNT_MARK, CONTACTS, Draft, IDENTITY_MARK, LOANS, USERS, money};
use crate::rules::visibility::tables::read;
use sea_orm::ActiveValue::Set;
use sea_orm::NotSet;
use shared::entity::batch_runs::BatchKind;
use shared::entity::*;
use shared::json_columns::Denominations;
use shared::time::Timestamp;

const DRAWERS: std::ops::RangeInclusive<i64> = 1..=5;
/// Tables in a loan's history, with the path whose View reads their rows.
const LOAN_TABLES: [(&str, &str, &str); 13] = [
    ("loans", "Loan_Nickname", "Loan > Records"),
    ("loan_contacts", "Web_Access_Flag", "Loan > Records"),
    ("user_defined_values", "userdef01", "Loan > Detail 1"),
    ("user_defined_values", "userdef01", "Loan > Detail 2"),
    ("comments", "Comment", "Loan > Comments"),
    ("automated_payments", "Bank_Account_Number", "Loan > Automated Payments"),
    ("recurring_transactions", "Description", "Loan > Recurring Transactions"),
    ("credit_lines", "Name", "Loan > Credit Lines"),
    ("collaterals", "Notes", "Collateral > Records"),
    ("comments", "Comment", "Collateral > Comments"),
    ("documents", "Name", "Loan > Comments"),
    ("documents", "Name", "Loan > Detail 2"),
    ("payment_gateway_tokens", "ForgetFlag", "Payment Gateway > Cards"),
];
/// Tables in a contact's history, with the path whose View reads their rows.
const CONTACT_TABLES: [(&str, &str, &str); 12] = [
    ("contacts", "Email", "Contact > Records"),
    ("contacts", "Tax_ID1", "Contact > Records"),
    ("contacts", "Tax_ID2", "Contact > Records"),
    ("contacts", "ID_Number1", "Contact > Records"),
    ("contacts", "ID_Number2", "Contact > Records"),
    ("contact_addresses", "City", "Contact > Records"),
    ("user_defined_values", "userdef01", "Contact > Detail"),
    ("user_defined_values", "userdef01", "Contact > Demographics"),
    ("user_defined_values", "userdef01", "Contact > Financials"),
    ("comments", "Comment", "Contact > Comments"),
    ("credit_profiles", "Score", "Contact > Credit Profiles"),
    ("payment_gateway_tokens", "ForgetFlag", "Payment Gateway > Cards"),
];

impl Draft<'_> {
    pub(super) async fn drawers(&mut self) {
        let rows = DRAWERS.map(|drawer_id| cash_drawers::ActiveModel {
            drawer_id: Set(drawer_id),
            name: Set(format!("Drawer {drawer_id}")),
            drawer_type: Set(cash_drawers::DrawerType::Individual),
            status: Set(cash_drawers::DrawerStatus::Open),
            cash_balance: Set(money(0)),
            check_balance: Set(money(0)),
            ..Default::default()
        });
        self.insert(rows.collect()).await;
        let mut assignments = Vec::new();
        for drawer_id in DRAWERS {
            for user_id in self.random.some_of(30, &USERS.collect::<Vec<_>>()) {
                assignments.push(cash_drawer_assignments::ActiveModel {
                    row_id: NotSet,
                    drawer_id: Set(drawer_id),
                    user_id: Set(user_id),
                    assigned_date: Set(self.random.instant()),
                    assigned_by_user_id: Set(self.user()),
                });
            }
        }
        self.insert(assignments).await;
    }

    pub(super) async fn on_drawers(&mut self) {
        let (mut sessions, mut counts, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..12 {
            let drawer_id = self.random.one_of(&DRAWERS.collect::<Vec<_>>());
            let ended = self.random.instant();
            sessions.push(cash_drawer_sessions::ActiveModel {
                row_id: NotSet,
                drawer_id: Set(drawer_id),
                user_id: Set(self.user()),
                opened_date: Set(self.random.instant()),
                opening_cash_balance: Set(money(0)),
                ended_date: Set(self.random.maybe(50, &[ended])),
            });
            let drawer_id = self.random.one_of(&DRAWERS.collect::<Vec<_>>());
            counts.push(cash_drawer_reconciliations::ActiveModel {
                reconciliation_id: NotSet,
                drawer_id: Set(drawer_id),
                user_id: Set(self.user()),
                reconciled_date: Set(self.random.instant()),
                expected_cash: Set(money(0)),
                counted_cash: Set(money(0)),
                expected_check: Set(money(0)),
                counted_check: Set(money(0)),
                over_short_cash: Set(money(0)),
                over_short_check: Set(money(0)),
                denominations: Set(Denominations::default()),
                status: Set(self.random.word()),
                comment: Set(None),
            });
        }
        for _ in 0..40 {
            let drawers = &DRAWERS.collect::<Vec<_>>();
            entries.push(cash_drawer_transactions::ActiveModel {
                drawer_id: Set(self.random.one_of(drawers)),
                transaction_type: Set(self.random.word()),
                tender: Set(self.random.word()),
                amount: Set(money(100)),
                resulting_balance: Set(money(100)),
                counter_drawer_id: Set(self.random.maybe(20, drawers)),
                user_id: Set(self.user()),
                transaction_date: Set(self.random.instant()),
                ..Default::default()
            });
        }
        self.insert(sessions).await;
        self.insert(counts).await;
        self.insert(entries).await;
    }

    pub(super) async fn batches(&mut self) {
        let mut runs = Vec::new();
        // Later runs have larger keys, but each may be for an earlier day.
        for batch_id in 1..=8 {
            let start = chrono::NaiveDate::default() + chrono::Days::new(19_800);
            let start = start.and_hms_opt(batch_id as u32, 0, 0).expect("a time").and_utc();
            runs.push(batch_runs::ActiveModel {
                batch_id: Set(batch_id),
                kind: Set(self.random.word::<BatchKind>()),
                business_date: Set(self.random.day()),
                state: Set(batch_runs::BatchState::Partial),
                trigger_type: Set(self.random.word()),
                started_date: Set(Timestamp(start)),
                total: Set(10),
                processed: Set(10),
                succeeded: Set(5),
                failed: Set(5),
                skipped: Set(0),
                ..Default::default()
            });
        }
        self.insert(runs).await;
        let mut failures = Vec::new();
        for batch_id in 1..=8 {
            for loan_id in self.random.some_of(50, &LOANS.collect::<Vec<_>>()) {
                failures.push(batch_failures::ActiveModel {
                    row_id: NotSet,
                    batch_id: Set(batch_id),
                    loan_id: Set(loan_id),
                    code: Set("FAILED".to_owned()),
                    message: Set("It failed.".to_owned()),
                });
            }
        }
        self.insert(failures).await;
    }

    pub(super) async fn history(&mut self) {
        let categories = read::<comment_categories::Entity>(self.db).await;
        let mut rows = Vec::new();
        for _ in 0..160 {
            let is_loan = self.random.percent(50);
            let (table, field, path) = match is_loan {
                true => self.random.one_of(&LOAN_TABLES),
                false => self.random.one_of(&CONTACT_TABLES),
            };
            let owner = match is_loan {
                true => self.loan(),
                false => self.random.one_of(&CONTACTS.collect::<Vec<_>>()),
            };
            let category = self.random.one_of(&categories).comment_category_id;
            let mark = match field {
                "Tax_ID1" | "Tax_ID2" | "ID_Number1" | "ID_Number2" => IDENTITY_MARK,
                "Bank_Account_Number" => ACCOUNT_MARK,
                _ => "-open-",
            };
            let mut value = || self.secret(mark).map(|value| value.clear().to_owned());
            let (old_value, new_value) = (value(), value());
            rows.push(field_changes::ActiveModel {
                row_id: NotSet,
                loan_id: Set(is_loan.then_some(owner)),
                contact_id: Set((!is_loan).then_some(owner)),
                table_name: Set(table.to_owned()),
                // The id of a row that may be deleted.
                record_id: Set(999),
                field_name: Set(field.to_owned()),
                field_label: Set(field.replace('_', " ")),
                old_value: Set(old_value),
                new_value: Set(new_value),
                modified_by_user_id: Set(Some(self.user())),
                modified_by_name: Set("somebody".to_owned()),
                modified_date: Set(self.random.instant()),
                source: Set(self.random.word()),
                request_id: Set("a request".to_owned()),
                privilege_path: Set(path.to_owned()),
                comment_category_id: Set(path.ends_with("Comments").then_some(category)),
                comment_id: Set(None),
            });
        }
        self.insert(rows).await;
    }
}
