//! Card payments, from intent to posting. The card is charged once or not at all, and each charge
//! is either posted on the loan or refunded.
//!
//! 1. The intent is committed, after a dry run of the posting on the loan succeeded.
//! 2. The payment is prepared at the gateway, and the gateway's reference is committed. Nothing is
//!    charged yet.
//! 3. The reference is charged. A gateway charges a reference at most once, and never after it was
//!    canceled.
//! 4. The fact that the card was charged is committed.
//! 5. The loan payment is posted and the intent marked as posted, in one transaction.
//! 6. If a rule refuses step 5, the decision to refund is committed, then the charge is refunded.
//!    [`Failure::is_refusal`](crate::command::failure::Failure::is_refusal) is the rule for that.
//!
//! If anything else fails at any point, the payment is resumed by the same request, sent again with
//! the same `Idempotency-Key`, or else by the [recovery](super::recovery). Each reads the state of
//! the payment, executes the next step, and commits its result only if the state is still the same.
//! So two processes may safely work on one payment at the same time. The gateway is never called while a row is
//! locked.

mod create_intent;
mod post_to_loan;
mod repository;
mod response;

pub use self::create_intent::{NewCardPayment, NewIntent};
pub use self::repository::release_keys;
pub(super) use self::repository::{find_by_reference, stuck};
pub use self::response::{CardPayment, LoanCardPayment, with_entries};

use self::post_to_loan::LoanPosting;
use self::response::card_payment;
use super::{
    CardProcessor, ChargeOutcome, ChargeRequest, GatewayError, GatewayRefusal, PaymentRef,
    saved_cards,
};
use crate::cards::refusals::{CardError, CardRefusal};
use crate::command::execute;
use crate::command::failure::UnavailableService;
use crate::command::idempotency::{
    self, Claim, ClaimOutcome, IdempotencyScope, LEASE_SECONDS, Replayable,
};
use poem::http::StatusCode;
use shared::database;
use shared::entity::gateway_payments::{CardPaymentState as State, Model};
use std::sync::Arc;

/// Maximum steps of one run. If the state keeps changing, another run is moving the payment on.
const STEPS_MAX: usize = 8;

/// What moves a payment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Initiator {
    Request,
    /// The recovery, which never starts a charge.
    Recovery,
    /// A webhook of the gateway. It moves on a payment that was charged, but never starts a charge
    /// and never cancels a payment.
    Webhook,
}

/// Pays by card, or resumes the payment that the same request began.
///
/// Runs in a separate task, so that a client that disconnects does not stop it halfway.
pub async fn pay(
    processor: &Arc<CardProcessor>,
    new_intent: NewIntent,
    scope: Option<IdempotencyScope>,
) -> Result<Replayable<CardPayment, true>, CardError> {
    let processor = Arc::clone(processor);
    let task = tokio::spawn(async move {
        let claim = match &scope {
            None => None,
            Some(scope) => match idempotency::claim(&processor.db, scope, LEASE_SECONDS).await? {
                ClaimOutcome::Done(stored) => return Ok(stored.into()),
                ClaimOutcome::New(claim) => Some(claim),
            },
        };
        let outcome = pay_claimed(&processor, new_intent, claim.as_ref()).await;
        if let Some(claim) = &claim {
            finish(&processor, claim, &outcome).await;
        }
        outcome
    });
    task.await.map_err(CardError::defect)?
}

/// Stores the response if the payment was posted, and releases the key if not. If the response
/// cannot be stored, no harm is done: the payment itself records its key, and a repeated request
/// finds it.
async fn finish(
    processor: &CardProcessor,
    claim: &Claim,
    outcome: &Result<Replayable<CardPayment, true>, CardError>,
) {
    if let Ok(response) = outcome {
        match response.store(claim, &processor.db).await.map_err(CardError::from) {
            Ok(()) => return,
            Err(error) => {
                tracing::warn!(%error, "the response of a card payment could not be stored")
            }
        }
    }
    claim.release(&processor.db).await;
}

async fn pay_claimed(
    processor: &Arc<CardProcessor>,
    mut new_intent: NewIntent,
    claim: Option<&Claim>,
) -> Result<Replayable<CardPayment, true>, CardError> {
    let existing = match claim {
        Some(claim) => repository::find_by_claim(&processor.db, claim).await?,
        None => None,
    };
    let caller = new_intent.caller.clone();
    let (intent, repeated) = match existing {
        Some(intent) => (intent, true),
        None => {
            new_intent.set_claim(claim);
            (execute::execute_without_key(&processor.executor, new_intent).await?, false)
        }
    };
    let ended = matches!(intent.state, State::Posted | State::Voided | State::Failed);
    let intent = resume(processor, intent.card_payment_id, Initiator::Request).await?;
    match intent.state {
        State::Posted => {
            let response = card_payment(&processor.db, &caller, intent).await?;
            let replayable = Replayable::new(StatusCode::CREATED, &response);
            Ok(if repeated && ended { replayable.as_replayed() } else { replayable })
        }
        _ => Err(not_posted(intent, repeated && ended)),
    }
}

/// Returns why a payment that has ended was not posted.
fn not_posted(intent: Model, replayed: bool) -> CardError {
    let refusal = GatewayRefusal {
        code: intent.failure_code.unwrap_or_default(),
        message: intent.failure_message.unwrap_or_default(),
    };
    let voided = intent.state == State::Voided;
    CardError::Refused(CardRefusal::NotPosted { refusal, voided, replayed })
}

/// Moves a payment on to its end, or as far as it can get now.
pub(super) async fn resume(
    processor: &Arc<CardProcessor>,
    id: i64,
    initiator: Initiator,
) -> Result<Model, CardError> {
    let mut prepared_here = false;
    for _ in 0..STEPS_MAX {
        let intent = repository::read(&processor.db, id).await?;
        let ended = matches!(intent.state, State::Posted | State::Voided | State::Failed);
        if !ended && repository::gateway_of(&intent)? != processor.gateway.kind() {
            tracing::warn!(id, "a card payment belongs to a gateway other than the one in use");
            return Err(CardError::Unavailable(UnavailableService::Gateway));
        }
        match (intent.state, payment_ref(&intent)) {
            (State::Posted | State::Voided | State::Failed, _) => return Ok(intent),
            (State::Created, None) => match initiator {
                Initiator::Request => {
                    prepare(processor, &intent).await?;
                    prepared_here = true;
                }
                Initiator::Recovery => fail(processor, &intent, not_charged()).await?,
                Initiator::Webhook => return Ok(intent),
            },
            (State::Created, Some(payment_ref)) if prepared_here => {
                prepared_here = false;
                charge(processor, &intent, &payment_ref).await?;
            }
            (State::Created, Some(payment_ref)) => {
                if !update_outcome(processor, &intent, &payment_ref, initiator).await? {
                    return Ok(intent);
                }
            }
            (State::Unknown, Some(payment_ref)) => {
                let updated = update_outcome(processor, &intent, &payment_ref, initiator).await;
                if !updated.map_err(still_unknown)? {
                    return Ok(intent);
                }
            }
            (State::Charged, Some(payment_ref)) if intent.failure_code.is_some() => {
                refund(processor, &intent, &payment_ref).await?;
            }
            (State::Charged, Some(_)) => post(processor, &intent).await?,
            (State::Unknown | State::Charged, None) => {
                return Err(CardError::defect("a card payment has no gateway reference"));
            }
        }
    }
    Err(CardError::KeyInProgress)
}

fn payment_ref(intent: &Model) -> Option<PaymentRef> {
    let Model { card_payment_id, total_charged, ref gateway_reference, .. } = *intent;
    let reference = gateway_reference.clone()?;
    Some(PaymentRef { card_payment_id, total: total_charged, reference })
}

fn still_unknown(error: CardError) -> CardError {
    match error {
        CardError::Unavailable(UnavailableService::Gateway) => CardError::OutcomeUnknown,
        error => error,
    }
}

/// Converts a failed look-up, cancellation or refund. If the gateway refuses one of these, it has
/// not declined the card: the call is made again later.
fn retry_later(error: GatewayError) -> CardError {
    if let GatewayError::Refused(GatewayRefusal { code, .. }) = error {
        tracing::warn!(code, "the gateway refused a look-up, cancellation or refund");
    }
    CardError::Unavailable(UnavailableService::Gateway)
}

fn not_charged() -> GatewayRefusal {
    GatewayRefusal::new("not_charged", "The card was not charged.")
}

async fn prepare(processor: &CardProcessor, intent: &Model) -> Result<(), CardError> {
    let token = saved_cards::token_to_charge(processor, intent.payment_gateway_token_id).await?;
    let Some(token) = token else {
        let message = "The card was forgotten before it was charged.";
        return fail(processor, intent, GatewayRefusal::new("card_forgotten", message)).await;
    };
    let request = ChargeRequest {
        card_payment_id: intent.card_payment_id,
        total: intent.total_charged,
        token: &token,
        request_id: &intent.request_id,
    };
    match processor.gateway.prepare(request).await {
        Ok(reference) => {
            Ok(database::retry(|| repository::set_reference(&processor.db, intent, &reference))
                .await?)
        }
        Err(GatewayError::Refused(refusal)) => fail(processor, intent, refusal).await,
        // Whether it was prepared or not, it is never charged: no reference to it is stored.
        Err(GatewayError::Unavailable | GatewayError::Unknown) => {
            Err(CardError::Unavailable(UnavailableService::Gateway))
        }
    }
}

async fn charge(
    processor: &CardProcessor,
    intent: &Model,
    payment_ref: &PaymentRef,
) -> Result<(), CardError> {
    match processor.gateway.charge(payment_ref).await {
        Ok(outcome) => settle(processor, intent, outcome).await,
        Err(GatewayError::Refused(refusal)) => fail(processor, intent, refusal).await,
        Err(GatewayError::Unavailable) => Err(CardError::Unavailable(UnavailableService::Gateway)),
        Err(GatewayError::Unknown) => {
            database::retry(|| repository::set_unknown(&processor.db, intent)).await?;
            Err(CardError::OutcomeUnknown)
        }
    }
}

/// Asks the gateway for the outcome of a payment, and records it. False if there is nothing to be
/// done now.
async fn update_outcome(
    processor: &CardProcessor,
    intent: &Model,
    payment_ref: &PaymentRef,
    initiator: Initiator,
) -> Result<bool, CardError> {
    let outcome = match processor.gateway.retrieve(payment_ref).await.map_err(retry_later)? {
        ChargeOutcome::NotCharged => match (initiator, intent.state) {
            (Initiator::Webhook, _) => return Ok(false),
            (Initiator::Request, State::Created)
                if saved_cards::token_to_charge(processor, intent.payment_gateway_token_id)
                    .await?
                    .is_some() =>
            {
                return charge(processor, intent, payment_ref).await.map(|()| true);
            }
            // An earlier request to charge may still reach the gateway: after this it can no longer
            // charge the card.
            (Initiator::Request | Initiator::Recovery, _) => {
                processor.gateway.cancel(payment_ref).await.map_err(retry_later)?
            }
        },
        outcome => outcome,
    };
    settle(processor, intent, outcome).await.map(|()| true)
}

/// Records the outcome of a payment at the gateway.
async fn settle(
    processor: &CardProcessor,
    intent: &Model,
    outcome: ChargeOutcome,
) -> Result<(), CardError> {
    match outcome {
        ChargeOutcome::Charged(at) => {
            Ok(database::retry(|| repository::set_charged(&processor.db, intent, at)).await?)
        }
        ChargeOutcome::Declined(refusal) => fail(processor, intent, refusal).await,
        ChargeOutcome::Cancelled | ChargeOutcome::Refunded => {
            fail(processor, intent, not_charged()).await
        }
        ChargeOutcome::NotCharged => Err(CardError::Unavailable(UnavailableService::Gateway)),
    }
}

async fn fail(
    processor: &CardProcessor,
    intent: &Model,
    refusal: GatewayRefusal,
) -> Result<(), CardError> {
    Ok(database::retry(|| repository::set_failed(&processor.db, intent, &refusal)).await?)
}

/// Step 5, and the decision of step 6: if a rule refuses the posting, the charge is to be refunded.
/// If a row is only locked, or a service unavailable, the payment stays charged and the posting is
/// retried.
async fn post(processor: &Arc<CardProcessor>, intent: &Model) -> Result<(), CardError> {
    let posting = LoanPosting::of(intent);
    let Err(error) = execute::execute_without_key(&processor.executor, posting).await else {
        return Ok(());
    };
    if !error.is_refusal() {
        return Err(error);
    }
    let refusal = CardRefusal::of_posting(error);
    tracing::warn!(id = intent.card_payment_id, code = refusal.code, "a charge is to be refunded");
    let record_decision = || repository::set_refund_due(&processor.db, intent, &refusal);
    Ok(database::retry(record_decision).await?)
}

/// Step 6, once the decision is committed.
async fn refund(
    processor: &CardProcessor,
    intent: &Model,
    payment_ref: &PaymentRef,
) -> Result<(), CardError> {
    processor.gateway.refund(payment_ref).await.map_err(retry_later)?;
    Ok(database::retry(|| repository::set_voided(&processor.db, intent)).await?)
}
