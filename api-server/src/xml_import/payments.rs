//! `<Transactions>` and `<Payment>`. Payments are posted by the API's own function and rules.

use super::element_fields::ElementFields;
use super::format::{AttributeKind, ElementShape, Needed, attribute, choice};
use super::loans::check_same_loan;
use super::parse::Element;
use super::record_refs::RecordRef;
use super::report::Action;
use super::{ElementOutcome, ImportTransaction, RecordError, refuse};
use crate::command::lock_queues::RowKey;
use crate::http::bounded_string::BoundedString;
use crate::loans::payments::{self, NewPayment};
use chrono::NaiveDate;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::amounts::{AmountText, Money};
use shared::database;
use shared::entity::loans;
use shared::entity::loans::ExcessHandling;
use shared::time::Day;
use std::sync::LazyLock;

pub(super) static TRANSACTIONS: LazyLock<ElementShape> =
    LazyLock::new(|| ElementShape::bare("Transactions").holding(&["Payment"]));

pub(super) static PAYMENT: LazyLock<ElementShape> = LazyLock::new(|| {
    use AttributeKind::{Amount, Date, Flag, Id, Text};
    ElementShape::bare("Payment")
        .with([
            attribute("UpdateFlag", AttributeKind::Choice(vec!["0".to_owned()])),
            attribute("GetRecordID", Text(255)),
            attribute("LoanID", Id),
            attribute("LoanNumber", Text(25)),
            attribute("Amount", Amount),
            attribute("EffectiveDate", Date),
            attribute("PaymentMethodCode", Text(25)),
            attribute("PaymentMethodReference", Text(50)).nullable(),
            attribute("UserReference", Text(100)).nullable(),
            attribute("PrincipalAmount", Amount),
            attribute("InterestAmount", Amount),
            attribute("LateChargeAmount", Amount),
            attribute("FeeAmount", Amount),
            attribute("ImpoundAmount", Amount),
            attribute("SuspenseAmount", Amount),
            attribute("Payoff", Flag),
            attribute("ExcessHandling", choice::<ExcessHandling>()),
            attribute("PaidByContactID", Id),
            attribute("CashDrawerID", Id),
            attribute("ExternalID", Text(100)).nullable(),
            attribute("Userdef01", Text(50)).nullable(),
            attribute("Userdef02", Text(50)).nullable(),
            attribute("Userdef03", Text(50)).nullable(),
            attribute("Userdef04", Text(50)).nullable(),
            attribute("Userdef05", Text(50)).nullable(),
        ])
        .needing(Needed::Always, &["Amount", "EffectiveDate"])
        .also_needing("its loan by LoanNumber, LoanID or GetRecordID")
});

impl ImportTransaction<'_, '_> {
    pub(super) async fn payment(
        &mut self,
        element: &Element,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &PAYMENT, self.enforce);
        let loan = match fields.get::<String>("GetRecordID") {
            Some(name) => match self.record_ref(&name).await? {
                Some(RecordRef::Loan(loan_id)) => self.loan_by_id(loan_id).await?,
                _ => {
                    fields.error("GetRecordID", "no earlier loan has this StoreRecordID");
                    None
                }
            },
            None => self.find_loan(&mut fields).await?,
        };
        if let Some(loan) = &loan {
            check_same_loan(&mut fields, loan);
        }
        let payment = new_payment(&fields);
        let messages = fields.finish()?;
        let loan = loan.ok_or_else(|| refuse(element, "no loan has this LoanID or LoanNumber"))?;
        let validated = payment.validate()?;
        // Today is that of the moment from which no other posting comes between.
        RowKey::Loan(loan.loan_id).lock_in(self.tx).await?;
        let clock = database::clock(self.tx).await?;
        let (tx, caller, author) = (self.tx, self.caller, &self.author);
        let rows = payments::post(tx, caller, author, clock, loan.loan_id, &validated).await?;
        let total = rows.first().map(|row| row.transaction_id).unwrap_or_default();
        Ok(ElementOutcome::one(element, Action::Inserted, Some(loan.loan_number), total, messages))
    }

    pub(super) async fn loan_by_id(
        &self,
        loan_id: i64,
    ) -> Result<Option<loans::Model>, RecordError> {
        let loans = self.caller.find::<loans::Entity>();
        Ok(loans.filter(loans::Column::LoanId.eq(loan_id)).one(self.tx).await?)
    }
}

/// Builds a payment from the attributes that match its members. Errors are already noted in
/// `fields`.
fn new_payment(fields: &ElementFields<'_>) -> NewPayment {
    let amount = |name| fields.get::<Money>(name).map(AmountText::from);
    fn text<const MAX: usize, const MIN: usize>(
        fields: &ElementFields<'_>,
        name: &str,
    ) -> Option<BoundedString<MAX, MIN>> {
        fields.get::<String>(name).map(BoundedString::from)
    }
    NewPayment {
        effective_date: fields.get::<NaiveDate>("EffectiveDate").map(Day),
        payment_method_code: text(fields, "PaymentMethodCode"),
        payment_method_reference: text(fields, "PaymentMethodReference"),
        user_reference: text(fields, "UserReference"),
        principal_amount: amount("PrincipalAmount"),
        interest_amount: amount("InterestAmount"),
        late_charge_amount: amount("LateChargeAmount"),
        fee_amount: amount("FeeAmount"),
        impound_amount: amount("ImpoundAmount"),
        suspense_amount: amount("SuspenseAmount"),
        payoff: fields.get("Payoff"),
        excess_handling: fields.get("ExcessHandling"),
        paid_by_contact_id: fields.get("PaidByContactID"),
        cash_drawer_id: fields.get("CashDrawerID"),
        external_id: text(fields, "ExternalID"),
        userdef01: text(fields, "Userdef01"),
        userdef02: text(fields, "Userdef02"),
        userdef03: text(fields, "Userdef03"),
        userdef04: text(fields, "Userdef04"),
        userdef05: text(fields, "Userdef05"),
        ..NewPayment::of(amount("Amount").unwrap_or_else(|| Money::ZERO.into()))
    }
}
