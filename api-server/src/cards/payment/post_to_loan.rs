//! Loan posting, step 5 of a card payment: the loan payment is posted and the intent ended, in one
//! transaction.

use super::repository;
use crate::audit::Actor;
use crate::auth::caller::{Caller, CoreCaller};
use crate::auth::privileges::Rights;
use crate::cards::refusals::{CardError, CardRefusal};
use crate::command::execute::Command;
use crate::command::failure::LockedRow;
use crate::command::lock_queues::RowKey;
use crate::http::bounded_string::BoundedString;
use crate::loans::payments::{self, CardCharge, NewPayment, ValidatedPayment};
use chrono::NaiveDate;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::entity::field_changes::ChangeSource;
use shared::entity::gateway_payments::{CardPaymentRequest, CardPaymentState as State, Model};
use shared::entity::{payment_gateway_tokens as cards, users};
use shared::time::Clock;

/// Code of the payment method for cards.
const METHOD: &str = "CARD";

/// A charge to be posted.
pub(super) struct LoanPosting {
    card_payment_id: i64,
    loan_id: i64,
}

impl LoanPosting {
    pub(super) fn of(intent: &Model) -> Self {
        Self { card_payment_id: intent.card_payment_id, loan_id: intent.loan_id }
    }
}

impl Command for LoanPosting {
    type Answer = ();
    type Refusal = CardRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);
    const LOCKS_ROWS: bool = true;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Loan(self.loan_id)]
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the card of the charge, whether the caller sees it or not"
    )]
    async fn apply(&self, tx: &DatabaseTransaction, clock: Clock) -> Result<(), CardError> {
        let intent = repository::lock(tx, self.card_payment_id).await?;
        // Another run was faster.
        if intent.state != State::Charged || intent.failure_code.is_some() {
            return Ok(());
        }
        let card = cards::Entity::find_by_id(intent.payment_gateway_token_id).one(tx).await?;
        let card = card.ok_or_else(|| CardError::defect("the card of a charge is missing"))?;
        let user = users::Entity::find_by_id(intent.entered_by_user_id).one(tx).await?;
        let name = user.map(|user| user.user_name).unwrap_or_default();
        let caller = entering_user(&intent, &name);
        let author = Actor::again(&caller, ChangeSource::Gateway, &intent.request_id);
        let charged_on = clock.day_of(intent.charged_date.unwrap_or(clock.now));
        let payment = validated_payment(&intent, &card, charged_on)?;
        let loan_id = intent.loan_id;
        let rows = payments::post(tx, &caller, &author, clock, loan_id, &payment).await?;
        let first = rows.first().ok_or_else(|| CardError::defect("an entry has no rows"))?;
        repository::set_posted(tx, &intent, first.transaction_reference_no, clock.now).await?;
        let card_id = card.payment_gateway_token_id;
        cards::Entity::update_many()
            .col_expr(cards::Column::UsedCount, cards::Column::UsedCount.into_expr().add(1))
            .col_expr(cards::Column::LastUsedDate, Expr::value(clock.now))
            .filter(cards::Column::PaymentGatewayTokenId.eq(card_id))
            .exec(tx)
            .await?;
        tracing::info!(id = self.card_payment_id, loan_id, "a card payment was posted");
        Ok(())
    }
}

/// Returns the user who entered a payment, with all privileges. Their privileges were checked when
/// they entered it, and a charge is posted even if they have lost them since.
pub(super) fn entering_user(intent: &Model, user_name: &str) -> Caller {
    Caller::Core(CoreCaller {
        user_id: intent.entered_by_user_id,
        user_name: user_name.to_owned(),
        rights: Rights::All,
    })
}

/// Returns the loan payment of an intent.
pub(super) fn validated_payment(
    intent: &Model,
    card: &cards::Model,
    charged_on: NaiveDate,
) -> Result<ValidatedPayment, CardError> {
    let request = CardPaymentRequest::read(&intent.request).map_err(CardError::defect)?;
    let user_fields = request.user_fields.map(|value| value.map(BoundedString::from));
    let [userdef01, userdef02, userdef03, userdef04, userdef05] = user_fields;
    let reference = intent.gateway_reference.clone().filter(|reference| reference.len() <= 50);
    let new = NewPayment {
        payment_method_code: Some(METHOD.to_owned().into()),
        payment_method_reference: reference.map(BoundedString::from),
        payoff: Some(request.payoff),
        excess_handling: request.excess_handling,
        user_reference: request.user_reference.map(BoundedString::from),
        external_id: request.external_id.map(BoundedString::from),
        paid_by_contact_id: Some(card.contact_id),
        userdef01,
        userdef02,
        userdef03,
        userdef04,
        userdef05,
        ..NewPayment::of(intent.amount.into())
    };
    Ok(new.validate()?.by_card(CardCharge {
        token_id: card.payment_gateway_token_id,
        fee: intent.convenience_fee,
        charged_on,
    }))
}
