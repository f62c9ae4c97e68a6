//! Payment requests: their members, the checks that need no database, and the privileges they need.

use crate::auth::caller::Caller;
use crate::auth::privileges::{Forbidden, PAY_OFF_LOANS, SPLIT_PAYMENTS};
use crate::http::bounded_string::{BoundedString, check};
use crate::loans::journal::codes;
use crate::loans::lookups::{LoanLookups, VisibleCodes};
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::allocation::Split;
use chrono::NaiveDate;
use poem_openapi::Object;
use shared::amounts::{AmountText, Money};
use shared::entity::loans::ExcessHandling;
use shared::interface_names;
use shared::problem::InvalidValue;
use shared::time::Day;
use std::sync::Arc;

/// A payment to be posted.
#[interface_names]
#[derive(Clone, Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct NewPayment {
    /// Amount paid, above zero; 0.00 only with `Payoff`, when nothing is owed.
    pub amount: AmountText,
    /// Date on which the payment takes effect; today by default. An earlier date requires the
    /// privilege Loan > Payments > Backdate.
    pub effective_date: Option<Day>,
    /// Code of the payment method; default: the default payment method.
    pub payment_method_code: Option<BoundedString<25, 1>>,
    /// Reference of the payment method, such as a check or trace number. Up to 50 characters.
    pub payment_method_reference: Option<BoundedString<50>>,
    /// The caller's own reference. Up to 100 characters.
    pub user_reference: Option<BoundedString<100>>,
    /// Explicit split: part applied to principal. Omitted parts are 0; all parts must add up to
    /// `Amount`. Requires the privilege Loan > Payments > Split.
    pub principal_amount: Option<AmountText>,
    /// Explicit split: part applied to interest.
    pub interest_amount: Option<AmountText>,
    /// Explicit split: part applied to late charges.
    pub late_charge_amount: Option<AmountText>,
    /// Explicit split: part applied to fees.
    pub fee_amount: Option<AmountText>,
    /// Explicit split: part applied to the impound balance.
    pub impound_amount: Option<AmountText>,
    /// Explicit split: part applied to the suspense balance.
    pub suspense_amount: Option<AmountText>,
    /// Pays the loan off and closes it. Requires the privilege Loan > Payments > Payoff.
    pub payoff: Option<bool>,
    /// Handling of money beyond everything that is due; default: the loan's own setting.
    pub excess_handling: Option<ExcessHandling>,
    /// Id of the contact who paid: the borrower (default) or a contact linked to the loan.
    pub paid_by_contact_id: Option<i64>,
    /// Id of the cash drawer that receives the money; for cash, default: the drawer the caller is
    /// working with.
    pub cash_drawer_id: Option<i64>,
    /// The integrator's own id of the payment, unique per loan. Up to 100 characters.
    pub external_id: Option<BoundedString<100>>,
    /// Value of the field defined on the form `transaction_entry`. Up to 50 characters.
    pub userdef01: Option<BoundedString<50>>,
    /// Value of the field defined on the form `transaction_entry`. Up to 50 characters.
    pub userdef02: Option<BoundedString<50>>,
    /// Value of the field defined on the form `transaction_entry`. Up to 50 characters.
    pub userdef03: Option<BoundedString<50>>,
    /// Value of the field defined on the form `transaction_entry`. Up to 50 characters.
    pub userdef04: Option<BoundedString<50>>,
    /// Value of the field defined on the form `transaction_entry`. Up to 50 characters.
    pub userdef05: Option<BoundedString<50>>,
}

/// A payment request that passed the checks that need no database.
#[derive(Clone, Debug)]
pub struct ValidatedPayment {
    pub(super) request: NewPayment,
    pub(super) amount: Money,
    pub(super) split: Option<Split>,
    pub(super) card: Option<CardCharge>,
}

/// Details of a payment that the gateway charged to a card.
#[derive(Clone, Debug)]
pub struct CardCharge {
    /// The saved card.
    pub token_id: i64,
    /// Convenience fee charged in addition to the payment: a row of the entry, but of no balance.
    pub fee: Money,
    /// Day of the charge: the effective date of the payment, unless the loan accepts one only from
    /// a later day on. Then it is that day.
    pub charged_on: NaiveDate,
}

impl ValidatedPayment {
    pub fn request(&self) -> &NewPayment {
        &self.request
    }

    /// Returns the same payment, charged to a card.
    #[must_use]
    pub fn by_card(self, card: CardCharge) -> Self {
        Self { card: Some(card), ..self }
    }
}

impl NewPayment {
    /// Returns a request with this amount and no other member.
    pub fn of(amount: AmountText) -> Self {
        Self { amount, ..Self::default() }
    }

    /// Runs the checks that need no database, and returns the validated payment.
    pub fn validate(self) -> Result<ValidatedPayment, LoanError> {
        check("Payment_Method_Code", &self.payment_method_code)?;
        check("Payment_Method_Reference", &self.payment_method_reference)?;
        check("User_Reference", &self.user_reference)?;
        check("External_ID", &self.external_id)?;
        check("Userdef01", &self.userdef01)?;
        check("Userdef02", &self.userdef02)?;
        check("Userdef03", &self.userdef03)?;
        check("Userdef04", &self.userdef04)?;
        check("Userdef05", &self.userdef05)?;
        let amount = posted("Amount", &self.amount)?;
        if amount < Money::ZERO || (amount.is_zero() && !self.is_payoff()) {
            return Err(LoanRefusal::amount_not_positive(amount));
        }
        let split = self.split()?;
        if split.is_some() && (self.is_payoff() || self.excess_handling.is_some()) {
            let other = if self.is_payoff() { "Payoff" } else { "Excess_Handling" };
            return Err(LoanError::invalid(other, "cannot be combined with an explicit split"));
        }
        Ok(ValidatedPayment { request: self, amount, split, card: None })
    }

    /// True if the payment pays the loan off.
    pub(super) fn is_payoff(&self) -> bool {
        self.payoff == Some(true)
    }

    /// Values of Userdef01 to Userdef05.
    pub(super) fn user_fields(&self) -> [Option<&str>; 5] {
        let Self { userdef01, userdef02, userdef03, userdef04, userdef05, .. } = self;
        [userdef01, userdef02, userdef03, userdef04, userdef05].map(Option::as_deref)
    }

    /// True if any part of an explicit split is given.
    fn is_split(&self) -> bool {
        self.principal_amount.is_some()
            || self.interest_amount.is_some()
            || self.late_charge_amount.is_some()
            || self.fee_amount.is_some()
            || self.impound_amount.is_some()
            || self.suspense_amount.is_some()
    }

    fn split(&self) -> Result<Option<Split>, LoanError> {
        let part = |field: &str, text: &Option<AmountText>| {
            let part = text.as_ref().map_or(Ok(Money::ZERO), |text| posted(field, text))?;
            match part < Money::ZERO {
                true => Err(LoanError::invalid(field, "must not be negative")),
                false => Ok(part),
            }
        };
        let split = Split {
            principal: part("Principal_Amount", &self.principal_amount)?,
            interest: part("Interest_Amount", &self.interest_amount)?,
            late_charges: part("Late_Charge_Amount", &self.late_charge_amount)?,
            fees: part("Fee_Amount", &self.fee_amount)?,
            impound: part("Impound_Amount", &self.impound_amount)?,
            suspense: part("Suspense_Amount", &self.suspense_amount)?,
        };
        Ok(self.is_split().then_some(split))
    }

    /// Checks that the caller may see the loan (404 if not) and holds the privileges that the
    /// request needs on any day (403 if not). Returns the transaction codes whose rows the caller may
    /// see.
    pub async fn admit(
        &self,
        loans: &LoanLookups,
        caller: &Caller,
        loan_id: i64,
    ) -> Result<Arc<VisibleCodes>, LoanError> {
        let visible_codes = loans.visible_codes(caller, loan_id).await?;
        self.check_privileges(caller, &visible_codes)?;
        Ok(visible_codes)
    }

    /// Checks that the caller, who sees rows with these codes, holds the privileges that the request
    /// needs on any day.
    pub(super) fn check_privileges(
        &self,
        caller: &Caller,
        visible_codes: &VisibleCodes,
    ) -> Result<(), Forbidden> {
        if self.is_split() {
            caller.require(SPLIT_PAYMENTS)?;
        }
        if self.is_payoff() {
            caller.require(PAY_OFF_LOANS)?;
        }
        let total = codes::PAYMENT_TOTAL.number;
        match visible_codes.contain(total) {
            true => Ok(()),
            false => Err(Forbidden::TransactionCode(total)),
        }
    }
}

/// Returns an amount that can be posted, or an error that names the field.
pub fn posted(field: &str, text: &AmountText) -> Result<Money, InvalidValue> {
    text.posted().map_err(|error| InvalidValue::new(field, error.to_string()))
}
