//! `<Payment>`: posted by the same function and rules as a payment of the API.

use super::fields::Fields;
use super::parse::Element;
use super::report::Action;
use super::{Applied, Import, Stop, refuse};
use crate::payments::{self, NewPayment};
use sea_orm::{ColumnTrait, DatabaseTransaction, QueryFilter};
use shared::amounts::{AmountText, Money};
use shared::entity::loans;
use shared::entity::loans::ExcessHandling;

impl Import<'_> {
    /// Posts a payment.
    pub(super) async fn payment(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
    ) -> Result<Applied, Stop> {
        let mut fields = Fields::new(element, self.enforce);
        if fields.raw("UpdateFlag").is_some_and(|flag| flag != "0") {
            fields.error("UpdateFlag", "payments can only be inserted");
        }
        let loan = match fields.raw("GetRecordID") {
            Some(name) => match self.stored_loan(name) {
                Some(loan_id) => self.loan_by_id(tx, loan_id).await?,
                None => {
                    fields.error("GetRecordID", "no loan above was stored under this name");
                    None
                }
            },
            None => self.find_loan(tx, &mut fields).await?,
        };
        let payment = new_payment(&mut fields);
        fields.note_unknown(&[]);
        let messages = fields.finish()?;
        let loan = loan.ok_or_else(|| refuse(element, "no loan has this LoanID or LoanNumber"))?;
        let order = payment.order()?;
        let rows =
            payments::post(tx, self.caller, &self.author, self.clock, loan.loan_id, &order).await?;
        let total = rows.first().map(|row| row.transaction_id).unwrap_or_default();
        Ok(Applied::one(element, Action::Inserted, Some(loan.loan_number), total, messages))
    }

    async fn loan_by_id(
        &self,
        tx: &DatabaseTransaction,
        loan_id: i64,
    ) -> Result<Option<loans::Model>, Stop> {
        let loans = self.caller.find::<loans::Entity>();
        Ok(loans.filter(loans::Column::LoanId.eq(loan_id)).one(tx).await?)
    }
}

/// The members of a payment, from the attributes of the same names.
fn new_payment(fields: &mut Fields<'_>) -> NewPayment {
    for required in ["Amount", "EffectiveDate"] {
        if fields.raw(required).is_none() {
            fields.missing(required);
        }
    }
    let mut amount: Option<AmountText> = None;
    fields.parsed("Amount", &mut amount);
    // A faulty amount is noted already; the other attributes are read all the same.
    let mut payment = NewPayment::of(amount.unwrap_or_else(|| Money::ZERO.into()));
    fields.parsed("EffectiveDate", &mut payment.effective_date);
    fields.text("PaymentMethodCode", 25, &mut payment.payment_method_code);
    fields.text("PaymentMethodReference", 50, &mut payment.payment_method_reference);
    fields.text("UserReference", 100, &mut payment.user_reference);
    fields.parsed("PrincipalAmount", &mut payment.principal_amount);
    fields.parsed("InterestAmount", &mut payment.interest_amount);
    fields.parsed("LateChargeAmount", &mut payment.late_charge_amount);
    fields.parsed("FeeAmount", &mut payment.fee_amount);
    fields.parsed("ImpoundAmount", &mut payment.impound_amount);
    fields.parsed("SuspenseAmount", &mut payment.suspense_amount);
    let mut payoff = false;
    fields.flag("Payoff", &mut payoff);
    payment.payoff = Some(payoff);
    if fields.raw("ExcessHandling").is_some() {
        let mut excess = ExcessHandling::Principal;
        fields.choice("ExcessHandling", &mut excess);
        payment.excess_handling = Some(excess);
    }
    payment.paid_by_contact_id = fields.id("PaidByContactID");
    payment.cash_drawer_id = fields.id("CashDrawerID");
    fields.text("ExternalID", 100, &mut payment.external_id);
    fields.text("Userdef01", 50, &mut payment.userdef01);
    fields.text("Userdef02", 50, &mut payment.userdef02);
    fields.text("Userdef03", 50, &mut payment.userdef03);
    fields.text("Userdef04", 50, &mut payment.userdef04);
    fields.text("Userdef05", 50, &mut payment.userdef05);
    payment
}
