//! Setup lists, field definitions, and convenience-fee rules.

use super::{Draft, money, rate};
use crate::rules::visibility::tables::read;
use sea_orm::ActiveValue::Set;
use shared::entity::gateway_payments::CardPaymentState;
use shared::entity::interest_plans::RateType;
use shared::entity::loans::{InterestMethod, YearLength};
use shared::entity::payment_gateway_tokens::{BrandType, EntryType, Gateway};
use shared::entity::relationship_codes::AppliesTo;
use shared::entity::user_defined_fields::{DataType, Form};
use shared::entity::*;
use shared::json_columns::TextList;

/// Keys above those of the rows that every installation has.
const MORE: std::ops::RangeInclusive<i64> = 11..=13;

impl Draft<'_> {
    pub(super) async fn setup_lists(&mut self) {
        let code = |id: i64| format!("CODE{id}");
        let text = |id: i64| format!("Number {id}");
        let rows = MORE.map(|id| comment_categories::Model {
            comment_category_id: id,
            code: code(id),
            description: text(id),
            active_flag: id != 12,
        });
        self.insert::<comment_categories::ActiveModel, _>(rows.collect()).await;
        let rows = MORE.map(|id| loan_groups::Model {
            loan_group_id: id,
            code: code(id),
            description: text(id),
            active_flag: id != 12,
            payment_gateway_flag: id != 13,
        });
        self.insert::<loan_groups::ActiveModel, _>(rows.collect()).await;
        let rows = MORE.map(|id| portfolios::Model {
            portfolio_id: id,
            code: code(id),
            description: text(id),
            active_flag: id != 12,
            number_mask: None,
        });
        self.insert::<portfolios::ActiveModel, _>(rows.collect()).await;
        let rows = MORE.map(|id| contact_types::Model {
            contact_type_id: id,
            code: code(id),
            description: text(id),
            active_flag: id != 12,
        });
        self.insert::<contact_types::ActiveModel, _>(rows.collect()).await;
        self.open_setup_lists().await;
    }

    /// Lists without trustees.
    async fn open_setup_lists(&mut self) {
        let rows = MORE.map(|id| loan_status_codes::Model {
            status_code_id: id,
            code: format!("CODE{id}"),
            description: format!("Number {id}"),
            active_flag: id != 12,
            closed_flag: false,
            stop_accrual_flag: true,
            stop_late_charge_flag: false,
            refuse_payments_flag: false,
        });
        self.insert::<loan_status_codes::ActiveModel, _>(rows.collect()).await;
        let rows = MORE.map(|id| interest_plans::Model {
            interest_plan_id: id,
            name: format!("PLAN{id}"),
            active_flag: id != 12,
            interest_method: InterestMethod::SI,
            interest_year_numerator: YearLength::Actual,
            interest_year_denominator: YearLength::D365,
            rate_type: RateType::Fixed,
            starting_rate: rate(7),
        });
        self.insert::<interest_plans::ActiveModel, _>(rows.collect()).await;
        let rows = ["ALPHA", "ZULU"].map(|code| entities::Model {
            entity_code: code.to_owned(),
            description: code.to_owned(),
            active_flag: true,
            person_flag: false,
        });
        self.insert::<entities::ActiveModel, _>(rows.into()).await;
        let rows = ["ALPHA", "GUARANTOR", "ZULU"].map(|code| relationship_codes::Model {
            relationship_code: code.to_owned(),
            description: code.to_owned(),
            active_flag: true,
            applies_to: AppliesTo::Loan,
            auto_prev_addr: false,
        });
        self.insert::<relationship_codes::ActiveModel, _>(rows.into()).await;
    }

    pub(super) async fn field_definitions(&mut self) {
        let forms = [
            Form::LoanDetail1,
            Form::LoanDetail2,
            Form::ContactDetail,
            Form::ContactDemographics,
            Form::ContactFinancials,
            Form::TransactionEntry,
            Form::BatchTransaction,
            Form::Participant1Detail,
            Form::Participant2Detail,
        ];
        let mut rows = Vec::new();
        for form in forms {
            for number in 1..=5 {
                // A visible field of each kind first, then random ones.
                let (data_type, hidden_flag) = match number {
                    1 => (DataType::Document, false),
                    2 => (DataType::Text, false),
                    _ => {
                        let data_type = self.random.one_of(&[DataType::Text, DataType::Document]);
                        (data_type, self.random.percent(35))
                    }
                };
                rows.push(user_defined_fields::Model {
                    field_id: 0,
                    form,
                    field_name: format!("userdef{number:02}"),
                    label: format!("Field {number}"),
                    data_type,
                    size: None,
                    default_value: None,
                    pick_list: TextList::default(),
                    required_flag: false,
                    hidden_flag,
                    read_only_flag: self.random.percent(25),
                    web_visible_flag: self.random.percent(60),
                    sequence: number,
                });
            }
        }
        // Keys follow neither forms nor names.
        self.random.shuffle(&mut rows);
        for (row, field_id) in rows.iter_mut().zip(1..) {
            row.field_id = field_id;
        }
        self.insert::<user_defined_fields::ActiveModel, _>(rows).await;
    }

    pub(super) async fn fees_and_cards(&mut self) {
        let groups = read::<loan_groups::Entity>(self.db).await;
        let mut keys = vec![(None, None)];
        for group in &groups {
            keys.push((Some(group.loan_group_id), None));
            keys.push((Some(group.loan_group_id), Some(BrandType::Visa)));
        }
        keys.push((None, Some(BrandType::Visa)));
        keys.push((None, Some(BrandType::Amex)));
        let mut rules = Vec::new();
        for ((loan_group_id, brand_type), rule_id) in
            self.random.some_of(60, &keys).into_iter().zip(1..)
        {
            rules.push(convenience_fee_rules::Model {
                rule_id,
                loan_group_id,
                brand_type,
                flat_amount: money(100 + rule_id),
                percentage: rate(0),
                minimum_fee: None,
                maximum_fee: None,
                active_flag: self.random.percent(80),
            });
        }
        self.insert::<convenience_fee_rules::ActiveModel, _>(rules).await;
        let mut cards = Vec::new();
        for payment_gateway_token_id in 1..=20 {
            let used_count = self.random.one_of(&[0, 0, 1, 3]);
            cards.push(payment_gateway_tokens::Model {
                payment_gateway_token_id,
                brand_type: self.random.one_of(&[BrandType::Visa, BrandType::Amex]),
                entry_type: self.random.one_of(&[
                    EntryType::Wallet,
                    EntryType::Wallet,
                    EntryType::OneTime,
                ]),
                forget_flag: self.random.percent(25),
                contact_id: self.contact(),
                loan_id: self.loan(),
                last_four: "4242".to_owned(),
                expiry_month: 12,
                expiry_year: self.random.one_of(&[2020, 2090, 2090]),
                cardholder_name: None,
                gateway: Gateway::Sandbox,
                created_date: self.random.instant(),
                last_used_date: None,
                used_count,
            });
        }
        self.insert::<payment_gateway_tokens::ActiveModel, _>(cards).await;
        self.card_payments().await;
    }

    async fn card_payments(&mut self) {
        let mut payments = Vec::new();
        for card_payment_id in 1..=20 {
            payments.push(gateway_payments::ActiveModel {
                card_payment_id: Set(card_payment_id),
                loan_id: Set(self.loan()),
                payment_gateway_token_id: Set(self.random.between(1, 20)),
                state: Set(CardPaymentState::Posted),
                amount: Set(money(1_000)),
                convenience_fee: Set(money(0)),
                total_charged: Set(money(1_000)),
                // The reference numbers of transactions, and others.
                transaction_reference_no: Set(Some(card_payment_id)),
                created_date: Set(self.random.instant()),
                entered_by_user_id: Set(self.user()),
                request: Set(serde_json::json!({})),
                request_id: Set("a request".to_owned()),
                ..Default::default()
            });
        }
        self.insert(payments).await;
    }
}
