//! Payments by card: one posted to the loan, and one declined.

use super::super::{Portfolio, cents};
use api_server::auth::caller::{Caller, CoreCaller};
use api_server::auth::privileges::Rights;
use api_server::cards::convenience_fee;
use api_server::cards::refusals::CardError;
use api_server::cards::rules::fee_rule;
use api_server::loans::payments::{self, CardCharge, NewPayment};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::database::batch;
use shared::entity::gateway_payments::{self, CardPaymentRequest, CardPaymentState, Column, Model};
use shared::entity::payment_gateway_tokens::{self as cards, Model as Card};
use shared::entity::sandbox_payments::{self, SandboxOutcome, SandboxState};

/// The posted and the declined amount, in cents.
const PAID: i64 = 2500;
const DECLINED: i64 = 200_000;

pub(super) async fn add(
    tx: &DatabaseTransaction,
    portfolio: &Portfolio,
    card: &Card,
) -> Result<(), CardError> {
    let now = Some(portfolio.clock.now);
    let clerk = Caller::Core(CoreCaller {
        user_id: portfolio.staff.teller,
        user_name: "teller".to_owned(),
        rights: Rights::All,
    });
    let loan = clerk.get::<shared::entity::loans::Entity>(tx, card.loan_id).await?;
    let rule = fee_rule(tx, &clerk, &loan, Some(card.brand_type)).await?;
    let charged = |amount: Money| -> Result<Model, CardError> {
        let fee = rule.as_ref().map_or(Ok(Money::ZERO), |rule| convenience_fee::fee(rule, amount));
        intent(portfolio, card, amount, fee?)
    };
    let declined = Model {
        state: CardPaymentState::Failed,
        failure_code: Some("insufficient_funds".to_owned()),
        failure_message: Some("The card has insufficient funds.".to_owned()),
        ended_date: now,
        ..charged(cents(DECLINED))?
    };
    let outcome = (SandboxOutcome::InsufficientFunds, SandboxState::Declined);
    record(tx, &declined, outcome).await?;
    let posted = Model {
        state: CardPaymentState::Posted,
        charged_date: now,
        posted_date: now,
        ended_date: now,
        ..charged(cents(PAID))?
    };
    let outcome = (SandboxOutcome::Charged, SandboxState::Charged);
    let (id, reference) = record(tx, &posted, outcome).await?;
    post(tx, portfolio, &clerk, id, reference, &posted).await
}

/// Adds a payment and what the gateway recorded of it. Returns its id and the gateway's reference.
async fn record(
    tx: &DatabaseTransaction,
    payment: &Model,
    (outcome, state): (SandboxOutcome, SandboxState),
) -> Result<(i64, String), CardError> {
    let id = batch::insert_row(tx, payment.clone()).await?;
    let reference = format!("sandbox-{id}");
    let of_gateway = sandbox_payments::Model {
        reference: reference.clone(),
        outcome,
        amount: payment.total_charged,
        state,
        charge_count: i32::from(state == SandboxState::Charged),
        refund_count: 0,
        created_date: payment.created_date,
        charged_date: payment.charged_date,
    };
    batch::insert_rows(tx, vec![of_gateway]).await?;
    gateway_payments::Entity::update_many()
        .col_expr(Column::GatewayReference, reference.as_str().into())
        .filter(Column::CardPaymentId.eq(id))
        .exec(tx)
        .await?;
    Ok((id, reference))
}

/// Posts a charged payment to its loan.
async fn post(
    tx: &DatabaseTransaction,
    portfolio: &Portfolio,
    clerk: &Caller,
    id: i64,
    reference: String,
    charged: &Model,
) -> Result<(), CardError> {
    let token_id = charged.payment_gateway_token_id;
    let new = NewPayment {
        payment_method_code: Some("CARD".to_owned().into()),
        payment_method_reference: Some(reference.into()),
        ..NewPayment::of(charged.amount.into())
    };
    let charge =
        CardCharge { token_id, fee: charged.convenience_fee, charged_on: portfolio.clock.today };
    let payment = new.validate()?.by_card(charge);
    let (actor, clock) = (&portfolio.actor, portfolio.clock);
    let posted = payments::post(tx, clerk, actor, clock, charged.loan_id, &payment).await?;
    let entry = posted.first().map(|row| row.transaction_reference_no);
    gateway_payments::Entity::update_many()
        .col_expr(Column::TransactionReferenceNo, Expr::value(entry))
        .filter(Column::CardPaymentId.eq(id))
        .exec(tx)
        .await?;
    cards::Entity::update_many()
        .col_expr(cards::Column::UsedCount, cards::Column::UsedCount.into_expr().add(1))
        .col_expr(cards::Column::LastUsedDate, Expr::value(clock.now))
        .filter(cards::Column::PaymentGatewayTokenId.eq(token_id))
        .exec(tx)
        .await?;
    Ok(())
}

fn intent(
    portfolio: &Portfolio,
    card: &Card,
    amount: Money,
    convenience_fee: Money,
) -> Result<Model, CardError> {
    let request = CardPaymentRequest {
        version: CardPaymentRequest::VERSION,
        gateway: card.gateway,
        payoff: false,
        excess_handling: None,
        user_reference: None,
        external_id: None,
        user_fields: Default::default(),
    };
    Ok(Model {
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
        created_date: portfolio.clock.now,
        charged_date: None,
        posted_date: None,
        ended_date: None,
        entered_by_user_id: portfolio.staff.teller,
        request: serde_json::to_value(request).map_err(CardError::defect)?,
        request_id: portfolio.actor.request_id().to_owned(),
        key_hash: None,
        fingerprint: None,
    })
}
