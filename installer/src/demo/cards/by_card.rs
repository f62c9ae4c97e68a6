//! Payments by card: one posted to the loan, and one declined.

use super::super::block::{Block, LoanRef, cents};
use api_server::auth::caller::{Caller, CoreCaller};
use api_server::auth::privileges::Rights;
use api_server::cards::convenience_fee;
use api_server::cards::refusals::CardError;
use api_server::cards::rules::fee_rule;
use api_server::loans::payments::{self, CardCharge, NewPayment};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::bulk_insert;
use shared::entity::gateway_payments::{self, CardPaymentRequest, CardPaymentState};
use shared::entity::payment_gateway_tokens::{Column, Entity, Model as Card};
use shared::entity::sandbox_payments::{self, SandboxOutcome, SandboxState};
use shared::time::Timestamp;

/// The posted amount in cents.
const PAID: i64 = 2500;
/// The declined amount in cents.
const DECLINED: i64 = 200_000;

pub(super) async fn add(
    tx: &DatabaseTransaction,
    block: &Block,
    loan_ref: &LoanRef,
    card: &Card,
) -> Result<(), CardError> {
    let clerk = Caller::Core(CoreCaller {
        user_id: block.staff.teller,
        user_name: "teller".to_owned(),
        rights: Rights::All,
    });
    let loan = clerk.get::<shared::entity::loans::Entity>(tx, loan_ref.loan_id).await?;
    let rule = fee_rule(tx, &clerk, &loan, Some(card.brand_type)).await?;
    let fee = |amount| match &rule {
        Some(rule) => convenience_fee::fee(rule, amount),
        None => Ok(Money::ZERO),
    };
    let declined = cents(DECLINED);
    let declined = intent(block, card, declined, fee(declined)?)?;
    add_declined(tx, declined).await?;
    let paid = cents(PAID);
    let intent = intent(block, card, paid, fee(paid)?)?;
    add_posted(tx, block, &clerk, intent).await
}

async fn add_declined(
    tx: &DatabaseTransaction,
    intent: gateway_payments::Model,
) -> Result<(), CardError> {
    let id = bulk_insert::add(tx, intent.clone()).await?;
    let (reference, now) = (format!("sandbox-{id}"), intent.created_date);
    let ended = gateway_payments::Column::EndedDate;
    let outcome = (SandboxOutcome::InsufficientFunds, SandboxState::Declined);
    add_to_sandbox(tx, &reference, intent.total_charged, outcome, now).await?;
    gateway_payments::Entity::update_many()
        .col_expr(gateway_payments::Column::State, CardPaymentState::Failed.into())
        .col_expr(gateway_payments::Column::GatewayReference, reference.into())
        .col_expr(ended, Expr::value(now))
        .col_expr(gateway_payments::Column::FailureCode, "insufficient_funds".into())
        .col_expr(
            gateway_payments::Column::FailureMessage,
            "The card has insufficient funds.".into(),
        )
        .filter(gateway_payments::Column::CardPaymentId.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}

async fn add_posted(
    tx: &DatabaseTransaction,
    block: &Block,
    clerk: &Caller,
    intent: gateway_payments::Model,
) -> Result<(), CardError> {
    let clock = block.clock;
    let id = bulk_insert::add(tx, intent.clone()).await?;
    let reference = format!("sandbox-{id}");
    let outcome = (SandboxOutcome::Charged, SandboxState::Charged);
    add_to_sandbox(tx, &reference, intent.total_charged, outcome, clock.now).await?;
    let token_id = intent.payment_gateway_token_id;
    let new = NewPayment {
        payment_method_code: Some("CARD".to_owned().into()),
        payment_method_reference: Some(reference.clone().into()),
        ..NewPayment::of(intent.amount.into())
    };
    let payment = new.validate()?.by_card(CardCharge {
        token_id,
        fee: intent.convenience_fee,
        charged_on: clock.today,
    });
    let loan_id = intent.loan_id;
    let posted = payments::post(tx, clerk, &block.actor, clock, loan_id, &payment).await?;
    let entry = posted.first().map(|row| row.transaction_reference_no);
    gateway_payments::Entity::update_many()
        .col_expr(gateway_payments::Column::State, CardPaymentState::Posted.into())
        .col_expr(gateway_payments::Column::GatewayReference, reference.into())
        .col_expr(gateway_payments::Column::ChargedDate, Expr::value(clock.now))
        .col_expr(gateway_payments::Column::PostedDate, Expr::value(clock.now))
        .col_expr(gateway_payments::Column::EndedDate, Expr::value(clock.now))
        .col_expr(gateway_payments::Column::TransactionReferenceNo, Expr::value(entry))
        .filter(gateway_payments::Column::CardPaymentId.eq(id))
        .exec(tx)
        .await?;
    Entity::update_many()
        .col_expr(Column::UsedCount, Column::UsedCount.into_expr().add(1))
        .col_expr(Column::LastUsedDate, Expr::value(clock.now))
        .filter(Column::PaymentGatewayTokenId.eq(token_id))
        .exec(tx)
        .await?;
    Ok(())
}

fn intent(
    block: &Block,
    card: &Card,
    amount: Money,
    convenience_fee: Money,
) -> Result<gateway_payments::Model, CardError> {
    let request = CardPaymentRequest {
        version: CardPaymentRequest::VERSION,
        gateway: card.gateway,
        payoff: false,
        excess_handling: None,
        user_reference: None,
        external_id: None,
        user_fields: Default::default(),
    };
    Ok(gateway_payments::Model {
        card_payment_id: 0,
        loan_id: card.loan_id,
        payment_gateway_token_id: card.payment_gateway_token_id,
        state: CardPaymentState::Created,
        amount,
        convenience_fee,
        total_charged: amount.plus(convenience_fee)?,
        waive_reason: None,
        gateway_reference: None,
        failure_code: None,
        failure_message: None,
        transaction_reference_no: None,
        created_date: block.clock.now,
        charged_date: None,
        posted_date: None,
        ended_date: None,
        entered_by_user_id: block.staff.teller,
        request: serde_json::to_value(request).map_err(CardError::defect)?,
        request_id: block.actor.request_id().to_owned(),
        key_hash: None,
        fingerprint: None,
    })
}

async fn add_to_sandbox(
    tx: &DatabaseTransaction,
    reference: &str,
    amount: Money,
    (outcome, state): (SandboxOutcome, SandboxState),
    when: Timestamp,
) -> Result<(), CardError> {
    let is_charged = state == SandboxState::Charged;
    let row = sandbox_payments::Model {
        reference: reference.to_owned(),
        outcome,
        amount,
        state,
        charge_count: i32::from(is_charged),
        refund_count: 0,
        created_date: when,
        charged_date: is_charged.then_some(when),
    };
    Ok(bulk_insert::add_all(tx, vec![row]).await?)
}
