//! `<RecurringTransaction>` and `<AutomatedPayment>`: a loan's scheduled charges and scheduled
//! payments.

use crate::audit::{AuditTarget, HistoryOwner};
use crate::xml_import::element_fields::{ElementFields, UpdateMode};
use crate::xml_import::format::{AttributeKind, ElementShape, Needed, RowShape, choice};
use crate::xml_import::parse::Element;
use crate::xml_import::{ElementOutcome, ImportTransaction, RecordError};
use sea_orm::{ColumnTrait, QueryFilter, QuerySelect};
use shared::amounts::Rate;
use shared::database::galera;
use shared::entity::automated_payments::{
    AutomatedAmountType, AutomatedPaymentStatus, AutomatedPaymentType, BankAccountType,
    BillingType, DebitOrCredit,
};
use shared::entity::loans::{PaymentPeriod, YearLength};
use shared::entity::recurring_transactions::{RecurringAmountType, RecurringEventType};
use shared::entity::{automated_payments, loans, payment_gateway_tokens, recurring_transactions};
use std::sync::LazyLock;

pub(crate) static RECURRING_TRANSACTION: LazyLock<RowShape<recurring_transactions::Entity>> =
    LazyLock::new(|| {
        use AttributeKind::{Date, Int};
        use recurring_transactions::Column::*;
        let columns = [
            (RowId, AttributeKind::Id),
            (Description, AttributeKind::Text(50)),
            (ActiveFlag, AttributeKind::Flag),
            (EventType, choice::<RecurringEventType>()),
            (EventStartDate, Date),
            (EventExpireDate, Date),
            (NextEventDate, Date),
            (StartDateDayValue, Int(0..=31)),
            (EventPeriod, choice::<PaymentPeriod>()),
            (EventNumberOfPeriods, Int(1..=12_000)),
            (EventMaxRepeat, Int(1..=i32::MAX)),
            (EventCount, Int(0..=i32::MAX)),
            (TransactionCode, Int(1..=i32::MAX)),
            (AmountType, choice::<RecurringAmountType>()),
            (TransactionAmount, AttributeKind::Payment),
            (AnnualPercentage, AttributeKind::Rate),
            (Numerator, choice::<YearLength>()),
            (Denominator, choice::<YearLength>()),
        ];
        let needed =
            ["Description", "EventType", "EventStartDate", "EventPeriod", "TransactionCode"];
        RowShape::new(ElementShape::new("RecurringTransaction"), columns).needing(Needed::ToInsert, &needed).also_needing(
            "TransactionAmount, or AnnualPercentage if AmountType is annual_percent_of_principal",
        )
    });

pub(crate) static AUTOMATED_PAYMENT: LazyLock<RowShape<automated_payments::Entity>> =
    LazyLock::new(|| {
        use AttributeKind::{Date, Payment, Text};
        use automated_payments::Column::*;
        let columns = [
            (RowId, AttributeKind::Id),
            (Description, Text(50)),
            (PaymentType, choice::<AutomatedPaymentType>()),
            (Status, choice::<AutomatedPaymentStatus>()),
            (BankRoutingNumber, Text(9)),
            (BankAccountNumber, Text(17)),
            (BankAccountType, choice::<self::BankAccountType>()),
            (PaymentGatewayTokenId, AttributeKind::Id),
            (AmountType, choice::<AutomatedAmountType>()),
            (Amount, Payment),
            (Percentage, AttributeKind::Rate),
            (MinimumAmount, Payment),
            (MaximumAmount, Payment),
            (DebitOrCredit, choice::<self::DebitOrCredit>()),
            (BillingType, choice::<self::BillingType>()),
            (BillingPeriod, choice::<PaymentPeriod>()),
            (StartDate, Date),
            (NextDate, Date),
            (ExpireDate, Date),
            (TempGracePeriod, AttributeKind::Int(0..=366)),
        ];
        let needed = ["Description", "PaymentType", "AmountType", "BillingType", "StartDate"];
        RowShape::new(ElementShape::new("AutomatedPayment"), columns)
            .needing(Needed::ToInsert, &needed)
            .also_needing(
                "BankRoutingNumber, BankAccountNumber and BankAccountType if PaymentType is ach; \
             PaymentGatewayTokenID if it is card; Amount if AmountType is fixed; Percentage if it \
             is percent_of_principal; BillingPeriod if BillingType is recurring",
            )
    });

impl ImportTransaction<'_, '_> {
    /// Inserts, changes or deletes a recurring transaction.
    pub(super) async fn recurring_transaction(
        &mut self,
        element: &Element,
        loan_id: i64,
    ) -> Result<ElementOutcome, RecordError> {
        use recurring_transactions::Column::{LoanId, RowId};
        let mut fields = ElementFields::new(element, &RECURRING_TRANSACTION, self.enforce);
        let before = self.own_row(&mut fields, RowId, (LoanId, loan_id)).await?;
        let mut row = before.clone().unwrap_or_else(|| recurring_transactions::Model {
            row_id: self.stage.next_placeholder(),
            loan_id,
            description: String::new(),
            active_flag: true,
            event_type: RecurringEventType::Scheduled,
            event_start_date: self.clock.today,
            event_expire_date: None,
            next_event_date: fields.get("EventStartDate"),
            start_date_day_value: 0,
            event_period: PaymentPeriod::None,
            event_number_of_periods: 1,
            event_max_repeat: None,
            event_count: 0,
            transaction_code: 0,
            amount_type: match fields.has("AnnualPercentage") {
                true => RecurringAmountType::AnnualPercentOfPrincipal,
                false => RecurringAmountType::Fixed,
            },
            transaction_amount: None,
            annual_percentage: None,
            numerator: None,
            denominator: None,
        });
        fields.fill(&RECURRING_TRANSACTION, &mut row);
        if fields.update != UpdateMode::Delete {
            self.check_transaction_code(&mut fields, row.transaction_code).await?;
            check_recurring(&mut fields, &row);
        }
        let target = AuditTarget::of(HistoryOwner::Loan(loan_id), "Loan > Recurring Transactions");
        self.upsert(fields, before, row, target).await
    }

    /// Inserts, changes or deletes an automated payment.
    pub(super) async fn automated_payment(
        &mut self,
        element: &Element,
        loan: &loans::Model,
    ) -> Result<ElementOutcome, RecordError> {
        use automated_payments::Column::{LoanId, RowId};
        let loan_id = loan.loan_id;
        let mut fields = ElementFields::new(element, &AUTOMATED_PAYMENT, self.enforce);
        let before = self.own_row(&mut fields, RowId, (LoanId, loan_id)).await?;
        let mut row = before.clone().unwrap_or_else(|| automated_payments::Model {
            row_id: self.stage.next_placeholder(),
            loan_id,
            description: String::new(),
            payment_type: AutomatedPaymentType::Ach,
            status: AutomatedPaymentStatus::Active,
            bank_routing_number: None,
            bank_account_number: None,
            bank_account_type: None,
            payment_gateway_token_id: None,
            amount_type: AutomatedAmountType::Fixed,
            amount: None,
            percentage: None,
            minimum_amount: None,
            maximum_amount: None,
            debit_or_credit: DebitOrCredit::Debit,
            billing_type: BillingType::Billing,
            billing_period: PaymentPeriod::None,
            start_date: self.clock.today,
            next_date: fields.get("StartDate"),
            expire_date: None,
            temp_grace_period: 0,
        });
        fields.fill(&AUTOMATED_PAYMENT, &mut row);
        if fields.update != UpdateMode::Delete {
            check_source(&mut fields, &row);
            check_draw(&mut fields, &row);
            self.check_card(&mut fields, before.as_ref(), &row).await?;
        }
        let target = AuditTarget::of(HistoryOwner::Loan(loan_id), "Loan > Automated Payments");
        self.upsert(fields, before, row, target).await
    }

    /// Checks that the card of an automated payment belongs to this loan and is not forgotten.
    /// Locks the card's row, so that it cannot be forgotten before this transaction commits.
    async fn check_card(
        &self,
        fields: &mut ElementFields<'_>,
        before: Option<&automated_payments::Model>,
        payment: &automated_payments::Model,
    ) -> Result<(), RecordError> {
        use payment_gateway_tokens::Column::{ForgetFlag, LoanId, PaymentGatewayTokenId};
        let Some(token_id) = payment.payment_gateway_token_id else { return Ok(()) };
        let active =
            |payment: &automated_payments::Model| payment.status == AutomatedPaymentStatus::Active;
        let named = fields.has("PaymentGatewayTokenID");
        if !named && (!active(payment) || before.is_some_and(active)) {
            return Ok(());
        }
        let cards = self.caller.find::<payment_gateway_tokens::Entity>();
        let card = cards
            .filter(PaymentGatewayTokenId.eq(token_id))
            .filter(LoanId.eq(payment.loan_id))
            .filter(ForgetFlag.eq(false))
            .lock_exclusive()
            .one(self.tx)
            .await?;
        galera::guard_row(self.tx, "payment_gateway_tokens", token_id).await?;
        match card {
            None if named => fields.error(
                "PaymentGatewayTokenID",
                "matches no card of this loan, or one that was forgotten",
            ),
            None => fields.error("Status", "cannot be active: its card was forgotten"),
            Some(_) => {}
        }
        Ok(())
    }
}

fn check_recurring(fields: &mut ElementFields<'_>, row: &recurring_transactions::Model) {
    if !matches!(row.start_date_day_value, 0 | 28..=31) {
        fields.error("StartDateDayValue", "must be 0 or a whole number from 28 to 31");
    }
    match row.amount_type {
        RecurringAmountType::Fixed if row.transaction_amount.is_none() => {
            fields.missing("TransactionAmount");
        }
        RecurringAmountType::AnnualPercentOfPrincipal if row.annual_percentage.is_none() => {
            fields.missing("AnnualPercentage");
        }
        _ => {}
    }
    if row.event_expire_date.is_some_and(|end| end < row.event_start_date) {
        fields.error("EventExpireDate", "must not be before EventStartDate");
    }
}

/// Checks the account or card that the money is drawn from.
fn check_source(fields: &mut ElementFields<'_>, row: &automated_payments::Model) {
    let routing = row.bank_routing_number.as_deref();
    let nine_digits =
        |number: &str| number.len() == 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    if routing.is_some_and(|number| !nine_digits(number)) {
        fields.error("BankRoutingNumber", "must have nine digits");
    }
    match row.payment_type {
        AutomatedPaymentType::Ach => {
            for (name, missing) in [
                ("BankRoutingNumber", routing.is_none()),
                (
                    "BankAccountNumber",
                    row.bank_account_number.as_ref().is_none_or(|number| number.clear().is_empty()),
                ),
                ("BankAccountType", row.bank_account_type.is_none()),
            ] {
                if missing {
                    fields.missing(name);
                }
            }
        }
        AutomatedPaymentType::Card if row.payment_gateway_token_id.is_none() => {
            fields.missing("PaymentGatewayTokenID");
        }
        AutomatedPaymentType::Card => {}
    }
}

/// Checks how much is drawn, and when.
fn check_draw(fields: &mut ElementFields<'_>, row: &automated_payments::Model) {
    match row.amount_type {
        AutomatedAmountType::Fixed if row.amount.is_none() => fields.missing("Amount"),
        AutomatedAmountType::PercentOfPrincipal
            if row.percentage.is_none_or(|p| p == Rate::ZERO) =>
        {
            fields.missing("Percentage");
        }
        _ => {}
    }
    if let (Some(least), Some(most)) = (row.minimum_amount, row.maximum_amount)
        && least > most
    {
        fields.error("MinimumAmount", "must not be above MaximumAmount");
    }
    if row.billing_type == BillingType::Recurring && row.billing_period == PaymentPeriod::None {
        fields.error("BillingPeriod", "is required when BillingType is recurring");
    }
    if row.expire_date.is_some_and(|end| end < row.start_date) {
        fields.error("ExpireDate", "must not be before StartDate");
    }
}
