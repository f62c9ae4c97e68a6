//! Card payment intent, step 1 of a payment: the request, its checks, and the stored intent.

use super::post_to_loan::{entering_user, validated_payment};
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::auth::privileges::WAIVE_FEES;
use crate::cards::convenience_fee;
use crate::cards::refusals::{CardError, CardRefusal};
use crate::cards::saved_cards::refuse_without_token;
use crate::cards::{CardProcessor, rules};
use crate::command::execute::Command;
use crate::command::failure::LockedRow;
use crate::command::idempotency::Claim;
use crate::command::lock_queues::RowKey;
use crate::http::bounded_string::{BoundedString, checked};
use crate::loans::payments::{self, NewPayment, posted};
use crate::loans::refusals::LoanRefusal;
use poem_openapi::Object;
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use shared::amounts::{AmountText, Money};
use shared::database::{self, Fault, batch};
use shared::entity::gateway_payments::{CardPaymentRequest, CardPaymentState, Model};
use shared::entity::loans;
use shared::entity::loans::ExcessHandling;
use shared::entity::payment_gateway_tokens as cards;
use shared::interface_names;
use shared::time::Clock;
use std::sync::Arc;

/// A card payment to be posted.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewCardPayment {
    /// Id of the card to be charged, which belongs to the borrower or to a contact linked to the
    /// loan.
    pub payment_gateway_token_id: i64,
    /// Amount to be paid on the loan, above zero. The card is charged this amount plus the
    /// convenience fee.
    pub amount: AmountText,
    /// Convenience fee that the payer agreed to: if it is not the fee that applies, the payment is
    /// refused. If omitted, the fee that applies is charged.
    pub convenience_fee: Option<AmountText>,
    /// Waives the convenience fee. Requires the privilege Payment Gateway > Convenience Fee >
    /// Waive, and a reason.
    pub waive_convenience_fee: Option<bool>,
    /// Reason for waiving the fee. Up to 100 characters.
    pub waive_reason: Option<BoundedString<100>>,
    /// True if the borrower is present in person: no fee is charged.
    pub borrower_present: Option<bool>,
    /// Pays the loan off and closes it. Requires the privilege Loan > Payments > Payoff.
    pub payoff: Option<bool>,
    /// Handling of money beyond everything that is due; default: the loan's own setting.
    pub excess_handling: Option<ExcessHandling>,
    /// The caller's own reference. Up to 100 characters.
    pub user_reference: Option<BoundedString<100>>,
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

/// An intent that is about to be stored.
pub struct NewIntent {
    /// Caller who pays.
    pub caller: Caller,
    processor: Arc<CardProcessor>,
    author: Actor,
    loan_id: i64,
    new: NewCardPayment,
    claim: Option<Claim>,
}

impl NewIntent {
    /// Checks that the caller may see the loan and the card (404 if not) and holds the privileges
    /// that the request needs (403 if not).
    pub async fn admit(
        processor: &Arc<CardProcessor>,
        caller: Caller,
        author: Actor,
        loan_id: i64,
        new: NewCardPayment,
    ) -> Result<Self, CardError> {
        let loan = caller.get::<loans::Entity>(&processor.db, loan_id).await?;
        rules::card_of_loan(&processor.db, &caller, &loan, new.payment_gateway_token_id).await?;
        if new.waive_convenience_fee == Some(true) {
            caller.require(WAIVE_FEES)?;
        }
        let payment = NewPayment { payoff: new.payoff, ..NewPayment::of(new.amount.clone()) };
        payment.admit(&processor.loans, &caller, loan_id).await?;
        let processor = Arc::clone(processor);
        Ok(Self { caller, processor, author, loan_id, new, claim: None })
    }

    /// Remembers the key under which the payment was requested.
    pub(super) fn set_claim(&mut self, claim: Option<&Claim>) {
        self.claim = claim.cloned();
    }

    /// Returns the fee that applies. Refuses if the payer agreed to a different one.
    async fn fee(
        &self,
        tx: &impl ConnectionTrait,
        loan: &loans::Model,
        card: &cards::Model,
        amount: Money,
    ) -> Result<Money, CardError> {
        let rule = rules::fee_rule(tx, &self.caller, loan, Some(card.brand_type)).await?;
        let exempt =
            self.new.borrower_present == Some(true) || self.new.waive_convenience_fee == Some(true);
        let fee = match rule {
            Some(rule) if !exempt => convenience_fee::fee(&rule, amount)?,
            Some(_) | None => Money::ZERO,
        };
        let Some(agreed) = &self.new.convenience_fee else { return Ok(fee) };
        match posted("Convenience_Fee", agreed)? {
            agreed if agreed == fee => Ok(fee),
            _ => Err(CardError::Refused(CardRefusal::FeeMismatch { fee })),
        }
    }

    fn waive_reason(&self) -> Result<Option<String>, CardError> {
        let reason = checked("Waive_Reason", self.new.waive_reason.clone())?;
        let given = reason.filter(|reason| !reason.trim().is_empty());
        match (self.new.waive_convenience_fee == Some(true), &given) {
            (true, None) => Err(CardError::missing("Waive_Reason", "is required to waive the fee")),
            (false, Some(_)) => Err(CardError::invalid(
                "Waive_Reason",
                "is only allowed with Waive_Convenience_Fee",
            )),
            (true, Some(_)) | (false, None) => Ok(given),
        }
    }
}

impl Command for NewIntent {
    type Answer = Model;
    type Refusal = CardRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Loan(self.loan_id)]
    }

    async fn apply(&self, tx: &DatabaseTransaction, clock: Clock) -> Result<Model, CardError> {
        let loan = self.caller.get::<loans::Entity>(tx, self.loan_id).await?;
        let token_id = self.new.payment_gateway_token_id;
        let card = rules::card_of_loan(tx, &self.caller, &loan, token_id).await?;
        let amount = posted("Amount", &self.new.amount)?;
        if !amount.is_positive() {
            return Err(LoanRefusal::amount_not_positive(amount).into());
        }
        rules::refuse_disabled(tx, &loan).await?;
        rules::refuse_unusable(&self.processor.gateway, &card, clock.today)?;
        refuse_without_token(tx, token_id).await?;
        let waive_reason = self.waive_reason()?;
        let fee = self.fee(tx, &loan, &card, amount).await?;
        let entered_by = self.author.user_id();
        let intent = Model {
            card_payment_id: 0,
            loan_id: self.loan_id,
            payment_gateway_token_id: token_id,
            state: CardPaymentState::Created,
            amount,
            convenience_fee: fee,
            total_charged: amount.plus(fee)?,
            waive_reason,
            gateway_reference: None,
            failure_code: None,
            failure_message: None,
            transaction_reference_no: None,
            created_date: clock.now,
            charged_date: None,
            posted_date: None,
            ended_date: None,
            entered_by_user_id: entered_by.ok_or(Forbidden::CoreUserOnly)?,
            request: self.request(card.gateway)?,
            request_id: self.author.request_id().to_owned(),
            key_hash: self.claim.as_ref().map(|claim| claim.key_hash().to_owned()),
            fingerprint: self.claim.as_ref().map(|claim| claim.fingerprint().to_owned()),
        };
        let payment = validated_payment(&intent, &card, clock.today)?;
        let caller = entering_user(&intent, "");
        database::try_out(tx, async |tx| {
            let posted = payments::post(tx, &caller, &self.author, clock, self.loan_id, &payment);
            posted.await.map(drop)
        })
        .await?;
        let added = batch::insert_row(tx, intent.clone()).await;
        let card_payment_id = added.map_err(|error| match database::fault(&error) {
            // An earlier run of the same request, whose claim has lapsed, was faster.
            Fault::Conflict => CardError::KeyInProgress,
            _ => error.into(),
        })?;
        if let Some(claim) = &self.claim {
            claim.mark_begun(tx).await?;
        }
        Ok(Model { card_payment_id, ..intent })
    }
}

impl NewIntent {
    fn request(&self, gateway: cards::Gateway) -> Result<serde_json::Value, CardError> {
        let new = &self.new;
        let request = CardPaymentRequest {
            version: CardPaymentRequest::VERSION,
            gateway,
            payoff: new.payoff.unwrap_or(false),
            excess_handling: new.excess_handling,
            user_reference: new.user_reference.clone().map(String::from),
            external_id: new.external_id.clone().map(String::from),
            user_fields: [
                new.userdef01.clone().map(String::from),
                new.userdef02.clone().map(String::from),
                new.userdef03.clone().map(String::from),
                new.userdef04.clone().map(String::from),
                new.userdef05.clone().map(String::from),
            ],
        };
        serde_json::to_value(request).map_err(CardError::defect)
    }
}
