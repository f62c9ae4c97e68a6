//! Contacts, loans, and the tables that depend on loans.

use super::{ACCOUNT_MARK, CONTACTS, Draft, IDENTITY_MARK, LOANS, USERS, WEB_USERS, money, rate};
use crate::rules::visibility::tables::read;
use sea_orm::ActiveValue::Set;
use sea_orm::NotSet;
use shared::entity::credit_lines::DrawUntilType;
use shared::entity::loan_transactions::BalanceName;
use shared::entity::loans::{LoanType, PaymentPeriod};
use shared::entity::*;
use shared::secrets::{Masked, Secret};

impl Draft<'_> {
    pub(super) async fn contacts(&mut self, password: &Secret) {
        let types = read::<contact_types::Entity>(self.db).await;
        let mut contacts = Vec::new();
        for contact_id in CONTACTS {
            let officers = &USERS.collect::<Vec<_>>();
            contacts.push(contacts::Model {
                contact_id,
                contact_number: format!("C-{contact_id}"),
                contact_type_id: self.random.one_of(&types).contact_type_id,
                entity_code: "INDIVIDUAL".to_owned(),
                contact_officer_user_id: self.random.maybe(60, officers),
                tax_id1: self.secret(IDENTITY_MARK),
                tax_id2: self.secret(IDENTITY_MARK),
                id_number1: self.secret(IDENTITY_MARK),
                id_number2: self.secret(IDENTITY_MARK),
                street_address1: Some(format!("{contact_id} Contact Street")),
                created_date: self.random.instant(),
                ..contacts::Model::default()
            });
        }
        self.insert::<contacts::ActiveModel, _>(contacts).await;
        let mut web_users: Vec<i64> = CONTACTS.collect();
        self.random.shuffle(&mut web_users);
        let mut credentials = Vec::new();
        for (contact_id, number) in web_users.into_iter().zip(1..=WEB_USERS) {
            credentials.push(web_credentials::Model {
                contact_id,
                web_user_name: format!("web{number}"),
                web_access_flag: true,
                password_hash: password.clone(),
                created_date: self.random.instant(),
            });
        }
        self.insert::<web_credentials::ActiveModel, _>(credentials).await;
    }

    /// A number that only some users may see in full: long, as short as its mask, or none. A long
    /// one contains this mark.
    pub(super) fn secret(&mut self, mark: &str) -> Option<Masked> {
        let long = format!("12{mark}6789");
        let number = self.random.one_of(&["", "7", "1234", "12345", &long]);
        (!number.is_empty()).then(|| Masked::new(number))
    }

    pub(super) async fn loans(&mut self) {
        let groups = read::<loan_groups::Entity>(self.db).await;
        let portfolios = read::<portfolios::Entity>(self.db).await;
        let mut loans = Vec::new();
        let mut links = Vec::new();
        for loan_id in LOANS {
            let users = &USERS.collect::<Vec<_>>();
            loans.push(loans::Model {
                loan_id,
                loan_number: format!("L-{loan_id}"),
                contact_id: self.contact(),
                loan_group_id: self.random.one_of(&groups).loan_group_id,
                portfolio_id: self.random.one_of(&portfolios).portfolio_id,
                status_code_id: self.random.between(11, 13),
                loan_officer_user_id: self.random.maybe(35, users),
                collection_officer_user_id: self.random.maybe(35, users),
                loan_type: self.random.word::<LoanType>(),
                payment_period: PaymentPeriod::None,
                original_note_amount: money(100_000),
                origination_date: self.random.day(),
                interest_start_date: self.random.day(),
                accrual_base_date: self.random.day(),
                created_date: self.random.instant(),
                ..loans::Model::default()
            });
            // The same contact may be linked twice, and the borrower may also be linked.
            for relationship_code in ["COBORROWER", "GUARANTOR"] {
                for contact_id in self.random.some_of(12, &CONTACTS.collect::<Vec<_>>()) {
                    links.push(loan_contacts::ActiveModel {
                        row_id: NotSet,
                        loan_id: Set(loan_id),
                        contact_id: Set(contact_id),
                        relationship_code: Set(relationship_code.to_owned()),
                        web_access_flag: Set(self.random.percent(50)),
                    });
                }
            }
        }
        self.insert::<loans::ActiveModel, _>(loans).await;
        self.insert(links).await;
    }

    pub(super) async fn on_loans(&mut self) {
        let (mut lines, mut recurring, mut automated) = (Vec::new(), Vec::new(), Vec::new());
        let mut due = Vec::new();
        for number in 1..=20 {
            due.push(payments_due::ActiveModel {
                loan_id: Set(self.loan()),
                payment_number: Set(number),
                due_date: Set(chrono::NaiveDate::default() + chrono::Days::new(number as u64)),
                interest_due: Set(money(100)),
                principal_due: Set(money(100)),
                interest_paid: Set(money(100)),
                principal_paid: Set(money(100)),
                ..Default::default()
            });
            lines.push(credit_lines::ActiveModel {
                loan_id: Set(self.loan()),
                name: Set("A line".to_owned()),
                transaction_code: Set(0),
                credit_line_limit: Set(money(500_000)),
                draw_until_type: Set(DrawUntilType::None),
                draw_count: Set(0),
                draw_total: Set(money(0)),
                ..Default::default()
            });
            recurring.push(recurring_transactions::ActiveModel {
                loan_id: Set(self.loan()),
                description: Set("Again and again".to_owned()),
                active_flag: Set(true),
                event_type: Set(self.random.word()),
                event_start_date: Set(self.random.day()),
                start_date_day_value: Set(0),
                event_period: Set(PaymentPeriod::Monthly),
                event_number_of_periods: Set(1),
                event_count: Set(0),
                transaction_code: Set(142),
                amount_type: Set(recurring_transactions::RecurringAmountType::Fixed),
                transaction_amount: Set(Some(money(500))),
                ..Default::default()
            });
            automated.push(automated_payments::ActiveModel {
                loan_id: Set(self.loan()),
                description: Set("By itself".to_owned()),
                payment_type: Set(automated_payments::AutomatedPaymentType::Ach),
                status: Set(self.random.word()),
                bank_account_number: Set(self.secret(ACCOUNT_MARK)),
                amount_type: Set(automated_payments::AutomatedAmountType::Billing),
                debit_or_credit: Set(automated_payments::DebitOrCredit::Debit),
                billing_type: Set(automated_payments::BillingType::Billing),
                billing_period: Set(PaymentPeriod::Monthly),
                start_date: Set(self.random.day()),
                temp_grace_period: Set(0),
                ..Default::default()
            });
        }
        self.insert(due).await;
        self.insert(lines).await;
        self.insert(recurring).await;
        self.insert(automated).await;
    }

    pub(super) async fn transactions(&mut self) {
        let lines = read::<credit_lines::Entity>(self.db).await;
        let mut keys: Vec<i64> = (1..=90).collect();
        self.random.shuffle(&mut keys);
        let mut rows = Vec::new();
        for key in keys {
            let line = self.random.maybe(60, &lines);
            // On a line: a draw, the reversal of one, or something else.
            let (loan_id, code) = match &line {
                Some(line) => (line.loan_id, self.random.one_of(&[110, 110, 110, 111, 122])),
                None => (self.loan(), self.random.one_of(&[100, 110, 120, 122, 124, 140])),
            };
            rows.push(loan_transactions::ActiveModel {
                transaction_id: Set(key),
                loan_id: Set(loan_id),
                transaction_reference_no: Set(self.random.between(1, 5)),
                transaction_code: Set(code),
                transaction_description: Set("A transaction".to_owned()),
                transaction_date: Set(self.random.instant()),
                effective_date: Set(self.random.day()),
                gl_date: Set(self.random.day()),
                transaction_amount: Set(money(1_000)),
                balance_name: Set((code == 140).then_some(BalanceName::LateCharge)),
                creditline_id: Set(line.map(|line| line.creditline_id)),
                entered_by_user_id: Set(self.user()),
                reversed_flag: Set(self.random.percent(20)),
                nsf_flag: Set(false),
                ..Default::default()
            });
        }
        self.insert(rows).await;
        // Not used by any visibility rule, but required: a rate for each loan.
        let rates = LOANS.map(|loan_id| loan_interest_rates::ActiveModel {
            row_id: NotSet,
            loan_id: Set(loan_id),
            effective_date: Set(chrono::NaiveDate::default()),
            interest_rate: Set(rate(10)),
        });
        self.insert(rates.collect()).await;
    }
}
