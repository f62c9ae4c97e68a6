//! A payment by card, from intent to posting: charged once or not at all, and charged if and only
//! if it is posted, or given back.
//!
//! 1. The intent is committed, after the loan's posting passed as a dry run.
//! 2. The payment is prepared at the gateway, and the gateway's reference committed: nothing is
//!    charged yet.
//! 3. The reference is charged. A gateway charges a reference once, and never one that was
//!    cancelled.
//! 4. That it was charged is committed.
//! 5. The loan payment is posted, and the intent with it, in one transaction.
//!
//! Whatever breaks in between, the same request under its `Idempotency-Key` goes on, or else the
//! [recovery](super::recovery): each looks at where the payment stands, does the next step, and
//! commits it only if the payment still stands there. Two may work on one payment at a time. Nobody
//! asks the gateway while a row is locked.

mod answer;
mod intents;
mod opening;
mod posting;

pub use self::answer::CardPayment;
pub use self::intents::free_keys;
pub(super) use self::intents::{find_by_reference, stuck};
pub use self::opening::{NewCardPayment, Opening};

use self::answer::answer;
use self::posting::Posting;
use super::{CardProcessor, Intended, Outcome, Referred, Refusal, Trouble, saved_cards};
use crate::cards::refusals::{CardError, CardRefusal};
use crate::command::effects;
use crate::command::failure::Away;
use crate::command::idempotency::{self, Claim, Claimed, LEASE_SECONDS, Replayable, Scope};
use poem::http::StatusCode;
use shared::db;
use shared::entity::gateway_payments::{CardPaymentState as State, Model};
use std::sync::Arc;

/// Steps of one run. A payment that stands elsewhere each time is somebody else's affair.
const STEPS_MAX: usize = 8;

/// Who moves a payment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    /// The request that wants it.
    Request,
    /// The recovery, which never starts a charge.
    Recovery,
    /// A message of the gateway, which is about what was charged, and neither starts nor ends
    /// anything else.
    Message,
}

/// Pays by card, or goes on with the payment that the same request began.
///
/// In a task of its own: a client that hangs up stops nothing half-way.
pub async fn pay(
    processor: &Arc<CardProcessor>,
    opening: Opening,
    scope: Option<Scope>,
) -> Result<Replayable<CardPayment, true>, CardError> {
    let processor = Arc::clone(processor);
    let done = tokio::spawn(async move {
        let claim = match &scope {
            None => None,
            Some(scope) => match idempotency::claim(&processor.db, scope, LEASE_SECONDS).await? {
                Claimed::Done(kept) => return Ok(kept.into()),
                Claimed::New(claim) => Some(claim),
            },
        };
        let outcome = pay_claimed(&processor, opening, claim.as_ref()).await;
        if let Some(claim) = &claim {
            finish(&processor, claim, &outcome).await;
        }
        outcome
    });
    done.await.map_err(CardError::defect)?
}

/// Keeps the answer of a payment that is posted. In vain it does no harm: the payment itself knows
/// its key, and a repeated request is told of it.
async fn finish(
    processor: &CardProcessor,
    claim: &Claim,
    outcome: &Result<Replayable<CardPayment, true>, CardError>,
) {
    if let Ok(done) = outcome {
        match done.keep(Some(claim), &processor.db).await.map_err(CardError::from) {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "the answer of a card payment is not kept"),
        }
    }
    claim.free(&processor.db).await;
}

async fn pay_claimed(
    processor: &Arc<CardProcessor>,
    mut opening: Opening,
    claim: Option<&Claim>,
) -> Result<Replayable<CardPayment, true>, CardError> {
    let begun = match claim {
        Some(claim) => intents::find_by_claim(&processor.db, claim).await?,
        None => None,
    };
    let caller = opening.caller.clone();
    let (intent, repeated) = match begun {
        Some(intent) => (intent, true),
        None => {
            opening.claimed(claim);
            (effects::change(&processor.writer, opening).await?, false)
        }
    };
    let over = matches!(intent.state, State::Posted | State::Voided | State::Failed);
    let intent = carry_on(processor, intent.card_payment_id, Mover::Request).await?;
    match intent.state {
        State::Posted => {
            let posted = answer(&processor.db, &caller, intent).await?;
            let done = Replayable::new(StatusCode::CREATED, &posted);
            Ok(if repeated && over { done.as_replayed() } else { done })
        }
        _ => Err(not_posted(intent, repeated && over)),
    }
}

/// Why a payment that is over was not posted.
fn not_posted(intent: Model, replayed: bool) -> CardError {
    let refusal = Refusal {
        code: intent.failure_code.unwrap_or_default(),
        message: intent.failure_message.unwrap_or_default(),
    };
    let voided = intent.state == State::Voided;
    CardError::Refused(CardRefusal::NotPosted { refusal, voided, replayed })
}

/// Moves a payment on to its end, or as far as it can come now.
pub(super) async fn carry_on(
    processor: &Arc<CardProcessor>,
    id: i64,
    mover: Mover,
) -> Result<Model, CardError> {
    let mut prepared_here = false;
    for _ in 0..STEPS_MAX {
        let intent = intents::read(&processor.db, id).await?;
        let over = matches!(intent.state, State::Posted | State::Voided | State::Failed);
        if !over && intents::gateway_of(&intent)? != processor.gateway.kind() {
            tracing::warn!(id, "a card payment waits for another gateway than the one in use");
            return Err(CardError::Unavailable(Away::Gateway));
        }
        match (intent.state, referred(&intent)) {
            (State::Posted | State::Voided | State::Failed, _) => return Ok(intent),
            (State::Created, None) => match mover {
                Mover::Request => {
                    prepare(processor, &intent).await?;
                    prepared_here = true;
                }
                Mover::Recovery => fail(processor, &intent, never_charged()).await?,
                Mover::Message => return Ok(intent),
            },
            (State::Created, Some(referred)) if prepared_here => {
                prepared_here = false;
                charge(processor, &intent, &referred).await?;
            }
            (State::Created, Some(referred)) => {
                if !look_up(processor, &intent, &referred, mover).await? {
                    return Ok(intent);
                }
            }
            (State::Unknown, Some(referred)) => {
                let found = look_up(processor, &intent, &referred, mover).await;
                if !found.map_err(still_unknown)? {
                    return Ok(intent);
                }
            }
            (State::Charged, Some(referred)) if intent.failure_code.is_some() => {
                give_back(processor, &intent, &referred).await?;
            }
            (State::Charged, Some(_)) => post(processor, &intent).await?,
            (State::Unknown | State::Charged, None) => {
                return Err(CardError::defect("a card payment without reference"));
            }
        }
    }
    Err(CardError::KeyInProgress)
}

fn referred(intent: &Model) -> Option<Referred> {
    let Model { card_payment_id, total_charged, ref gateway_reference, .. } = *intent;
    let reference = gateway_reference.clone()?;
    Some(Referred { card_payment_id, total: total_charged, reference })
}

fn still_unknown(error: CardError) -> CardError {
    match error {
        CardError::Unavailable(Away::Gateway) => CardError::OutcomeUnknown,
        error => error,
    }
}

/// A gateway that refuses to say what became of a payment, to cancel it or to give it back has not
/// declined the card: it is asked again.
fn not_now(trouble: Trouble) -> CardError {
    if let Trouble::Refused(Refusal { code, .. }) = trouble {
        tracing::warn!(code, "the gateway refuses what has to be done");
    }
    CardError::Unavailable(Away::Gateway)
}

fn forgotten() -> Refusal {
    let message = "The card was forgotten before it was charged.".to_owned();
    Refusal { code: "card_forgotten".to_owned(), message }
}

fn never_charged() -> Refusal {
    Refusal { code: "not_charged".to_owned(), message: "The card was not charged.".to_owned() }
}

/// Step 2.
async fn prepare(processor: &CardProcessor, intent: &Model) -> Result<(), CardError> {
    let token = saved_cards::to_be_charged(processor, intent.payment_gateway_token_id).await?;
    let Some(token) = token else { return fail(processor, intent, forgotten()).await };
    let intended = Intended {
        card_payment_id: intent.card_payment_id,
        total: intent.total_charged,
        token: &token,
        request_id: &intent.request_id,
    };
    match processor.gateway.prepare(intended).await {
        Ok(reference) => Ok(db::again(|| intents::refer(&processor.db, intent, &reference)).await?),
        Err(Trouble::Refused(refusal)) => fail(processor, intent, refusal).await,
        // Prepared or not: nothing is charged that nobody here refers to.
        Err(Trouble::Unavailable | Trouble::Unknown) => Err(CardError::Unavailable(Away::Gateway)),
    }
}

/// Steps 3 and 4.
async fn charge(
    processor: &CardProcessor,
    intent: &Model,
    referred: &Referred,
) -> Result<(), CardError> {
    match processor.gateway.charge(referred).await {
        Ok(outcome) => settle(processor, intent, outcome).await,
        Err(Trouble::Refused(refusal)) => fail(processor, intent, refusal).await,
        Err(Trouble::Unavailable) => Err(CardError::Unavailable(Away::Gateway)),
        Err(Trouble::Unknown) => {
            db::again(|| intents::set_unknown(&processor.db, intent)).await?;
            Err(CardError::OutcomeUnknown)
        }
    }
}

/// Asks what became of a payment, and writes it down. False: there is nothing to be done now.
async fn look_up(
    processor: &CardProcessor,
    intent: &Model,
    referred: &Referred,
    mover: Mover,
) -> Result<bool, CardError> {
    let outcome = match processor.gateway.look_up(referred).await.map_err(not_now)? {
        Outcome::NotCharged => match (mover, intent.state) {
            (Mover::Message, _) => return Ok(false),
            (Mover::Request, State::Created)
                if saved_cards::to_be_charged(processor, intent.payment_gateway_token_id)
                    .await?
                    .is_some() =>
            {
                return charge(processor, intent, referred).await.map(|()| true);
            }
            // Whoever asked for the charge may still come: after this it can no longer be charged.
            (Mover::Request | Mover::Recovery, _) => {
                processor.gateway.cancel(referred).await.map_err(not_now)?
            }
        },
        outcome => outcome,
    };
    settle(processor, intent, outcome).await.map(|()| true)
}

/// Writes down what became of a payment at the gateway.
async fn settle(
    processor: &CardProcessor,
    intent: &Model,
    outcome: Outcome,
) -> Result<(), CardError> {
    match outcome {
        Outcome::Charged(at) => {
            Ok(db::again(|| intents::set_charged(&processor.db, intent, at)).await?)
        }
        Outcome::Declined(refusal) => fail(processor, intent, refusal).await,
        Outcome::Cancelled | Outcome::GivenBack => fail(processor, intent, never_charged()).await,
        Outcome::NotCharged => Err(CardError::Unavailable(Away::Gateway)),
    }
}

async fn fail(
    processor: &CardProcessor,
    intent: &Model,
    refusal: Refusal,
) -> Result<(), CardError> {
    Ok(db::again(|| intents::set_failed(&processor.db, intent, &refusal)).await?)
}

/// Step 5. What a rule refuses is given back; what is only locked or away stays charged.
async fn post(processor: &Arc<CardProcessor>, intent: &Model) -> Result<(), CardError> {
    let posting = Posting::of(intent);
    let Err(error) = effects::change(&processor.writer, posting).await else { return Ok(()) };
    if !error.is_refusal() {
        return Err(error);
    }
    let refusal = CardRefusal::of_posting(error);
    tracing::warn!(id = intent.card_payment_id, code = refusal.code, "a charge is given back");
    let decide = || intents::decide_to_give_back(&processor.db, intent, &refusal);
    Ok(db::again(decide).await?)
}

async fn give_back(
    processor: &CardProcessor,
    intent: &Model,
    referred: &Referred,
) -> Result<(), CardError> {
    processor.gateway.give_back(referred).await.map_err(not_now)?;
    Ok(db::again(|| intents::set_voided(&processor.db, intent)).await?)
}
